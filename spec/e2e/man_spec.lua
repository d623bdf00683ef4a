---The page of bide for man: it is made of what the help says, and roff shows it as it is.

local Directory = require "spec.support.directory"
local commands = require "bide.cli.commands"
local exit_code = require "bide.cli.ending.exit_code"
local process = require "spec.support.process"
local tables = require "bide.text.tables"

---Returns a text with one blank between its words.
local function words(text) return (text:gsub("%s+", " ")) end

describe("the page for man", function()
  local directory = Directory.of_block()
  local page

  setup(function()
    local done = process.run({ process.bide, "exec", "src/man.lua" }, { env = { HOME = "~", XDG_DATA_HOME = false,
      BIDE_PATH = false } })
    assert.equal(0, done.code, done.stderr)
    page = directory:write("bide.1", done.stdout)
  end)

  ---Returns what groff prints; nil, and what is missing, without it.
  local function groff(...)
    if process.run({ "sh", "-c", "command -v groff" }, { tool = true }).code ~= 0 then
      return nil, "groff is missing: install the package groff-base"
    end
    return process.run({ "groff", "-man", ... }, { tool = true })
  end

  it("is roff without a warning", function()
    local done, missing = groff("-ww", "-z", "-Tutf8", page)
    if not done then return pending(missing) end
    assert.same({ 0, "", "" }, { done.code, done.stdout, done.stderr })
  end)

  it("says all that the help of bide and of its commands says", function()
    local done, missing = groff("-Tutf8", "-P-cbou", "-rLL=180n", page)
    if not done then return pending(missing) end
    local shown, count = words(done.stdout), 0
    local function assert_shown(text, where)
      assert.truthy(shown:find(words(text), 1, true), ("%s: the page has no %q"):format(where, words(text)))
      count = count + 1
    end
    local help = process.run({ process.bide, "--help" }).stdout
    for line in help:gmatch "[^\n]+" do
      assert_shown(line:gsub("^Usage: ", ""):gsub("^  %l+ +", ""):gsub("^%u[%l, ]+:$", ""):gsub("  +.*$", ""), "bide --help")
    end
    for _, row in ipairs(exit_code.meanings) do assert_shown(row[1] .. " " .. row[2], "the exit codes") end
    for _, command in ipairs(commands) do
      help = command ~= "help" and process.run({ process.bide, command, "--help" }, { env = { HOME = "~" } }).stdout or ""
      for sentence in words(help:match "\n\n(.-)\n\n" or ""):gmatch "[^.]+%." do assert_shown(sentence, command) end
      help = help:gsub("\n   %-h, %-%-help[^\n]*", "") -- which the page says once
      for option in help:gmatch "%-%-%l[%l-]+" do assert_shown(option, command) end
      for option, meaning in help:gmatch "\n   (%-[^\n]-)  +(%u[^\n]*)" do
        assert_shown(option, command)
        assert_shown(meaning, command)
      end
      assert_shown(help:match "Example:\n(.*)$" or "", command)
    end
    assert.is_true(count > 200, count)
  end)

  it("has no place of the machine that made it", function()
    assert.not_matches(os.getenv "HOME" .. "/", directory:read "bide.1", 1, true)
    assert.matches("~/.local/share/bide", directory:read("bide.1"):gsub("\\%(ti", "~"):gsub("\\%-", "-"), 1, true)
  end)

  it("shows what help shows, and names pages that there are", function() -- it had --part of bide test, and a page scripting
    local text, count = directory:read("bide.1"):gsub("\\%-", "-"), 0
    for _, other in ipairs { "--part", "[-h]" } do assert.not_matches(other, text, 1, true) end
    local names = tables.set(require("bide.cli.help.pages").names())
    for name in text:match "\n%.SH \"SEE ALSO\"\n(.*)$":gmatch "bide help (%l+)" do
      assert.is_true(names[name], name)
      count = count + 1
    end
    assert.equal(4, count)
  end)

  it("has the exit codes of the README", function()
    local rows, count = {}, 0
    for code, meaning in io.open("README.md"):read("a"):gmatch "\n| ([%d, ]+) | ([^\n]-) |" do rows[code] = meaning end
    for _, row in ipairs(require("bide.cli.ending.exit_code").meanings) do
      assert.equal(rows[row[1]]:gsub("`", ""), row[2])
      count = count + 1
    end
    assert.equal(10, count)
  end)
end)
