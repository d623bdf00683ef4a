---A waiters-2.json or a service-2.json with parts of other types ended `bide check` and `bide run` with an error of Lua, or
---was taken as if nothing was wrong.

local Workspace = require "spec.support.workspace"

local SERVICE = '{"metadata": {}, "operations": {"Get": %s}, "shapes": {"T": %s}}'
local STRUCTURE = '{"type": "structure", "members": {}}'
local WAITERS = '{"version": 2, "waiters": {"Done": %s}}'
local ACCEPTOR = '{"matcher": "status", "expected": 200, "state": "success"}'

local function waiter(members)
  return WAITERS:format(('{"operation": "Get", %s}'):format(members))
end

local GOOD = waiter(('"delay": 5, "maxAttempts": 3, "acceptors": [%s]'):format(ACCEPTOR))

---the waiters; the service; the only event, after its place
local rows = {
  { WAITERS:format "1", nil, "waiters-2.json:1:28: ERROR Model\n  Done: expected a waiter, found 1" },
  { WAITERS:format '{"operation": 5}', nil,
    "waiters-2.json:1:37: ERROR Model\n  Done.operation: expected the name of an operation, found 5" },
  { waiter('"delay": "x", "acceptors": [' .. ACCEPTOR .. "]"), nil,
    'waiters-2.json:1:57: ERROR Model\n  Done.delay: expected a whole number, found "x"' },
  { waiter '"acceptors": {}', nil, "Done.acceptors: expected a list of acceptors, found a table" },
  { waiter '"acceptors": [7]', nil, "Done.acceptors[1]: expected an acceptor, found 7" },
  { waiter '"acceptors": [{"matcher": "stauts"}]', nil,
    'Done.acceptors[1].matcher: expected one of error, path, pathAll, pathAny, status, found "stauts", did you mean "status"?' },
  { waiter '"acceptors": [{"matcher": "path", "argument": 1}]', nil,
    "Done.acceptors[1].argument: expected the path, a string, found 1" },
  { waiter '"acceptors": [{"matcher": "path", "argument": "a", "expected": {}}]', nil,
    "Done.acceptors[1].expected: expected a string, a number or a boolean, found a table" },
  { waiter '"acceptors": [{"matcher": "status", "expected": "200"}]', nil,
    'Done.acceptors[1].expected: expected an HTTP status, a whole number, found "200"' },
  { waiter('"delay": 0, "acceptors": [' .. ACCEPTOR .. "]"), nil,
    "waiters-2.json:1:57: ERROR TraitValue.Target.InvalidRange\n  botocore#Get, Done: minDelay: expected at least 1 second" },
  { GOOD, "{", "service-2.json:1:2: ERROR Model\n" },
  { GOOD, "[]", "service-2.json:1:1: ERROR Model\n  expected a service-2.json" },
  { GOOD, SERVICE:format("5", STRUCTURE), "service-2.json:1:33: ERROR Model\n  operations.Get: expected an object, found 5" },
  { GOOD, SERVICE:format('{"input": {"shape": 7}}', STRUCTURE), "operations.Get.input.shape: expected a string, found 7" },
  { GOOD, SERVICE:format('{"input": {"shape": "S"}}', STRUCTURE),
    "service-2.json:1:41: ERROR Model\n  botocore#Get: there is no shape botocore#S, did you mean botocore#Get?" },
  { GOOD, SERVICE:format("{}", '{"type": 5}'), "shapes.T.type: expected a string, found 5" },
  { GOOD, SERVICE:format("{}", '{"type": "list"}'), 'shapes.T: expected a member "member", found nothing' },
  { GOOD, SERVICE:format('{"output": {"shape": "T"}}', '{"type": "strct"}'),
    'ERROR Model\n  botocore#T: type: expected the type of a shape, found "strct"' },
  { GOOD, '{"metadata": {}, "operations": {"Gt": {}}, "shapes": {}}',
    'waiters-2.json:1:37: ERROR Model\n  Done.operation: expected an operation of the service, found "Get", did you mean "Gt"?' },
}

describe("a broken file of botocore", function()
  local workspace = Workspace.of_each()

  for number, row in ipairs(rows) do
    it(("number %d is reported: %s"):format(number, row[3]:match "[^\n]*$"), function()
      workspace:write("waiters-2.json", row[1])
      if row[2] then workspace:write("service-2.json", row[2]) end
      local done = workspace:bide { "check", "waiters-2.json" }
      assert.equal("", done.stderr)
      done:prints(1, row[3])
      done = workspace:bide { "run", "waiters-2.json", "--max-wait", "50s" }
      assert.equal(2, done.code)
      assert.is_nil(done.stderr:find("traceback", 1, true))
    end)
  end

  it("is a service without waiters, which is checked alone and not run", function()
    workspace:write("service-2.json", SERVICE:format("{}", STRUCTURE))
    assert.equal(0, workspace:bide({ "check", "service-2.json" }).code)
    local done = workspace:bide { "run", "service-2.json", "--max-wait", "50s" }
    done:says(2, "service-2.json: expected waiters, found botocore's model of a service")
  end)
end)
