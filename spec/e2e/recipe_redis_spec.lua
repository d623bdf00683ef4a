local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local ask = require "bide.redis"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local has_loopback6 = require("spec.support.port").has_loopback6
local service = require "spec.support.service"
local with_default = require "spec.support.with_default"

require "spec.support.proven"

describe("the recipe redis, with Redis", function()
  local program, missing = service.find("redis-server", "redis-server")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local services

  before_each(function() services = {} end)

  after_each(function()
    for _, redis in ipairs(services) do redis:stop "sigkill" end
  end)

  ---Starts a server with its own file of data; further words are Redis's options.
  local function serve(port, ...)
    local redis = service.start { program, "--port", tostring(port), "--bind", "127.0.0.1", "--dir", workspace.path,
      "--dbfilename", port .. ".rdb", "--save", "", ... }
    table.insert(services, redis)
    return redis
  end

  local function start(port, ...)
    return workspace:start { "run", "redis", "host=127.0.0.1", "port=" .. port, "--min-delay", "50ms",
      "--max-delay", "50ms", ... }
  end

  local function run(port, ...) return start(port, with_default("--max-wait", "10s", ...)):wait() end

  it("goes over a unix socket, whose URL may have a user and a database", function()
    local path = workspace.path .. "/redis.sock"
    local started = workspace:start { "redis", "unix://" .. path, "--max-wait", "20s", "--max-delay", "50ms" }
    started:wait_for_output "cannot connect to"
    table.insert(services, service.start { program, "--port", "0", "--unixsocket", path, "--dir", workspace.path, "--save", "" })
    local done = started:wait()
    assert.equal(0, done.code, done.stderr)
    assert.equal(1, ask { unix = path, command = { { "SELECT", "3" }, { "SETNX", "a", "b" } } }[2])
    local function state(waiter, url)
      return workspace:outcome({ "redis", waiter, url, "a", "--max-wait", "300ms" }).state
    end
    assert.equal("success", state("KeyExists", "unix://default:@" .. path .. "?db=3"))
    assert.equal("success", state("KeyGone", "unix://" .. path))
    assert.equal("failure", state("KeyGone", "unix://" .. path .. "?db=3"))
    for _, row in ipairs {
      { "unix://" .. path .. " port=1", "port: a unix socket has none" }, { "unix://tmp/x", "found \"unix://tmp/x\"" },
      { "unix:///tmp/x?nonsense=1", "the parameter nonsense is not read" }, { "unix:///tmp/%zz", "expected HOST:PORT" },
    } do
      done = workspace:bide { "redis", row[1]:match "^%S+", row[1]:match " (%S+)" or "--quiet", "--max-wait", "1s" }
      done:says(2, row[2])
    end
    done = workspace:bide { "redis", "unix://" .. path, "--sandbox", "--max-wait", "1s" }
    done:says(3, "sandboxed scripts may not use sockets of this machine")
  end)

  it("waits until somebody listens and answers", function()
    local port = free_port()
    local started = start(port, "--max-wait", "20s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve(port)
    started:wait():prints(0, '"waiter": "RedisReady"', '"answer": "PONG"')
  end)

  it("waits while the data is loaded", function()
    local port = free_port()
    local redis = serve(port)
    assert.equal(0, run(port).code)
    workspace:write("fill.lua", [[
      local redis = require "bide.redis"
      local port, fill = arg[1], "for i = 1, 300 do redis.call('SET', i, i) end"
      redis { host = "127.0.0.1", port = port, command = { "EVAL", fill, "0" } }
      print(redis { host = "127.0.0.1", port = port, command = { "SAVE" } })
    ]])
    local filled = workspace:bide { "exec", "fill.lua", tostring(port) }
    assert.equal("OK\n", filled.stdout, filled.stderr)
    redis:stop()
    serve(port, "--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024")
    run(port):says(0, "LOADING Redis is loading")
  end)

  it("shows a password, and fails at once where it is wrong or missing", function()
    local port = free_port()
    serve(port, "--requirepass", "open sesame\r\n", "--user", "reader", "on", ">secret", "~*", "+@all")
    assert.equal(0, run(port, "password=open sesame\r\n").code)
    assert.equal(0, run(port, "user=reader", "password=secret").code)
    local done = run(port)
    done:writes(1, "NOAUTH Authentication required")
    done = run(port, "password=sesame", "--output", "json")
    done:writes(1, "WRONGPASS")
    assert.not_matches("sesame", done.stdout .. done.stderr)
  end)

  it("waits until a replica has the data of its master", function()
    local port, replica_port = free_port(), free_port()
    serve(replica_port, "--replicaof", "127.0.0.1 " .. port, "--repl-diskless-sync-delay", "0")
    assert.equal(0, run(replica_port).code)
    local started = start(replica_port, "ReplicaLinked", "--max-wait", "20s", "--output", "json")
    started:wait_for_output 'link is "down", role is "slave"'
    serve(port)
    started:wait():prints(0, '"link": "up"')
    run(port, "ReplicaLinked"):writes(1, ": this is a master and no replica\n")
  end)

  it("waits while a replica above has no link", function()
    local port, middle, last = free_port(), free_port(), free_port()
    local master = serve(port)
    serve(middle, "--replicaof", "127.0.0.1 " .. port, "--repl-diskless-sync-delay", "0")
    serve(last, "--replicaof", "127.0.0.1 " .. middle, "--repl-diskless-sync-delay", "0")
    assert.equal(0, run(last, "ReplicaLinked", "--max-wait", "20s").code)
    master:stop "sigkill"
    local done = run(last, "ReplicaLinked", "--max-wait", "0.5s")
    assert.equal(124, done.code, done.stdout .. done.stderr)
    assert.equal(0, run(last, "ReplicaLinked", "chain=false").code)
    done = run(last, "KeyGone", "name=job", "--max-wait", "0.5s")
    done:says(124, "the replica 127.0.0.1:" .. middle .. " has no link to its master")
    done = run(middle, "ReplicaLinked", "--max-wait", "0.5s")
    assert.equal(124, done.code, done.stdout .. done.stderr)
  end)

  describe("and a key", function()
    local port

    ---Sends commands to the server of an address.
    local function send(host, ...)
      local answers = ask { host = host, port = port, command = { ... } }
      require("luv").run "nowait"
      return answers
    end

    ---Runs a wait that has half a second, with the address of the server in place of @.
    local function bide(waiter, url, ...)
      return workspace:bide { "redis", waiter, (url:gsub("@", "127.0.0.1:" .. port)), "--max-wait", "0.5s", ... }
    end

    before_each(function()
      port = free_port()
      serve(port)
      assert.equal(0, run(port).code)
    end)

    it("waits until it is there, and until it is gone", function()
      local started = workspace:start { "redis", "KeyExists", "127.0.0.1:" .. port, "jobs:import", "--max-wait", "20s" }
      started:wait_for_output "KeyNotFound: there is no key jobs:import"
      send("127.0.0.1", { "RPUSH", "jobs:import", "1" })
      assert.equal(0, started:wait().code, started.stderr)
      started = workspace:start { "redis", "KeyGone", "127.0.0.1:" .. port, "jobs:import", "--max-wait", "20s" }
      started:wait_for_output "KeyFound: there is a key jobs:import at 127.0.0.1:"
      send("127.0.0.1", { "DEL", "jobs:import" })
      assert.equal(0, started:wait().code, started.stderr)
    end)

    it("has a value, and one that means failure", function()
      send("127.0.0.1", { "SET", "job", "running" }, { "SET", "bytes", "\xFF\0" }, { "RPUSH", "list", "1" },
        { "SET", "password", "sesame" })
      assert.equal(0, bide("KeyExists", "@", "job", "value=running").code)
      assert.equal(0, bide("KeyExists", "@", "name=job").code)
      local done = bide("KeyExists", "@", "job", "value=done")
      done:says(124, 'UnexpectedValue: {"job":"running"}')
      done = bide("KeyExists", "@", "job", "value=done", "failed=running")
      done:says(1, 'KeyFailed: {"job":"running"}')
      done = bide("KeyExists", "@", "bytes", "value=x")
      assert.equal(124, done.code, done.stderr)
      done = bide("KeyExists", "@", "list", "value=1")
      done:says(3, "WRONGTYPE")
      done = bide("KeyExists", "@", "password", "value=x")
      assert.not_matches("sesame", done.stdout .. done.stderr)
    end)

    it("is in the database that is named", function()
      send("127.0.0.1", { "SELECT", "3" }, { "SET", "job", "done" })
      for _, url in ipairs { "redis://@/3", "redis://@?db=3", "redis://@/1?db=3" } do
        assert.equal(0, bide("KeyExists", url, "job", "value=done").code, url)
        assert.equal(124, bide("KeyGone", url, "job").code, url)
      end
      assert.equal(0, bide("KeyExists", "@", "job", "database=3").code)
      assert.equal(0, bide("KeyGone", "@", "job").code)
      assert.equal(124, bide("KeyExists", "redis://@/3", "job", "database=0").code)
      local done = bide("KeyExists", "redis://@/99", "job")
      done:says(3, "DB index is out of range")
      done = bide("KeyExists", "redis://@/shop", "job")
      done:says(2, 'url: expected the number of a database, as in redis://cache/3, found "shop"')
    end)

    it("is gone only by the word of a server that must know it", function()
      send("127.0.0.1", { "ACL", "SETUSER", "poor", "on", ">secret", "~other", "+@all" },
        { "ACL", "SETUSER", "plain", "on", ">secret", "~*", "+exists" })
      local done = bide("KeyGone", "@", "job", "user=poor", "password=secret")
      done:says(3, "NOPERM")
      done = bide("KeyGone", "@", "job", "user=plain", "password=secret")
      done:says(3, "NOPERM")
      assert.equal(0, bide("KeyGone", "@", "job", "user=plain", "password=secret", "chain=false").code)
      assert.equal(0, bide("KeyExists", "@", "job", "--invert").code)
      for answer, code in pairs { [":0\r\n"] = 124, [":0\r\n+OK\r\n"] = 3, ["$-1\r\n$-1\r\n"] = 3,
        [":2\r\n+OK\r\n"] = 3, ["HTTP/1.1 404 Not Found\r\n"] = 3 } do
        local server = Server.start(nil, { raw = function(peer, bytes)
          peer:write(bytes:match "PING\r\n(%$%d+\r\n[%w-]+\r\n)" or answer)
        end })
        done = workspace:bide { "redis", "KeyGone", "127.0.0.1:" .. server.port, "job", "--max-wait", "0.5s" }
        server:close()
        assert.equal(code, done.code, answer .. done.stderr)
      end
    end)

    it("is gone by the number 0 alone, behind its own word or PONG", function()
      for answer, code in pairs { ["+PONG\r\n:0\r\n"] = 0, ["+PONG\r\n:2\r\n"] = 3, ["+PONG\r\n:-1\r\n"] = 3,
        ["+PONG\r\n$1\r\n0\r\n"] = 3, ["+OK\r\n:0\r\n"] = 3, ["$4\r\nbide\r\n:0\r\n"] = 3 } do
        local first, second = answer:match "^(.*\r\n)([:$].*)$"
        local server = Server.start(nil, { raw = function(peer, bytes)
          peer:write(bytes:find("PING", 1, true) and first or second)
        end })
        local done = workspace:bide { "redis", "KeyGone", "127.0.0.1:" .. server.port, "job", "chain=false", "--max-wait", "50s" }
        server:close()
        assert.equal(code, done.code, answer .. done.stderr)
      end
    end)

    it("is not gone where a replica has not got it yet", function()
      local replica = free_port()
      send("127.0.0.1", { "SET", "job", "1" })
      serve(replica, "--replicaof", "127.0.0.1 " .. free_port())
      assert.equal(0, run(replica).code)
      local function gone(...)
        return workspace:bide { "redis", "KeyGone", "127.0.0.1:" .. replica, "job", "--max-wait", "0.5s", ... }
      end
      local done = gone()
      assert.equal(124, done.code)
      assert.matches("ReplicaUnlinked: there is no such key, but the replica 127.0.0.1:%d+ has no link", done.stderr)
      assert.equal(0, gone("chain=false").code)
    end)

    it("is gone only if each address of the host says so", function()
      if not has_loopback6() then return pending "there is no ::1 here" end
      assert.equal(0, bide("KeyGone", "localhost:" .. port, "job").code)
      table.insert(services, service.start { program, "--port", tostring(port), "--bind", "::1", "--save", "" })
      assert.equal(0, workspace:bide({ "redis", "[::1]:" .. port, "--max-wait", "10s" }).code)
      assert.equal(0, bide("KeyGone", "localhost:" .. port, "job").code)
      send("::1", { "SET", "job", "1" })
      bide("KeyGone", "localhost:" .. port, "job"):says(124, "KeyFound: there is a key job at [::1]:" .. port)
      assert.equal(0, bide("KeyGone", "@", "job").code)
    end)
  end)

  it("takes no sentinel for Redis, and a user without rights for a user of it", function()
    local port, own = free_port(), free_port()
    workspace:write("sentinel.conf", ("port %d\nbind 127.0.0.1\n"):format(port))
    service.give(workspace)
    table.insert(services, service.start { program, workspace.path .. "/sentinel.conf", "--sentinel" })
    serve(own, "--user", "poor", "on", ">secret", "+ping")
    assert.equal(0, run(own, "user=poor", "password=secret").code)
    run(port):writes(3, "ERR unknown command 'EXISTS'")
  end)

  it("does not believe any answer to PING", function()
    for answer, code in pairs { ["+OK\r\n"] = 3, ["+PONG\r\n"] = 3, [":1\r\n"] = 3, ["-CLUSTERDOWN no\r\n"] = 4,
      ["-ERR no upstream host\r\n"] = 3 } do
      local server = Server.start(nil, { raw = function(peer) peer:write(answer) end })
      local done = run(server.port, "--max-attempts", "1")
      server:close()
      assert.equal(code, done.code, answer .. done.stdout .. done.stderr)
    end
  end)

  it("fails at once where another service answers", function()
    local server = Server.start(nil, { raw = function(peer) peer:write "HTTP/1.1 400 Bad Request\r\n" end })
    local done = run(server.port)
    server:close()
    done:writes(3, 'InvalidAnswer: this is not the protocol of Redis: "HTTP/1.1 400 Bad Request')
  end)

  it("takes its address as people write it", function()
    local port = free_port()
    serve(port, "--requirepass", "open sesame")
    assert.equal(0, start(port, "password=open sesame", "--max-wait", "20s"):wait().code)
    local function code(...) return workspace:bide({ "redis", "--max-wait", "10s", "--quiet", ... }).code end
    assert.equal(0, code(("redis://:open%%20sesame@127.0.0.1:%d/0"):format(port)))
    assert.equal(0, code(("redis://default:open%%20sesame@127.0.0.1:%d"):format(port)))
    assert.equal(0, code("127.0.0.1:" .. port, "password=open sesame"))
    assert.equal(0, code("host=127.0.0.1:" .. port, "password=open sesame"))
    assert.equal(0, code(("url=redis://127.0.0.1:%d"):format(port), "password=open sesame"))
    assert.equal(1, code(("redis://:closed-sesame@127.0.0.1:%d"):format(port)))
    assert.equal(2, code "redist://127.0.0.1")
    local done = workspace:bide { "redis", ("redis://:closed-sesame@127.0.0.1:%d"):format(port), "--max-wait", "5s",
      "--output", "json", "--events", "-" }
    assert.is_nil((done.stdout .. done.stderr):find("closed", 1, true))
  end)

  describe("over TLS", function()
    local port

    before_each(function()
      port = free_port()
      certificates(workspace)
      service.give(workspace)
    end)

    local function serve_tls(...)
      serve(0, "--tls-port", tostring(port), "--tls-cert-file", workspace.path .. "/server.pem",
        "--tls-key-file", workspace.path .. "/server.key", "--tls-ca-cert-file", workspace.path .. "/ca.pem", ...)
    end

    local function outcome_of(...)
      return workspace:bide { "redis", ("rediss://localhost:%d"):format(port), "--max-wait", "10s", "--output", "json", ... }
    end

    it("trusts the authorities that it is given, and shows a certificate where Redis wants one", function()
      serve_tls()
      local done = outcome_of("ca=ca.pem", "certificate=client.pem", "key=client.key")
      done:writes(0, '"answer": "PONG"')
      done = outcome_of "ca=ca.pem"
      assert.equal(3, done.code)
      assert.matches("TlsFailure: no TLS connection with localhost:%d+ .*alert certificate required", done.stdout .. done.stderr)
    end)

    it("takes the scheme, or an input, for a reason to use it", function()
      serve_tls("--tls-auth-clients", "no")
      assert.equal(0, outcome_of("ca=ca.pem").code)
      assert.equal(0, outcome_of("insecure=true").code)
      outcome_of():writes(3, "has no authority that is trusted")
      local function code(...) return workspace:bide({ "redis", "--max-wait", "10s", "--quiet", ... }).code end
      assert.equal(0, code("127.0.0.1:" .. port, "ca=ca.pem"))
      assert.equal(0, code("127.0.0.1:" .. port, "tls=true", "ca=ca.pem", "server_name=localhost"))
      assert.equal(3, code("127.0.0.1:" .. port, "ca=ca.pem", "server_name=elsewhere.localhost"))
      assert.equal(2, code("127.0.0.1:" .. port, "ca=nowhere.pem"))
      assert.equal(2, code("--sandbox", "127.0.0.1:" .. port, "ca=ca.pem"))
    end)
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", workspace:bide({ "run", "redis", "RedisReady", "--max-wait", "1s" }).stderr)
    assert.matches('unknown input "pasword", did you mean "password"%?', run(1, "pasword=x").stderr)
    assert.matches("password: expected a string, found %[redacted%]", run(1, "password:=5").stderr)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ConnectionRefused"}}
{"error": {"type": "LOADING", "message": "LOADING Redis is loading the dataset in memory"}}
{"output": {"role": "slave", "link": "down"}}
{"output": {"role": "slave", "link": "up"}}
]])
    local outcome = workspace:outcome { "replay", "redis", "ReplicaLinked", "answers.jsonl", "--max-wait", "10m" }
    assert.same({ "success", 4 }, { outcome.state, outcome.attempts })
  end)
end)
