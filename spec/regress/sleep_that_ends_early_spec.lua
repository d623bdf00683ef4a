---bide.sleep returned up to a millisecond early: timers count whole milliseconds of a clock that is rounded down.

local bide = require "bide"
local uv = require "luv"

describe("bide.sleep", function()
  it("never returns early", function()
    for count = 1, 60 do
      local wanted = 1 + count % 4
      local began = uv.hrtime()
      bide.sleep(wanted / 1000)
      assert.is_true(uv.hrtime() - began >= wanted * 1e6, ("a sleep of %d ms took %.3f"):format(
        wanted, (uv.hrtime() - began) / 1e6))
    end
  end)
end)
