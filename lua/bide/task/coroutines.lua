---Replaces functions of Lua's library, so that the coroutines of a script may wait, and deadlines and signals stop code
---that runs in them.

local core = require "bide.core"

local task, xpcall = core.task, xpcall

local M = {}

---The replacements of functions of `coroutine`.
M.coroutine = core.coroutine

---Lua's own xpcall, for message handlers that check by themselves whether the host stops the script.
M.lua_xpcall = xpcall

local function pass(...) return ... end

---Calls f like Lua's xpcall, but does not call the message handler when the host stops the script. The host raises an
---error from its hook then, and a handler would run without a hook that could end it.
function M.xpcall(f, handler, ...)
  if type(handler) ~= "function" then return xpcall(f, handler, ...) end
  return pass(xpcall(f, function(value)
    if task.stopping() then return value end
    return handler(value)
  end, ...))
end

---Replaces Lua's own functions, for the whole process.
function M.install()
  for name, replacement in pairs(M.coroutine) do coroutine[name] = replacement end
  _G.xpcall = M.xpcall
end

return M
