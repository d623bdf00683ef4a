---What systems do in different ways, as scripts reach it; `make posix` runs it over the way without Linux.

local core = require "bide.core"

-- busted looks up a global at each use
local math, string, table = math, string, table

local function random_text(most)
  local bytes = {}
  for i = 1, math.random(0, most) do bytes[i] = ("ab\0"):byte(math.random(3)) end
  return string.char(table.unpack(bytes))
end

describe("the platform", function()
  it("finds a text where string.find does", function()
    for case = 1, 20000 do
      local text, sought = random_text(40), random_text(case % 7)
      local wanted, found = string.find(text, sought, 1, true), core.pattern.find(text, sought, 1, true)
      if wanted ~= found then
        error(("%q in %q: found at %s, wanted %s"):format(sought, text, found, wanted))
      end
    end
  end)

  it("finds a long text in a longer one in linear time", function()
    local text = ("a"):rep(1000000)
    local before = os.clock()
    assert.is_nil(core.pattern.find(text, ("a"):rep(500000) .. "b", 1, true))
    assert.equal(500001, core.pattern.find(text .. "b", ("a"):rep(500000) .. "b", 1, true))
    assert.is_true(os.clock() - before < 1) -- some ms; comparing at each place would take minutes
  end)
end)
