---A fleet over buckets that are gone printed a warning for each of them: they differ in the host, which has the bucket's name.

local absences = require "bide.wait.absences"
local result = require "bide.cli.report.result"
local shown = require "bide.text.shown"

local function warning(waiter, host)
  return ("%s: no attempt has seen it: its name is wrong (asked: %s); ask before"):format(waiter, host)
end

describe("warnings of the hosts that were asked", function()
  it("are one for each waiter, with how many there are", function()
    assert.same({ warning("A", "a.example and 2 more"), "other", warning("B", "a.example") }, absences.merged {
      warning("A", "a.example"), "other", warning("A", "b.example"), warning("B", "a.example"), warning("A", "c.example"),
    })
  end)

  it("are merged where a fleet is reported", function()
    local waits = {}
    for number = 1, 12 do
      waits[number] = { state = "success", message = "gone", warnings = { warning("A", ("b%02d.example"):format(number)) } }
    end
    local warned = {}
    local warn = stub(shown, "warn", function(text) warned[#warned + 1] = text end)
    finally(function() warn:revert() end)
    result.of_fleet({ records = waits, needed = 12 }, nil, { codes = {} })
    assert.same({ warning("A", "b01.example and 11 more") }, warned)
  end)
end)
