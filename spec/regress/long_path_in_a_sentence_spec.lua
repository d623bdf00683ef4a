---The success of `bide kubernetes_rollout` was a line of 300 characters: the whole expression, and "is true" at its end.

local Workspace = require "spec.support.workspace"

describe("the sentence of a wait", function()
  local workspace

  setup(function() workspace = Workspace.make() end)
  teardown(function() workspace:remove() end)

  ---Runs a wait for a long expression over one answer.
  local function replay(condition, words)
    workspace:write("answers.jsonl", '{"output": {"state": "done"}}\n')
    workspace:write("jobs.lua", [[return { GetJob = { call = function() end,
      input = { password = { type = "string", secret = true } },
      waitable = { JobDone = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    return workspace:bide { "replay", "jobs.lua", "JobDone", "answers.jsonl", "--until", condition, "--max-wait", "1s",
      table.unpack(words or {}) }
  end

  it("shortens a long path", function()
    local done = replay("state == 'done'" .. (" || state == 'never'"):rep(8))
    assert.equal(0, done.code, done.stderr)
    local words = "state == 'done' || state == 'never' || state == … 'never' || state == 'never' || state == 'never' is true"
    assert.matches(": " .. words .. "\n", done.stderr, 1, true)
    assert.matches("after 1 attempt in 0 s: " .. words, done.stdout .. done.stderr, 1, true)
  end)

  it("has the words of a recipe in place of it", function()
    workspace:write("built.lua", [[return { GetBuild = { call = function() end, fact = "join(' ', ['the build is', state])",
      waitable = { Built = { acceptors = { { state = "success", matcher = { output = { expected = "true",
        comparator = "booleanEquals", path = "state == 'done'" .. (" || state == 'never'"):rep(8) } } } } } } } }]])
    local words = { "replay", "built.lua", "Built", "answers.jsonl", "--max-wait", "1s", "--quiet" }
    assert.matches("Built succeeded after 1 attempt in 0 s: the build is done", workspace:bide(words).stdout, 1, true)
  end)

  it("hides a secret before it cuts the path", function()
    local secret = "s3cret" .. ("x"):rep(40)
    local condition = ("state == 'done' || state == '%s' || state == '%s'"):format(secret, ("z"):rep(60))
    local done = replay(condition, { "password=" .. secret })
    assert.equal(0, done.code, done.stderr)
    assert.not_matches("s3cret", done.stderr, 1, true)
  end)
end)
