local http_date = require "bide.text.http_date"

local date, retry_after = http_date.read, http_date.retry_after

describe("a date of HTTP", function()
  it("is read in its three forms", function()
    assert.equal(784111777, date "Sun, 06 Nov 1994 08:49:37 GMT")
    assert.equal(784111777, date "Sunday, 06-Nov-94 08:49:37 GMT")
    assert.equal(784111777, date "Sun Nov  6 08:49:37 1994")
    assert.equal(0, date "Thu, 01 Jan 1970 00:00:00 GMT")
    assert.equal(951782400, date "Tue, 29 Feb 2000 00:00:00 GMT")
    assert.equal(4107542400, date "Mon, 01 Mar 2100 00:00:00 GMT")
  end)

  it("is what the system writes, over many times", function()
    for seed = 1, 2000 do
      math.randomseed(seed)
      local time = math.random(0, 8000000000)
      assert.equal(time, date((os.date("!%a, %d %b %Y %H:%M:%S GMT", time))))
    end
  end)

  it("is told from what is none", function()
    for _, text in ipairs { "", "120", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "1994-11-06T08:49:37Z" } do
      assert.is_nil(date(text))
    end
    assert.is_nil(date(nil))
  end)
end)

describe("Retry-After", function()
  local function of(text) return retry_after({ ["retry-after"] = text }, 784111777) end

  it("is a number of seconds, or a date", function()
    assert.equal(120, of "120")
    assert.equal(0, of "0")
    assert.equal(23, of "Sun, 06 Nov 1994 08:50:00 GMT")
  end)

  it("is 0 where its date has passed", function()
    assert.equal(0, of "Sun, 06 Nov 1994 08:00:00 GMT")
  end)

  it("is bounded, and nothing where it means nothing", function()
    assert.equal(10 ^ 9, of("9" .. ("0"):rep(400)))
    for _, text in ipairs { "", "-1", "1.5", "soon" } do assert.is_nil(of(text)) end
    assert.is_nil(retry_after {})
  end)

  it("is measured from the system's clock", function()
    local text = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 60)
    local seconds = retry_after { ["retry-after"] = text }
    assert.is_true(seconds > 57 and seconds <= 61)
  end)
end)
