---Waits until Redis answers and has loaded its data. Or, with ReplicaLinked, until a replica has its master's data.
---Redis is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run redis redis://cache --max-wait 30s
---    bide run redis rediss://cache ca=ca.pem --max-wait 30s
---    bide run redis ReplicaLinked replica:6380 password=@env:PASSWORD --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected.

local acceptor, address, redis = require "bide.acceptor", require "bide.address", require "bide.redis"
local tls = require "bide.tls"
local port, forms = 6379, { schemes = { "redis", "rediss" }, tls = {} }

local function ask(input, command)
  local target = address.of(input, port, forms)
  return redis { host = target.host, port = target.port, user = target.user, password = target.password,
    tls = tls.options(input, target.scheme == "rediss"), timeout = input.timeout, command = command }
end
local function inspect(input)
  local text = ask(input, { "INFO", "replication" })
  if type(text) ~= "string" then error { type = "InvalidAnswer", message = "this is not an answer to INFO" } end
  return { role = text:match("role:(%a+)"), link = text:match("master_link_status:(%a+)") }
end

local inputs, check = tls.inputs(address.url_inputs({
  url = { type = "string", positional = 1, example = "redis://cache",
    documentation = "redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS, or HOST:PORT." },
}, port)), tls.check(address.check(port, forms))
local starting = acceptor.transient("LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer")
local refused, unnamed = acceptor.error("failure", "WRONGPASS"), acceptor.error("failure", "NOAUTH")

return { Ping = { call = function(input) return { answer = ask(input, { "PING" }) } end, input = inputs,
  check = check, default = "RedisReady", waitable = { RedisReady = {
    documentation = "Waits until Redis answers.", minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.success(), refused, unnamed, starting } } },
}, Inspect = { call = inspect, input = inputs, check = check, waitable = { ReplicaLinked = {
  documentation = "Waits until a replica has its master's data.", minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = {
    acceptor.output("success", "link", "up"),
    acceptor.output("failure", "role", "master", "'this is a master and no replica'"), refused, unnamed, starting } } } } }
