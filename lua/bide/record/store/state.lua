---The state of a turn: the record of the core, the delay before the next attempt, and the members that conditions asked for
---and that answers had.

local core = require "bide.core"

local M = {}

---The forms that this program reads, each a turn's `format`; 0 is the form of a wait without an attempt. A store says which
---one is written.
M.FORMAT, M.NEWEST = core.wait.FORMAT, core.wait.NEWEST

---@type integer[]
M.formats = { 0 }
for format = M.FORMAT, M.NEWEST do M.formats[#M.formats + 1] = format end

---As the core packs it (`Wait:pack`), with the members as they are kept.
local form = "<s1I8c32"

---Reads the state of a wait, which is treated as input.
---@param text string
---@return string? record of the core, which only that reads
---@return integer|string delay milliseconds before the next attempt; or the mistake
---@return bide.SeenMembers? members
function M.unpack(text)
  local ok, record, delay, members, place = pcall(string.unpack, form, text)
  if not ok or place ~= #text + 1 or delay < 0 or delay > 1 << 50 then return nil, "its state is broken" end
  return record, delay, members
end

return M
