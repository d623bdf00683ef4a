---A service made the JUnit report ill-formed, and so lost the results of all waits, by U+FFFE or U+FFFF in a message: XML has
---no such characters.

local Workspace = require "spec.support.workspace"
local lxp = require "lxp"

describe("the JUnit report", function()
  local workspace = Workspace.of_each()

  ---Runs a wait that fails with a message; returns the report, and the message as XML reads it.
  local function report(message)
    workspace:write("bad.lua", ([[
      return { Op = { call = function() error { type = "Bad", message = "%s" } end, waitable = { Done = { acceptors = {
        { state = "success", matcher = { success = true } }, { state = "failure", matcher = { errorType = "Bad" } } } } } } }
    ]]):format(message))
    workspace:bide({ "run", "bad.lua", "--max-wait", "50s", "--output", "junit=report.xml" }):ends(1)
    local found
    local parser = lxp.new { StartElement = function(_, name, attributes)
      if name == "failure" then found = attributes.message end
    end }
    assert(parser:parse(workspace:read "report.xml"))
    assert(parser:parse())
    return found
  end

  for code, shown in pairs {
    [0xFFFE] = "\\u{FFFE}", [0xFFFF] = "\\u{FFFF}", [0xFFFD] = "\u{FFFD}", [0x1FFFE] = "\u{1FFFE}", [0x10FFFF] = "\u{10FFFF}",
    [0xE000] = "\u{E000}", [0xFFEF] = "\u{FFEF}",
  } do
    it(("is well-formed with U+%04X in a message"):format(code), function()
      assert.matches("<" .. shown .. ">", (report(("<\\u{%X}>"):format(code))), 1, true)
    end)
  end

  for name, bytes in pairs {
    surrogate = "\\xED\\xA0\\x80", NUL = "\\0", ["half a character"] = "\\xEF\\xBF", delete = "\\x7F",
  } do
    it("is well-formed with what is no character: " .. name, function()
      assert.matches("a.*b", (report("a" .. bytes .. "b")))
    end)
  end
end)
