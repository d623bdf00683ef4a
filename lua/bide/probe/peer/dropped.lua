---The connections that a script has dropped without closing them, or that it never got, since its deadline came just then.
---A finalizer cannot close a socket: the loop has to turn for that, and the state may be about to end.

local core = require "bide.core"
local shortage = require "bide.task.shortage"

local M = {}

---@type { __close: fun(self: any) }[]
local dropped = {}

---Closes the connections that were noted, the latest first.
function M.close()
  for position = #dropped, 1, -1 do table.remove(dropped, position):__close() end
end

shortage.at_shortage(M.close)

local sweep = core.loop.alarm(M.close)

---Notes a connection that was dropped, and closes it when the loop turns. At the end of the state there is no loop.
---@param connection { __close: fun(self: any) }
function M.note(connection)
  dropped[#dropped + 1] = connection
  pcall(sweep.start, sweep, 0)
end

return M
