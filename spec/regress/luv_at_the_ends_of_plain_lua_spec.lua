---luv called callbacks in the state that had loaded it: after a coroutine had loaded bide, in one that was collected.
---A timer older than bide that was due at the end of the script was still called, by the loop that bide was closing.

local plain_lua = require "spec.support.plain_lua"

describe("a callback of luv in plain lua5.4", function()
  it("is called in the main state where a coroutine has loaded bide", function()
    local done = plain_lua [[
      local bide
      coroutine.wrap(function() bide = require "bide" end)()
      collectgarbage()
      local timer = require("luv").new_timer()
      timer:start(0, 0, function() print(select(2, coroutine.running())) end)
      bide.sleep(0.01)]]
    assert.same({ "true\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)

  it("is called no more when the script has ended", function()
    local done = plain_lua [[
      local timer = require("luv").new_timer()
      local bide = require "bide"
      bide.sleep(0)
      timer:start(0, 1, function()
        print "called"
        bide.sleep(0)
      end)]]
    assert.same({ "", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)
end)
