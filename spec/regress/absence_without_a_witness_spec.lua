---A program that gives everybody the same JSON was etcd without the key or in good health, Prometheus and ClickHouse without a
---result, a sealed Vault, Elasticsearch without documents, and a queue of RabbitMQ without messages. Now each of them has to
---answer a second question, whose answer is another one, before a success counts, and not while there is none.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json
local witnesses = require "spec.support.witnesses"

local function answer(value, status)
  return { status = status or 200, body = json.encode(value) }
end

---The questions, and the JSON of the real service by which something is gone. A waiter for the opposite asks the first
---question alone.
local services = {
  { "etcd", "EtcdHealthy", gone = { health = "true" } },
  { "etcd", "EtcdHealthy", gone = { health = "true" },
    witness = function(request)
      if request.target == "/metrics" then return { body = "# TYPE x gauge\netcd_server_has_leader 1\nx 1\n" } end
      return request.target ~= "/health" and { status = 404, body = "404 page not found\n" }
    end },
  { "elasticsearch", "DocumentsGone", "orders", gone = { count = 0, _shards = { total = 1, successful = 1, failed = 0 } },
    opposite = "DocumentsFound" },
  { "rabbitmq", "QueueDrained", "jobs", gone = { page = 1, total_count = 1, filtered_count = 1,
    items = { { name = "jobs", vhost = "/", messages = 0, state = "running" } } } },
  { "etcd", "KeyDeleted", "/jobs/1", opposite = "KeyExists", gone = { header = { revision = "7" } } },
  { "prometheus", "ResultEmpty", "up", opposite = "ResultFound",
    gone = { status = "success", data = { resultType = "vector", result = json.array {} } } },
  { "clickhouse", "RowGone", "SELECT a FROM t", opposite = "RowFound",
    gone = { meta = { { name = "1", type = "UInt8" } }, data = json.array {}, rows = 0 } },
  { "vault", "VaultSealed", status = 503, gone = { initialized = true, sealed = true, standby = true, version = "1.15.2" } },
}

describe("an absence without a witness", function()
  local workspace = Workspace.of_block()

  local function ask(one, handle, waiter)
    local server = Server.start(handle)
    local done = workspace:bide { one[1], waiter or one[2], "127.0.0.1:" .. server.port, one[3] or "timeout=50s",
      "--max-attempts", "3", "--max-wait", "50s" }
    server:close()
    return done, server.requests
  end

  for position, one in ipairs(services) do
    local same, witness = answer(one.gone, one.status), one.witness or witnesses[one[1]]

    local name = ("%s %s, %d"):format(one[1], one[2], position)

    it("is not believed: " .. name, function()
      ask(one, function() return same end):says(4, "not believed: ")
    end)

    it("is believed with one: " .. name, function()
      ask(one, function(request) return witness(request) or same end):ends(0)
    end)

    it("is not believed with another one: " .. name, function()
      local function of_other_words() return answer({ error = "bad request", message = "bad request", code = 3 }, 400) end
      local function of_other_status(right) return { status = right.status == 400 and 200 or 400, body = right.body } end
      for _, other in ipairs { of_other_words, of_other_status } do
        local done = ask(one, function(request)
          local right = witness(request)
          return right and other(right) or same
        end)
        done:says(4, "not believed: ")
      end
    end)

    if one.opposite then
      it("is not asked about: " .. one.opposite, function()
        local done, requests = ask(one, function() return same end, one.opposite)
        assert.equal(4, done.code, done.stdout .. done.stderr)
        assert.is_true(#requests > 1)
        for _, request in ipairs(requests) do assert.is_falsy(witness(request)) end
      end)
    end
  end
end)
