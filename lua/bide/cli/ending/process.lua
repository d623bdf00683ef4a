---Ends the process, which commands may do and recipes may not, and takes the last steps before bide ends or becomes
---another program.

local exit_code = require "bide.cli.ending.exit_code"

local exit = os.exit

local M = {}

local is_scripts, is_written = false, function() return true end

---The exit code of a process of which something may not have been written, and to which a signal may have come. A signal
---that comes later has its own effect.
local function checked(code)
  local core = package.loaded["bide.core"]
  code = exit_code.unless_reported(code, require("bide.text.shown").flush(is_scripts) and is_written())
  return exit_code.unless_ended(code, core and core.loop.release_signals())
end

---@param code integer
function M.exit(code)
  exit(checked(code))
end

---Returns the exit code that a script asks for. The system keeps the lowest byte alone, so 256, the status that a wait for
---a program gives for its exit code 1, would be a success.
---@param code integer
local function code_of_script(code)
  if code == exit_code.SUCCESS then return checked(code) end
  return code & 0xFF == 0 and exit_code.FAILURE or code
end

---Lets a script print and end the process itself, but not with success where what it printed, or what was asked for beside
---it, cannot be written.
---@param is_complete fun(): boolean whether what was asked for is written
function M.share_output_with_script(is_complete)
  is_scripts, is_written = true, is_complete
  rawset(os, "exit", function(code, ...)
    if code == nil or code == true then code = exit_code.SUCCESS end
    local number = math.tointeger(code)
    exit(number and code_of_script(number) or code, ...)
  end)
end

---Keeps recipes from ending bide without an outcome, since the exit code would look like one. Redirects what recipes
---print to standard error, apart from the outcome.
function M.restrain_recipes()
  rawset(os, "exit", function() error("a recipe may not call os.exit; raise an error instead", 2) end)
  rawset(_G, "print", require("bide.text.shown").print_aside)
end

---Waits for the programs that bide has asked to end. Only a loaded bide.exec can have started one.
function M.settle()
  local group = package.loaded["bide.probe.exec.group"]
  if group then group.settle() end
end

---Ends the process at once. Everything written so far is flushed.
---@param code integer
function M.leave(code)
  local core = require "bide.core"
  core.process.dismiss_supervisor()
  core.process.leave(code)
end

---Ends the process here if anything is still running: closing the Lua state would wait for work that cannot be
---stopped, such as a name lookup. It also ends here after an error in a script, and after a fault, since luv does not
---survive the closing of a handle that it could not make for lack of memory.
---@param code integer
---@return integer code
function M.finish(code)
  M.settle()
  code = checked(code)
  local core = package.loaded["bide.core"]
  local is_broken = code == exit_code.SCRIPT_ERROR or code == exit_code.FAULT
  if core and (is_broken or require("luv").loop_alive()) then M.leave(code) end
  if core then core.process.dismiss_supervisor() end
  return code
end

return M
