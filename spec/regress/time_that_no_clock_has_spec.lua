---A date that the calendar does not have was read as another one: the 31st of February, 25 o'clock, an offset of 99 hours. A
---condition held by such a time of an answer, and an input with one asked for another time.

local http_date = require "bide.text.http_date"
local time = require "bide.model.protocol.time"

describe("a time", function()
  it("is one that the calendar and the clock have", function()
    for _, text in ipairs {
      "2026-02-29T00:00:00Z", "2026-02-31T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
      "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00-00:60", "2026-01-01T00:00:00+25:99",
      "Sun, 31 Feb 2026 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun Nov 31 08:49:37 1994",
    } do
      assert.is_nil(time.read(text), text)
    end
  end)

  it("may be the last of a month, a leap day and a leap second", function()
    for text, seconds in pairs {
      ["2024-02-29T23:59:59Z"] = 1709251199, ["2000-02-29T00:00:00Z"] = 951782400, ["2026-12-31T23:59:60Z"] = 1798761600,
      ["2026-01-31T00:00:00+14:00"] = 1769767200, ["1970-01-01T00:00:00-23:59"] = 86340,
    } do
      assert.equal(seconds, http_date.read_timestamp(text), text)
    end
    assert.equal(784111777, http_date.read "Sun, 06 Nov 1994 08:49:37 GMT")
    assert.equal(951825577, http_date.read "Tue Feb 29 11:59:37 2000")
  end)
end)
