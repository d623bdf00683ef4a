---Timestamps in the three forms of text.

local time = require "bide.model.protocol.time"

describe("a timestamp", function()
  it("is written in each form", function()
    local cases = {
      { 1398796238, "2014-04-29T18:30:38Z", "Tue, 29 Apr 2014 18:30:38 GMT", "1398796238" },
      { 1398796238.5, "2014-04-29T18:30:38.5Z", "Tue, 29 Apr 2014 18:30:38.5 GMT", "1398796238.5" },
      { 1.001, "1970-01-01T00:00:01.001Z", "Thu, 01 Jan 1970 00:00:01.001 GMT", "1.001" },
      { 1.9999, "1970-01-01T00:00:01.999Z", "Thu, 01 Jan 1970 00:00:01.999 GMT", "2" },
      { 100.00001, "1970-01-01T00:01:40Z", "Thu, 01 Jan 1970 00:01:40 GMT", "100" },
      { -0.5, "1969-12-31T23:59:59.5Z", "Wed, 31 Dec 1969 23:59:59.5 GMT", "-0.5" },
      { -62135596800, "0001-01-01T00:00:00Z", "Mon, 01 Jan 0001 00:00:00 GMT", "-62135596800" },
      { 253402300799, "9999-12-31T23:59:59Z", "Fri, 31 Dec 9999 23:59:59 GMT", "253402300799" },
    }
    for _, case in ipairs(cases) do
      for position, format in ipairs { "date-time", "http-date", "epoch-seconds" } do
        assert.equal(case[position + 1], time.write(case[1], format))
      end
    end
    assert.is_nil(time.write(1e12, "date-time"))
    assert.is_nil(time.write(-1e12, "http-date"))
  end)

  it("is read from every form", function()
    local cases = {
      ["2014-04-29T18:30:38Z"] = 1398796238, ["2014-04-29t18:30:38.250z"] = 1398796238.25,
      ["2014-04-29T18:30:38+01:00"] = 1398792638, ["2014-04-29T17:30:38-0100"] = 1398796238,
      ["2014-04-29T18:30:38"] = 1398796238, ["Tue, 29 Apr 2014 18:30:38.5 GMT"] = 1398796238.5,
      ["1398796238"] = 1398796238, ["1.5e3"] = 1500, ["-1.5"] = -1.5, ["0001-01-01T00:00:00Z"] = -62135596800,
    }
    for text, seconds in pairs(cases) do assert.equal(seconds, time.read(text)) end
    assert.equal("integer", math.type(time.read(5.0)))
  end)

  it("is nothing else", function()
    for _, given in ipairs { "", "soon", "2014-04-29", "2014-13-29T18:30:38Z", "0x10", "1e999", "nan", true, {}, 0 / 0,
      math.huge, "2014-04-29T18:30:38.5.5Z", "1.2.3", "2014-04-29T18:30:38+1" } do
      assert.is_nil(time.read(given))
    end
    assert.is_nil(time.read(nil))
  end)
end)
