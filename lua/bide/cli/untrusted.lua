---The options for scripts that are not trusted: `--sandbox`, and the limits of what they take.

local allowance = require "bide.sandbox.allowance"
local parser = require "bide.cli.parser"
local read_size = require "bide.cli.size"
local sandbox = require "bide.sandbox"

local M = {}

---A size stays the text that it was given as, which messages show.
local function check_size(text)
  local _, mistake = read_size(text)
  if mistake then return nil, "--memory: " .. mistake end
  return text
end

---@param command table
function M.add_options(command)
  command:flag("--sandbox", "Trust no recipe and no script: they see no files, programs and modules but their own, "
    .. ("and are held to --memory %s and --instructions %d.")
      :format(sandbox.DEFAULT_MEMORY, sandbox.DEFAULT_INSTRUCTIONS))
  command:option("--memory", "How much memory scripts and what they hold may take, such as 64M.")
    :argname("SIZE"):convert(check_size)
  parser.add_count(command, "--instructions", "How many instructions of Lua a script may run until it waits.")
end

---Does what they say, before anything is loaded; does not return where it cannot be done.
---@param options table of the command line
function M.apply(options)
  local memory, instructions = options.memory, options.instructions
  if options.sandbox then
    sandbox.enable()
    memory, instructions = memory or sandbox.DEFAULT_MEMORY, instructions or sandbox.DEFAULT_INSTRUCTIONS
  end
  local mistake = allowance.set {
    memory = memory and read_size(memory), memory_text = memory, instructions = instructions,
  }
  if mistake then parser.fail("--memory: " .. mistake) end
end

return M
