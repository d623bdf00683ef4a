---The waiters that only AWS's Smithy models have: what their acceptors decide, and where bide says that they are from.

local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

local function group(least, ...)
  local instances = json.array {}
  for position, state in ipairs { ... } do instances[position] = { LifecycleState = state } end
  return { MinSize = least, Instances = instances }
end

local function groups(...) return { AutoScalingGroups = json.array { ... } } end

---For each waiter, by its acceptors: the answer that one is the first to match. After a retry comes the first answer.
local answers = {
  autoscaling = {
    GroupExists = { groups(group(1)), groups() },
    GroupInService = {
      groups(group(2, "InService", "InService", "Pending"), group(0)), groups(group(1, "InService"), group(1, "Pending")),
    },
    GroupNotExists = { groups(), groups(group(1)) },
  },
}

describe("a waiter of a Smithy model", function()
  local workspace = Workspace.of_block()

  ---Replays answers, and returns the outcome.
  local function replay(service, waiter, ...)
    local lines = {}
    for position, answer in ipairs { ... } do lines[position] = json.encode { output = answer } end
    workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide { "replay", "aws:" .. service, waiter, "answers.jsonl", "--max-wait", "1h", "--output", "json" }
    return json.decode(done.stdout) or error(done.stderr)
  end

  ---Calls f with each waiter that only Smithy's models have.
  local function each(f)
    local file <close> = assert(io.open "scripts/aws/smithy.json")
    local index <close> = assert(io.open "scripts/aws/index.json")
    local names, count = {}, 0
    for name, facts in pairs(json.decode(index:read "a").services) do
      for waiter in pairs(facts.waiters) do names[waiter] = name end
    end
    for _, service in pairs(json.decode(file:read "a").services) do
      for _, waiters in pairs(service.waiters or {}) do
        for name, waiter in pairs(waiters) do
          count = count + 1
          f(names[name], name, waiter)
        end
      end
    end
    assert.equal(3, count)
  end

  it("decides by each of its acceptors", function()
    each(function(service, name, waiter)
      local given = answers[service][name]
      assert.equal(#waiter.acceptors, #given)
      for position, acceptor in ipairs(waiter.acceptors) do
        local is_retry = acceptor.state == "retry"
        local outcome = replay(service, name, given[position], is_retry and given[1] or nil)
        assert.equal(is_retry and "success" or acceptor.state, outcome.state, outcome.message)
        assert.equal(position, outcome.history[1].acceptor)
        assert.equal(is_retry and 2 or 1, outcome.attempts)
      end
    end)
  end)

  it("is said to be one", function()
    each(function(service, name)
      assert.matches("of the Smithy model of the service; botocore has no waiter of this name",
        workspace:bide({ "show", "aws:" .. service, name }).stdout, 1, true)
    end)
    assert.matches("botocore's waiter; the Smithy model of the service has one of this name, too",
      workspace:bide({ "show", "aws:acm" }).stdout, 1, true)
    assert.is_nil(workspace:bide({ "show", "aws:ecs", "DaemonActive" }).stdout:find "Smithy")
  end)

  it("is listed, helped with and completed as all are", function()
    assert.matches("\n  autoscaling +3 ", workspace:bide({ "aws" }).stdout)
    local help = workspace:bide({ "aws", "autoscaling", "group-exists", "--help" }).stdout
    assert.matches("AutoScalingGroupNames  list of string", help, 1, true)
    assert.equal("GroupExists\n", workspace:bide({ "completion", "words", "--", "aws", "autoscaling", "GroupE" }).stdout)
  end)
end)
