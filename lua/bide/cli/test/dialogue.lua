---The peer of a protocol in a test case: it receives bytes and sends bytes, as the dialogue of the case says.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

---@class bide.test.Dialogue
---@field connections table[][] the steps of each connection; the last is that of all later ones
---@field count integer
---@field played table<integer, integer> how many steps of each connection were played at most
---@field fault fun(text: string)
local Dialogue = {}
Dialogue.__index = Dialogue

---One connection.
---@class bide.test.Conversation : bide.peer.Conversation
---@field steps table[]
---@field at integer the step that is next
---@field played table<integer, integer> of the dialogue
---@field number integer of its steps in the dialogue
---@field received string what the step has received so far
local Conversation = {}
Conversation.__index = Conversation

local function quote(bytes)
  return core.json.encode(#bytes > 200 and bytes:sub(1, 200) .. "…" or bytes)
end

---Notes that the step that is next was played.
function Conversation:play()
  self.played[self.number] = math.max(self.played[self.number], self.at)
end

---Takes bytes of the program; they may belong to several steps.
---@param bytes string
function Conversation:receive(bytes)
  self.received = self.received .. bytes
  local step = self.steps[self.at]
  local wanted = step and step.receive
  if not wanted then
    return self.fault(("the peer receives %s where the dialogue has nothing to receive"):format(quote(bytes)))
  end
  local common = self.received:sub(1, #wanted)
  if common ~= wanted:sub(1, #common) then
    return self.fault(("step %d of the dialogue: expected %s, received %s"):format(self.at, quote(wanted), quote(self.received)))
  end
  if common == wanted then self:play() end -- the program need not read what the peer sends then
end

---Returns what the peer sends next.
---@return string? bytes nil if it has nothing to send
---@return boolean? closes whether it has closed the connection
function Conversation:next()
  local step = self.steps[self.at]
  if not step then return nil, false end
  if step.receive and #self.received < #step.receive then return nil, false end
  self.received = step.receive and self.received:sub(#step.receive + 1) or self.received
  self:play()
  self.at = self.at + 1
  if step.close and not step.send then return nil, true end
  if not step.send then return self:next() end
  if step.close then table.insert(self.steps, self.at, { close = true }) end
  return step.send
end

---@param list table[]? steps, or lists of steps
---@param fault fun(text: string)
---@return bide.test.Dialogue
function M.new(list, fault)
  local connections = list and (list[1] and list[1][1] and list or { list }) or {}
  return setmetatable({ connections = connections, count = 0, played = {}, fault = fault }, Dialogue)
end

---Begins a connection.
---@param name string the address
---@return bide.peer.Conversation? conversation
---@return string? code why there is none, "ECONNREFUSED"
function Dialogue:connect(name)
  self.count = self.count + 1
  local number = math.min(self.count, #self.connections)
  local steps = self.connections[number]
  if not steps then
    self.fault(("the case connects to %s, which is refused"):format(name))
    return nil, "ECONNREFUSED"
  end
  self.played[number] = self.played[number] or 0
  if steps[1] and steps[1].refuse then
    self.played[number] = #steps
    return nil, steps[1].refuse
  end
  return setmetatable({
    steps = tables.joined(steps), at = 1, received = "", played = self.played, number = number, fault = self.fault,
  }, Conversation)
end

---Reports the connections that were not made, and the steps of others that were not played. The program may close first.
function Dialogue:finish()
  for number, steps in ipairs(self.connections) do
    local played = self.played[number]
    local step = played and steps[played + 1]
    if not played then
      self.fault(("connection %d of the dialogue was not made"):format(number))
    elseif step and (step.receive or step.send) then
      self.fault(("step %d of the dialogue was not played"):format(played + 1))
    end
  end
end

return M
