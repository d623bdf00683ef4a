---The start of an application of five servers, as a compose file describes one: a single wait is for all of them, in
---whatever order they come.

local Directory = require "spec.support.directory"
local MariaDb = require "spec.support.mariadb"
local Nginx = require "spec.support.nginx"
local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local postgres = require "spec.support.postgres"
local service = require "spec.support.service"

local rules = [[
host all postgres 127.0.0.1/32 trust
host all app      127.0.0.1/32 scram-sha-256
]]

local blocks = [[
  server {
    listen 127.0.0.1:PORT;
    location = /health { return 200 "healthy\n"; }
  }
]]

---A server of one program that needs no files; it does not run yet.
local function simple(program, ...)
  local server = { port = free_port() }
  local words = { program, ... }
  function server:start()
    local command = {}
    for position, word in ipairs(words) do command[position] = word == "PORT" and tostring(self.port) or word end
    self.service = service.start(command)
  end
  function server:stop()
    if self.service then self.service:stop "sigkill" end
  end
  return server
end

---Returns the programs by their names, or what is missing.
local function find_programs()
  local programs = {}
  for _, row in ipairs {
    { "postgres", postgres.find }, { "mysql", MariaDb.find }, { "redis", service.find, "redis-server", "redis-server" },
    { "nats", service.find, "nats-server", "nats-server" }, { "nginx", service.find, "nginx", "nginx" },
  } do
    local program, missing = row[2](table.unpack(row, 3))
    if not program then return nil, missing end
    programs[row[1]] = program
  end
  return programs
end

describe("the start of five servers", function()
  local programs, missing = find_programs()
  if not programs then return pending(missing) end

  local workspace = Workspace.of_each()
  local folders, servers

  local function folder()
    folders[#folders + 1] = Directory.make_in_memory()
    return folders[#folders]
  end

  ---Makes a cluster with the role app, password "secret word", and its database shop.
  local function new_postgres()
    local server = postgres.new(programs.postgres, folder(), rules)
    server:start()
    local url = ("postgres://postgres@127.0.0.1:%d/postgres"):format(server.port)
    assert.equal(0, workspace:bide({ "run", "postgres", url, "--max-wait", "40s" }).code)
    server:query "CREATE ROLE app LOGIN PASSWORD 'secret word'"
    server:query "CREATE DATABASE shop OWNER app"
    server:stop()
    server.service = nil
    return server
  end

  before_each(function()
    folders = {}
    servers = {
      postgres = new_postgres(), mysql = MariaDb.new(programs.mysql, folder()), nginx = Nginx.new(folder(), blocks),
      redis = simple(programs.redis, "--port", "PORT", "--bind", "127.0.0.1", "--save", "", "--requirepass", "secret word"),
      nats = simple(programs.nats, "-a", "127.0.0.1", "-p", "PORT", "--user", "app", "--pass", "secret word"),
    }
    servers.nginx.start = servers.nginx.restart
  end)

  after_each(function()
    for name, server in pairs(servers) do
      if name ~= "postgres" or server.service then server:stop() end
    end
    for _, each in ipairs(folders) do each:remove() end
  end)

  local function url(scheme, name, path)
    return ("%s://app@127.0.0.1:%d%s"):format(scheme, servers[name].port, path or "")
  end

  ---Returns the words of the one wait; `changed` are other words for some of its parts.
  local function words(changed)
    local password = "password=@env:PASSWORD"
    return { "run",
      "postgres", changed.postgres or url("postgres", "postgres", "/shop"), changed.password or password, "+",
      "mysql", changed.mysql or url("mysql", "mysql", "/shop"), password, "+",
      "redis", ("127.0.0.1:%d"):format(servers.redis.port), password, "+",
      "nats", url("nats", "nats"), password, "+",
      "http", ("127.0.0.1:%d/health"):format(servers.nginx.port), "expect=healthy",
      "--max-wait", "50s", "--max-delay", "100ms" }
  end

  local function environment() return { env = { PASSWORD = "secret word" } } end

  it("is waited for by one wait, though they come late and in another order", function()
    local started = workspace:start(words {}, environment())
    for _, branch in ipairs { "postgres#1", "mysql#2", "redis#3", "nats#4", "http#5" } do
      started:wait_for_output(branch .. ": attempt 1.-ConnectionRefused")
    end
    for _, row in ipairs { { "nginx", "http#5" }, { "redis", "redis#3" }, { "postgres", "postgres#1" }, { "nats", "nats#4" },
      { "mysql", "mysql#2" } } do
      assert.is_nil(started.code, started.stdout)
      servers[row[1]]:start()
      started:wait_for_output(row[2] .. ": %w+ succeeded")
    end
    started:wait():prints(0, "5 of 5 waits succeeded, 0 failed, 0 cancelled; 5 needed")
    assert.not_matches("secret word", started.stdout .. started.stderr, 1, true)
  end)

  ---Starts every server, and a wait of which a part cannot succeed; returns its outcome.
  local function fail(changed)
    for _, server in pairs(servers) do server:start() end
    local outcome, done = workspace:outcome(words(changed), environment())
    assert.equal(1, done.code, done.stdout .. done.stderr)
    assert.equal(1, outcome.failed)
    assert.not_matches("secret word", done.stdout .. done.stderr, 1, true)
    return outcome
  end

  it("fails with the one that refuses its password, and names it", function()
    local outcome = fail { password = "password=wrong word" }
    assert.matches("first failure: postgres#1: PostgresReady failed .*28P01: password authentication failed", outcome.message)
  end)

  it("fails with the one whose database does not exist, and names it", function()
    local outcome = fail { mysql = url("mysql", "mysql", "/cellar") }
    assert.matches("first failure: mysql#2: MysqlReady failed ", outcome.message)
    assert.matches("cellar", outcome.message)
  end)
end)
