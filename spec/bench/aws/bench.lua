---What a wait for a service of AWS costs, against the same wait by a recipe written by hand and by the AWS CLI; and what a
---fleet of such waits takes. A server of the bench answers. Prints one JSON object a line. Run by `make bench-aws`.
---
---    lua5.4 spec/bench/aws/bench.lua BUILD

local core = require "bide.core"
local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local instructions = require "spec.bench.instructions"
local process = require "spec.support.process"

local build = arg[1]
local RUNS <const>, RUNS_OF_CLI <const> = 15, 5

local STACKS = '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult>'
  .. "<Stacks><member><StackName>web</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>"
  .. "<StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>"
local INSTANCES = '<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><reservationSet/>'
  .. "</DescribeInstancesResponse>"

local server = Server.start(function(request)
  return { body = request.body:find "DescribeStacks" and STACKS or INSTANCES, headers = { ["Content-Type"] = "text/xml" } }
end)

local directory = Directory.make()
directory:write("hand.lua", ([[
local http = require "bide.http"
local function ask(action, version)
  return function(input)
    local name, value = next(input)
    local body = ("Action=%%s&Version=%%s&%%s=%%s"):format(action, version, name, type(value) == "table" and value[1] or value)
    local response = http.post("%s/", { body = body, share = true, retry = "standard",
      headers = { ["Content-Type"] = "application/x-www-form-urlencoded" } })
    return { status = response.body:match "<StackStatus>(.-)<" }
  end
end
local waiter = { acceptors = { { state = "success", matcher = { output = { path = "status", comparator = "stringEquals",
  expected = "CREATE_COMPLETE" } } } } }
return {
  DescribeStacks = { call = ask("DescribeStacks", "2010-05-15"), waitable = { StackCreateComplete = waiter } },
  DescribeInstances = { call = ask("DescribeInstances", "2016-11-15"), waitable = { InstanceRunning = waiter } },
}
]]):format(server.url))

local environment = { AWS_ACCESS_KEY_ID = "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  AWS_REGION = "eu-west-1", AWS_DEFAULT_REGION = "eu-west-1", AWS_EC2_METADATA_DISABLED = "true", HOME = directory.path,
  PYENV_ROOT = os.getenv "PYENV_ROOT" or (os.getenv "HOME" or "") .. "/.pyenv" }

local function report(line)
  for key, value in pairs(line) do
    if math.type(value) == "float" then line[key] = math.floor(value * 1e5 + 0.5) / 1e5 end
  end
  print(core.json.encode(line))
end

-- ---- one wait -----------------------------------------------------------------------------------

---The processor seconds of one run; nil if it did not succeed.
local function seconds_of(command)
  local words = table.move(command, 1, #command, 2, { build .. "/aws/usage" })
  local usage = core.json.decode(process.run(words, { env = environment }).stdout)
  return usage and usage.code == 0 and usage.cpu or nil
end

---The medians of several commands, which take turns.
local function medians_of(commands, runs)
  local times = {}
  for position in ipairs(commands) do times[position] = {} end
  for _ = 1, runs do
    for position, command in ipairs(commands) do table.insert(times[position], seconds_of(command)) end
  end
  for position, list in ipairs(times) do
    table.sort(list)
    times[position] = list[#list // 2 + 1]
  end
  return times
end

---Returns the program of the AWS CLI. That of pyenv is a script of the shell which starts it, and took a sixth of its time.
local function find_cli()
  local found = process.run({ "sh", "-c", "pyenv which aws 2>/dev/null || command -v aws" }).stdout
  return found:match "[^\n]+" or "aws"
end

local function bench_wait()
  local bide, common = build .. "/bide", { "--max-wait", "5s", "--quiet" }
  local aws = { bide, "aws", "cloudformation", "StackCreateComplete", "StackName=web", "--endpoint", server.url,
    "--min-delay", "1s", table.unpack(common) }
  local hand = { bide, "run", directory.path .. "/hand.lua", "StackCreateComplete", "StackName=web", table.unpack(common) }
  local cli = { find_cli(), "cloudformation", "wait", "stack-create-complete", "--stack-name", "web", "--endpoint-url",
    server.url }
  local found = medians_of({ aws, hand }, RUNS)
  report { bench = "aws: a wait, and by hand", reference = found[2], bide = found[1], ratio = found[1] / found[2], target = 2 }
  local own = instructions.of(aws, environment)
  if own then
    local by_hand = instructions.of(hand, environment)
    report { bench = "aws: instructions of a wait, and by hand", reference = by_hand, bide = own, ratio = own / by_hand,
      target = 1.4 }
  end
  if not seconds_of(cli) then return end
  found = medians_of({ aws, cli }, RUNS_OF_CLI)
  report { bench = "aws: a wait, and by the AWS CLI", reference = found[2], bide = found[1], ratio = found[1] / found[2],
    target = 1 / 30 }
end

-- ---- a fleet ------------------------------------------------------------------------------------

---The bytes of Lua's that each of a thousand sleeping waits takes.
local function bytes_of(...)
  local done = process.run({ build .. "/bide", "exec", "spec/bench/aws/fleet.lua", ... }, { env = environment })
  return tonumber(done.stdout) or error(done.stderr)
end

local function bench_fleet()
  local aws, hand = bytes_of("aws:ec2", server.url), bytes_of(directory.path .. "/hand.lua")
  report { bench = "aws: bytes a sleeping wait, more than by hand", reference = hand, bide = aws, more = aws - hand,
    target = 2048 }
end

bench_wait()
bench_fleet()
server:close()
directory:remove()
