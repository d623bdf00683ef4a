---A program that gives everybody the same JSON was etcd without the key, Prometheus and ClickHouse without a result, and a
---sealed Vault. Now each of them has to answer a second question, whose answer is another one.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json

local REVISION = { error = "etcdserver: mvcc: required revision is a future revision", code = 11 }

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

---The questions, the JSON that each path has of the real service, and of which the first one says that something is gone.
local services = {
  { "etcd", "KeyDeleted", "/jobs/1", gone = { header = { revision = "7" } },
    witness = function(request) return request.body:find "revision" and answer(REVISION, 400) end },
  { "prometheus", "ResultEmpty", "up", gone = vector(),
    witness = function(request) return request.target:find "vector" and answer(vector(ONE)) end },
  { "clickhouse", "RowGone", "SELECT a FROM t", gone = rows(),
    witness = function(request) return request.target:find "SELECT%%201" and answer(rows { ["1"] = 1 }) end },
  { "vault", "VaultSealed", status = 503, gone = { initialized = true, sealed = true, standby = true, version = "1.15.2" },
    witness = function(request)
      return request.target:find("seal-status", 1, true)
        and answer { type = "shamir", initialized = true, sealed = true, t = 3, n = 5, progress = 0 }
    end },
}

describe("an absence without a witness", function()
  local workspace = Workspace.of_block()

  local function ask(one, handle)
    local server = Server.start(handle)
    local words = { one[1], one[2], "127.0.0.1:" .. server.port, one[3] or "timeout=1s", "--max-wait", "300ms" }
    local done = workspace:bide(words)
    server:close()
    return done
  end

  for _, one in ipairs(services) do
    local same = answer(one.gone, one.status)

    it("is not believed: " .. one[1], function()
      local done = ask(one, function() return same end)
      assert.is_true(done.code == 3 or done.code == 124, done.code .. done.stdout .. done.stderr)
    end)

    it("is believed with one: " .. one[1], function()
      local done = ask(one, function(request) return one.witness(request) or same end)
      assert.equal(0, done.code, done.stdout .. done.stderr)
    end)
  end
end)
