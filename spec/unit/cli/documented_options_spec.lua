local commands = require "bide.cli.commands"
local whole_line = require "bide.cli.words.whole_line"
local process = require "spec.support.process"

---The text of all pages for users.
local function pages()
  return process.run({ "find", "docs", "README.md", "-name", "*.md", "-not", "-name", "CHANGELOG.md", "-exec", "cat", "{}",
    "+" }).stdout
end

describe("the options of a command", function()
  local text = pages()

  for _, name in ipairs(commands) do
    it(("are in the documentation: %s"):format(name), function()
      local module = commands.module(name)
      local command, missing = module.new_parser and module.new_parser(), {}
      if command then whole_line.describe(command) end -- makes all options
      for option, known in pairs(command and command.options or {}) do
        local is_shown = option:find "^%-%-" and not known.declared.element._hidden
        if is_shown and not text:find(option:gsub("%-", "%%-") .. "%f[^%w-]") then missing[#missing + 1] = option end
      end
      table.sort(missing)
      assert.same({}, missing, "no page of docs names them")
    end)
  end
end)
