local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"
local with_default = require "spec.support.with_default"

describe("the recipe redis, with Redis", function()
  local program, missing = service.find("redis-server", "redis-server")
  if not program then return pending(missing) end

  local workspace, services

  before_each(function()
    workspace, services = Workspace.make(), {}
  end)

  after_each(function()
    for _, redis in ipairs(services) do redis:stop "sigkill" end
    workspace:remove()
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

  it("waits until somebody listens and answers", function()
    local port = free_port()
    local started = start(port, "--max-wait", "20s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve(port)
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches('"waiter": "RedisReady"', started.stdout)
    assert.matches('"answer": "PONG"', started.stdout)
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
    local done = run(port)
    assert.equal(0, done.code, done.stderr)
    assert.matches("LOADING Redis is loading", done.stderr)
  end)

  it("shows a password, and fails at once where it is wrong or missing", function()
    local port = free_port()
    serve(port, "--requirepass", "open sesame\r\n", "--user", "reader", "on", ">secret", "~*", "+@all")
    assert.equal(0, run(port, "password=open sesame\r\n").code)
    assert.equal(0, run(port, "user=reader", "password=secret").code)
    local done = run(port)
    assert.equal(1, done.code)
    assert.matches("NOAUTH Authentication required", done.stdout .. done.stderr)
    done = run(port, "password=sesame", "--output", "json")
    assert.equal(1, done.code)
    assert.matches("WRONGPASS", done.stdout .. done.stderr)
    assert.not_matches("sesame", done.stdout .. done.stderr)
  end)

  it("waits until a replica has the data of its master", function()
    local port, replica_port = free_port(), free_port()
    serve(replica_port, "--replicaof", "127.0.0.1 " .. port, "--repl-diskless-sync-delay", "0")
    assert.equal(0, run(replica_port).code)
    local started = start(replica_port, "ReplicaLinked", "--max-wait", "20s", "--output", "json")
    started:wait_for_output 'link is "down", role is "slave"'
    serve(port)
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches('"link": "up"', started.stdout)
    local done = run(port, "ReplicaLinked")
    assert.equal(1, done.code)
    assert.matches(": this is a master and no replica\n", done.stdout .. done.stderr, 1, true)
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
    done = run(middle, "ReplicaLinked", "--max-wait", "0.5s")
    assert.equal(124, done.code, done.stdout .. done.stderr)
  end)

  it("takes no sentinel for Redis, and a user without rights for a user of it", function()
    local port, own = free_port(), free_port()
    workspace:write("sentinel.conf", ("port %d\nbind 127.0.0.1\n"):format(port))
    service.give(workspace)
    table.insert(services, service.start { program, workspace.path .. "/sentinel.conf", "--sentinel" })
    serve(own, "--user", "poor", "on", ">secret", "+ping")
    assert.equal(0, run(own, "user=poor", "password=secret").code)
    local done = run(port)
    assert.equal(3, done.code, done.stdout .. done.stderr)
    assert.matches("ERR unknown command 'EXISTS'", done.stdout .. done.stderr, 1, true)
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
    assert.equal(3, done.code)
    assert.matches('InvalidAnswer: this is not the protocol of Redis: "HTTP/1.1 400 Bad Request', done.stdout .. done.stderr)
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
      assert.equal(0, done.code, done.stderr)
      assert.matches('"answer": "PONG"', done.stdout .. done.stderr)
      done = outcome_of "ca=ca.pem"
      assert.equal(3, done.code)
      assert.matches("TlsFailure: no TLS connection with localhost:%d+ .*alert certificate required", done.stdout .. done.stderr)
    end)

    it("takes the scheme, or an input, for a reason to use it", function()
      serve_tls("--tls-auth-clients", "no")
      assert.equal(0, outcome_of("ca=ca.pem").code)
      assert.equal(0, outcome_of("insecure=true").code)
      local done = outcome_of()
      assert.equal(3, done.code)
      assert.matches("has no authority that is trusted", done.stdout .. done.stderr)
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
