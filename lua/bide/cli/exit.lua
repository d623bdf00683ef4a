---Ending the process: what a command may do, and a recipe may not.

local exit = os.exit

local M = {}

---@param code integer
function M.now(code)
  exit(code)
end

---A recipe that called os.exit would end bide without an outcome, and its exit code
---would stand for one: "success" that nobody saw.
function M.forbid_to_recipes()
  rawset(os, "exit", function() error("a recipe may not call os.exit; raise an error instead", 2) end)
end

return M
