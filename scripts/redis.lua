---Waits until Redis answers and has loaded its data. Or, with ReplicaLinked, until a replica has its master's data.
---Redis is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run redis redis://cache --max-wait 30s
---    bide run redis rediss://cache ca=ca.pem --max-wait 30s
---    bide run redis ReplicaLinked replica:6380 password=@env:PASSWORD --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected. The master of a replica may be
---a replica itself, whose link is down: ReplicaLinked asks it, too, with the same user, unless `chain=false`.

local acceptor, address, redis = require "bide.acceptor", require "bide.address", require "bide.redis"
local tls = require "bide.tls"
local port, forms = 6379, { schemes = { "redis", "rediss" }, parameters = {}, harmless = { "db", "protocol", "client_name",
  "socket_timeout", "socket_connect_timeout", "health_check_interval", "max_connections", "decode_responses" } }

local function ask_at(input, target, command)
  return redis { host = target.host, port = target.port, user = target.user, password = target.password,
    tls = tls.options(input, target.scheme == "rediss"), timeout = input.timeout, command = command }
end

local function ask(input, command)
  return ask_at(input, address.of(input, port, forms), command)
end

---The errors by which Redis says that it takes commands: this user may not give this one, or another node has the key.
local uses = { NOPERM = true, MOVED = true, ASK = true }

---A sentinel, and a proxy whose Redis is down, answer PING as well; so a key is asked for, too.
local function ping(input)
  local answer = ask(input, { "PING" })
  if answer ~= "PONG" then
    error { type = "InvalidAnswer", message = "expected PONG, found another answer to PING" }
  end
  local ok, found = pcall(ask, input, { "EXISTS", "bide" })
  if not ok and (type(found) ~= "table" or not uses[found.type]) then error(found, 0) end
  if ok and math.type(found) ~= "integer" then
    error { type = "InvalidAnswer", message = "expected a number, found another answer to EXISTS" }
  end
  return { answer = answer }
end

local function info_at(input, target)
  local text = ask_at(input, target, { "INFO", "replication" })
  if type(text) ~= "string" or not text:find "role:%a" then
    error { type = "InvalidAnswer", message = "this is not an answer to INFO" }
  end
  return { role = text:match "role:(%a+)", link = text:match "master_link_status:(%a+)",
    host = text:match "master_host:([^\r\n]+)", port = tonumber(text:match "master_port:(%d+)") }
end

local MOST = 8 -- replicas above one another

---Looks for a replica above this one whose own link is down: then this one has no news of the master.
---@return string? above HOST:PORT
local function find_broken(input, target, found)
  for _ = 1, MOST do
    if found.role ~= "slave" or found.link ~= "up" or not found.host or not found.port then return nil end
    local above = { host = found.host, port = found.port, user = target.user, password = target.password,
      scheme = target.scheme }
    local name = ("%s:%d"):format(above.host, above.port)
    local ok, answer = pcall(info_at, input, above)
    if not ok then
      if type(answer) ~= "table" or type(answer.type) ~= "string" then error(answer, 0) end
      error({ type = "MasterUnknown", message = ("the link is up, but its master %s cannot be asked: %s (chain=false asks the "
        .. "replica alone)"):format(name, answer.message or answer.type) }, 0)
    end
    found = answer
    if found.role == "slave" and found.link ~= "up" then return name end
  end
  error({ type = "MasterUnknown", message = ("more than %d replicas stand above one another"):format(MOST) }, 0)
end

local function inspect(input)
  local target = address.of(input, port, forms)
  local found = info_at(input, target)
  local broken = input.chain and found.link == "up" and find_broken(input, target, found) or nil
  return { role = found.role, link = broken and "down" or found.link, broken = broken }
end

local function inputs(own)
  own.url = { type = "string", positional = 1, example = "redis://cache",
    documentation = "redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS, or HOST:PORT." }
  return tls.inputs(address.url_inputs(own, port))
end

local check = tls.check(address.check(port, forms))
local starting = acceptor.transient("LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer", "CLUSTERDOWN", "MasterUnknown")
local refused, unnamed = acceptor.error("failure", "WRONGPASS"), acceptor.error("failure", "NOAUTH")

return {
  Ping = { call = ping, input = inputs {}, check = check, default = "RedisReady", waitable = {
    RedisReady = { documentation = "Waits until Redis answers.", minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      countsAsReady = "Redis answers PING with PONG, and EXISTS with a number, or NOPERM, or the node that has the key",
      acceptors = { acceptor.success(), refused, unnamed, starting } },
  } },
  Inspect = { call = inspect, check = check, input = inputs {
    chain = { type = "boolean", default = true, documentation =
      "Whether the masters above are asked, too, as the replica names them: one may itself be a replica without a link." },
  }, waitable = {
    ReplicaLinked = { documentation = "Waits until a replica has its master's data.", minDelay = 0.05, maxDelay = 5,
      lateness = 0.05,
      countsAsReady = "INFO says that the link is up, of the replica and of each replica between it and the master",
      acceptors = {
        acceptor.output("success", "link", "up"),
        acceptor.output("failure", "role", "master", "'this is a master and no replica'"),
        refused, unnamed, starting,
      } },
  } },
}
