---Packets of MySQL's protocol, and what servers mostly say in them.

local M = {}

---The bytes that a password is proved with.
M.SALT = "12345678abcdefghijkl"

---The bodies by which a server takes a user, describes a column `a`, and ends the columns or the rows.
M.OK, M.COLUMN, M.END = "\0\0\0\2\0\0\0", "\3def\0\0\0\1a\0\12" .. ("\0"):rep(12), "\xFE\0\0\2\0"

---@param number integer
---@param body string
---@return string
function M.packet(number, body)
  return string.pack("<I3I1", #body, number) .. body
end

---Returns packets that follow each other.
---@param bodies string[]
---@param first? integer the number of the first one, 1 by default
---@return string
function M.packets(bodies, first)
  local all = {}
  for position, body in ipairs(bodies) do all[position] = M.packet((first or 1) + position - 1, body) end
  return table.concat(all)
end

---Returns the first packet of a server.
---@param plugin? string mysql_native_password by default
---@param version? string
---@return string
function M.greeting(plugin, version)
  return M.packet(0, string.pack("<BzI4c8xI2BI2I2Bc10c13z", 10, version or "8.0.36", 1, M.SALT:sub(1, 8), 0xFFFF, 45, 2, 0xFFFF,
    21, "", M.SALT:sub(9) .. "\0", plugin or "mysql_native_password"))
end

---Returns the answer to a query of the column `a`.
---@param ... string the rows
---@return string
function M.rows(...)
  local bodies = { "\1", M.COLUMN, M.END, ... }
  bodies[#bodies + 1] = M.END
  return M.packets(bodies)
end

return M
