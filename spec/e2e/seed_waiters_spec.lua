---The waiters of the seeds, through `bide replay`: the examples of the Smithy
---specification, and the four of the appendix of the Kotlin SDK's design.

local Workspace = require "spec.support.workspace"

local waiters = {
  -- S3's HeadBucket, as the specification has it.
  BucketExists = [[{"documentation": "Wait until a bucket exists", "acceptors": [
    {"state": "success", "matcher": {"success": true}},
    {"state": "retry", "matcher": {"errorType": "NotFound"}}]}]],
  -- The specification writes "description", an unknown member: a warning.
  ThingExists = [[{"description": "Waits until a thing has been created", "acceptors": [
    {"state": "failure", "matcher": {"output": {"path": "status", "comparator": "stringEquals", "expected": "failed"}}},
    {"state": "success", "matcher": {"output": {"path": "status", "comparator": "stringEquals", "expected": "success"}}}]}]],
  -- Without state and matcher in the specification, which its own rules refuse.
  GroupExists = [[{"acceptors": [{"state": "success", "matcher": {"inputOutput": {
    "path": "length(input.groups) == length(output.groups)", "expected": "true", "comparator": "booleanEquals"}}}]}]],
  ResourceRunning = [[{"acceptors": [
    {"state": "failure", "matcher": {"output": {"path": "State", "expected": "Stopped", "comparator": "stringEquals"}}},
    {"state": "success", "matcher": {"output": {"path": "State", "expected": "Running", "comparator": "stringEquals"}}}]}]],
  BucketNotExists = [[{"acceptors": [{"state": "success", "matcher": {"errorType": "NotFound"}}], "minDelay": 5}]],
  DeploymentSuccessful = [[{"acceptors": [
    {"state": "success", "matcher": {"output": {"path": "deploymentInfo.status", "expected": "Succeeded",
      "comparator": "stringEquals"}}},
    {"state": "failure", "matcher": {"output": {"path": "deploymentInfo.status", "expected": "Failed",
      "comparator": "stringEquals"}}},
    {"state": "failure", "matcher": {"output": {"path": "deploymentInfo.status", "expected": "Stopped",
      "comparator": "stringEquals"}}}], "minDelay": 15}]],
  GroupInService = [[{"acceptors": [
    {"state": "success", "matcher": {"output": {
      "path": "contains(AutoScalingGroups[].[length(Instances[?LifecycleState=='InService']) >= MinSize][], `false`)",
      "expected": "false", "comparator": "booleanEquals"}}},
    {"state": "retry", "matcher": {"output": {
      "path": "contains(AutoScalingGroups[].[length(Instances[?LifecycleState=='InService']) >= MinSize][], `false`)",
      "expected": "true", "comparator": "booleanEquals"}}}], "minDelay": 15}]],
  StackDeleteComplete = [[{"documentation": "Wait until stack status is DELETE_COMPLETE.", "acceptors": [
    {"state": "success", "matcher": {"output": {"path": "Stacks[].StackStatus", "expected": "DELETE_COMPLETE",
      "comparator": "allStringEquals"}}},
    {"state": "success", "matcher": {"errorType": "ValidationError"}}], "minDelay": 30}]],
}

local function deployment(status) return ('{"output": {"deploymentInfo": {"status": "%s"}}}'):format(status) end
local function thing(status) return ('{"output": {"status": "%s"}}'):format(status) end
local function resource(state) return ('{"output": {"State": "%s"}}'):format(state) end

---A group of auto scaling: its least size, and the states of its instances.
local function group(least, ...)
  local instances = {}
  for i, state in ipairs { ... } do instances[i] = ('{"LifecycleState": "%s"}'):format(state) end
  return ('{"MinSize": %d, "Instances": [%s]}'):format(least, table.concat(instances, ","))
end

local function groups(...) return ('{"output": {"AutoScalingGroups": [%s]}}'):format(table.concat({ ... }, ",")) end

local function stacks(...)
  local list = {}
  for i, status in ipairs { ... } do list[i] = ('{"StackStatus": "%s"}'):format(status) end
  return ('{"output": {"Stacks": [%s]}}'):format(table.concat(list, ","))
end

local not_found = '{"error": {"type": "NotFound", "status": 404}}'
local denied = '{"error": {"type": "AccessDenied", "status": 403}}'
local on, off = "InService", "Pending"

---waiter, answers, exit code, attempts, reason, acceptor, words of the input.
local cases = {
  { "BucketExists", { not_found, not_found, '{"output": {}}' }, 0, 3, "acceptor", 1 },
  { "BucketExists", { not_found, denied }, 3, 2, "unmatchedError" },
  { "BucketExists", { not_found }, 124, nil, "maxWait" },
  { "ThingExists", { thing "creating", thing "success" }, 0, 2, "acceptor", 2 },
  { "ThingExists", { thing "creating", thing "failed" }, 1, 2, "acceptor", 1 },
  { "ThingExists", { not_found }, 3, 1, "unmatchedError" },
  { "GroupExists", { '{"output": {"groups": []}}', '{"output": {"groups": ["a", "b"]}}' }, 0, 2, "acceptor", 1,
    'groups:=["x","y"]' },
  { "GroupExists", { '{"output": {}}', '{"output": {"groups": ["a"]}}' }, 0, 2, "acceptor", 1, 'groups:=["x"]' },
  { "ResourceRunning", { resource "Stopping", resource "Starting", resource "Running" }, 0, 3, "acceptor", 2 },
  { "ResourceRunning", { resource "Stopping", resource "Stopped" }, 1, 2, "acceptor", 1 },
  { "BucketNotExists", { '{"output": {}}', not_found }, 0, 2, "acceptor", 1 },
  { "BucketNotExists", { '{"output": {}}', denied }, 3, 2, "unmatchedError" },
  { "BucketNotExists", { '{"output": {}}' }, 124, nil, "maxWait" },
  { "DeploymentSuccessful", { deployment "InProgress", deployment "Succeeded" }, 0, 2, "acceptor", 1 },
  { "DeploymentSuccessful", { deployment "InProgress", deployment "Failed" }, 1, 2, "acceptor", 2 },
  { "DeploymentSuccessful", { deployment "Stopped" }, 1, 1, "acceptor", 3 },
  { "GroupInService", { groups(group(2, on, off)), groups(group(2, on, on)) }, 0, 2, "acceptor", 1 },
  { "GroupInService", { groups(group(1, on), group(2, on)), groups(group(1, on), group(1, on)) }, 0, 2, "acceptor", 1 },
  { "GroupInService", { groups(group(0)) }, 0, 1, "acceptor", 1 },
  { "GroupInService", { groups() }, 0, 1, "acceptor", 1 }, -- no group is one too few: the model is so
  { "GroupInService", { '{"output": {}}', groups(group(1, on)) }, 0, 2, "acceptor", 1 },
  { "StackDeleteComplete", { stacks("DELETE_IN_PROGRESS"), stacks("DELETE_COMPLETE") }, 0, 2, "acceptor", 1 },
  { "StackDeleteComplete", { stacks("DELETE_COMPLETE", "DELETE_IN_PROGRESS"), stacks("DELETE_COMPLETE", "DELETE_COMPLETE") },
    0, 2, "acceptor", 1 },
  { "StackDeleteComplete", { stacks("DELETE_IN_PROGRESS"), '{"error": {"type": "ValidationError"}}' }, 0, 2, "acceptor", 2 },
  { "StackDeleteComplete", { stacks() }, 124, nil, "maxWait" }, -- an empty list is not "all"
}

local least = { BucketNotExists = 5, DeploymentSuccessful = 15, GroupInService = 15, StackDeleteComplete = 30 }

describe("a waiter of the seeds", function()
  local workspace = Workspace.of_block()

  setup(function()
    local members = {}
    for name, text in pairs(waiters) do members[#members + 1] = ('"%s": %s'):format(name, text) end
    workspace:write("seeds.json", "{" .. table.concat(members, ",\n") .. "}")
  end)

  for number, case in ipairs(cases) do
    local name, answers, code, attempts, reason, acceptor, word = table.unpack(case, 1, 7)
    it(("%s ends by %s with %d (%d)"):format(name, reason, code, number), function()
      workspace:write("answers.jsonl", table.concat(answers, "\n") .. "\n")
      local outcome, done = workspace:outcome { "replay", "seeds.json", name, "answers.jsonl", "--max-wait", "10m", word }
      assert.equal(code, done.code)
      assert.equal(reason, outcome.reason)
      assert.equal(acceptor, outcome.acceptor)
      if attempts then assert.equal(attempts, outcome.attempts) end
      if outcome.attempts > 1 then assert.equal((least[name] or 2) + 0.0, outcome.history[1].delay) end
    end)
  end

  it("may say what it may not in Smithy, which is told", function()
    workspace:write("answers.jsonl", thing "success" .. "\n")
    local done = workspace:bide { "replay", "seeds.json", "ThingExists", "answers.jsonl", "--max-wait", "1m" }
    assert.equal(0, done.code)
    assert.matches("warning: seeds.json:%d+: ThingExists: description: unknown member", done.stderr)
  end)

  it("is refused as the specification's GroupExists is written", function()
    workspace:write("group.json", [[{"GroupExists": {"acceptors": [{"inputOutput": {
      "path": "length(input.groups) == length(output.groups)", "expected": "true", "comparator": "booleanEquals"}}]}}]])
    local done = workspace:bide { "list", "group.json" }
    done:says(2, "GroupExists: acceptors[1].state: expected a state, found nothing",
      "GroupExists: acceptors[1].matcher: expected a matcher, found nothing")
  end)
end)
