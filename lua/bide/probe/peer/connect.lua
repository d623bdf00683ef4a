---Connects to a server and talks to it, by options that were checked: bide.tcp and bide.unix check those of scripts, a
---protocol has checked its own.

local Connection = require("bide.probe.peer.sockets").Connection
local Dialogue = require "bide.probe.peer.dialogue"
local Peer = require "bide.probe.peer"
local options = require "bide.probe.peer.options"
local uv = require "luv"

local M = {}

---@class bide.peer.Checked
---@field host? string of TCP
---@field port? integer
---@field path? string of a unix socket
---@field timeout integer milliseconds
---@field every_address? boolean
---@field is_absent? fun(answer: any, earlier: any): boolean whether an answer, or an error, says that what is asked for is not
---there; `earlier` is that of another address
---@field send? string
---@field expect? string
---@field talk? fun(dialogue: bide.peer.Dialogue): any

---Holds the dialogue of one address.
local function ask(peer, checked, target, at)
  local connection <close> = Connection.new(false)
  local how = connection:to_address(at, target.address, target.port)
  if how ~= "connected" then return nil, how end
  return Dialogue.hold(peer, connection, checked, target.name)
end

---@param checked bide.peer.Checked
---@return bide.tcp.Result|bide.tcp.Result[]
function M.tcp(checked)
  options.check_address(checked.host)
  local peer = Peer.new(("%s:%d"):format(checked.host, checked.port), checked.timeout, checked.host)
  local targets = peer:resolve(checked.host, checked.port)
  local function ask_one(target, at) return ask(peer, checked, target, at) end
  if checked.every_address then return peer:try_all(targets, ask_one) end
  if not checked.is_absent then return peer:try_each(targets, ask_one) end
  return peer:ask_until_found(targets, ask_one, function(found, earlier)
    local answer = type(found) == "table" and found.answer
    return checked.is_absent(answer or found, earlier)
  end)
end

---The words for failures that mean something else of a unix socket.
local words = {
  EAGAIN = "EAGAIN: the queue of its server is full",
  EPROTOTYPE = "EPROTOTYPE: it is a socket of another type, for datagrams or packets",
}

---Returns the words for a failure to connect. The system says that a file which is not a socket refuses, too.
local function words_of(path, failure)
  local stat = failure == "ECONNREFUSED" and uv.fs_stat(path)
  if stat and stat.type ~= "socket" then return ("ENOTSOCK: it is a %s, not a socket"):format(stat.type) end
  return words[failure:match "^%u%w*"] or failure
end

---@param checked bide.peer.Checked
---@return bide.unix.Result
function M.unix(checked)
  options.check_address(checked.path, true)
  local peer = Peer.new(checked.path, checked.timeout)
  return peer:try_each({ { name = checked.path } }, function(target, at)
    local connection <close> = Connection.new(true)
    local how = connection:to_path(at, target.name)
    if how ~= "connected" then return nil, how and words_of(target.name, how) end
    return Dialogue.hold(peer, connection, checked, target.name)
  end)
end

return M
