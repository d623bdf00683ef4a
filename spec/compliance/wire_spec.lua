---Requests and answers of the operations that AWS's waiters call, as botocore writes and reads them.

local aws_cases = require "spec.support.aws.cases"
local data = require "spec.support.data"
local model = require "bide.model"
local protocols = require "spec.support.protocols"

local FILE = "aws/wire.jsonl"
local cases = protocols.lines(FILE)

local opened = {}

---Opens a service of bide's own data, or of newer ones that are installed.
local function model_of(service)
  opened[service] = opened[service] or assert(model.open("aws:" .. service))
  return opened[service]
end

---@return string? difference
---@return boolean is_spoken
local function check(case)
  local operation = assert(model_of(case.service):operation(case.op))
  local request, mistake = operation:request(case.params or {})
  if not request and mistake:find "protocol" then return nil, false end
  return (case.kind == "request" and aws_cases.request or aws_cases.answer)(operation, case), true
end

describe("the requests and answers of botocore", function()
  if not cases then
    pending(FILE .. " " .. data.hint)
    return
  end
  it("are bide's", function()
    local passed, failures = 0, {}
    for number, case in ipairs(cases) do
      local difference, is_spoken = check(case)
      if difference then
        failures[#failures + 1] = ("%d %s %s %s: %s"):format(number, case.kind, case.service, case.op, difference)
      elseif is_spoken then
        passed = passed + 1
      end
    end
    assert.equal("", table.concat(failures, "\n"))
    assert.equal(cases[1].model and #cases or 1238, passed) -- of the recorded ones, some speak protocols that bide does not
  end)
end)
