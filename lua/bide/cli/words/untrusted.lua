---The options for untrusted scripts: `--sandbox`, and their limits.

local core = require "bide.core"
local parser = require "bide.cli.words.parser"
local option = require "bide.text.option"
local script_limits = require "bide.task.script_limits"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local uv = require "luv"

local M = {}

---Checks a size. It stays the text that the user gave, which messages show.
local function check_size(text)
  local _, mistake = script_limits.read_size(text)
  return not mistake and text or nil, mistake
end

---Gives a bare `--sandbox` its empty argument: it takes a word only after "=", never the next word.
local function close_sandbox(arguments)
  local closed = {}
  for position, word in ipairs(arguments) do closed[position] = word == "--sandbox" and "--sandbox=" or word end
  return closed
end

local function read_strictness(text)
  if text == "" or text == "strict" then return { strict = text == "strict" } end
  return nil, option.expected("--sandbox or --sandbox=strict", text)
end

---@param command table
function M.add_options(command)
  command:begin_section "Recipes that are not trusted"
  command:option("--sandbox", "Run recipes and scripts without access to files, programs or other modules, "
    .. ("with --memory %s and --instructions %d. The kernel enforces it; where it cannot, bide "
      .. "warns, or with --sandbox=strict ends with exit code 2.")
      :format(script_limits.sandboxed.memory, script_limits.sandboxed.instructions))
    :argname("[=strict]"):reads(read_strictness)
  command.options["--sandbox"].takes_argument = false -- of the next word
  local normalize = command.normalize
  function command:normalize(arguments) return normalize(self, close_sandbox(arguments)) end
  command:option("--memory", "Let scripts and their data take at most SIZE, such as 64M.")
    :argname("SIZE"):reads(check_size)
  shared.add_count(command, "--instructions", "Let a script run at most N Lua instructions until it waits.")
  shared.add_duration(command, "--script-time", ("Let a script take at most DURATION of processor time in an attempt. "
    .. "Default: no limit, but %s with --sandbox."):format("1 s"))
  shared.add_duration(command, "--load-timeout", "Let a file run for at most DURATION while it is loaded. Default: "
    .. "10 s. Time in which it waits does not count.")
end

local function limit(memory, instructions, script_time)
  local mistake = script_limits.set {
    memory = memory and script_limits.read_size(memory), memory_text = memory, instructions = instructions,
    script_time = script_time,
  }
  if mistake then parser.fail("--memory: " .. mistake) end
end

---The libraries that inputs need beside those of every wait. They are loaded while all files can be reached, and before the
---memory is limited.
local libraries = { xpath = "bide.xml" }

---In bytes: files are searched in blocks, since a list may be long.
local BLOCK = 64 * 1024

---Reports whether a file may have a text: true of one that can be read only once, as a pipe.
---@param name string
---@param text string
---@return boolean
local function may_contain(name, text)
  local is_file = uv.fs_stat(name)
  local file <close> = is_file and is_file.type == "file" and io.open(name, "rb") or nil
  if not file then return true end
  local before = ""
  for block in file:lines(BLOCK) do
    local joined = before .. block
    if joined:find(text, 1, true) then return true end
    before = joined:sub(-#text)
  end
  return false
end

---Reports whether inputs may have a name: one on the command line, one of a list or of a file of inputs, or one that the
---user's own recipe declares.
---@param given bide.cli.Untrusted
---@param input string
---@return boolean
local function may_have(given, input)
  for _, word in ipairs(given.words or {}) do
    if word:find("^" .. input .. ":?=") then return true end
  end
  local files = tables.joined(given.files)
  for _, name in ipairs(given.recipes) do files[#files + 1] = name:find "[./]" and name or nil end
  for _, name in ipairs(files) do
    if may_contain(name, input) then return true end
  end
  return given.reads_standard_input or false
end

---@param given bide.cli.Untrusted
local function load_libraries(given)
  for input, library in pairs(libraries) do
    if may_have(given, input) then require(library) end
  end
end

---@param given bide.cli.Untrusted
local function raise_walls(options, memory, given)
  if given.open then given.open() end
  load_libraries(given)
  local missing = require("bide.sandbox.walls").raise(given.recipes, given.files or {}, script_limits.read_size(memory))
  if #missing > 0 and options.sandbox.strict then
    parser.fail("--sandbox=strict: this kernel lacks " .. table.concat(missing, "; "))
  end
  for _, wall in ipairs(missing) do shown.warn("this kernel lacks " .. wall) end
end

local LOAD_TIMEOUT = 10000 -- milliseconds

---Starts the watchdog. The walls must be raised before there is a second thread.
---@param given bide.cli.Untrusted
local function watch(options, given)
  core.watchdog.describe(shown.line(table.concat(given.recipes, ", ")))
  if not core.watchdog.start(options.load_timeout or LOAD_TIMEOUT) then
    shown.warn "the system starts no thread for the watchdog, so a call into C may run past the deadline"
  end
end

---The files that a command is about to load or read.
---@class bide.cli.Untrusted
---@field recipes string[] names or files: of recipes, for --with, of a script
---@field files? table<integer, string> other files of the command line that are read later
---@field open? fun() opens all files that will be written
---@field words? string[] the inputs of the command line, among other words
---@field reads_standard_input? boolean whether inputs come from standard input

---Applies the options before anything is loaded; ends the process if one cannot be applied.
---@param options table of the command line
---@param given bide.cli.Untrusted
function M.apply(options, given)
  local memory, instructions, script_time = options.memory, options.instructions, options.script_time
  if options.sandbox then
    local sandbox, default = require "bide.sandbox.run", script_limits.sandboxed
    memory, instructions = memory or default.memory, instructions or default.instructions
    script_time = script_time or default.script_time
    raise_walls(options, memory, given)
    sandbox.enable()
  end
  limit(memory, instructions, script_time)
  watch(options, given)
end

return M
