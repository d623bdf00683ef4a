---A program that gives everybody the same JSON was etcd without the key or in good health, Prometheus and ClickHouse without a
---result, a sealed Vault, Elasticsearch without documents, and a queue of RabbitMQ without messages. Now each of them has to
---answer a second question, whose answer is another one, before a success counts, and not while there is none.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json

local REVISION = { error = "etcdserver: mvcc: required revision is a future revision", code = 11 }

local UNKNOWN = { status = 400, error = { type = "illegal_argument_exception",
  reason = "request [/orders/_count] contains unrecognized parameter: [bide_witness]" } }

local function items(...)
  return { items = json.array { ... }, page = 1, total_count = 1, filtered_count = select("#", ...) }
end

local ONE = { metric = { a = "b" }, value = { 1, "1" } }

local function answer(value, status)
  return { status = status or 200, body = json.encode(value) }
end

local function vector(...)
  return { status = "success", data = { resultType = "vector", result = json.array { ... } } }
end

local function rows(...)
  return { meta = { { name = "1", type = "UInt8" } }, data = json.array { ... }, rows = select("#", ...) }
end

---The questions, the JSON that each path has of the real service, and of which the first one says that something is gone. A
---waiter for the opposite asks the first question alone.
local services = {
  { "etcd", "EtcdHealthy", gone = { health = "true" },
    witness = function(request)
      return request.target == "/version" and answer { etcdserver = "3.5.1", etcdcluster = "3.5.0" }
    end },
  { "etcd", "EtcdHealthy", gone = { health = "true" },
    witness = function(request)
      if request.target == "/metrics" then return { body = "# TYPE x gauge\netcd_server_has_leader 1\nx 1\n" } end
      return request.target ~= "/health" and { status = 404, body = "404 page not found\n" }
    end },
  { "elasticsearch", "DocumentsGone", "orders", gone = { count = 0, _shards = { total = 1, successful = 1, failed = 0 } },
    opposite = "DocumentsFound",
    witness = function(request) return request.target:find "bide_witness" and answer(UNKNOWN, 400) end },
  { "rabbitmq", "QueueDrained", "jobs", gone = items { name = "jobs", vhost = "/", messages = 0, state = "running" },
    witness = function(request) return not request.target:find("jobs", 1, true) and answer(items()) end },
  { "etcd", "KeyDeleted", "/jobs/1", opposite = "KeyExists", gone = { header = { revision = "7" } },
    witness = function(request) return request.body:find "revision" and answer(REVISION, 400) end },
  { "prometheus", "ResultEmpty", "up", opposite = "ResultFound", gone = vector(),
    witness = function(request) return request.target:find "vector" and answer(vector(ONE)) end },
  { "clickhouse", "RowGone", "SELECT a FROM t", opposite = "RowFound", gone = rows(),
    witness = function(request) return request.target:find "SELECT%%201" and answer(rows { ["1"] = 1 }) end },
  { "vault", "VaultSealed", status = 503, gone = { initialized = true, sealed = true, standby = true, version = "1.15.2" },
    witness = function(request)
      return request.target:find("seal-status", 1, true)
        and answer { type = "shamir", initialized = true, sealed = true, t = 3, n = 5, progress = 0 }
    end },
}

describe("an absence without a witness", function()
  local workspace = Workspace.of_block()

  local function ask(one, handle, waiter)
    local server = Server.start(handle)
    local words = { one[1], waiter or one[2], "127.0.0.1:" .. server.port, one[3] or "timeout=1s", "--max-wait", "300ms" }
    local done = workspace:bide(words)
    server:close()
    return done, server.requests
  end

  for position, one in ipairs(services) do
    local same = answer(one.gone, one.status)

    local name = ("%s %s, %d"):format(one[1], one[2], position)

    it("is not believed: " .. name, function()
      local done = ask(one, function() return same end)
      assert.equal(124, done.code, done.stdout .. done.stderr)
      assert.matches("not believed: ", done.stderr, 1, true)
    end)

    it("is believed with one: " .. name, function()
      local done = ask(one, function(request) return one.witness(request) or same end)
      assert.equal(0, done.code, done.stdout .. done.stderr)
    end)

    if one.opposite then
      it("is not asked about: " .. one.opposite, function()
        local done, requests = ask(one, function() return same end, one.opposite)
        assert.equal(124, done.code, done.stdout .. done.stderr)
        assert.is_true(#requests > 1)
        for _, request in ipairs(requests) do assert.is_falsy(one.witness(request)) end
      end)
    end
  end
end)
