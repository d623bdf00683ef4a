---What a signature for AWS costs, against a C loop that makes its HMACs and digests; and what the endpoint of a request
---costs, against a millisecond. Prints one JSON object a line, in microseconds of processor time. Run by `make bench-sign`.
---
---    lua5.4 spec/bench/sign.lua BUILD

local core = require "bide.core"
local data = require "spec.support.data"
local endpoint = require "bide.aws.endpoint"
local sigv4 = require "bide.aws.sigv4"

local build = arg[1]
local COUNT <const>, RUNS <const> = 20000, 5

---The least of several runs: other processes only add to it.
local function least_of(run)
  local least = math.huge
  for _ = 1, RUNS do least = math.min(least, run()) end
  return least
end

local function report(name, reference, found, target)
  print(core.json.encode { bench = name, reference = reference, bide = found, ratio = found / reference, target = target })
end

local function reference()
  local pipe <close> = assert(io.popen(("%s/sign/reference %d"):format(build, COUNT)))
  return assert(pipe:read "n")
end

---Each signature is that of a poll of its own, with a new time.
local function signature(has_new_key)
  local scope, began = { region = "eu-west-1", service = "ec2" }, os.clock()
  for number = 1, COUNT do
    sigv4.sign({
      method = "POST", url = "https://ec2.eu-west-1.amazonaws.com/", body = "Action=DescribeInstances&Version=2016-11-15",
      headers = { ["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8" },
      time = 1440938160 + (has_new_key and number * 86400 or number % 1000),
    }, { access_key = "AKIDEXAMPLE", secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }, scope)
  end
  return (os.clock() - began) * 1e6 / COUNT
end

local function bench_endpoint()
  local text = data.read "aws/endpoints.jsonl"
  if not text then return end
  local rules = core.json.decode(data.read "aws/endpoint-rules.json")
  local partitions = core.json.decode(data.read "aws/partitions.json")
  local cases = {}
  for line in text:gmatch "[^\n]+" do cases[#cases + 1] = core.json.decode(line) end
  local found = least_of(function()
    local began = os.clock()
    for _, case in ipairs(cases) do endpoint.resolve(rules[case.s], partitions, case.kw) end
    return (os.clock() - began) * 1e6 / #cases
  end)
  report("aws: endpoint", 1000, found, 1)
end

local least = least_of(reference)
report("aws: signature", least, least_of(signature), 5)
report("aws: signature, first of its day", least, least_of(function() return signature(true) end), 5)
bench_endpoint()
