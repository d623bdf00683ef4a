local token = require("bide").token
local check = require "spec.support.check"

-- busted looks up a global at each use
local tonumber = tonumber

describe("bide.token", function()
  it("gives UUIDs of version 4, each another, in which every other bit is drawn", function()
    local seen, ones = {}, {}
    for _ = 1, 4000 do
      local text = token()
      check.is_true(text:find "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$" == 1, text)
      check.equal(nil, seen[text])
      seen[text] = true
      local digits = text:gsub("-", "")
      for place = 1, 32 do
        local digit = tonumber(digits:sub(place, place), 16)
        for bit = 0, 3 do
          local name = place * 4 + bit
          ones[name] = (ones[name] or 0) + (digit >> bit & 1)
        end
      end
    end
    local drawn = 0
    for _, count in pairs(ones) do
      if count > 1700 and count < 2300 then drawn = drawn + 1 end
    end
    assert.equal(122, drawn)
  end)
end)
