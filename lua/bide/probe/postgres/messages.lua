---The messages of PostgreSQL's protocol, version 3: those that a client writes, and the fields of a server's error.

local M = {}

local concat, pack = table.concat, string.pack

local VERSION = 3 << 16

---Returns a message.
---@param kind string a letter
---@param body string
---@return string
function M.write(kind, body)
  return kind .. pack(">I4", #body + 4) .. body
end

local write = M.write

---Returns the first message, which has no letter before its length.
---@param parameters string[] names, each with its value after it
---@return string
function M.startup(parameters)
  local pieces = { pack(">I4", VERSION) }
  for position, text in ipairs(parameters) do pieces[position + 1] = pack("z", text) end
  local body = concat(pieces) .. "\0"
  return pack(">I4", #body + 4) .. body
end

---Asks whether the server has TLS.
M.TLS_REQUEST = pack(">I4I4", 8, 80877103)

M.TERMINATE = write("X", "")

---Asks for the columns of what was bound, and for all its rows; then ends the statement.
local CARRY_OUT <const> = write("D", "P\0") .. write("E", "\0\0\0\0\0") .. write("S", "")

---Returns a statement of the simple protocol, or several with ";" between them.
---@param sql string
---@return string
function M.query(sql)
  return write("Q", sql .. "\0")
end

---@param name string of the prepared statement; "" is forgotten with the next one
---@param sql string
---@param types integer[] of its parameters; 0 lets the server decide
---@return string
function M.parse(name, sql, types)
  local pieces = { pack(">zzI2", name, sql, #types) }
  for position, oid in ipairs(types) do pieces[position + 1] = pack(">I4", oid) end
  return write("P", concat(pieces))
end

---The bytes of a length, and the one of a value that is NULL.
local LENGTH <const>, NULL <const> = 4, pack(">i4", -1)

---@param name string of the prepared statement
---@param values (string|false)[] false is NULL
---@param formats string the format of each, packed: 0 is text, 1 is binary
---@param of_results string the formats of the columns, packed
---@return string message and what carries it out. Parameters may be large: they are copied once
function M.bind(name, values, formats, of_results)
  local count <const> = #values
  local head <const> = pack(">zzI2", "", name, #formats // 2) .. formats .. pack(">I2", count)
  local tail <const> = pack(">I2", #of_results // 2) .. of_results
  local pieces, size = { "", head }, 4 + #head + LENGTH * count + #tail
  for position = 1, count do
    local value <const> = values[position]
    pieces[2 * position + 1], pieces[2 * position + 2] = value and pack(">I4", #value) or NULL, value or ""
    size = size + #(value or "")
  end
  pieces[1], pieces[2 * count + 3], pieces[2 * count + 4] = "B" .. pack(">I4", size), tail, CARRY_OUT
  return concat(pieces)
end

---@param text string rows of a COPY, or a part of them
---@return string
function M.copy_data(text)
  return write("d", text)
end

M.COPY_DONE = write("c", "")

---@param reason string
---@return string
function M.copy_fail(reason)
  return write("f", reason .. "\0")
end

---Returns the fields of an error or a notice, by their letters: "C" is the SQLSTATE, "M" the message, "V" the severity in
---English.
---@param body string
---@return table<string, string>
function M.fields(body)
  local fields = {}
  for letter, text in body:gmatch "(%a)([^\0]*)\0" do fields[letter] = fields[letter] or text end
  return fields
end

---Returns the SQLSTATE of an error; nil if it has none.
---@param fields table<string, string>
---@return string?
function M.sqlstate(fields)
  return fields.C and fields.C:match "^[%u%d][%u%d][%u%d][%u%d][%u%d]$"
end

return M
