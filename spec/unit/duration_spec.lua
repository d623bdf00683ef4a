---Seconds become milliseconds in one function.

local duration = require "bide.duration"

local function check(n)
  local found = duration.of_seconds(n / 1000)
  if found ~= n then error(("%.17g s became %s ms"):format(n / 1000, found)) end
end

describe("bide.duration", function()
  it("gives n for n / 1000, for all milliseconds below 100 s", function()
    for n = 0, 99999 do check(n) end
  end)

  it("gives n for n / 1000 up to the longest duration", function()
    math.randomseed(1)
    for _ = 1, 20000 do check(math.random(0, 1 << math.random(17, 49))) end
  end)

  it("gives the same for the text of it", function()
    for n = 1, 99999, 7 do
      if duration.parse(("%gs"):format(n / 1000)) ~= n then error(n) end
      if duration.parse(("%dms"):format(n)) ~= n then error(n) end
    end
  end)

  it("rounds up what is more than a millisecond, and no result of a sum", function()
    assert.equal(1, duration.of_seconds(1e-9))
    assert.equal(1501, duration.of_seconds(1.5001))
    assert.equal(300, duration.of_seconds(0.1 + 0.2))
    assert.equal(0, duration.of_seconds(-1))
  end)

  it("knows a time without end, and the longest", function()
    assert.is_nil(duration.of_seconds(math.huge))
    assert.is_nil(duration.of_seconds(nil))
    assert.equal(duration.LONGEST, duration.of_seconds(1e300))
    assert.equal("integer", math.type(duration.of_seconds(1e300)))
    assert.equal("integer", math.type(duration.of_seconds(2)))
  end)

  it("refuses what is no duration", function()
    assert.same({ nil, "expected a number of seconds above 0, found 0" }, { duration.read(0) })
    assert.same({ nil, 'expected a number of seconds above 0, found "1"' }, { duration.read("1") })
    assert.same({ nil, "expected at most 1000000000000 seconds, found 1e+300" }, { duration.read(1e300) })
  end)
end)
