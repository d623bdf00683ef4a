---Calls functions of scripts that may not wait: matchers, and functions of JMESPath. Any error that they raise is a
---script error, operation errors included.

local core = require "bide.core"
local script_error = require "bide.text.script_error"

local protect = core.task.protect

---@param name string for messages: "a matcher"
---@return fun(f: function, ...: any): (any, any) call what it returns are the first two results of f
---@return fun(problem: any): any explain the handler of task.protect for such a function
---@return fun(f: function, problem: any): any fault_of what is raised then
return function(name)
  ---Names the callback in the message, since Lua only says that something yielded.
  local function explain(value)
    if value == "attempt to yield across a C-call boundary" then value = ("%s may not yield: %s"):format(name, value) end
    return script_error.explain(value)
  end

  local function fault_of(f, problem)
    if script_error.is_operation_error(problem) then
      problem = ("%s raised the operation error %s; it may not raise one"):format(name, problem.type)
    end
    return script_error.locate(script_error.of(problem), f)
  end

  return function(f, ...)
    local ok, answer, second = protect(name, explain, f, ...)
    if ok then return answer, second end
    error(fault_of(f, answer), 0)
  end, explain, fault_of
end
