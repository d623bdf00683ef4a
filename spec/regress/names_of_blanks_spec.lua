---A token of blanks, as of a variable that is all but empty, was one token for all callers that had none.

local bide = require "bide"

describe("blanks alone", function()
  local function refused(says, f, ...)
    local done, mistake = pcall(f, ...)
    assert.is_false(done)
    assert.matches(says, tostring(mistake), 1, true)
  end

  for _, blanks in ipairs { "", " ", "\t\n" } do
    it(("are no token, no identity and no name of a matcher: %q"):format(blanks), function()
      local function never() error "it was called" end
      refused("bide.once: token: expected a string that is not empty, found ", bide.once, blanks, {}, never)
      local options = { identity = blanks }
      refused("bide.once: identity: expected a string that is not empty, found ", bide.once, "t", {}, never, options)
      refused("bide.matcher: name: expected a string that is not empty, found ", bide.matcher, blanks, never)
    end)
  end
end)
