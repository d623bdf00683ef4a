---Waits until MongoDB takes work: as a server of its own, a primary, a secondary or a router (mongos). Or, with
---PrimaryElected, until a replica set has a primary.
---MongoDB is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run mongodb mongodb://db --max-wait 1m
---    bide run mongodb PrimaryElected 'mongodb://db1,db2,db3/?replicaSet=rs0' --max-wait 5m
---
---MongoDB says what it is without a user, so a user in the URL is not sent. Of several servers, the first that answers is
---believed. Another replica set is a failure.

local acceptor, address, mongodb = require "bide.acceptor", require "bide.address", require "bide.mongodb"
local tls = require "bide.tls"
local port, forms = 27017, { schemes = { "mongodb" } }

local function hello(input)
  return address.ask_each(address.read_list(input.url, port, forms), function(target)
    local query = target.query or {}
    local found = mongodb { host = target.host, port = target.port, timeout = input.timeout,
      tls = tls.options(input, query.tls == "true" or query.ssl == "true") }
    local set = input.set or query.replicaSet
    if not set or not found.set or found.set == set then return found end
    error({ type = "WrongReplicaSet", message = ("the replica set is %s, and not %s"):format(found.set, set) }, 0)
  end)
end
local function waiter(text, ...)
  return { documentation = text, minDelay = 0.05, maxDelay = 0.25, acceptors = {
    acceptor.error("failure", "WrongReplicaSet"), acceptor.transient("UnexpectedAnswer", "ShutdownInProgress"), ... } }
end
return { Hello = { call = hello, check = tls.check(address.check_list("url", port, forms)), default = "MongodbReady",
  input = tls.inputs { url = { type = "string", required = true, positional = 1, example = "mongodb://db",
    documentation = "mongodb://HOST:PORT,HOST:PORT/?replicaSet=NAME&tls=true, or HOST:PORT." },
    set = { type = "string", documentation = "The replica set. Default: that of the URL, or any." },
    timeout = { type = "duration", default = 10, documentation = "The time for each server." } }, waitable = {
  MongodbReady = waiter("Waits until MongoDB takes work.",
    acceptor.output("success", "contains(['standalone', 'primary', 'secondary', 'router'], state)")),
  PrimaryElected = waiter("Waits until a replica set has a primary.",
    acceptor.output("success", "primary != `null` || state == 'primary'"),
    acceptor.output("failure", "state == 'standalone' || state == 'router'", nil, "'it is in no replica set'")) } } }
