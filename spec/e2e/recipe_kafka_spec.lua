---Answers by the documentation of the protocol; with $KAFKA_HOME, the recipe is tried on a Kafka of its own (3.7.1).

local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local conversation = require "spec.support.conversation"
local digest = require "bide.digest"
local kafka = require "bide.kafka"
local kafka_service = require "spec.support.kafka"
local Server = require "spec.support.server"
local base64 = require "bide.base64"
local pbkdf2 = require "bide.probe.peer.pbkdf2"
local tls = require "bide.tls"

---An answer to the request of a number.
local function answer(number, body) return string.pack(">s4", string.pack(">i4", number) .. body) end

local function versions(list)
  local count, parts = 0, {}
  for key, last in pairs(list) do
    count, parts[#parts + 1] = count + 1, string.pack(">i2i2i2", key, 0, last)
  end
  return answer(1, string.pack(">i2i4", 0, count) .. table.concat(parts))
end

local known = versions { [3] = 12, [17] = 1, [18] = 3, [36] = 2 }

local function numbers(...)
  local parts = { string.pack(">i4", select("#", ...)) }
  for _, each in ipairs { ... } do parts[#parts + 1] = string.pack(">i4", each) end
  return table.concat(parts)
end

---@param partitions string[]
local function topic(name, code, partitions)
  return string.pack(">i2s2i1i4", code, name, 0, #partitions) .. table.concat(partitions)
end

local function partition(id, leader, replicas, in_sync)
  return string.pack(">i2i4i4", leader < 0 and 5 or 0, id, leader) .. numbers(table.unpack(replicas))
    .. numbers(table.unpack(in_sync))
end

local function metadata(number, ...)
  return answer(number, string.pack(">i4i4i4s2i4i2s2i4i4", 0, 1, 1, "127.0.0.1", 9092, -1, "cluster id", 1, select("#", ...))
    .. table.concat { ... })
end

---The answer of a broker that knows no brokers yet, not even itself.
local function of_no_brokers(number, ...)
  return answer(number, string.pack(">i4i4s2i4i4", 0, 0, "cluster id", -1, select("#", ...)) .. table.concat { ... })
end

local orders = topic("orders", 0, { partition(0, 1, { 1, 2 }, { 1, 2 }), partition(1, -1, { 1, 2, 3 }, { 2 }) })

require "spec.support.proven"

describe("bide.kafka", function()
  it("asks for versions, and for brokers without a topic", function()
    local ok, result, requests = conversation.hold(kafka, { known, metadata(2) })
    assert.is_true(ok)
    assert.same({ brokers = { { id = 1, host = "127.0.0.1", port = 9092 } }, cluster = "cluster id" }, result)
    assert.equal(string.pack(">s4", string.pack(">i2i2i4s2", 18, 0, 1, "bide")), requests[1])
    assert.equal(string.pack(">s4", string.pack(">i2i2i4s2i4", 3, 4, 2, "bide", 0) .. "\0"), requests[2])
  end)

  it("reads the partitions of a topic, and makes none", function()
    local _, result, requests = conversation.hold(kafka, { known, metadata(2, orders) }, { topic = "orders" })
    assert.same({ name = "orders", exists = true, partitions = 2, leaderless = 1, replicas = 2, inSync = 1,
      underReplicated = 1, code = 0 }, result.topic)
    assert.equal(string.pack(">i4s2", 1, "orders") .. "\0", requests[2]:sub(-13))
    _, result = conversation.hold(kafka, { known, metadata(2, topic("orders", 3, {})) }, { topic = "orders" })
    assert.is_false(result.topic.exists)
  end)

  it("proves a password by SASL/PLAIN", function()
    local handshake = answer(2, string.pack(">i2i4s2", 0, 1, "PLAIN"))
    local options = { user = "app", password = "secret word", mechanism = "PLAIN" }
    local ok, _, requests = conversation.hold(kafka,
      { known, handshake, answer(3, string.pack(">i2i2i4", 0, -1, 0)), metadata(4) }, options)
    assert.is_true(ok)
    assert.matches("\0app\0secret word", requests[3], 1, true)
    local wrong = answer(3, string.pack(">i2s2i4", 58, "Authentication failed", 0))
    ok, options = conversation.hold(kafka, { known, handshake, wrong }, { user = "app", password = "x", mechanism = "PLAIN" })
    assert.same({ false, "SaslAuthenticationFailed", "Authentication failed" }, { ok, options.type, options.message })
    local _, failure = conversation.hold(kafka, { known, answer(2, string.pack(">i2i4", 33, 0)) }, { user = "app" })
    assert.equal("UnsupportedSaslMechanism", failure.type)
  end)

  local USER, PASSWORD, SALT, COUNT = "a=p,p", "secret word", "salt of it", 4096

  ---Returns the last message of SCRAM of a broker that knows the password.
  local function proof_of(hash, first, challenge, final)
    local salted = pbkdf2(PASSWORD, SALT, COUNT, hash)
    local exchange = ("%s,%s,%s"):format(first:match "^n,,(.*)$", challenge, final:match "^(.*),p=")
    return "v=" .. base64.encode(digest.hmac(digest.hmac(salted, "Server Key", hash), exchange, hash))
  end

  ---A broker that takes mechanisms of SASL, and ends a connection that asks for another one. `of_scram` has other messages than
  ---its own. Returns what bide does, and the mechanisms and the messages that it sent.
  local function log_in(mechanisms, of_scram, options)
    local named, said, wrong = {}, {}, of_scram or {}
    local server = Server.start(nil, { raw = function(peer, bytes)
      local key, _, number = string.unpack(">i2i2i4", bytes, 5)
      local body, scram = bytes:sub(19), peer.scram or {}
      if key == 18 then return peer:write(known) end
      if key == 3 then return peer:write(metadata(number)) end
      if key == 17 then
        local name = string.unpack(">s2", body)
        named[#named + 1] = name
        peer.scram = { hash = name == "SCRAM-SHA-512" and "sha512" or "sha256", is_plain = name == "PLAIN" }
        local list = {}
        for position, each in ipairs(mechanisms) do list[position] = string.pack(">s2", each) end
        local code = (" " .. table.concat(mechanisms, " ") .. " "):find(" " .. name .. " ", 1, true) and 0 or 33
        peer:write(answer(number, string.pack(">i2i4", code, #list) .. table.concat(list)))
        return code == 33 and peer:finish() or nil
      end
      local message, reply = string.unpack(">s4", body), ""
      said[#said + 1] = message
      if not scram.is_plain and not scram.first then
        scram.first = message
        scram.challenge = wrong.challenge or ("r=%sserver,s=%s,i=%d"):format(message:match "r=(.*)$", base64.encode(SALT), COUNT)
        reply = scram.challenge
      elseif not scram.is_plain then
        reply = wrong.proof or proof_of(scram.hash, scram.first, scram.challenge, message)
      end
      peer:write(answer(number, string.pack(">i2i2s4", 0, -1, reply)))
    end })
    local given = { host = "127.0.0.1", port = server.port, user = USER, password = PASSWORD, timeout = 5 }
    for name, value in pairs(options or {}) do given[name] = value end
    local ok, result = pcall(kafka, given)
    server:close()
    return ok, result, table.concat(named, " "), said
  end

  it("proves a password by the best mechanism of SASL that the broker takes", function()
    for _, row in ipairs {
      { { "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512" }, "SCRAM-SHA-512" },
      { { "PLAIN", "SCRAM-SHA-256" }, "SCRAM-SHA-512 SCRAM-SHA-256" },
    } do
      local ok, result, named, said = log_in(row[1])
      assert.is_true(ok, ok or result.message)
      assert.same({ 1, row[2] }, { #result.brokers, named })
      assert.matches("^n,,n=a=3Dp=2Cp,r=", said[1])
      assert.not_matches(PASSWORD, table.concat(said), 1, true)
    end
    local ok, failure, named = log_in({ "PLAIN" }, nil, { mechanism = "SCRAM-SHA-256" })
    assert.same({ false, "UnsupportedSaslMechanism", "SCRAM-SHA-256" }, { ok, failure.type, named })
    ok, failure, named = log_in { "GSSAPI" }
    assert.same({ false, "UnsupportedSaslMechanism", "SCRAM-SHA-512" }, { ok, failure.type, named })
  end)

  it("sends the password itself to no broker that may be any, unless the user says so", function()
    local start = tls.start
    finally(function() tls.start = start end)
    tls.start = function(dialogue) return dialogue end
    for _, row in ipairs {
      { false, {} }, { false, { tls = { verify = false } } },
      { true, { tls = {} } }, { true, { tls = { verify = "authority" } } }, { true, { mechanism = "PLAIN" } },
    } do
      local ok, result, _, said = log_in({ "GSSAPI", "PLAIN" }, nil, row[2])
      assert.equal(row[1], ok, ok or result.message)
      assert.same(row[1] and { ("\0%s\0%s"):format(USER, PASSWORD) } or {}, said)
      if not ok then assert.equal("UnsupportedSaslMechanism", result.type) end
      if not ok then assert.matches("or give mechanism=PLAIN", result.message, 1, true) end
    end
  end)

  it("believes no broker that does not know the password", function()
    for _, wrong in ipairs {
      { proof = "" }, { proof = "v=" }, { proof = "v=" .. base64.encode(("x"):rep(32)) }, { proof = "e=invalid-proof" },
      { challenge = "" }, { challenge = "r=server,s=" .. base64.encode(SALT) .. ",i=4096" }, { challenge = "e=other-error" },
    } do
      local ok, failure = log_in({ "SCRAM-SHA-256" }, wrong, { mechanism = "SCRAM-SHA-256" })
      assert.same({ false, "InvalidAnswer" }, { ok, failure.type })
    end
  end)

  it("refuses brokers that are too old, and topics that cannot be", function()
    local _, failure = conversation.hold(kafka, { versions { [3] = 3 } })
    assert.equal("UnsupportedVersion", failure.type)
    _, failure = conversation.hold(kafka, { versions { [3] = 9 } }, { user = "app" })
    assert.equal("UnsupportedVersion", failure.type)
    _, failure = conversation.hold(kafka, { known, metadata(2, topic("a b", 17, {})) }, { topic = "a b" })
    assert.same({ "InvalidTopic", 17 }, { failure.type, failure.code })
    _, failure = conversation.hold(kafka, { answer(1, string.pack(">i2i4", -1, 0)) })
    assert.equal("KafkaError", failure.type)
  end)

  ---A broker that takes the first connection to end after some answers, and gives other answers to the second one.
  local function of_two(first, second)
    local connections = 0
    local server = Server.start(nil, { connected = function(peer)
      connections, peer.said = connections + 1, 0
    end, raw = function(peer)
      peer.said = peer.said + 1
      local answer_now = (connections == 1 and first or second)[peer.said]
      if answer_now then peer:write(answer_now) else peer:finish() end
    end })
    local ok, failure = pcall(kafka, { host = "127.0.0.1", port = server.port, timeout = 2 })
    server:close()
    assert.is_false(ok)
    return failure, connections
  end

  it("says what a broker requires that closes the connection", function()
    local plain, scram = "PLAIN", "SCRAM-SHA-256"
    local failure = of_two({ known }, { answer(1, string.pack(">i2i4s2s2", 33, 2, plain, scram)) })
    assert.same({ type = "SaslRequired", message = "the broker requires a user (SASL: PLAIN, SCRAM-SHA-256)" }, failure)
    failure = of_two({ known }, { answer(1, string.pack(">i2i4", 34, 0)) })
    assert.equal("UnexpectedAnswer", failure.type)
    assert.matches('expected 4 bytes, found ""$', failure.message)
    assert.equal("UnexpectedAnswer", of_two({ known }, {}).type)
    local connections
    failure, connections = of_two({}, {})
    assert.equal(1, connections)
    assert.matches("the broker closed the connection: does it require TLS?", failure.message, 1, true)
    failure = of_two({ "\x15\3\3\0\2\2\x50" }, {})
    assert.same({ type = "InvalidAnswer", message = "this is not the protocol of Kafka: a TLS alert: the broker requires TLS" },
      failure)
  end)

  it("refuses other answers, and survives broken ones", function()
    for _, bytes in ipairs { "HTTP/1.1 400 Bad Request\r\n\r\n", answer(9, "\0\0\0\0\0\0"), "\0\0\0\3abc",
      answer(1, "\0\0\x7F\xFF\xFF\xFF") } do
      local ok, failure = conversation.hold(kafka, { bytes })
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
    conversation.assert_survives(kafka, { known, metadata(2, orders) }, { topic = "orders" })
  end)
end)

describe("the recipe kafka", function()
  local workspace = Workspace.of_each()

  local function start(...)
    return workspace:start { "run", "kafka", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(answers, waiter, ...)
    local server = conversation.serve(answers)
    local done = start(waiter, "url=127.0.0.1:" .. server.port, "--max-wait", "0.4s", ...):wait()
    server:close()
    return done
  end

  it("waits for as many brokers, partitions and replicas as are asked for", function()
    local ready = { known, metadata(2, topic("orders", 0, { partition(0, 1, { 1, 2 }, { 1, 2 }) })) }
    assert.equal(0, run({ known, metadata(2) }, "KafkaReady").code)
    assert.equal(124, run({ known, metadata(2) }, "KafkaReady", "brokers=2").code)
    assert.equal(0, run(ready, "TopicReady", "topic=orders", "in_sync=2").code)
    assert.equal(124, run(ready, "TopicReady", "topic=orders", "in_sync=3").code)
    assert.equal(124, run(ready, "TopicReady", "topic=orders", "partitions=2").code)
    assert.equal(124, run({ known, metadata(2, orders) }, "TopicReady", "topic=orders").code)
    assert.equal(124, run(ready, "TopicGone", "topic=orders").code)
    assert.equal(0, run({ known, metadata(2, topic("orders", 3, {})) }, "TopicGone", "topic=orders").code)
    assert.equal(2, run(ready, "TopicReady").code)
  end)

  it("believes a broker about a topic once it knows the others", function()
    local unknown = topic("orders", 3, {})
    assert.equal(124, run({ known, of_no_brokers(2) }, "KafkaReady").code)
    assert.equal(124, run({ known, of_no_brokers(2, unknown) }, "TopicGone", "topic=orders").code)
    assert.equal(124, run({ known, metadata(2, unknown) }, "TopicGone", "topic=orders", "brokers=3").code)
    assert.equal(124, run({ known, of_no_brokers(2, unknown) }, "TopicReady", "topic=orders").code)
    local refused = topic("orders", 29, {})
    assert.equal(3, run({ known, metadata(2, refused) }, "TopicGone", "topic=orders").code)
    for _, none in ipairs { metadata(2), metadata(2, topic("order", 3, {})) } do -- an answer about no topic, or another
      for _, waiter in ipairs { "TopicGone", "TopicReady" } do
        local done = run({ known, none }, waiter, "topic=orders")
        done:says(3, "InvalidAnswer: this is not the protocol of Kafka: nothing about the topic")
      end
    end
  end)

  it("waits for Kafka itself", function()
    local programs, missing = kafka_service.find()
    if not programs then return pending(missing) end
    certificates(workspace)
    local server = kafka_service.new(programs, workspace)
    finally(function() server:stop() end)
    local url = "127.0.0.1:" .. server.port
    local started = start(url, "--max-wait", "60s")
    started:wait_for_output "ConnectionRefused"
    server:start()
    assert.equal(0, started:wait().code, started.stdout .. started.stderr)
    local for_topic = start("TopicReady", url, "orders", "partitions=3", "--max-wait", "60s", "--output", "json")
    for_topic:wait_for_output "ready is false"
    server:topics("--create", "--topic", "orders", "--partitions", "3", "--replication-factor", "1")
    for_topic:wait():prints(0, '"inSync": 1')
    assert.equal(0, start("TopicGone", url, "nothing", "--max-wait", "50s"):wait().code)
    local sasl = "kafka://app@127.0.0.1:" .. server.sasl_port
    server:add_user()
    for _, mechanism in ipairs { "PLAIN", "SCRAM-SHA-256", false } do
      local named = mechanism and "mechanism=" .. mechanism or "brokers=1"
      local done = start(sasl, "password=secret word", named, "--max-wait", "20s"):wait()
      assert.equal(0, done.code, done.stdout .. done.stderr)
      done = start(sasl, "password=wrong word", named, "--max-wait", "20s"):wait()
      done:writes(1, "SaslAuthenticationFailed")
      assert.not_matches("wrong word", done.stdout .. done.stderr, 1, true)
    end
    local done = start(sasl, "password=secret word", "mechanism=SCRAM-SHA-512", "--max-wait", "20s"):wait()
    done:says(1, "the broker does not take SASL/SCRAM-SHA-512; it takes PLAIN, SCRAM-SHA-256")
    done = start("127.0.0.1:" .. server.sasl_port, "--max-wait", "20s"):wait()
    done:says(3, "SaslRequired: the broker requires a user (SASL: PLAIN, SCRAM-SHA-256)")
    done = start("127.0.0.1:" .. server.tls_port, "--max-wait", "20s"):wait()
    done:writes(3, "a TLS alert: the broker requires TLS")
    assert.equal(0, start("kafka+ssl://localhost:" .. server.tls_port, "ca=ca.pem", "--max-wait", "20s"):wait().code)
  end)
end)
