---Waits until MongoDB takes work: as a server of its own, a router (mongos), or a member of a replica set that has a
---primary. Or, with PrimaryElected, until a replica set has a primary.
---MongoDB is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run mongodb mongodb://db --max-wait 1m
---    bide run mongodb 'mongodb://app@db/?authSource=shop' password=@env:PASSWORD --max-wait 1m
---    bide run mongodb PrimaryElected 'mongodb://db1,db2,db3/?replicaSet=rs0' --max-wait 5m
---
---MongoDB says what it is without a user; where a password is given, bide logs in as well, by SCRAM, to a server that takes
---work. Several servers are asked in turn, until one takes work. A wrong password, and a server that is not of the given
---replica set, are failures.

local acceptor = require "bide.acceptor"
local deployment = require "bide.mongodb.deployment"
local tls = require "bide.tls"

local function is(state)
  return acceptor.output("success", "state", state)
end

local other_set = acceptor.error("failure", "WrongReplicaSet")
local denied = acceptor.error("failure", "AuthenticationFailed")
local transient = acceptor.transient("UnexpectedAnswer", "ShutdownInProgress")

return { Hello = {
  prepare = deployment.prepare,
  output = {
    state = { type = "string" },
    set = { type = "string" },
    primary = { type = "string" },
    hosts = { type = "list" },
    wireVersion = { type = "integer" },
  },
  check = deployment.mistake,
  input = tls.inputs {
    url = {
      type = "string", required = true, positional = 1, example = "mongodb://db",
      documentation = "mongodb://HOST:PORT,HOST:PORT/?replicaSet=NAME&tls=true&tlsCAFile=FILE, or HOST:PORT. TLS is as "
        .. "drivers name it.",
    },
    user = { type = "string", documentation = "The user, who is not asked for anything without a password." },
    password = { type = "string", secret = true, documentation = "The user's password." },
    database = { type = "string", documentation = "The database that has the user. Default: that of the URL, or admin." },
    mechanism = {
      type = "string", values = { "SCRAM-SHA-256", "SCRAM-SHA-1" },
      documentation = "How the password is proved. Default: the first of these that the user has.",
    },
    set = { type = "string", documentation = "The replica set. Default: that of the URL, or any." },
    timeout = { type = "duration", default = 10, documentation = "The time for each server." },
  },
  default = "MongodbReady",
  waitable = {
    MongodbReady = {
      documentation = "Waits until MongoDB takes work.",
      countsAsReady = "a server says by hello that it is writable, a router, or a secondary that knows a primary, and takes "
        .. "the password if there is one; a router alone is not tried",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { other_set, denied, transient, is "standalone", is "primary", is "secondary", is "router" },
    },
    PrimaryElected = {
      documentation = "Waits until a replica set has a primary.",
      countsAsReady = "a server says by hello that it is the primary, or a member names one, which may be as old as the "
        .. "election timeout",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        other_set,
        denied,
        transient,
        acceptor.output("success", "primary != `null` || state == 'primary'"),
        acceptor.output("failure", "state == 'standalone' || state == 'router'", nil, "'it is in no replica set'"),
      },
    },
  },
} }
