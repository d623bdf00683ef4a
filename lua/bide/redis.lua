---Sends commands to Redis, or to another server with its protocol (RESP 2).
---
---    local redis = require "bide.redis"
---    redis { host = "cache", command = { "PING" } }                                   --> "PONG"
---    redis { host = "cache", password = password, command = { "LLEN", "jobs" } }      --> 3
---    redis { host = "cache", tls = { ca = "ca.pem" }, command = { "PING" } }          --> "PONG"
---    redis { host = "cache", command = { { "SELECT", "3" }, { "LLEN", "jobs" } } }    --> { "OK", 3 }
---
---Closes the connection when the call ends. If Redis answers with an error, raises an operation error whose type is the
---first word of it: LOADING, NOAUTH, WRONGPASS, ERR. Raises the operation errors of bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer       the server does not speak the protocol

local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local option = require "bide.text.option"
local protocol = require "bide.probe.peer.protocol"
local read_pieces = require "bide.probe.peer.pieces"
local tables = require "bide.text.tables"

---Its function in `bide`.
---@class bide
---@field redis fun(options: bide.redis.Options): string|integer|table|nil

local LARGEST, DEEPEST = 4 * 1024 * 1024, 8 -- bytes of an answer; lists in lists
local MEMBER = 64 -- bytes that a member counts for, beside its own

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.redis.Options
---@field host? string a name or an address
---@field unix? string the path of a unix socket, in place of host and port
---@field port? integer|string 6379 by default
---@field user? string the default user by default
---@field password? string sent before the command
---@field tls? bide.tls.Options speaks TLS; `{}` for its defaults
---@field command string[]|string[][] its words, or a list of commands over one connection: the first, and once it is answered,
---the others together. The answers are a list, which has no member for an answer of nothing
---@field answered? fun(answer: any) called with each answer that comes, as after SUBSCRIBE, until the timeout; may not wait
---@field every_address? boolean asks each address of the host, not only the first one that accepts a connection: the
---result is a list of `{ address = "10.0.0.1:6379", answer = … }`; raises an error if one of them gives no answer. Of
---localhost, an address at which no program listens is left out
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

local function is_command(value)
  if type(value) ~= "table" or #value == 0 then return false end
  for _, word in ipairs(value) do
    if type(word) ~= "string" then return false end
  end
  return true
end

local words = { "a list of words, one at least", function(value)
  if type(value) ~= "table" or type(value[1]) ~= "table" then return is_command(value) end
  for _, command in ipairs(value) do
    if not is_command(command) then return false end
  end
  return true
end }

---@param command string[]
local function write(command)
  local bytes = { ("*%d\r\n"):format(#command) }
  for position, word in ipairs(command) do bytes[position + 1] = ("$%d\r\n%s\r\n"):format(#word, word) end
  return table.concat(bytes)
end

local function refuse(line)
  fail("InvalidAnswer", "this is not the protocol of Redis: " .. option.describe(line))
end

local function read_integer(line)
  return math.tointeger(tonumber(line:match("^[:$*](%-?%d+)$"))) or refuse(line)
end

---An answer that is being read.
---@class bide.redis.Reader
---@field dialogue bide.peer.Dialogue
---@field left integer bytes that may come
local Reader = {}
Reader.__index = Reader

function Reader:spend(count)
  self.left = self.left - count
  if self.left < 0 then fail("InvalidAnswer", "the answer is too long") end
end

function Reader:read_list(count, depth)
  if depth == DEEPEST then fail("InvalidAnswer", "the lists of the answer are nested too deeply") end
  if count > self.left // MEMBER then fail("InvalidAnswer", "the answer is too long") end
  local list = {}
  for position = 1, count do list[position] = self:read(depth + 1) end
  return list
end

---Reads an answer by its first byte. A length below 0 means nil.
---@param depth integer
---@return string|integer|table|nil answer
function Reader:read(depth)
  local line = self.dialogue:read_line()
  local kind = line:sub(1, 1)
  self:spend(#line + MEMBER)
  if kind == "+" then return line:sub(2) end
  if kind == "-" then fail(line:match("^.(%u+)%f[%A]") or "ERR", line:sub(2)) end
  if kind == ":" then return read_integer(line) end
  local count = read_integer(line)
  if count < 0 then return nil end
  if kind == "*" then return self:read_list(count, depth) end
  self:spend(count)
  local text = read_pieces(self.dialogue, count + 2)
  if text:sub(-2) ~= "\r\n" then refuse(line .. ", and a text of another length") end
  return text:sub(1, -3)
end

---@return string|integer|table|nil answer
local function read(dialogue)
  return setmetatable({ dialogue = dialogue, left = LARGEST }, Reader):read(0)
end

---A server refuses a client unasked.
local function is_error(received) return received:sub(1, 1) == "-" end

---@param commands string[][]
---@param may_come_unasked? fun(received: string): boolean
local function ask(dialogue, commands, may_come_unasked)
  dialogue:ask(table.concat(tables.mapped(commands, write)), may_come_unasked)
end

---Sends a command, and once it is answered, the others: what came with that answer belongs to no other question.
---@param commands string[][]
---@param may_come_unasked? fun(received: string): boolean
---@return table answers
local function ask_all(dialogue, commands, may_come_unasked)
  ask(dialogue, { commands[1] }, may_come_unasked)
  local answers = { read(dialogue) }
  if commands[2] then ask(dialogue, table.move(commands, 2, #commands, 1, {})) end
  for position = 2, #commands do answers[position] = read(dialogue) end
  return answers
end

---Sends commands, and hands over each answer that comes.
---@param commands string[][]
---@param answered fun(answer: any)
local function follow(dialogue, commands, answered)
  ask(dialogue, commands)
  while true do answered(read(dialogue)) end
end

---@param given bide.redis.Options
---@return string|integer|table|nil answer a list where Redis gives one; nil if there is nothing
local function talk(dialogue, given)
  local may_come_unasked = is_error ---@type nil|fun(received: string): boolean
  if given.password then
    ask(dialogue, { { "AUTH", given.user or given.password, given.user and given.password } }, may_come_unasked)
    read(dialogue)
    may_come_unasked = nil
  end
  if type(given.command[1]) == "string" then
    ask(dialogue, { given.command }, may_come_unasked)
    return read(dialogue)
  end
  if given.answered then return follow(dialogue, given.command, given.answered) end
  return ask_all(dialogue, given.command, may_come_unasked)
end

return protocol {
  name = "bide.redis",
  port = 6379,
  options = { user = kinds.text, password = kinds.text, command = words, answered = kinds.callable },
  required = { "command" },
  talk = talk,
}
