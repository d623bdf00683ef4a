---A watch that reported many events ended a hold of some attempts at once, since attempts that it had woken counted: a success
---was taken to last that was seen three times within 30 ms. Errors in a row were used up in the same way.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local recipe = [[
local bide = require "bide"
local acceptor = require "bide.acceptor"

return {
  Ask = {
    input = { fails = { type = "boolean" }, after = { type = "number", default = 0 } },
    call = function(input)
      if input.fails then error { type = "ServiceUnavailable", status = 503 } end
      return { up = bide.now() - started >= input.after }
    end,
    watch = function(_, wake)
      while true do
        wake.healthy()
        wake()
        bide.sleep(0.01)
      end
    end,
    waitable = { Done = { acceptors = { acceptor.output("success", "up") } } },
  },
}]]

describe("an attempt that was woken", function()
  local workspace = Workspace.of_block()

  setup(function() workspace:write("ask.lua", "local started = require('bide').now()\n" .. recipe) end)

  local function run(...)
    local done = workspace:bide { "run", "ask.lua", "--max-wait", "20s", "--quiet", "--output", "json", ... }
    return done, json.decode(done.stdout)
  end

  ---Counts the attempts that no event has brought forward.
  local function polls_of(outcome)
    local count = 0
    for _, entry in ipairs(outcome.history) do count = count + (entry.woken and 0 or 1) end
    return count
  end

  it("does not count in a hold", function()
    local done, outcome = run("--hold", "3", "--interval", "0.5s")
    assert.equal(0, done.code, done.stderr)
    assert.equal(3, polls_of(outcome))
    assert.is_true(outcome.elapsed >= 1 and outcome.elapsed < 10, tostring(outcome.elapsed))
    assert.is_true(outcome.attempts > 3, "nothing was woken")
  end)

  it("begins a hold of time", function()
    local done, outcome = run("after=0.7", "--hold", "1s", "--interval", "0.5s")
    assert.equal(0, done.code, done.stderr)
    assert.is_true(outcome.elapsed >= 1.7 and outcome.elapsed < 10, tostring(outcome.elapsed))
  end)

  it("is enough for a hold of one attempt", function()
    local done, outcome = run("after=0.1", "--hold", "1", "--interval", "15s")
    assert.equal(0, done.code, done.stderr)
    assert.is_true(outcome.elapsed < 10, tostring(outcome.elapsed))
  end)

  it("does not use up tolerated errors", function()
    local done, outcome = run("fails=true", "--tolerate", "2", "--interval", "0.5s")
    assert.equal(3, done.code, done.stderr)
    assert.equal(3, polls_of(outcome))
    assert.is_true(outcome.elapsed >= 1, tostring(outcome.elapsed))
  end)
end)
