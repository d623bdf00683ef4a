---The lint of English refused "is none" except behind a letter e, to allow "there is none", and so let every noun that ends
---in e pass: "a type is none".

local english = require "spec.lint.english"

---Returns what the lint says of a line of a source.
local function findings(line)
  local found = {}
  english("src/net/x.c", function(_, text) found[#found + 1] = text end, ("%s\n"):format(line):gmatch "([^\n]*)\n")
  return found
end

describe("the lint of English", function()
  for _, line in ipairs {
    "/* Says that a type is none. */", "/* is none */", "/* These are none. */", "/* a queue are none */",
    "/* There is none, and a value is none. */",
  } do
    it("refuses " .. line, function() assert.equal(1, #findings(line)) end)
  end

  for _, line in ipairs { "/* NULL if there is none. */", "/* There are none. */", "/* is nonempty */" } do
    it("allows " .. line, function() assert.same({}, findings(line)) end)
  end
end)
