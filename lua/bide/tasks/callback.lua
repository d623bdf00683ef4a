---Calls a function of a script that may not wait: a matcher, a function of JMESPath. What it raises is a script error,
---an operation error too.

local core = require "bide.core"
local script_error = require "bide.script_error"

---@param who string for messages: "a matcher"
---@return fun(f: fun(...: any): any, ...: any): any
return function(who)
  ---Names the callback where Lua has only said that something yielded.
  local function explain(value)
    if value == "attempt to yield across a C-call boundary" then value = ("%s may not yield: %s"):format(who, value) end
    return script_error.explain(value)
  end

  return function(f, ...)
    local ok, answer = core.task.without_waiting(who, xpcall, f, explain, ...)
    if ok then return answer end
    if script_error.is_operation_error(answer) then
      answer = ("%s raised the operation error %s; it may only look"):format(who, answer.type)
    end
    error(script_error.of(answer), 0)
  end
end
