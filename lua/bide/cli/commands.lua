---The names of the commands, in the order in which help lists them, and the module of each.

---@class bide.cli.Command
---@field summary string what it does, in a line
---@field new_parser fun(): table
---@field main fun(arguments: string[]): integer does what its words say, and returns the exit code

---@class bide.cli.Commands
---@field [integer] string
local M = {
  "run", "submit", "watch", "worker", "jobs", "workers", "store", "aws", "step", "replay", "test", "plan", "advise",
  "check", "convert", "list", "show", "query", "exec", "journal", "init", "doctor", "help", "completion",
}

---The modules that do not have the name of their command.
local modules = { init = "bide.cli.commands.init_recipe" } -- init.lua begins the command line itself

---@param name string of a command
---@return bide.cli.Command
function M.module(name)
  return require(modules[name] or "bide.cli.commands." .. name)
end

return M
