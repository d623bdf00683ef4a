---How the process ends: what a command may do and a recipe may not, and what is done before bide ends or becomes
---another program.

local exit = os.exit

local M = {}

---@param code integer
function M.exit(code)
  exit(code)
end

---Keeps recipes from ending bide without an outcome: its exit code would stand for one, a success that nobody saw.
---What they print goes to standard error, apart from the outcome.
function M.restrain_recipes()
  rawset(os, "exit", function() error("a recipe may not call os.exit; raise an error instead", 2) end)
  rawset(_G, "print", require("bide.shown").print_aside)
end

---Waits for the programs that bide has told to end; bide.exec knows them, where it was loaded.
function M.settle()
  local group = package.loaded["bide.exec.group"]
  if group then group.settle() end
end

---Ends the process where it stands; everything that was written so far is out.
---@param code integer
function M.leave(code)
  local core = require "bide.core"
  core.process.dismiss_supervisor()
  core.process.leave(code)
end

---Ends the process here where anything is still under way: closing the Lua state would wait for what cannot be
---stopped, such as the resolving of a name.
---@param code integer
---@return integer code
function M.finish(code)
  M.settle()
  local core = package.loaded["bide.core"]
  if core and require("luv").loop_alive() then M.leave(code) end
  if core then core.process.dismiss_supervisor() end
  return code
end

return M
