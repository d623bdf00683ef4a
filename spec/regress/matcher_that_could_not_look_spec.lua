---A failure acceptor of a file whose path could not be evaluated was passed over in silence, so that a success rested on
---nothing. --fail said so already.

local Workspace = require "spec.support.workspace"

describe("a matcher that raised a type error before the acceptor that decided", function()
  local workspace = Workspace.of_block()

  local function acceptor(state, path) return ([[{ state = "%s", matcher = {
    output = { path = "%s", comparator = "booleanEquals", expected = "true" } } }]]):format(state, path) end

  ---@return string said
  local function run(acceptors, ...)
    workspace:write("op.lua", ([[return { Op = { call = function() return { items = 3, ready = true } end,
      waitable = { Done = { minDelay = 0.01, maxDelay = 0.01, acceptors = { %s } } } } }]]):format(table.concat(acceptors, ",")))
    local done = workspace:bide { "run", "./op.lua", "--max-wait", "50s", "--quiet", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stderr
  end

  local warning = "bide: warning: acceptor 1: length(items) > `3` cannot be evaluated: invalid-type\n"

  for _, state in ipairs { "failure", "retry", "success" } do
    it("is named at the end: " .. state, function()
      assert.equal(warning, run { acceptor(state, "length(items) > `3`"), acceptor("success", "ready") })
    end)
  end

  it("is named beside --until, which is looked at last", function()
    local list = { acceptor("failure", "length(items) > `3`"), acceptor("success", "ready") }
    assert.equal(warning:gsub("acceptor 1", "acceptor 2"), run(list, "--until", "ready"))
  end)

  it("is not named if it was not asked", function()
    assert.equal("", run { acceptor("success", "ready"), acceptor("failure", "length(items) > `3`") })
  end)
end)
