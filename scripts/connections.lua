---Waits until no TCP connection to a port of this machine is open: until a server that takes no more of them is drained.
---A poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run connections 8080 --max-wait 5m -- systemctl stop app
---    bide run connections 8080 except=10.0.0.2 most=1 --max-wait 5m
---
---The kernel's list is that of the network namespace in which bide runs; a container has its own. A connection that both
---sides have closed does not count. If bide has not seen a connection to the port, the port may be a wrong one, or
---one that is forwarded to a container, whose connections are in no list of this machine: bide continues to wait, unless
---`unseen=true`.

local acceptor = require "bide.acceptor"
local connections = require "bide.connections"
local json = require("bide").json

---The most hosts that an output names.
local MOST_NAMED = 10

---@param hosts string[]
---@return table<string, true>? canonical
---@return string? mistake
local function read_hosts(hosts)
  local read = {}
  for _, host in ipairs(hosts) do
    local canonical = connections.canonical(host)
    if not canonical then return nil, ("except: expected addresses, such as 10.0.0.2, found %s"):format(json.encode(host)) end
    read[canonical] = true
  end
  return read
end

---Counts the connections, but for those of the hosts that do not count.
---@param except table<string, true>
---@return integer count
---@return string[] hosts the first of them
local function count(open, except)
  local number, hosts, known = 0, {}, {}
  for _, one in ipairs(open) do
    if not except[one.host] then
      number = number + 1
      if not known[one.host] and #hosts < MOST_NAMED then
        known[one.host], hosts[#hosts + 1] = true, one.host
      end
    end
  end
  return number, hosts
end

local UNUSED <const> = "nothing listens on port %d of this machine, and no connection to it was seen: is it the right one? "
  .. "(unseen=true takes that for drained)"
local LISTENED <const> = "no connection to port %d of this machine was seen: those to a port that is forwarded, as to a "
  .. "container, are not listed (unseen=true takes that for drained)"

local function prepare(input)
  local except, mistake = read_hosts(input.except or {})
  if not except then return nil, mistake end
  local is_seen = input.unseen
  return function()
    local found = connections.of_port(input.port)
    is_seen = is_seen or #found.open > 0
    if not is_seen then
      error { type = "PortUnused", message = (found.listens and LISTENED or UNUSED):format(input.port) }
    end
    local number, hosts = count(found.open, except)
    return { open = number, hosts = hosts, listens = found.listens, drained = number <= input.most }
  end
end

return { Count = {
  place = "local",
  prepare = prepare,
  output = {
    open = { type = "integer" },
    hosts = { type = "list" },
    listens = { type = "boolean" },
    drained = { type = "boolean" },
  },
  fact = "'the connections are drained'",
  input = {
    port = {
      type = "integer", minimum = 1, maximum = 65535, positional = 1, required = true, example = 8080,
      documentation = "The port of this machine.",
    },
    except = {
      type = "list", of = { type = "string" }, example = { "10.0.0.2" },
      documentation = "Addresses whose connections do not count, as those of a load balancer's checks.",
    },
    most = {
      type = "integer", asks = true, minimum = 0, default = 0, documentation = "The number of open connections to ignore.",
    },
    unseen = {
      type = "boolean", default = false,
      documentation = "Whether a port counts as drained that had no connection while bide waited.",
    },
  },
  default = "ConnectionsDrained",
  waitable = {
    ConnectionsDrained = {
      documentation = "Waits until no connection to a port of this machine is open.",
      countsAsGone = "the kernel's list has at most as many connections to the port as most says, and had one while bide "
        .. "waited",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.output("success", "drained"),
        acceptor.error("retry", "PortUnused"),
        acceptor.error("failure", "ConnectionsHidden"),
      },
    },
  },
} }
