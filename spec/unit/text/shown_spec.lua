local core = require "bide.core"
local shown = require "bide.text.shown"

describe("a line for people", function()
  local cases = {
    { "plain", "plain" },
    { "", "" },
    { "ümläut 漢字 🙂", "ümläut 漢字 🙂" },
    { "C:\\x1B stays", "C:\\x1B stays" },
    { "\27]0;pwned\7\27[2J\r", "\\x1B]0;pwned\\x07\\x1B[2J\\x0D" },
    { "a\nb\tc\0d\127", "a\\x0Ab\\x09c\\x00d\\x7F" },
    { "\xC2\x9B2J \xC2\x80 \xC2\x9F \xC2\xA0", "\\u{009B}2J \\u{0080} \\u{009F} \xC2\xA0" },
    { "\u{2027}\u{2028}\u{2029}", "\u{2027}\\u{2028}\\u{2029}" },
    { "\u{61C}\u{200E}\u{200F}", "\\u{061C}\\u{200E}\\u{200F}" },
    { "\u{202A}\u{202E}\u{202F}", "\\u{202A}\\u{202E}\u{202F}" },
    { "\u{2066}\u{2069}\u{2070}", "\\u{2066}\\u{2069}\u{2070}" },
    { "\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}", "\\u{200B}\\u{200C}\\u{200D}\\u{2060}\\u{FEFF}" },
    { "\x80\xC3(\xE2\x80\xF0\x9F\x99", "\\x80\\xC3(\\xE2\\x80\\xF0\\x9F\\x99" },
    { "\xED\xA0\x80 \xC0\x80", "\\xED\\xA0\\x80 \\xC0\\x80" },
  }

  for _, case in ipairs(cases) do
    it(("shows %q as %s"):format(case[1], case[2]), function() assert.equal(case[2], shown.line(case[1])) end)
  end

  it("is cut beyond 4 KiB, at a character's edge, with its length", function()
    local whole = ("x"):rep(4096)
    assert.equal(whole, shown.line(whole))
    assert.equal(whole .. "… (4097 bytes)", shown.line(whole .. "y"))
    assert.equal(("x"):rep(4095) .. "… (4101 bytes)", shown.line(("x"):rep(4095) .. "üüü"))
    assert.equal(("\\x80"):rep(4092) .. "… (5000 bytes)", shown.line(("\x80"):rep(5000)))
  end)

  it("is the same when it is shown twice", function()
    local random = 1
    for _ = 1, 2000 do
      local bytes = {}
      for position = 1, 12 do
        random = (random * 6364136223846793005 + 1442695040888963407)
        bytes[position] = string.char(random >> 56 & 0xFF)
      end
      local once = shown.line(table.concat(bytes))
      assert.is_nil(once:find "%c")
      assert.is_truthy(utf8.len(once))
      assert.equal(once, shown.line(once))
    end
  end)
end)

describe("lines that bide has made", function()
  it("keep their breaks and tabs, and nothing else", function()
    assert.equal("a\n\tb\\x1B\n", shown.lines "a\n\tb\27\n")
  end)

  it("are cut each for itself", function()
    assert.equal(("x"):rep(4096) .. "… (5000 bytes)\nshort", shown.lines(("x"):rep(5000) .. "\nshort"))
  end)
end)

describe("a traceback", function()
  it("has a line for its message, and one for each frame", function()
    assert.equal("a.lua:1: forged\\x0Aline\nstack traceback:\n\ta.lua:1: in main chunk",
      shown.traceback("a.lua:1: forged\nline", "a.lua:1: forged\nline\nstack traceback:\n\ta.lua:1: in main chunk"))
  end)

  it("has no line of a script's own making", function()
    assert.equal("m\n\ta\\x0Ab: in f", shown.traceback("m", "m\n\ta\nb: in f"))
    assert.equal("x\\x0Ay", shown.traceback("m", "x\ny"))
  end)
end)

describe("JSON for people", function()
  it("has escapes of its own for what a terminal obeys", function()
    local text = "\27\127\u{9B}\u{202E}\u{200B}\u{FEFF}ü"
    assert.equal('{"\\u009b":"\\u001b\\u007f\\u009b\\u202e\\u200b\\ufeffü"}',
      core.json.encode({ ["\u{9B}"] = text }, { escape = true }))
    assert.equal(text, core.json.decode(core.json.encode(text, { escape = true })))
  end)
end)

describe("the size of a terminal", function()
  it("is that of a common one where there is none", function()
    assert.same({}, { core.process.window(1000) })
    local window = core.process.window
    finally(function() core.process.window = window end)
    core.process.window = function() end
    assert.same({ 80, 24 }, { shown.window() })
  end)

  it("is asked of a descriptor", function()
    for _, value in ipairs { -1, 1 << 40, "x", {} } do
      assert.is_false((pcall(core.process.window, value)))
    end
    assert.is_false((pcall(core.process.window)))
  end)
end)
