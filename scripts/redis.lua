---Waits until Redis answers and has loaded its data. Or, with ReplicaLinked, until a replica has its master's data.
---Redis is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run redis redis://cache --max-wait 30s
---    bide run redis rediss://cache ca=ca.pem --max-wait 30s
---    bide run redis ReplicaLinked replica:6380 password=@env:PASSWORD --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected. The master of a replica may be
---a replica itself, whose link is down: ReplicaLinked asks it, too, with the same user, unless `chain=false`.

local acceptor = require "bide.acceptor"
local redis = require "bide.redis"
local service = require "bide.service"

local operation = service {
  port = 6379,
  schemes = { "redis", "rediss" },
  tls = "rediss",
  parameters = {},
  harmless = {
    "db", "protocol", "client_name", "socket_timeout", "socket_connect_timeout", "health_check_interval", "max_connections",
    "decode_responses",
  },
  url = { example = "redis://cache", documentation = "redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS, or HOST:PORT." },
  failures = { "WRONGPASS", "NOAUTH" },
  transient = { "LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer", "CLUSTERDOWN", "MasterUnknown" },
}

---Returns a function that sends a command to a server.
local function asking(target, command)
  local request = {
    host = target.host, port = target.port, user = target.user, password = target.password, tls = target.tls,
    timeout = target.timeout, command = command,
  }
  return function() return redis(request) end
end

---The errors by which Redis says that it takes commands: this user may not give this one, or another node has the key.
local uses = { NOPERM = true, MOVED = true, ASK = true }

---A sentinel, and a proxy whose Redis is down, answer PING as well; so a key is asked for, too.
local function prepare_ping(target)
  local ping, find = asking(target, { "PING" }), asking(target, { "EXISTS", "bide" })
  return function()
    local answer = ping()
    if answer ~= "PONG" then
      error { type = "InvalidAnswer", message = "expected PONG, found another answer to PING" }
    end
    local ok, found = pcall(find)
    if not ok and (type(found) ~= "table" or not uses[found.type]) then error(found, 0) end
    if ok and math.type(found) ~= "integer" then
      error { type = "InvalidAnswer", message = "expected a number, found another answer to EXISTS" }
    end
    return { answer = answer }
  end
end

local function inspect(ask)
  local text = ask()
  if type(text) ~= "string" or not text:find "role:%a" then
    error { type = "InvalidAnswer", message = "this is not an answer to INFO" }
  end
  return {
    role = text:match "role:(%a+)", link = text:match "master_link_status:(%a+)",
    host = text:match "master_host:([^\r\n]+)", port = tonumber(text:match "master_port:(%d+)"),
  }
end

local INFO = { "INFO", "replication" }

local MOST = 8 -- replicas above one another

---Looks for a replica above this one whose own link is down: then this one has no news of the master.
---@return string? above HOST:PORT
local function find_broken(target, found)
  for _ = 1, MOST do
    if found.role ~= "slave" or found.link ~= "up" or not found.host or not found.port then return nil end
    local name = ("%s:%d"):format(found.host, found.port)
    local above = setmetatable({ host = found.host, port = found.port }, { __index = target })
    local ok, answer = pcall(inspect, asking(above, INFO))
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

local function prepare_inspect(target, input)
  local ask = asking(target, INFO)
  return function()
    local found = inspect(ask)
    local broken = input.chain and found.link == "up" and find_broken(target, found) or nil
    return { role = found.role, link = broken and "down" or found.link, broken = broken }
  end
end

return {
  Ping = operation {
    prepare = prepare_ping,
    default = "RedisReady",
    waitable = {
      RedisReady = {
        documentation = "Waits until Redis answers.",
        countsAsReady = "Redis answers PING with PONG, and EXISTS with a number, or NOPERM, or the node that has the key",
        acceptors = { acceptor.success() },
      },
    },
  },
  Inspect = operation {
    prepare = prepare_inspect,
    inputs = {
      chain = {
        type = "boolean", default = true,
        documentation =
          "Whether the masters above are asked, too, as the replica names them: one may itself be a replica without a link.",
      },
    },
    waitable = {
      ReplicaLinked = {
        documentation = "Waits until a replica has its master's data.",
        countsAsReady = "INFO says that the link is up, of the replica and of each replica between it and the master",
        acceptors = {
          acceptor.output("success", "link", "up"),
          acceptor.output("failure", "role", "master", "'this is a master and no replica'"),
        },
      },
    },
  },
}
