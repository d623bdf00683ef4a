---The watches of services, with the real ones: what happens there ends a wait at once, which polls every minute.

local Systemd = require "spec.support.systemd"
local Workspace = require "spec.support.workspace"
local ask_redis = require "bide.redis"
local base64 = require "bide.base64"
local dockerd = require "spec.support.dockerd"
local free_port = require("spec.support.port").free
local http = require "bide.http"
local json = require("bide.core").json
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

local SOON = 40 -- seconds, far below the interval

describe("a watch of", function()
  local workspace = Workspace.of_block()

  ---Starts a wait, and lets its watch stand: that brings the second attempt.
  local function start(words, options)
    local list = { table.unpack(words) }
    table.move({ "--interval", "60s", "--max-wait", "150s", "--output", "json", "--verbose" }, 1, 7, #list + 1, list)
    local running = workspace:start(list, options)
    running:wait_for_output "attempt 2"
    return running
  end

  ---Waits for the end, which has to come soon and by an event.
  local function expect_end(running, code)
    local began = uv.hrtime()
    running:wait()
    assert.equal(code or 0, running.code, running.stderr)
    assert.is_true((uv.hrtime() - began) / 1e9 < SOON, running.stderr)
    local outcome = json.decode(running.stdout)
    assert.is_true(outcome.history[#outcome.history].woken)
    return outcome
  end

  describe("Docker", function()
    local daemon, missing

    setup(function() daemon, missing = dockerd.start() end)
    teardown(function()
      if daemon then daemon:stop() end
    end)

    local function with_docker(name, body)
      it(name, function()
        if not daemon then return pending(missing) end
        body()
        daemon:clear()
      end)
    end

    local function docker(...) return start { "docker", "socket=" .. daemon.socket, ... } end

    with_docker("sees a container that is made, and started", function()
      local running = docker "web"
      daemon:run("other", "sleep 100")
      daemon:run("web", "sleep 100")
      local outcome = expect_end(running)
      assert.is_true(outcome.attempts <= 6)
    end)

    with_docker("sees one that exits, by the beginning of its id, and one that fails", function()
      local id = daemon:run("job", "until [ -f /go ]; do sleep 0.02; done")
      local by_id, by_name = docker("ContainerExited", id:sub(1, 10)), docker("ContainerExited", "job")
      daemon:touch("job", "/go")
      expect_end(by_id)
      by_name:wait()
      assert.equal(0, by_name.code, by_name.stderr)
      daemon:run("bad", "until [ -f /go ]; do sleep 0.02; done; exit 3")
      local running = docker("ContainerExited", "bad")
      daemon:touch("bad", "/go")
      expect_end(running, 1)
    end)

    with_docker("sees that one is healthy, and that one goes", function()
      daemon:run("web", "sleep 100", "--health-cmd", "test -f /go", "--health-interval", "200ms",
        "--health-retries", "1000")
      local running, gone = docker("ContainerHealthy", "web"), docker("ContainerGone", "web")
      daemon:touch("web", "/go")
      assert.is_true(expect_end(running).attempts <= 6)
      daemon:docker("rm", "--force", "web")
      gone:wait()
      assert.equal(0, gone.code, gone.stderr)
    end)

    with_docker("sees one that gets the name", function()
      daemon:run("former", "sleep 100")
      local running = docker "latter"
      daemon:docker("rename", "former", "latter")
      expect_end(running)
    end)

    with_docker("sees the containers of a project", function()
      local running = start { "compose", "shop", "socket=" .. daemon.socket }
      daemon:run("db", "sleep 100", "--label", "com.docker.compose.project=shop", "--label", "com.docker.compose.service=db")
      expect_end(running)
    end)
  end)

  it("etcd sees a key that is put, and one that is deleted", function()
    local program, missing = service.find("etcd", "etcd-server")
    if not program then return pending(missing) end
    local peer, url = "http://127.0.0.1:" .. free_port(), "http://127.0.0.1:" .. free_port()
    local etcd = service.start { program, "--data-dir", workspace.path .. "/etcd", "--listen-client-urls", url,
      "--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
      "--initial-cluster", "default=" .. peer, "--log-level", "error", "--unsafe-no-fsync" }
    assert.equal(0, workspace:bide({ "etcd", url, "--max-wait", "30s" }).code)
    local function ask(verb, key, value)
      local given = { key = base64.encode(key), value = value and base64.encode(value) }
      assert(http.post(url .. "/v3/kv/" .. verb, { json = given }).ok)
    end
    local running = start { "etcd", "KeyExists", url, "key=/jobs/1", "value=done" }
    ask("put", "/jobs/2", "done")
    ask("put", "/jobs/1", "done")
    assert.equal(3, expect_end(running).attempts)
    running = start { "etcd", "KeyDeleted", url, "/jobs/1" }
    ask("deleterange", "/jobs/1")
    expect_end(running)
    etcd:stop()
  end)

  it("Consul sees an instance that is registered, and one that goes", function()
    local program, missing = service.find("consul", "consul, or name its folder in BIDE_CONSUL", os.getenv "BIDE_CONSUL")
    if not program then return pending(missing) end
    local port = free_port()
    local url = "http://127.0.0.1:" .. port
    local words = { program, "agent", "-dev", "-bind", "127.0.0.1", "-http-port", tostring(port), "-dns-port", "-1",
      "-grpc-port", "-1", "-server-port", tostring(free_port()), "-serf-lan-port", tostring(free_port()), "-serf-wan-port", "-1" }
    local help = process.run { program, "agent", "-help" }
    if (help.stdout .. help.stderr):find "grpc%-tls%-port" then -- since 1.14
      table.move({ "-grpc-tls-port", "-1" }, 1, 2, #words + 1, words)
    end
    local consul = service.start(words)
    assert.equal(0, workspace:bide({ "consul", url, "--max-wait", "30s" }).code, consul.process.stdout)
    local running = start { "consul", "ServicePassing", url, "web" }
    assert(http.put(url .. "/v1/agent/service/register", { json = { Name = "web", Port = 80 } }).ok)
    expect_end(running)
    running = start { "consul", "ServiceGone", url, "web" }
    assert(http.put(url .. "/v1/agent/service/deregister/web").ok)
    expect_end(running)
    consul:stop()
  end)

  it("Redis sees a key that is set, and one that goes, where notifications are on", function()
    local program, missing = service.find("redis-server", "redis-server")
    if not program then return pending(missing) end
    local port = free_port()
    local redis = service.start { program, "--port", tostring(port), "--bind", "127.0.0.1", "--dir", workspace.path,
      "--save", "", "--notify-keyspace-events", "KA" }
    local function ask(...)
      return ask_redis { host = "127.0.0.1", port = port, command = { { "SELECT", "3" }, { ... } } }
    end
    local url = "redis://127.0.0.1:" .. port .. "/3"
    assert.equal(0, workspace:bide({ "redis", url, "--max-wait", "30s" }).code)
    local running = start { "redis", "KeyExists", url, "jobs:import", "value=done" }
    ask("SET", "jobs:export", "done")
    ask("SET", "jobs:import", "done")
    expect_end(running)
    running = start { "redis", "KeyGone", url, "jobs:import" }
    ask("DEL", "jobs:import")
    expect_end(running)

    ask("CONFIG", "SET", "notify-keyspace-events", "")
    local outcome = workspace:outcome { "redis", "KeyExists", url, "none", "--interval", "0.2s", "--max-wait", "1.5s" }
    for _, entry in ipairs(outcome.history) do
      assert.is_nil(entry.woken)
      assert.is_nil(entry.note)
    end
    assert.is_nil(ask_redis({ host = "127.0.0.1", port = port, command = { "CLIENT", "LIST" } }):match " sub=1")
    redis:stop()
  end)

  it("PostgreSQL sees the notification of a channel", function()
    local programs, missing = postgres.find()
    if not programs then return pending(missing) end
    local folder = Workspace.make_in_memory()
    local server = postgres.new(programs, folder, "local all all trust\nhost all all 127.0.0.1/32 trust\n")
    server:start()
    assert.equal(0, workspace:bide({ "postgres", "127.0.0.1:" .. server.port, "user=postgres", "--max-wait", "30s" }).code)
    server:query "CREATE TABLE jobs (state text); INSERT INTO jobs VALUES ('runs')"
    local running = start { "postgres", "RowFound", "127.0.0.1:" .. server.port, "user=postgres", 'listen=my "jobs"',
      "SELECT 1 FROM jobs WHERE state = 'done'" }
    server:query [[UPDATE jobs SET state = 'done'; NOTIFY "my ""jobs"""]]
    expect_end(running)
    server:stop()
    folder:remove()
  end)

  it("systemd sees a unit that starts, and one that stops", function()
    local folder = Workspace.make()
    local systemd, missing = Systemd.start(folder)
    if not systemd then
      folder:remove()
      return pending(missing)
    end
    systemd:run("nap.service", "[Service]\nExecStart=/bin/sleep 100\n")
    systemd:control("stop", "nap.service")
    local running = start({ "systemd", "nap.service", "scope=user" }, { env = systemd.env })
    systemd:control("start", "nap.service")
    expect_end(running)
    running = start({ "systemd", "UnitInactive", "nap.service", "scope=user" }, { env = systemd.env })
    systemd:control("stop", "nap.service")
    expect_end(running)
    systemd:stop()
    folder:remove()
  end)
end)
