---Requests and answers of the operations that AWS's waiters call, as botocore writes and reads them.

local core = require "bide.core"
local model = require "bide.model"
local protocols = require "spec.support.protocols"

local json = core.json

local FILE = "aws/wire.jsonl"
local cases = protocols.lines(FILE)

local opened = {}

---Opens a service of bide's own data, or of newer ones that are installed.
local function model_of(service)
  opened[service] = opened[service] or assert(model.open("aws:" .. service))
  return opened[service]
end

local function body_text(case, request)
  if case.body.form then return protocols.pairs_of(request.body), protocols.joined(case.body.form) end
  local wanted = json.decode(case.body.text)
  if type(wanted) ~= "table" then return request.body, case.body.text end
  return protocols.canonical(json.decode(request.body) or request.body), protocols.canonical(wanted)
end

---@return string? difference
local function check_request(operation, case)
  local request, mistake = operation:request(case.params)
  if not request then return mistake end
  if request.method ~= case.method then return request.method end
  if request.path ~= case.path then return request.path .. ", expected " .. case.path end
  local query, wanted = protocols.joined(request.query), protocols.joined(case.query)
  if query ~= wanted then return ("query %s, expected %s"):format(query, wanted) end
  for name, value in pairs(case.headers) do
    local given = protocols.header(request.headers, name)
    if given ~= value then return ("%s: %s, expected %s"):format(name, given, value) end
  end
  for name in pairs(request.headers) do
    if not protocols.header(case.headers, name) then return "has the header " .. name end
  end
  local given
  given, wanted = body_text(case, request)
  if given ~= wanted then return ("body %s, expected %s"):format(given, wanted) end
end

local function check_answer(operation, case)
  local output, failure = operation:answer(case)
  if not output then return failure.type .. ": " .. failure.message end
  local given, wanted = protocols.canonical(output), protocols.canonical(case.want)
  if given ~= wanted then return ("%s\n  expected %s"):format(given, wanted) end
end

---@return string? difference
---@return boolean is_spoken
local function check(case)
  local operation = assert(model_of(case.service):operation(case.op))
  local request, mistake = operation:request(case.params or {})
  if not request and mistake:find "protocol" then return nil, false end
  return (case.kind == "request" and check_request or check_answer)(operation, case), true
end

describe("the requests and answers of botocore", function()
  if not cases then
    pending(FILE .. " is absent: see spec/support/data.lua")
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
    assert.equal(1238, passed)
  end)
end)
