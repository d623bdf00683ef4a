---Answers recorded from MongoDB 6.0.5 in its states, and some that are written by the documentation of its commands. Where
---a mongod is found, the recipe is tried on it as well.

local MongoDb = require "spec.support.mongodb"
local Workspace = require "spec.support.workspace"
local bson = require "bide.probe.mongodb.bson"
local certificates = require "spec.support.certificates"
local conversation = require "spec.support.conversation"
local mongodb = require "bide.mongodb"
local pong = MongoDb.pong
local recorded = require("spec.support.recorded").bytes "mongodb/6.0.5"
local with_default = require "spec.support.with_default"

---The answer to the request of a number.
local function answer(number, members)
  local body = string.pack("<I4B", 0, 0) .. bson.write(members)
  return string.pack("<i4i4i4i4", #body + 16, 77, number, 2013) .. body
end

local set = { "hosts", { { "0", "db1:27017" }, { "1", "db2:27017" } } }
local secondary = { { "isWritablePrimary", false }, { "secondary", true }, { "setName", "rs0" }, set,
  { "primary", "db1:27017" }, { "maxWireVersion", 21 }, { "ok", 1 } }
local unknown = { { "ok", 0 }, { "errmsg", "no such command: 'hello'" }, { "code", 59 }, { "codeName", "CommandNotFound" } }

require "spec.support.proven"

describe("bide.mongodb", function()
  local function state_of(members)
    members[#members + 1] = { "ok", 1 }
    local _, result = conversation.hold(mongodb, { answer(1, members), pong })
    return result.state
  end

  it("asks by hello, in the database admin", function()
    local ok, result, requests = conversation.hold(mongodb, { answer(1, secondary), pong })
    assert.is_true(ok)
    assert.same({ state = "secondary", set = "rs0", primary = "db1:27017", wireVersion = 21 },
      { state = result.state, set = result.set, primary = result.primary, wireVersion = result.wireVersion })
    assert.equal(string.pack("<i4i4i4i4I4B", #requests[1], 1, 0, 2013, 0, 0), requests[1]:sub(1, 21))
    assert.same({ hello = 1, ["$db"] = "admin" }, bson.read(requests[1]:sub(22)))
  end)

  it("asks an old server by isMaster", function()
    local ok, result, requests = conversation.hold(mongodb,
      { answer(1, unknown), answer(2, { { "ismaster", true }, { "ok", 1 } }), pong })
    assert.is_true(ok)
    assert.equal("standalone", result.state)
    assert.same({ isMaster = 1, ["$db"] = "admin" }, bson.read(requests[2]:sub(22)))
  end)

  it("says what the server is", function()
    for name, state in pairs { standalone = "standalone", primary = "primary", secondary = "secondary",
      ["hidden secondary"] = "secondary", ["secondary without a primary"] = "leaderless", arbiter = "arbiter",
      ["arbiter without a primary"] = "arbiter", ["not initiated"] = "uninitialized", removed = "uninitialized",
      ["starting up"] = "other", recovering = "other" } do
      local _, result = conversation.hold(mongodb, { recorded[name], pong })
      assert.equal(state, result.state, name)
    end
    assert.equal("router", state_of { { "isWritablePrimary", true }, { "msg", "isdbgrid" } })
  end)

  it("reads what a member says of its set", function()
    local _, result = conversation.hold(mongodb, { recorded.arbiter, pong })
    assert.same({ state = "arbiter", set = "rs0", primary = "127.0.0.1:27111", wireVersion = 17,
      hosts = { "127.0.0.1:27111", "127.0.0.1:27112" } }, result)
  end)

  it("reads the answers to isMaster as those to hello", function()
    for _, name in ipairs { "standalone", "primary" } do
      local answer_to_second = recorded[name .. " by isMaster"]:gsub("^(........)....", "%1\2\0\0\0")
      local _, result = conversation.hold(mongodb, { recorded["an unknown command"], answer_to_second, pong })
      assert.equal(name, result.state)
    end
  end)

  it("raises what the server refuses", function()
    local _, failure = conversation.hold(mongodb, { recorded["shutting down"] })
    assert.same({ type = "ShutdownInProgress", message = "The server is in quiesce mode and will shut down" }, failure)
    _, failure = conversation.hold(mongodb, { answer(1, {}) })
    assert.equal("ServerError", failure.type)
  end)

  it("reads every type of BSON", function()
    local values = "\1a\0" .. string.pack("<d", 1.5) .. "\5b\0\3\0\0\0\0xyz" .. "\7c\000123456789abc" .. "\9d\0" .. ("\0"):rep(8)
      .. "\10e\0" .. "\11f\0^x\0i\0" .. "\17g\0" .. ("\1"):rep(8) .. "\18h\0" .. string.pack("<i8", -2)
      .. "\19i\0" .. ("\0"):rep(16) .. "\255j\0" .. "\4k\0"
      .. bson.write { { "0", 4 }, { "1", 5 } } .. "\8l\0\1"
    local found = bson.read(string.pack("<I4", #values + 5) .. values .. "\0")
    assert.same({ a = 1.5, b = "xyz", c = "123456789abc", d = 0, f = "^x/i", g = 0x0101010101010101, h = -2,
      i = ("\0"):rep(16), k = { 4, 5 }, l = true }, found)
  end)

  it("refuses other answers", function()
    local deep = {}
    for _ = 1, 40 do deep = { { "a", deep } } end
    local wrong = { "HTTP/1.1 400 Bad Request\r\n\r\n", answer(9, secondary), answer(1, deep),
      string.pack("<i4i4i4i4", 2 ^ 31 - 1, 1, 1, 2013) .. ("\0"):rep(64),
      string.pack("<i4i4i4i4", -5, 1, 1, 2013) .. ("\0"):rep(64) }
    for _, bytes in ipairs(wrong) do
      local ok, failure = conversation.hold(mongodb, { bytes })
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
    conversation.assert_survives(mongodb, { answer(1, secondary) })
  end)
end)

describe("the recipe mongodb", function()
  local workspace = Workspace.of_each()

  local function run(answers, ...)
    local server = conversation.serve(answers)
    local words = { ... }
    for position, word in ipairs(words) do words[position] = word:gsub("PORT", server.port) end
    local done = workspace:start({ "run", "mongodb", "--min-delay", "50ms", "--max-delay", "50ms",
      with_default("--max-wait", "50s", table.unpack(words)) }):wait()
    server:close()
    return done
  end

  it("waits until the server takes work", function()
    run({ answer(1, secondary), pong }, "mongodb://app@127.0.0.1:1,127.0.0.1:PORT/?replicaSet=rs0"):ends(0)
    local outside = answer(1, { { "isreplicaset", true }, { "ok", 1 } })
    assert.equal(124, run({ outside, pong }, "127.0.0.1:PORT", "--max-wait", "0.2s").code)
  end)

  it("refuses a server that takes any password", function()
    local users = { { "isWritablePrimary", true }, { "saslSupportedMechs", { { "0", "SCRAM-SHA-256" } } }, { "ok", 1 } }
    local done = { { "conversationId", 1 }, { "done", true }, { "payload", bson.binary "v=AAAA" }, { "ok", 1 } }
    for _, answers in ipairs { { answer(1, users), answer(2, done) }, { answer(1, users), answer(2, { { "ok", 1 } }) } } do
      run(answers, "mongodb://app@127.0.0.1:PORT/", "password=secret"):says(3, "InvalidAnswer")
    end
    assert.equal(2, run({}, "127.0.0.1:PORT", "password=secret").code)
  end)

  it("waits for a primary, and fails where there can be none", function()
    assert.equal(0, run({ answer(1, secondary), pong }, "PrimaryElected", "127.0.0.1:PORT").code)
    local alone = answer(1, { { "isWritablePrimary", true }, { "ok", 1 } })
    local done = run({ alone, pong }, "PrimaryElected", "127.0.0.1:PORT")
    done:writes(1, "it is in no replica set")
    done = run({ answer(1, secondary), pong }, "mongodb://127.0.0.1:PORT/?replicaSet=other")
    done:writes(1, "the replica set is rs0, and not other")
    assert.equal(2, run({ alone, pong }, "redis://127.0.0.1:PORT").code)
  end)
end)

describe("the recipe mongodb, with MongoDB", function()
  local program, missing = MongoDb.find()
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local server

  before_each(function() server = MongoDb.new(program, workspace) end)

  after_each(function() server:stop() end)

  local function start(...)
    return workspace:start { "run", "mongodb", "--interval", "50ms", "--max-wait", "30s", ... }
  end

  it("waits for a server that starts", function()
    local started = start("127.0.0.1:" .. server.port)
    started:wait_for_output "ConnectionRefused"
    server:start()
    started:wait():prints(0, 'state is "standalone"')
    assert.equal(1, start(("mongodb://127.0.0.1:%d/?replicaSet=rs0"):format(server.port)):wait().code)
  end)

  for _, mechanisms in ipairs { { "SCRAM-SHA-1" }, { "SCRAM-SHA-256" }, { "SCRAM-SHA-1", "SCRAM-SHA-256" } } do
    it("logs in by the best of " .. table.concat(mechanisms, ", "), function()
      server:start "--auth"
      assert.equal(0, start("127.0.0.1:" .. server.port):wait().code)
      server:add_user("ap=p,é", "secret: wörd", mechanisms)
      local url = ("mongodb://ap%%3Dp%%2C%%C3%%A9@127.0.0.1:%d/"):format(server.port)
      local done = start(url, "password=secret: wörd"):wait()
      assert.equal(0, done.code, done.stdout .. done.stderr)
      for _, row in ipairs {
        { 1, url, "password=wrong word" }, { 1, url .. "shop", "password=secret: wörd" },
        { 1, url:gsub("ap%%3D", "x%%3D"), "password=secret: wörd" },
        { #mechanisms == 2 and 0 or mechanisms[1] == "SCRAM-SHA-1" and 0 or 1, url .. "?authMechanism=SCRAM-SHA-1",
          "password=secret: wörd" },
        { 0, url .. "shop?authSource=admin", "password=secret: wörd" }, { 2, url .. "?authMechanism=PLAIN", "password=x" },
      } do
        done = start(row[2], row[3]):wait()
        assert.equal(row[1], done.code, row[2] .. done.stdout .. done.stderr)
        assert.not_matches("wrong word", done.stdout .. done.stderr, 1, true)
        if row[1] == 1 then assert.matches("Authentication failed", done.stderr, 1, true) end
      end
    end)
  end

  it("waits for the primary of a replica set", function()
    server:start("--replSet", "rs0")
    local started = start("PrimaryElected", "127.0.0.1:" .. server.port)
    local other = start(("mongodb://127.0.0.1:%d/?replicaSet=rs0"):format(server.port))
    other:wait_for_output 'state is "uninitialized"'
    server:initiate "rs0"
    assert.equal(0, started:wait().code, started.stdout .. started.stderr)
    other:wait():prints(0, 'state is "primary"')
  end)

  it("speaks TLS as the URL says, and needs no user", function()
    certificates(workspace)
    workspace:write("both.pem", workspace:read "server.pem" .. workspace:read "server.key")
    workspace:write("client-both.pem", workspace:read "client.pem" .. workspace:read "client.key")
    server:start("--auth", "--tlsMode", "requireTLS", "--tlsCertificateKeyFile", "both.pem", "--tlsCAFile", "ca.pem")
    local url = ("mongodb://127.0.0.1:%d/?tls=true&tlsCAFile=ca.pem"):format(server.port)
    start(url .. "&tlsCertificateKeyFile=client-both.pem"):wait():ends(0)
    assert.equal(3, start(("mongodb://127.0.0.1:%d/?tls=true"):format(server.port)):wait().code)
  end)
end)
