---JMESPath for scripts: `bide.jmespath(expression)`, and functions that scripts add.

local core = require "bide.core"
local callback = require "bide.task.callback"
local script_error = require "bide.text.script_error"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

local function looking(name, f)
  local ask = callback(("the JMESPath function %s()"):format(name))
  return function(...) return (ask(f, ...)) end
end

---@param own bide.Vocabulary
---@return boolean registered
---@return any mistake
local function register(own, name, types, f)
  local _entered <close> = vocabulary.enter(own)
  return pcall(core.jmespath.register, name, types, type(f) == "function" and looking(name, f) or f)
end

---@param own bide.Vocabulary
local function compile(own, expression)
  local _entered <close> = vocabulary.enter(own)
  return core.jmespath.compile(expression)
end

---Compiles an expression. Raises its mistake, a text with the place.
---@class bide.jmespath
---@overload fun(expression: string): bide.Expression
---@field register fun(name: string, types: bide.jmespath.Types, f: fun(...: any): any) adds a function to the language, for
---expressions that are compiled from now on

---Returns `bide.jmespath` of a file.
---@param own bide.Vocabulary
---@return bide.jmespath
function M.of(own)
  local functions = {
    register = function(name, types, f)
      local registered, mistake = register(own, name, types, f)
      if registered then return end
      script_error.pass_out_of_memory(mistake)
      error(mistake, 2)
    end,
  }
  return setmetatable(functions, {
    __call = function(_, expression)
      local compiled, mistake = compile(own, expression)
      if not compiled then error(tostring(mistake), 2) end
      return compiled
    end,
  })
end

return M
