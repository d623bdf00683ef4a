---The state of a turn: the record of the core, the delay before the next attempt, and the members that conditions asked for
---and that answers had. The core writes and reads it (`State:settle`, `Common:take_up`).

local core = require "bide.core"

local M = {}

---The forms that this program reads, each a turn's `format`; 0 is the form of a wait without an attempt. A store says which
---one is written.
M.FORMAT, M.NEWEST = core.wait.FORMAT, core.wait.NEWEST

---@type integer[]
M.formats = { 0 }
for format = M.FORMAT, M.NEWEST do M.formats[#M.formats + 1] = format end

return M
