---The messages of gRPC's health protocol (grpc.health.v1), as bytes: a prefix of five bytes, then protobuf.

local M = {}

---@param message string
---@return string framed
local function frame(message)
  return "\0" .. string.pack(">s4", message)
end

---@param value integer
---@return string
local function varint(value)
  local bytes = {}
  while value > 127 do
    bytes[#bytes + 1], value = string.char(value & 127 | 128), value >> 7
  end
  return table.concat(bytes) .. string.char(value)
end

---Returns the question about a service; "" is the server as a whole.
---@param service string
---@return string body
function M.question(service)
  if service == "" then return frame "" end
  return frame("\x0A" .. varint(#service) .. service)
end

---@param bytes string
---@param at integer
---@return integer? value nil if the bytes end within it, or it has more than 64 bits
---@return integer? next_position
local function read_varint(bytes, at)
  local value = 0
  for shift = 0, 63, 7 do
    local byte = bytes:byte(at + shift // 7)
    if not byte then return nil end
    value = value | (byte & 127) << shift
    if byte < 128 then return value, at + shift // 7 + 1 end
  end
end

---Returns the position behind the value of another field; nil if it has none.
local function skip(bytes, at, kind)
  local length
  if kind == 0 then return select(2, read_varint(bytes, at)) end
  if kind == 1 or kind == 5 then length = kind == 1 and 8 or 4 end
  if kind == 2 then length, at = read_varint(bytes, at) end
  local fits = length and length >= 0 and length <= #bytes - at + 1
  return fits and at + length or nil
end

---Returns the last value of field 1, an enumeration.
---@param bytes string
---@return integer? value 0 if the field is absent, nil if this is not protobuf
local function read_status(bytes)
  local at, status = 1, 0
  while at and at <= #bytes do
    local tag
    tag, at = read_varint(bytes, at)
    if tag == 8 then
      status, at = read_varint(bytes, at)
    else
      at = at and tag >> 3 > 0 and skip(bytes, at, tag & 7) or nil -- there is no field 0
    end
  end
  return at and status
end

local names = { [0] = "UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN" }

---Returns the status that an answer has.
---@param body string
---@return string? status "SERVING", "NOT_SERVING", "UNKNOWN" or "SERVICE_UNKNOWN"; nil if the body is not such an answer
function M.status(body)
  if #body < 5 or body:byte(1) ~= 0 or string.unpack(">I4", body, 2) ~= #body - 5 then return nil end
  return names[read_status(body:sub(6))]
end

return M
