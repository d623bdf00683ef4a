---Speaks D-Bus with a service manager of systemd, as far as it takes to hear that a unit changes: over the manager's own
---socket, or over the bus of the system.

local core = require "bide.core"
local fail = require "bide.text.fail"
local read_pieces = require "bide.probe.peer.pieces"

local hex = core.text.hex

local M = {}

local CALL, FAILURE, SIGNAL = 1, 3, 4 -- types of messages
local PATH, INTERFACE, MEMBER, DESTINATION, SIGNATURE = 1, 2, 3, 6, 8 -- fields of a header
local HEAD = 16 -- bytes at the front of each message
local LARGEST = 1024 * 1024 -- bytes of the rest

local MANAGER = "org.freedesktop.systemd1"

---@class bide.systemd.Bus
---@field dialogue bide.peer.Dialogue
---@field serial integer of the last call
local Bus = {}
Bus.__index = Bus

---Fills bytes up to a multiple of 8.
local function padded(bytes)
  return bytes .. ("\0"):rep(-#bytes % 8)
end

---Writes a field of a header. Its value begins at a multiple of 4, since the header of the field has 4 bytes.
---@param kind "s"|"o" a text or the path of an object
local function field(code, kind, text)
  return ("<B s1 x s4 x"):pack(code, kind, text)
end

---@param texts string[] the arguments
local function write(serial, destination, path, interface, member, texts)
  local fields = padded(field(PATH, "o", path)) .. padded(field(INTERFACE, "s", interface)) .. field(MEMBER, "s", member)
  if destination then fields = padded(fields) .. field(DESTINATION, "s", destination) end
  local body = ""
  for position, text in ipairs(texts) do
    body = body .. ("\0"):rep(-#body % 4) .. ("<s4 x"):pack(text)
    texts[position] = "s"
  end
  if #texts > 0 then fields = padded(fields) .. ("<B s1 x s1 x"):pack(SIGNATURE, "g", table.concat(texts)) end
  return padded(("<c1 BBB I4 I4 s4"):pack("l", CALL, 0, 1, #body, serial, fields)) .. body
end

---@class bide.systemd.Message
---@field type integer
---@field order "<"|">" of its bytes
---@field fields string of its header, as they came
---@field body string

---Waits for a message.
---@return bide.systemd.Message
function Bus:read()
  local head = self.dialogue:read(HEAD)
  local order = ({ l = "<", B = ">" })[head:sub(1, 1)] or fail("InvalidAnswer", "this is not D-Bus")
  local kind, length, fields = (order .. "B xx I4 xxxx I4"):unpack(head, 2)
  local front = fields + -fields % 8
  if front + length > LARGEST then fail("InvalidAnswer", "a message of D-Bus is too long") end
  local rest = read_pieces(self.dialogue, front + length)
  return { type = kind, order = order, fields = rest:sub(1, fields), body = rest:sub(front + 1) }
end

---Calls a method, and waits for the answer; signals that come before it are left out.
---@return bide.systemd.Message
function Bus:call(...)
  self.serial = self.serial + 1
  self.dialogue:send(write(self.serial, ...))
  local message
  repeat message = self:read() until message.type ~= SIGNAL
  if message.type == FAILURE then fail("SystemdFailure", ("%s is refused"):format((select(4, ...)))) end
  return message
end

---@param text string
function Bus:call_bus(member, text)
  return self:call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, { text })
end

---@param text? string
function Bus:call_manager(member, text)
  return self:call(self.manager, "/org/freedesktop/systemd1", MANAGER .. ".Manager", member, { text })
end

---Logs in as the user of this process. BEGIN leaves at once: a manager that reads it together with the first message waits
---for more.
---@param dialogue bide.peer.Dialogue
---@param user integer
local function enter(dialogue, user)
  dialogue:send(("\0AUTH EXTERNAL %s\r\nBEGIN\r\n"):format(hex(tostring(user))))
  local answer = dialogue:read_line()
  if not answer:find "^OK " then fail("SystemdFailure", "the bus refuses this user: " .. answer) end
end

---Returns the object that an answer names: its body is one text, with its length before it.
---@param answer bide.systemd.Message
---@return string? path
local function object_of(answer)
  local body = answer.body
  local length = #body >= 4 and (answer.order .. "I4"):unpack(body)
  local path = length and 4 + length < #body and body:sub(5, 4 + length)
  return path and path:match "^/[%w_/]+$"
end

---Hears of the changes of a unit until the connection ends.
---@param dialogue bide.peer.Dialogue
---@param given { user: integer, unit: string, is_shared: boolean } is_shared: the bus is not the manager's own
---@param changed fun() called once changes come, and at each
function M.follow(dialogue, given, changed)
  enter(dialogue, given.user)
  local bus = setmetatable({ dialogue = dialogue, serial = 0, manager = given.is_shared and MANAGER or nil }, Bus)
  if given.is_shared then bus:call_bus "Hello" end
  bus:call_manager "Subscribe"
  local path = object_of(bus:call_manager("LoadUnit", given.unit))
  if not path then fail("InvalidAnswer", "LoadUnit has not named a unit") end
  if given.is_shared then
    bus:call_bus("AddMatch", ("type='signal',sender='%s',path='%s'"):format(MANAGER, path))
  end
  changed()
  while true do
    local message = bus:read()
    local name = "\1\1o\0" .. (message.order .. "s4 x"):pack(path)
    if message.type == SIGNAL and message.fields:find(name, 1, true) then changed() end
  end
end

return M
