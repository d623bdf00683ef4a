---The place of an error in JSON read "line 0, column 1" when it was made a text:
---the line was looked for on a stack that had just grown.

local json = require("bide.core").json

describe("an error of JSON as text", function()
  local cases = {
    { "{", "line 1, column 2" },
    { '{"a":\n nope}', "line 2, column 2" },
    { "[1,\n2,\n3", "line 3, column 2" },
  }
  for _, case in ipairs(cases) do
    it(("names %s of %q"):format(case[2], case[1]), function()
      local _, mistake = json.decode(case[1])
      assert.matches(case[2], tostring(mistake), 1, true)
    end)
  end
end)
