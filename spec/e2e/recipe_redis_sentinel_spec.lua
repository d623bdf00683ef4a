local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local redis = require "bide.redis"
local service = require "spec.support.service"

require "spec.support.proven"

describe("the recipe redis_sentinel, with Redis and its sentinel", function()
  local program, missing = service.find("redis-server", "redis-server")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local services

  before_each(function() services = {} end)

  after_each(function()
    for _, started in ipairs(services) do started:stop "sigkill" end
  end)

  local function serve(port, ...)
    services[#services + 1] = service.start { program, "--port", tostring(port), "--bind", "127.0.0.1", "--dir",
      workspace.path, "--save", "", ... }
    return services[#services]
  end

  ---Starts a sentinel, which knows no master yet.
  local function watch(port, more)
    workspace:write(("sentinel-%d.conf"):format(port), ("port %d\nbind 127.0.0.1\n%s"):format(port, more or ""))
    services[#services + 1] = service.start { program, workspace.path .. ("/sentinel-%d.conf"):format(port),
      "--sentinel" }
  end

  local function start(sentinels, ...)
    return workspace:start { "run", "redis_sentinel", "sentinels=" .. sentinels, "--min-delay", "50ms", "--max-delay", "50ms",
      "--output", "json", ... }
  end

  local function command(port, ...) return redis { host = "127.0.0.1", port = port, command = { ... } } end

  local function monitor(port, name, master)
    command(port, "SENTINEL", "MONITOR", name, "127.0.0.1", tostring(master), "1")
    command(port, "SENTINEL", "SET", name, "down-after-milliseconds", "200")
  end

  it("waits for a sentinel, for the name, and for its master", function()
    local sentinel, master = free_port(), free_port()
    local started = start(("127.0.0.1:%d,127.0.0.1:%d"):format(free_port(), sentinel), "name=cache", "--max-wait", "30s")
    started:wait_for_output "ConnectionRefused"
    watch(sentinel)
    started:wait_for_output "No such master with that name"
    monitor(sentinel, "cache", master)
    started:wait_for_output(("refused by 127.0.0.1:%d"):format(master))
    serve(master)
    started:wait():prints(0, '"role": "master"', ('"port": "%d"'):format(master))
  end)

  it("does not take a replica for a master", function()
    local sentinel, master = free_port(), free_port()
    local real = free_port()
    serve(real)
    serve(master)
    watch(sentinel)
    assert.equal(0, workspace:bide({ "redis", "127.0.0.1:" .. master, "--max-wait", "10s" }).code)
    assert.equal(0, workspace:bide({ "tcp", "127.0.0.1:" .. sentinel, "--max-wait", "10s" }).code)
    monitor(sentinel, "mymaster", master)
    assert.equal(0, start("127.0.0.1:" .. sentinel, "--max-wait", "20s"):wait().code)
    command(sentinel, "SENTINEL", "SET", "mymaster", "down-after-milliseconds", "60000")
    command(master, "REPLICAOF", "127.0.0.1", tostring(real))
    start("127.0.0.1:" .. sentinel, "--max-attempts", "2", "--max-wait", "50s"):wait():writes(4, '"role": "slave"')
  end)

  it("fails at once by a wrong or missing password, and does not show it", function()
    local sentinel, master = free_port(), free_port()
    serve(master, "--requirepass", "open sesame")
    watch(sentinel, 'requirepass "watch word"\n')
    assert.equal(1, workspace:bide({ "redis", "127.0.0.1:" .. sentinel, "--max-wait", "50s" }).code)
    for _, word in ipairs { "MONITOR mymaster 127.0.0.1 " .. master .. " 1", "SET mymaster auth-pass open\\ sesame" } do
      local words = { "SENTINEL" }
      for each in word:gsub("\\ ", "\1"):gmatch "%S+" do words[#words + 1] = (each:gsub("\1", " ")) end
      redis { host = "127.0.0.1", port = sentinel, password = "watch word", command = words }
    end
    local at = "127.0.0.1:" .. sentinel
    local done = start(at, "--max-wait", "50s"):wait()
    done:writes(1, "NOAUTH")
    done = start(at, "sentinel_password=watch word", "password=sesame", "--max-wait", "50s"):wait()
    done:writes(1, "WRONGPASS")
    assert.not_matches("sesame", done.stdout .. done.stderr, 1, true)
    assert.equal(0, start(at, "sentinel_password=watch word", "password=open sesame", "--max-wait", "20s"):wait().code)
  end)

  it("refuses mistakes before it asks, and other services at once", function()
    assert.equal(2, start("here,", "--max-wait", "50s"):wait().code)
    local server = Server.start(nil, { raw = function(peer) peer:write "HTTP/1.1 400 Bad Request\r\n" end })
    local done = start("127.0.0.1:" .. server.port, "--max-wait", "50s"):wait()
    done:writes(3, "this is not the protocol of Redis")
    for _, answer in ipairs { "+OK\r\n", ":5\r\n", "$-1\r\n", "*0\r\n", "*3\r\n:1\r\n*0\r\n+x\r\n" } do
      server.raw = function(peer) peer:write(answer) end
      done = start("127.0.0.1:" .. server.port, "--max-wait", "50s"):wait()
      done:writes(3, "InvalidAnswer: the sentinel did not name the master's address")
    end
    server.raw = function(peer) peer:write "-ERR unknown command `SENTINEL`, with args beginning with: `MASTER`\r\n" end
    done = start("127.0.0.1:" .. server.port, "--max-wait", "50s"):wait()
    done:writes(3, "is no sentinel, but a Redis: it does not know SENTINEL")
    server:close()
  end)
end)
