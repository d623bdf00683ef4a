---The result of a parser is a table: a misspelt name of an option, `options.max_jobs`, gives nil without a word. Each name that
---the command line reads of its options is that of an option, was set, or is a declared member; and each option is read.

local bide = require "bide"
local commands = require "bide.cli.commands"
local whole_line = require "bide.cli.words.whole_line"

---Returns each option and argument of all commands, with the name that a parser's result has for it.
---@return { element: table, name: string, command: string }[]
local function elements_of_commands()
  local elements = {}
  for _, command in ipairs(commands) do
    local module = commands.module(command)
    for _, new_parser in pairs(module.help_parsers or { module.new_parser }) do
      local parser = new_parser()
      whole_line.describe(parser) -- makes all options
      local whole = whole_line.argparse_of(parser)
      for _, list in ipairs { whole._options, whole._arguments } do
        for _, element in ipairs(list) do
          local name = element._target or element:_get_default_target()
          elements[#elements + 1] = { element = element, name = name, command = command }
        end
      end
    end
  end
  return elements
end

local elements = elements_of_commands()

local function names_of_results()
  local known = {}
  for _, each in ipairs(elements) do known[each.name] = true end
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

---Returns the names and the spellings of options that the code of bide names: `.wake_on`, `"wake_on"`, `"--while"` as a
---constant.
local function named_in_code()
  local named = {}
  for file in io.popen("find lua/bide -name '*.lua'"):lines() do
    local text, code = read(file)
    for name in code:gmatch "%.([%w_]+)" do named[name] = true end
    for name in code:gmatch '"([%w_]+)"' do named[name] = true end
    for spelling in text:gmatch '[%w_]+ = "(%-%-[%w-]+)"' do named[spelling] = true end
  end
  return named
end

describe("the options of the command line", function()
  it("are read, each of them, unless they have an action", function()
    local named, unread = named_in_code(), {}
    for _, each in ipairs(elements) do
      local is_read = named[each.name] or named[(each.element._aliases or {})[1]]
      if each.element._aliases and not is_read and not rawget(each.element, "_action") then
        unread[#unread + 1] = ("bide %s: options.%s"):format(each.command, each.name)
      end
    end
    assert.same({}, unread)
  end)

  it("have sentences for help", function()
    local wordless = {}
    for _, each in ipairs(elements) do
      local words = each.element:_get_description() or ""
      if not each.element._hidden and not words:find "%.$" and not words:find "%. %(default: [^()]+%)$" then
        wordless[#wordless + 1] = ("bide %s: %s: %s"):format(each.command, each.name, words)
      end
    end
    assert.same({}, wordless)
  end)

  it("are not those of a bundled recipe: bide would take them", function()
    local own, taken = {}, {} -- --all means both: parts.lua leaves it to the recipe where it has one wait
    for _, each in ipairs(elements) do
      for _, spelling in ipairs(each.command == "run" and each.element._aliases or {}) do own[spelling] = true end
    end
    for file in io.popen("ls scripts/*.lua"):lines() do
      for _, waiter in pairs(assert(bide.load(file)).waiters) do
        for input, member in pairs(waiter.inputs or {}) do
          for spelling in (member.option or ""):gmatch "%S+" do
            if own[spelling] and spelling ~= "--all" then taken[#taken + 1] = ("%s: %s of %s"):format(file, spelling, input) end
          end
        end
      end
    end
    assert.same({}, taken)
  end)

  it("are read by names that exist", function()
    local known, read_at, unknown = names_of_results(), {}, {}
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
