---Why waiters of AWS fail, without an option: the answer's own reason is in the sentence. And failures that are known before
---the deadline: what ends a wait for ECS and EKS at once, and what does not.

local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

---A service of ECS with its deployments.
local function service(rollback, alarms, ...)
  return { services = { { status = "ACTIVE", runningCount = 0, desiredCount = 1, deployments = { ... },
    deploymentConfiguration = { deploymentCircuitBreaker = { enable = true, rollback = rollback }, alarms = alarms } } } }
end

local failed = { status = "PRIMARY", rolloutState = "FAILED", rolloutStateReason = "tasks failed to start" }
local old = { status = "ACTIVE", rolloutState = "COMPLETED" }
local going_on = { status = "PRIMARY", rolloutState = "IN_PROGRESS", rolloutStateReason = "deployment in progress" }

local function task(state, more)
  return { tasks = { { lastStatus = state, stoppedReason = more and "Essential container in task exited",
    containers = { { reason = more }, {} } } } }
end

local function nodegroup(status, ...)
  return { nodegroup = { status = status, health = { issues = json.array { ... } } } }
end

---The required inputs of operations.
local inputs = {
  cloudformation = {}, ["lambda"] = { FunctionName = "f" }, dynamodb = { ExportArn = ("a"):rep(40) },
  ssm = { CommandId = ("c"):rep(36), InstanceId = "i-1" },
  ecs = { services = { "web" }, tasks = { "t" } },
  eks = { clusterName = "c", nodegroupName = "n", fargateProfileName = "f", addonName = "a" },
}

---The inputs that a waiter takes, of those of its service.
local taken = {
  ServicesStable = { "services" }, TasksRunning = { "tasks" }, NodegroupActive = { "clusterName", "nodegroupName" },
  AddonActive = { "clusterName", "addonName" }, FargateProfileActive = { "clusterName", "fargateProfileName" },
}

local function input_of(name, waiter)
  local input = taken[waiter] and {} or inputs[name]
  for _, member in ipairs(taken[waiter] or {}) do input[member] = inputs[name][member] end
  return next(input) and json.encode(input) or "{}"
end

describe("a failure of a waiter of AWS", function()
  local workspace = Workspace.of_block()

  ---Replays answers, and returns the outcome.
  local function replay(name, waiter, answers, ...)
    local lines = {}
    for position, answer in ipairs(answers) do lines[position] = json.encode { output = answer } end
    workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide { "replay", "aws:" .. name, waiter, "answers.jsonl", "--max-wait", "1h", "--output", "json",
      "--input", input_of(name, waiter), ... }
    return json.decode(done.stdout) or error(done.stderr)
  end

  it("has the reason that the service gives", function()
    for _, case in ipairs {
      { "cloudformation", "StackCreateComplete",
        { Stacks = { { StackStatus = "ROLLBACK_COMPLETE", StackStatusReason = "no\n room" } } },
        'Stacks[].StackStatus is ["ROLLBACK_COMPLETE"]: no room' },
      { "lambda", "FunctionActive", { State = "Failed", StateReason = "no role" }, 'State is "Failed": no role' },
      { "ecs", "TasksRunning", task("STOPPED", "CannotPullContainerError: no such image"),
        '["STOPPED"]: Essential container in task exited, CannotPullContainerError: no such image' },
      { "eks", "NodegroupActive",
        nodegroup("CREATE_FAILED", { code = "NodeCreationFailure", message = "no way" }, { code = "X" }),
        'nodegroup.status is "CREATE_FAILED": NodeCreationFailure: no way, X' },
      { "ssm", "CommandExecuted", { Status = "Failed", StatusDetails = "Failed", StandardErrorContent = "no disk\n" },
        'Status is "Failed": Failed, no disk' },
      { "ssm", "CommandExecuted", { Status = "Failed", StatusDetails = "Failed", StandardErrorContent = "" },
        'Status is "Failed": Failed' },
      { "dynamodb", "ExportCompleted", { ExportDescription = { ExportStatus = "FAILED", FailureMessage = "no bucket" } },
        "no bucket" },
    } do
      local outcome = replay(case[1], case[2], { case[3] })
      assert.same({ "failure", "acceptor" }, { outcome.state, outcome.reason })
      assert.equal(case[4], outcome.message:sub(-#case[4]))
    end
  end)

  it("has no reason where the answer has none, or another type", function()
    for _, reason in ipairs { json.null, "", "  ", 5, json.array {}, { a = 1 } } do
      local outcome = replay("cloudformation", "StackCreateComplete",
        { { Stacks = { { StackStatus = "ROLLBACK_COMPLETE", StackStatusReason = reason } } } })
      assert.equal("failure", outcome.state)
      assert.matches('is %["ROLLBACK_COMPLETE"%]$', outcome.message)
    end
  end)

  it("has a reason of one line, shortened and without control characters", function()
    local long = ("x\27[2J"):rep(1000)
    local message = replay("lambda", "FunctionActive", { { State = "Failed", StateReason = long } }).message
    assert.is_true(#message < 600, #message)
    workspace:write("answers.jsonl", json.encode { output = { State = "Failed", StateReason = "a\27[2Jb\nbide: done" } } .. "\n")
    local done = workspace:bide { "replay", "aws:lambda", "FunctionActive", "answers.jsonl", "FunctionName=f", "--max-wait", "1h",
      "--quiet" }
    assert.matches("a\\x1B[2Jb bide: done\n", done.stderr, 1, true)
  end)

  it("has the words of --fail-message in place of that", function()
    local outcome = replay("cloudformation", "StackUpdateComplete",
      { { Stacks = { { StackStatus = "REVIEW_IN_PROGRESS", StackStatusReason = "no room", StackName = "shop" } } } },
      "--fail", "Stacks[0].StackStatus=REVIEW_IN_PROGRESS", "--fail-message", "Stacks[0].StackName")
    assert.matches(": shop ", outcome.message, 1, true)
    assert.is_nil(outcome.message:find "no room")
  end)

  it("has the reason at the deadline, too", function()
    local answers = {}
    for position = 1, 3 do
      answers[position] = nodegroup("CREATING", { code = "AsgInstanceLaunchFailures", message = "no capacity" })
    end
    local outcome = replay("eks", "NodegroupActive", answers, "--max-attempts", "3")
    assert.equal("maxAttempts", outcome.reason)
    assert.matches('last seen: nodegroup.status is "CREATING"; AsgInstanceLaunchFailures: no capacity', outcome.message, 1, true)
  end)

  it("of a service of ECS is found when its last deployment has failed for good", function()
    local outcome = replay("ecs", "ServicesStable", { service(false, nil, going_on, old), service(false, nil, failed, old) })
    assert.same({ "failure", "acceptor", 2 }, { outcome.state, outcome.reason, outcome.attempts })
    assert.matches('rolloutState is "FAILED": tasks failed to start$', outcome.message)
    local alarms = { enable = true, rollback = false }
    assert.equal("failure", replay("ecs", "ServicesStable", { service(false, alarms, failed, old) }).state)
  end)

  it("of a service of ECS is not certain while something may still become of it", function()
    local stable = { services = { { status = "ACTIVE", runningCount = 1, desiredCount = 1, deployments = { old } } } }
    local others = { status = "ACTIVE", rolloutState = "FAILED" }
    local keeps_stopping = { status = "PRIMARY", rolloutState = "IN_PROGRESS", failedTasks = 40 }
    for _, answer in ipairs {
      service(true, nil, failed, old), service(false, { enable = true, rollback = true }, failed, old),
      service(json.null, nil, failed, old), service(false, nil, going_on, others), service(false, nil, keeps_stopping, old),
    } do
      local outcome = replay("ecs", "ServicesStable", { answer, stable })
      assert.same({ "success", 2 }, { outcome.state, outcome.attempts }, outcome.message)
    end
  end)

  it("of a task of ECS is found when it begins to stop", function()
    for _, state in ipairs { "DEACTIVATING", "STOPPING", "DEPROVISIONING" } do
      local outcome = replay("ecs", "TasksRunning", { task "PENDING", task(state, "OutOfMemoryError") })
      assert.same({ "failure", 2 }, { outcome.state, outcome.attempts })
      assert.matches("OutOfMemoryError$", outcome.message)
    end
    assert.equal("success", replay("ecs", "TasksRunning", { task "PROVISIONING", task "ACTIVATING", task "RUNNING" }).state)
  end)

  it("of EKS is found where something is being deleted, and not for states that can be mended", function()
    for waiter, name in pairs { AddonActive = "addon", FargateProfileActive = "fargateProfile", NodegroupActive = "nodegroup" } do
      local outcome = replay("eks", waiter, { { [name] = { status = "CREATING" } }, { [name] = { status = "DELETING" } } })
      assert.same({ "failure", 2 }, { outcome.state, outcome.attempts })
      outcome = replay("eks", waiter, { { [name] = { status = "UPDATE_FAILED" } }, { [name] = { status = "ACTIVE" } } })
      assert.same({ "success", 2 }, { outcome.state, outcome.attempts })
    end
    local outcome = replay("eks", "NodegroupActive", { nodegroup("DEGRADED", { code = "InsufficientFreeAddresses" }),
      nodegroup "ACTIVE" })
    assert.equal("success", outcome.state)
  end)

  it("is explained by bide show", function()
    local text = workspace:bide({ "show", "aws:ecs", "TasksRunning" }).stdout
    assert.matches("\n  bide's own: the last 3 acceptors\n  a failure's reason: [tasks[].stoppedReason, ", text, 1, true)
    assert.is_nil(workspace:bide({ "show", "aws:ec2", "VpcExists" }).stdout:find("reason", 1, true))
  end)
end)
