---Seconds become milliseconds in one function.

local duration = require "bide.text.duration"

local function check(n)
  local found = duration.of_seconds(n / 1000)
  if found ~= n then error(("%.17g s became %s ms"):format(n / 1000, found)) end
end

describe("bide.text.duration", function()
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

  it("has one form for people, and one that it reads itself", function()
    local forms = {
      { 1, "0.001 s", "1ms" }, { 250, "0.25 s", "250ms" }, { 1000, "1 s", "1s" }, { 6204, "6.2 s", "6.204s" },
      { 59949, "59.9 s", "59.949s" }, { 59960, "1 m", "59.96s" }, { 60000, "1 m", "1m" }, { 90000, "1 m 30 s", "1m30s" },
      { 119999, "2 m", "1m59.999s" }, { 120000, "2 m", "2m" }, { 3600000, "1 h", "1h" }, { 5400000, "1 h 30 m", "1h30m" },
      { 86400000, "24 h", "24h" }, { 3661500, "1 h 1 m", "1h1m1.5s" },
    }
    for _, form in ipairs(forms) do
      assert.same(form, { form[1], duration.format(form[1]), duration.argument(form[1]) })
      assert.equal(form[1], duration.parse(form[3]))
    end
  end)

  it("refuses what is no duration", function()
    assert.same({ nil, "expected a number of seconds above 0, found 0" }, { duration.read(0) })
    assert.same({ nil, 'expected a number of seconds above 0, found "1"' }, { duration.read("1") })
    assert.same({ nil, "expected at most 1000000000000 seconds, found 1e+300" }, { duration.read(1e300) })
  end)
end)
