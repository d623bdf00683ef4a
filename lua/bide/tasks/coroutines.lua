---What takes the place of functions of Lua's own library, so that a script's coroutines may wait, and
---so that deadlines and signals stop what runs in them.

local core = require "bide.core"

local task, xpcall = core.task, xpcall

local M = {}

---Those of `coroutine`.
M.coroutine = core.coroutine

local function pass(...) return ... end

---Where the host stops a script it raises from its hook, and a message handler then runs without
---one: nothing would end it. So it is not called.
function M.xpcall(f, handler, ...)
  if type(handler) ~= "function" then return xpcall(f, handler, ...) end
  return pass(xpcall(f, function(value)
    if task.stopping() then return value end
    return handler(value)
  end, ...))
end

---Puts them in place of Lua's own, for the whole process.
function M.install()
  for name, replacement in pairs(M.coroutine) do coroutine[name] = replacement end
  _G.xpcall = M.xpcall
end

return M
