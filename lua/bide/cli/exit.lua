---Ending the process: what a command may do, and a recipe may not.

local shown = require "bide.shown"

local exit = os.exit

local M = {}

---@param code integer
function M.now(code)
  exit(code)
end

---A recipe that called os.exit would end bide without an outcome, and its exit code
---would stand for one: "success" that nobody saw. What it prints would mix with the outcome.
function M.restrain_recipes()
  rawset(os, "exit", function() error("a recipe may not call os.exit; raise an error instead", 2) end)
  rawset(_G, "print", shown.print_aside)
end

return M
