---The numbers of cells: stores that one command uses together, of which each run is in one for life.
---
---The ids of runs and waits are `cell × 2^43 + a number of the store's sequence`, below 2^53, so that an id says where its run
---is. The URL of a cell has its number, `postgres://HOST/DATABASE?cell=1`: no server has to be asked, and a cell that is away
---concerns no run of another one. Each session compares the number with that of the database (`postgres/server.lua`).

local digest = require "bide.digest"

local M = {}

---The bits of an id below the number of its cell, and the greatest number.
local BITS <const> = 43
M.MOST = (1 << 53 - BITS) - 1

---Returns the number of the cell that a run is in. It is above M.MOST if there can be no such run.
---@param run integer
---@return integer
function M.of_run(run)
  return run >> BITS
end

---Reads the number of a cell.
---@param text string
---@return integer? cell
function M.read(text)
  local cell = text:find "^%d%d?%d?%d?$" and math.tointeger(tonumber(text))
  return cell and cell <= M.MOST and cell or nil
end

---Returns cells in an order that depends on a text and on their numbers alone. Without one of them the others have the
---same order.
---@generic T: { cell: integer }
---@param cells T[]
---@param text string
---@return T[]
function M.ordered(cells, text)
  local ordered, weights = table.move(cells, 1, #cells, 1, {}), {}
  for _, one in ipairs(cells) do
    weights[one] = string.unpack(">I8", digest.sha256(string.pack("<I2s4", one.cell, text)))
  end
  table.sort(ordered, function(a, b) return math.ult(weights[b], weights[a]) end)
  return ordered
end

return M
