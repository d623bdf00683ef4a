---Waits until Redis answers and has loaded its data. Or, with ReplicaLinked, until a replica has its master's data.
---
---    bide run redis host=cache --max-wait 30s
---    bide run redis ReplicaLinked host=replica password="$PASSWORD" --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected. Also: port=6379; user, for a
---password other than the default user's; timeout=5, the seconds for one attempt.

local acceptor, redis = require "bide.acceptor", require "bide.redis"
local check = require "bide.input" {
  required = { "host" }, optional = { "user", "password" }, ports = { "port" }, seconds = { "timeout" },
}

local function ask(input, command)
  check(input)
  return redis { host = input.host, port = input.port, user = input.user, password = input.password,
    timeout = input.timeout, command = command }
end

local function ping(input) return { answer = ask(input, { "PING" }) } end

local function inspect(input)
  local text = ask(input, { "INFO", "replication" })
  return { role = text:match("role:(%a+)"), link = text:match("master_link_status:(%a+)") }
end

local starting = acceptor.transient("LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer")

return { Ping = { call = ping, default = "RedisReady", waitable = {
  RedisReady = { documentation = "Waits until Redis answers.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), starting } },
} }, Inspect = { call = inspect, waitable = {
  ReplicaLinked = { documentation = "Waits until a replica has its master's data.", minDelay = 0.5, maxDelay = 10,
    acceptors = { acceptor.output("success", "link", "up"),
      acceptor.output("failure", "role", "master", "'this is a master and no replica'"), starting } },
} } }
