---Hears that a program begins to listen on a port of this machine, for the waits whose attempts that port has refused. No
---system says so by itself: the port is checked again and again, without connecting, since a server may accept a single one.
---The waits are woken when a program listens that did not the last time; what their attempts find decides, as ever.

local core = require "bide.core"
local watches = require "bide.wait.watch"

local loop, network = core.loop, core.network

local M = {}

---The milliseconds between two checks.
local INTERVAL = 50

---The most waits that hear of ports at a time; further ones only poll.
local MOST = 100

---@class bide.wait.Port
---@field key string
---@field hosts string[] where a program may listen whom a connection to the port reaches
---@field number integer
---@field listening boolean[] by the position of a host, whether a program did so at the last check
---@field waits table<bide.Wait, true>
---@field alarm bide.Alarm
local Port = {}
Port.__index = Port

---The ports that are checked, by their keys.
---@type table<string, bide.wait.Port>
local ports = {}

---The number of their waits.
local joined = 0

---The hosts that mean one of this machine.
local meant = { ["0.0.0.0"] = "127.0.0.1", ["::"] = "::1", localhost = "::1" }

---Returns where a program may listen that a connection to a host reaches. An error of localhost names ::1, the last of its
---addresses, for both.
---@param host string
---@return string[]? hosts nil if it is not of this machine
local function hosts_of(host)
  host = host:gsub("^::ffff:", "")
  host = meant[host] or host
  if host == "::1" then return { "127.0.0.1", "::1" } end
  if host:find "^127%.%d+%.%d+%.%d+$" and network.is_rule(host) then return { host } end
end

---Reads the address that has refused a connection.
---@param address any of an operation error: "127.0.0.1:80", "[::1]:80"
---@return string[]? hosts nil if it is not of this machine
---@return integer? number
local function read(address)
  if type(address) ~= "string" then return nil end
  local host, number = address:match "^%[?([%x.:]+)%]?:(%d+)$"
  number = math.tointeger(tonumber(number))
  if not number or number > 65535 then return nil end
  return hosts_of(host), number
end

---Reports whether a program listens on a port of this machine now.
---@param host string
---@param number integer
---@return boolean
function M.is_open(host, number)
  for _, own in ipairs(hosts_of(host) or {}) do
    if network.listens(own, number) then return true end
  end
  return false
end

---Checks whether programs listen.
---@return boolean? has_begun whether a program listens that did not the last time; nil if the system does not say
local function check(port)
  local has_begun
  for position, host in ipairs(port.hosts) do
    local listens = network.listens(host, port.number)
    if listens ~= nil then has_begun = has_begun or listens and not port.listening[position] end
    port.listening[position] = listens or false
  end
  return has_begun
end

---Checks the port, wakes the waits if a program has begun to listen, and comes again later.
function Port:check()
  if check(self) then
    for wait in pairs(self.waits) do wait:wake() end
  end
  self.alarm:start(loop.now() + INTERVAL)
end

---@return bide.wait.Port? port nil if the system does not say whether a program listens
local function new(key, hosts, number)
  local port = setmetatable({ key = key, hosts = hosts, number = number, listening = {}, waits = {} }, Port)
  if check(port) == nil then return nil end
  port.alarm = loop.alarm(Port.check, port)
  port.alarm:start(loop.now() + INTERVAL)
  ports[key] = port
  return port
end

---Lets a wait hear of the port that has refused its attempt. If a program listens by now, it is woken at once.
---@param wait bide.Wait
---@param address any that of the operation error
---@return bide.wait.Port? port nil if the address is not of this machine, or the system does not say
function M.join(wait, address)
  if not watches.are_on() or joined == MOST then return nil end
  local hosts, number = read(address)
  if not hosts or network.refusal(hosts[1], number) then return nil end
  local key = ("%s %d"):format(hosts[1], number)
  local port = ports[key] or new(key, hosts, number)
  if not port then return nil end
  port.waits[wait], joined = true, joined + 1
  if port.listening[1] or port.listening[2] then wait:wake() end
  return port
end

---Ends the checks for a wait; the last one ends them for all.
---@param wait bide.Wait
function Port:leave(wait)
  if not self.waits[wait] then return end
  self.waits[wait], joined = nil, joined - 1
  if next(self.waits) then return end
  self.alarm:stop()
  ports[self.key] = nil
end

return M
