---The end of an output, however long it is: its last 64 KiB, and the last lines in them.

local secret = require "bide.text.secret"

local M = {}

local KEPT = 64 * 1024
local PIECES = 1024      -- that are kept apart
local LINES = 10
local LONGEST_LINE = 200 -- bytes

---@class bide.exec.Tail
---@field pieces string[]
---@field size integer bytes of all pieces
local Tail = {}
Tail.__index = Tail

---@return bide.exec.Tail
function M.new()
  return setmetatable({ pieces = {}, size = 0 }, Tail)
end

---@param bytes string
function Tail:add(bytes)
  table.insert(self.pieces, bytes)
  self.size = self.size + #bytes
  if self.size <= 2 * KEPT and #self.pieces <= PIECES then return end
  self.pieces = { self:text() }
  self.size = #self.pieces[1]
end

---@return string text at most 64 KiB
function Tail:text()
  return table.concat(self.pieces):sub(-KEPT)
end

---Returns a line without what colours it on a terminal, and cut if it is long.
local function plain(line)
  line = line:gsub("\27%[[0-?]*[ -/]*[@-~]", ""):gsub("%s+$", "")
  if #line <= LONGEST_LINE then return line end
  line = secret.before_cut(line)
  if #line <= LONGEST_LINE then return line end
  return line:sub(1, LONGEST_LINE):gsub("[\xC0-\xFF][\x80-\xBF]*$", "") .. "…"
end

---Returns the last ten lines that are not empty.
---@return string[]
function Tail:lines()
  local lines = {}
  for raw in self:text():gmatch "[^\n]+" do
    local line = plain(raw)
    if line ~= "" then lines[#lines + 1] = line end
  end
  return table.move(lines, math.max(1, #lines - LINES + 1), #lines, 1, {})
end

return M
