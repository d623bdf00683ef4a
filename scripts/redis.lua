---Waits until Redis answers and has loaded its data. Or, with ReplicaLinked, until a replica has its master's data.
---Redis is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run redis redis://cache --max-wait 30s
---    bide run redis ReplicaLinked replica:6380 password=@env:PASSWORD --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected.

local acceptor, address, redis = require "bide.acceptor", require "bide.address", require "bide.redis"
local port, forms = 6379, { schemes = { "redis" } }

local function ask(input, command)
  local target = address.of(input, port, forms)
  return redis { host = target.host, port = target.port, user = target.user, password = target.password,
    timeout = input.timeout, command = command }
end
local function inspect(input)
  local text = ask(input, { "INFO", "replication" })
  return { role = text:match("role:(%a+)"), link = text:match("master_link_status:(%a+)") }
end

local inputs = {
  url = { type = "string", positional = 1, example = "redis://cache",
    documentation = "redis://USER:PASSWORD@HOST:PORT, or HOST:PORT." },
  host = { type = "string", documentation = "HOST or HOST:PORT, in place of url." },
  port = { type = "integer", minimum = 1, maximum = 65535, documentation = "The port. Default: 6379." },
  user = { type = "string", documentation = "The user. Default: the default user." },
  password = { type = "string", secret = true, documentation = "The user's password." },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
}
local starting = acceptor.transient("LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer")

return { Ping = { call = function(input) return { answer = ask(input, { "PING" }) } end, input = inputs,
  check = address.check(port, forms), default = "RedisReady", waitable = { RedisReady = {
    documentation = "Waits until Redis answers.", minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.success(), starting } } },
}, Inspect = { call = inspect, input = inputs, check = address.check(port, forms), waitable = { ReplicaLinked = {
  documentation = "Waits until a replica has its master's data.", minDelay = 0.05, maxDelay = 0.25, acceptors = {
    acceptor.output("success", "link", "up"),
    acceptor.output("failure", "role", "master", "'this is a master and no replica'"), starting } } } } }
