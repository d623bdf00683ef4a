---The options for scripts that are not trusted: `--sandbox`, and the limits of what they take.

local core = require "bide.core"
local parser = require "bide.cli.parser"
local sandbox = require "bide.sandbox"
local script_limits = require "bide.sandbox.script_limits"
local shown = require "bide.shown"

local M = {}

---A size stays the text that it was given as, which messages show.
local function check_size(text)
  local _, mistake = script_limits.read_size(text)
  if mistake then return nil, "--memory: " .. mistake end
  return text
end

---`--sandbox` has a word only behind "=": the next one of the command line is none of its.
local function close_sandbox(arguments)
  local closed = {}
  for position, word in ipairs(arguments) do closed[position] = word == "--sandbox" and "--sandbox=" or word end
  return closed
end

local function read_strictness(text)
  if text == "" or text == "strict" then return { strict = text == "strict" } end
  return nil, ("--sandbox: found %q, expected --sandbox or --sandbox=strict"):format(text)
end

---@param command table
function M.add_options(command)
  command:option("--sandbox", "Trust no recipe and no script: they see no files, programs and modules but their own, "
    .. ("and are held to --memory %s and --instructions %d. The kernel's walls stand around them; where it lacks "
      .. "one, bide warns, and with --sandbox=strict it ends with exit code 2.")
      :format(sandbox.DEFAULT_MEMORY, sandbox.DEFAULT_INSTRUCTIONS))
    :argname("[=strict]"):convert(read_strictness)
  local parse = command.parse
  function command:parse(arguments) return parse(self, close_sandbox(arguments)) end
  command:option("--memory", "How much memory scripts and what they hold may take, such as 64M.")
    :argname("SIZE"):convert(check_size)
  parser.add_count(command, "--instructions", "How many instructions of Lua a script may run until it waits.")
  parser.add_duration(command, "--load-timeout", "How long a file may run while it is being loaded: 10 s unless said "
    .. "otherwise. Time in which it waits does not count.")
end

local function limit(memory, instructions)
  local mistake = script_limits.set {
    memory = memory and script_limits.read_size(memory), memory_text = memory, instructions = instructions,
  }
  if mistake then parser.fail("--memory: " .. mistake) end
end

---@param given bide.cli.Untrusted
local function raise_walls(options, memory, given)
  if given.open then given.open() end
  local missing = require("bide.sandbox.floor").raise(given.recipes, given.files or {}, script_limits.read_size(memory))
  if #missing > 0 and options.sandbox.strict then
    parser.fail("--sandbox=strict: this kernel lacks " .. table.concat(missing, "; "))
  end
  for _, wall in ipairs(missing) do shown.warn("this kernel lacks " .. wall) end
end

local LOAD_TIMEOUT = 10000 -- milliseconds

---Behind the walls, which have to stand before there is a second thread.
---@param given bide.cli.Untrusted
local function watch(options, given)
  core.watchdog.describe(shown.line(table.concat(given.recipes, ", ")))
  if not core.watchdog.start(options.load_timeout or LOAD_TIMEOUT) then
    shown.warn "the system starts no thread for the watchdog, so that a call of C may go on beyond the deadline"
  end
end

---What a command is about to load, where it is not trusted.
---@class bide.cli.Untrusted
---@field recipes string[] names or files: of recipes, for --with, of a script
---@field files? table<integer, string> what else the command line names to read, and is read later
---@field open? fun() opens all that will be written

---Does what the options say, before anything is loaded; does not return where it cannot be done.
---@param options table of the command line
---@param given bide.cli.Untrusted
function M.apply(options, given)
  local memory, instructions = options.memory, options.instructions
  if options.sandbox then
    memory, instructions = memory or sandbox.DEFAULT_MEMORY, instructions or sandbox.DEFAULT_INSTRUCTIONS
    raise_walls(options, memory, given)
    sandbox.enable()
  end
  limit(memory, instructions)
  watch(options, given)
end

return M
