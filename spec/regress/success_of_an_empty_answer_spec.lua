---Waiters of AWS whose condition is true of an empty list succeeded without a word for a misspelt group, and for services
---to which access was denied. They still succeed, as AWS's own do, but bide warns of it.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local stable = { deployments = { {} }, runningCount = 1, desiredCount = 1 }
local empty = json.array {}
local denied = { arn = "arn:aws:ecs:eu-west-1:1:service/web", reason = "ACCESS_DENIED" }
local group = { MinSize = 1, Instances = { { LifecycleState = "InService" } } }

local NO_GROUP = "GroupInService: the answer has no AutoScalingGroups, and the waiter of AWS succeeds without any; "
  .. "check what was asked for; --fail '!AutoScalingGroups' makes this a failure"
local NO_SERVICE = "ServicesStable: the answer has no services, but says: arn:aws:ecs:eu-west-1:1:service/web ACCESS_DENIED, "
  .. "and the waiter of AWS succeeds without any; check what was asked for; --fail '!services' makes this a failure"
local NO_VPC = "VpcExists: the answer has no Vpcs, and the waiter of AWS succeeds without any; "
  .. "check what was asked for; --until Vpcs waits for them"

local NEVER_SEEN = "GroupNotExists: no attempt has seen it: it was gone before this wait, or its name, region or account is "
  .. "wrong; to tell these apart, ask before it is deleted"

local function lacks(waiter, words)
  return waiter .. ": the answer lacks a part of what was asked for, which the waiter of AWS does not look at: " .. words
end

local function further(waiter, name)
  return ("%s: the answer has a %s: a further page follows, and a waiter looks at the first one alone"):format(waiter, name)
end

local function one_of_two(waiter, member)
  return ("%s: the answer has 1 of the 2 in %s, and the waiter of AWS does not look for the others"):format(waiter, member)
end

---An answer by which a waiter succeeds, and the warning; none if there is none. At the end an input.
local rows = {
  { "autoscaling", "GroupInService", { AutoScalingGroups = empty }, NO_GROUP },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group } } },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group }, NextToken = "" } },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group }, NextToken = "2" }, further("GroupInService", "NextToken") },
  { "autoscaling", "GroupExists", { AutoScalingGroups = { group }, NextToken = "2" } },
  { "autoscaling", "GroupNotExists", { AutoScalingGroups = empty }, NEVER_SEEN },
  { "autoscaling", "GroupNotExists", { AutoScalingGroups = empty, NextToken = "2" }, further("GroupNotExists", "NextToken") },
  { "ecs", "ServicesStable", { services = empty, failures = { denied } }, NO_SERVICE },
  { "ecs", "ServicesStable", { services = { stable }, failures = { denied } },
    lacks("ServicesStable", denied.arn .. " ACCESS_DENIED") },
  { "ecs", "ServicesStable", { services = { stable }, failures = empty } },
  { "ecs", "ServicesStable", { services = { stable } } },
  { "ecs", "TasksStopped",
    { tasks = { { lastStatus = "STOPPED" } }, failures = { { reason = "MISSING", detail = "a\n\27[2J" } } },
    lacks("TasksStopped", "MISSING a \27[2J") },
  { "ecs", "TasksRunning", { tasks = { { lastStatus = "RUNNING" } }, failures = empty } },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group } },
    one_of_two("GroupInService", "AutoScalingGroupNames"), "AutoScalingGroupNames=web,wep" },
  { "autoscaling", "GroupExists", { AutoScalingGroups = { group } },
    one_of_two("GroupExists", "AutoScalingGroupNames"), "AutoScalingGroupNames=web,wep" },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group, group } }, nil, "AutoScalingGroupNames=web,shop" },
  { "autoscaling", "GroupInService", { AutoScalingGroups = { group } }, nil, "AutoScalingGroupNames=web,web" },
  { "autoscaling", "GroupInService", { AutoScalingGroups = empty }, NO_GROUP, "AutoScalingGroupNames=wep" },
  { "ec2", "InstanceStatusOk", { InstanceStatuses = { { InstanceStatus = { Status = "ok" } } } },
    one_of_two("InstanceStatusOk", "InstanceIds"), "InstanceIds=i-1,i-2" },
  { "ses", "IdentityExists", { VerificationAttributes = { ["a@b"] = { VerificationStatus = "Success" } } },
    one_of_two("IdentityExists", "Identities"), "Identities=a@b,c@d" },
  { "ec2", "VpcExists", { Vpcs = empty }, NO_VPC },
  { "ec2", "VpcExists", { Vpcs = { { VpcId = "vpc-1" } } } },
  { "rds", "DBInstanceAvailable", { DBInstances = { { DBInstanceStatus = "available" } }, Marker = "2" },
    further("DBInstanceAvailable", "Marker") },
  { "rds", "DBInstanceAvailable", { DBInstances = { { DBInstanceStatus = "available" } } } },
}

local inputs = { ServicesStable = "services=web", TasksRunning = "tasks=t", TasksStopped = "tasks=t" }

describe("a success of AWS's waiters", function()
  local workspace = Workspace.of_block()

  ---Replays an answer.
  local function replay(row, ...)
    workspace:write("answers.jsonl", json.encode { output = row[3], status = 200 } .. "\n")
    local words = { "replay", "aws:" .. row[1], row[2], "answers.jsonl", "--max-wait", "1h", "--max-attempts", "1", ... }
    words[#words + 1] = row[5] or inputs[row[2]]
    return workspace:bide(words)
  end

  for _, row in ipairs(rows) do
    it(("of %s, by %s for %s, %s"):format(row[2], json.encode(row[3]), row[5] or "one name",
      row[4] and "is warned of" or "is as usual"), function()
      local done = replay(row, "--output", "json", "--quiet")
      local outcome = json.decode(done.stdout)
      assert.same({ 0, "success", row[4] and { row[4] } or nil }, { done.code, outcome.state, outcome.warnings })
      local words = row[4] and row[4]:gsub("\27", "\\x1B")
      assert.equal(words and ("bide: warning: %s\n"):format(words) or "", done.stderr)
    end)
  end

  it("is not warned of where the command line says what counts", function()
    for _, case in ipairs {
      { "autoscaling", "GroupInService", { AutoScalingGroups = empty }, "--fail", "!AutoScalingGroups", 1 },
      { "autoscaling", "GroupInService", { AutoScalingGroups = { group } }, "--fail", "!AutoScalingGroups", 0 },
      { "ecs", "ServicesStable", { services = empty, failures = empty }, "--fail", "!services", 1 },
      { "ecs", "ServicesStable", { services = { stable }, failures = { denied } }, "--fail", "failures", 1 },
      { "ecs", "ServicesStable", { services = { stable }, failures = empty }, "--fail", "failures", 0 },
      { "ec2", "VpcExists", { Vpcs = empty }, "--until", "Vpcs", 4 },
      { "ec2", "VpcExists", { Vpcs = { { VpcId = "vpc-1" } } }, "--until", "Vpcs", 0 },
      { "ec2", "VpcExists", { Vpcs = empty }, "--until", "length(Vpcs) == `0`", 0 },
    } do
      local done = replay({ case[1], case[2], case[3] }, case[4], case[5], "--quiet")
      assert.equal(case[6], done.code, done.stderr)
      assert.is_nil(done.stderr:find("warning", 1, true))
    end
  end)

  it("is warned of before COMMAND begins", function()
    local server = Server.start(function()
      return { headers = { ["Content-Type"] = "application/x-amz-json-1.1" },
        body = json.encode { services = empty, failures = { denied } } }
    end)
    local done = workspace:bide { "aws", "ecs", "services-stable", "services=web", "--endpoint", server.url, "--region",
      "eu-west-1", "--no-sign-request", "--max-wait", "1m", "--quiet", "--", "sh", "-c", "echo started >&2" }
    server:close()
    assert.equal(0, done.code, done.stderr)
    local warning, started = done.stderr:find(NO_SERVICE, 1, true), done.stderr:find("\nstarted", 1, true)
    assert.is_true(warning and started and warning < started, done.stderr)
  end)

  it("is explained by bide show", function()
    assert.matches("\n  a success is warned of without: services\n",
      workspace:bide({ "show", "aws:ecs", "ServicesStable" }).stdout, 1, true)
  end)
end)
