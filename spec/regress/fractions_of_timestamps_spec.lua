---The last second of the year 9999 was refused with a fraction, and an offset made the fraction of a time inexact.

local date = require "bide.text.http_date"
local time = require "bide.model.protocol.time"

describe("the fraction of a timestamp", function()
  it("is written in the last second of the year 9999", function()
    assert.equal("9999-12-31T23:59:59.5Z", time.write(253402300799.5, "date-time"))
    assert.equal("Fri, 31 Dec 9999 23:59:59.5 GMT", time.write(253402300799.5, "http-date"))
    assert.is_nil(time.write(253402300800, "date-time"))
  end)

  it("is the same with an offset", function()
    assert.equal(0.123, date.read_timestamp "1970-01-01T05:30:00.123+05:30")
    assert.equal(1.123, date.read_timestamp "1969-12-31T16:00:01.123-08:00")
  end)
end)
