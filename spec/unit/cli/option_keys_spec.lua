---The result of a parser is a table: a misspelt name of an option, `options.max_jobs`, gives nil without a word. Each name that
---the command line reads of its options is that of an option, was set, or is a declared member.

local commands = require "bide.cli.commands"
local whole_line = require "bide.cli.words.whole_line"

---Adds the names under which a parser's result has its options and arguments.
local function add_results(known, command)
  whole_line.describe(command) -- makes all options
  local whole = whole_line.argparse_of(command)
  for _, list in ipairs { whole._options, whole._arguments } do
    for _, element in ipairs(list) do known[element._target or element:_get_default_target()] = true end
  end
end

local function results_of_commands()
  local known = {}
  for _, name in ipairs(commands) do
    local module = commands.module(name)
    for _, new_parser in pairs(module.help_parsers or { module.new_parser }) do add_results(known, new_parser()) end
  end
  return known
end

---@return string text
---@return string code without its comments
local function read(file)
  local handle <close> = assert(io.open(file))
  local text = handle:read "a"
  return text, (text:gsub("%-%-[^\n]*", ""))
end

---Adds the names that a file sets in options, or declares as members.
local function add_set(known, text, code)
  for left in code:gmatch "([^\n=]*[%w_]) = " do
    for name in left:gmatch "options%.([%w_]+)" do known[name] = true end
  end
  for name in text:gmatch "%-%-%-@field ([%w_]+)" do known[name] = true end
end

describe("the options of the command line", function()
  it("are read by names that exist", function()
    local known, read_at, unknown = results_of_commands(), {}, {}
    for file in io.popen("find lua/bide/cli -name '*.lua'"):lines() do
      local text, code = read(file)
      add_set(known, text, code)
      for name in code:gmatch "%f[%w_]options%.([%w_]+)" do read_at[name] = file end
    end
    assert.is_true(next(read_at) ~= nil)
    for name, file in pairs(read_at) do
      if not known[name] then unknown[#unknown + 1] = ("%s: options.%s"):format(file, name) end
    end
    assert.same({}, unknown)
  end)
end)
