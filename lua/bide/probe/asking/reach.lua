---The hosts that an attempt with secrets by name may reach: those that the grants of its secrets name, and no others. The
---name is judged before it is resolved, since the name that is asked for may have a secret in it, and the address before it is
---connected to; both beside the rules of --allow-net and --deny-net. A denial ends the attempt with a script error.
---
---The messages name no host that was asked for: the secret may be in it, in another spelling than the mask knows.

local core = require "bide.core"

local network, task = core.network, core.task

local M = {}

---@class bide.Reach
---@field secrets string[] their names
---@field hosts bide.reach.Host[]
---@field addresses table<string, true> those of the hosts, with their ports, as they were resolved

---@class bide.reach.Host
---@field host string a name in small letters, or an address
---@field port integer

---The reaches of waits, by their inputs.
---@type table<userdata, bide.Reach>
local of_input = setmetatable({}, { __mode = "k" })

---True once an attempt was limited. Mostly none is, and nothing is looked up.
M.is_used = false

---@return bide.Reach?
local function current()
  if not M.is_used then return nil end
  local wait = task.argument_of_attempt()
  return type(wait) == "table" and of_input[wait.input] or nil
end

---Limits the attempts of a wait from now on.
---@param input userdata of the wait, its document
---@param secrets string[] the names of its secrets
---@param hosts bide.reach.Host[]
function M.limit(input, secrets, hosts)
  M.is_used = true
  of_input[input] = { secrets = secrets, hosts = hosts, addresses = {} }
end

---Reports whether the running attempt is limited.
---@return boolean
function M.is_limited()
  return current() ~= nil
end

local function refuse(reach, what)
  local names = {}
  for position, one in ipairs(reach.hosts) do names[position] = ("%s:%d"):format(one.host, one.port) end
  return network.refuse(("may not %s: the grants of %s allow a connection to %s only"):format(what,
    table.concat(reach.secrets, ", "), table.concat(names, ", ")))
end

---@param host string
local function plain(host)
  return (host:lower():gsub("%.$", ""))
end

---@param port? integer any port if it is nil
local function has(reach, host, port)
  host = plain(host)
  for _, one in ipairs(reach.hosts) do
    if one.host == host and (not port or one.port == port) then return true end
  end
  return false
end

---Ends the attempt if it may not reach a host.
---@param host string
---@param port integer
function M.check(host, port)
  local reach = current()
  if reach and not has(reach, host, port) then refuse(reach, "connect to another host or port") end
end

---Ends the attempt if it may not ask for the addresses of a name: the servers that answer for it would see it.
---@param name string
function M.check_name(name)
  local reach = current()
  if reach and not has(reach, name) then refuse(reach, "resolve another name") end
end

---@return string
local function key(address, port)
  return ("%s %d"):format(address, port)
end

---Notes the addresses of a host that was checked.
---@param addresses string[]
---@param port integer
function M.admit(addresses, port)
  local reach = current()
  if not reach then return end
  for _, address in ipairs(addresses) do reach.addresses[key(address, port)] = true end
end

---Ends the attempt if it may not reach an address.
---@param address string
---@param port integer
function M.check_address(address, port)
  local reach = current()
  if reach and not reach.addresses[key(address, port)] then refuse(reach, "connect to another address") end
end

---Ends the attempt if it may not do what leads anywhere, such as starting a program.
---@param what string "start a program"
function M.check_anywhere(what)
  local reach = current()
  if reach then refuse(reach, what) end
end

return M
