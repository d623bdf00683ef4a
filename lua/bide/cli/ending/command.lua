---COMMAND, the words after `--`: runs it in place of bide, or as its child.

local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local uv = require "luv"

local M = {}

---Splits off COMMAND, the words after the first "--".
---@param arguments string[]
---@return string[] own
---@return string[]? command
function M.split(arguments)
  for position, word in ipairs(arguments) do
    if word == "--" then
      return table.move(arguments, 1, position - 1, 1, {}),
        table.move(arguments, position + 1, #arguments, 1, {})
    end
  end
  return arguments
end

---Words that only a shell runs.
local of_shell = tables.set { "cd", "source", ".", "export", "set", "unset", "ulimit", "umask", "eval", "if", "for", "while" }

local function complain(command, mistake)
  local is_line = #command == 1 and command[1]:find "%s" or of_shell[command[1]] or command[1]:find "^[%a_][%w_]*="
  shown.complain(("%s: %s%s"):format(command[1], mistake, is_line and "; a line of shell is run by: -- sh -c '…'" or ""))
  return exit_code.NO_COMMAND
end

---Runs COMMAND in place of bide. Returns only if it cannot be run, or if the process outside the sandbox
---runs it once this process has ended.
---@param command string[]
---@return integer code
function M.replace_bide(command)
  local hand_over = package.loaded["bide.hand_over"]
  if hand_over then
    hand_over()
    return exit_code.SUCCESS
  end
  return complain(command, core.process.execute(command))
end

---Runs COMMAND as a child in bide's process group, and waits until it has ended. It gets the signals that bide gets: bide
---hands them on, but for those of a terminal, which the kernel sends to the whole group, even while it forks.
---@param command string[]
---@param begun fun()? called once it has begun
---@return integer? code nil if a signal came first: COMMAND did not begin
function M.run(command, begun)
  local waker = core.task.waker()
  shown.flush()
  local words = require("bide.probe.exec.ignored_signals").keep(command)
  local child, mistake, missed
  core.loop.watch_signals(function(number, by_kernel)
    if by_kernel then return end
    if child then child:kill(number) else missed = number end
  end)
  if core.loop.signal() then return nil end
  core.process.prepare_child "member"
  child, mistake = uv.spawn(words[1], {
    args = table.move(words, 2, #words, 1, {}), stdio = { 0, 1, 2 },
  }, waker)
  if not child then return complain(command, (mistake:gsub("^%u+: ", ""))) end
  if missed then child:kill(missed) end
  if begun then begun() end
  local code, signal = core.task.pause(waker)
  child:close()
  core.loop.settle()
  return signal ~= 0 and exit_code.SIGNAL + signal or code
end

return M
