---Calls functions of scripts that may not wait: matchers, and functions of JMESPath. Any error that they raise is a
---script error, operation errors included.

local core = require "bide.core"
local script_error = require "bide.text.script_error"
local xpcall = require("bide.task.coroutines").lua_xpcall

---@param name string for messages: "a matcher"
---@return fun(f: function, ...: any): (any, any) call what it returns are the first two results of f
return function(name)
  ---Names the callback in the message, since Lua only says that something yielded.
  local function explain(value)
    if value == "attempt to yield across a C-call boundary" then value = ("%s may not yield: %s"):format(name, value) end
    return script_error.explain(value)
  end

  return function(f, ...)
    local ok, answer, second = core.task.without_waiting(name, xpcall, f, explain, ...)
    if ok then return answer, second end
    if script_error.is_operation_error(answer) then
      answer = ("%s raised the operation error %s; it may not raise one"):format(name, answer.type)
    end
    error(script_error.locate(script_error.of(answer), f), 0)
  end
end
