---JMESPath for scripts: `bide.jmespath(expression)`, and functions that scripts add.

local core = require "bide.core"
local callback = require "bide.task.callback"
local script_error = require "bide.text.script_error"

local function looking(name, f)
  local ask = callback(("the JMESPath function %s()"):format(name))
  return function(...) return (ask(f, ...)) end
end

---Adds a function to the language, for expressions that are compiled from now on.
---@param name string
---@param types bide.jmespath.Types
---@param f fun(...: any): any
local function register(name, types, f)
  local registered, mistake = pcall(core.jmespath.register, name, types, type(f) == "function" and looking(name, f) or f)
  if registered then return end
  script_error.pass_out_of_memory(mistake)
  error(mistake, 2)
end

---Compiles an expression. Raises its mistake, a text with the place.
---@class bide.jmespath
---@overload fun(expression: string): bide.Expression
---@field register fun(name: string, types: bide.jmespath.Types, f: fun(...: any): any)
return setmetatable({ register = register }, {
  __call = function(_, expression)
    local compiled, mistake = core.jmespath.compile(expression)
    if not compiled then error(tostring(mistake), 2) end
    return compiled
  end,
})
