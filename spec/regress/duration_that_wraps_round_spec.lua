---A duration of more than 64 bits of milliseconds wrapped round: --max-wait 5124095576030432h was an hour, and
---18446744073709552 was 384 ms.

local duration = require "bide.text.duration"

describe("a duration beyond 64 bits", function()
  for _, text in ipairs {
    "5124095576030432h", "307445734561825861m", "18446744073709552", "9223372036854775807", "9223372036854775807s",
    "18446744073709552s", "213503982334601d",
  } do
    it("is too long: " .. text, function()
      local read, mistake = duration.parse(text)
      assert.is_nil(read)
      assert.matches("at most 1000000000000 seconds", mistake, 1, true)
    end)
  end

  it("is too long as a number of a script, too", function()
    assert.is_nil((duration.read(18446744073709552)))
    assert.equal(duration.LONGEST, duration.of_seconds(18446744073709552))
  end)

  it("leaves others as they are", function()
    assert.equal(90 * 60000, duration.parse "1h30m")
    assert.equal("integer", math.type(duration.parse "1h30m"))
    assert.equal("1h30m", duration.argument(90 * 60000))
    assert.equal("26h1m1.5s", duration.argument(26 * 3600000 + 61500))
  end)
end)
