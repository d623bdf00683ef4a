---Recipes over HTTP with the answers of their services. They are written by hand, in the form that these services
---are known to use, where nothing else is said.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local function json(status, body)
  return { status = status, headers = { ["Content-Type"] = "application/json" }, body = body }
end

---Recorded from ClickHouse 18.16, which gives the number of an exception without its name.
local function of_clickhouse_18(status, code, words)
  local text = "Code: %d, e.displayText() = DB::Exception: %s, e.what() = DB::Exception\n"
  return { status = status, body = text:format(code, words) }
end
local old_no_table = of_clickhouse_18(404, 60, "Table default.nope doesn't exist.")
local old_unknown_user = of_clickhouse_18(401, 192, "Unknown user x")

local function vault(status, initialized, sealed, standby)
  return json(status, ('{"initialized":%s,"sealed":%s,"standby":%s,"version":"1.15.2"}'):format(initialized, sealed, standby))
end

local no_table = { status = 404,
  body = "Code: 60. DB::Exception: Table default.jobs does not exist. (UNKNOWN_TABLE) (version 23.8.2.7)\n" }
local wrong_password = { status = 403,
  body = "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED) (version 23.8.2.7)\n" }
local no_rows, one_row = json(200, '{"meta":[],"data":[],"rows":0}'), json(200, '{"meta":[],"data":[{"1":1}],"rows":1}')

---The words behind `bide run`, what the service answers in turn, the exit code, and the target of the last request.
local rows = {
  { "clickhouse", { { body = "Ok.\n" } }, 0, "/ping" },
  { "clickhouse RowFound query=Q", { no_table, no_rows, one_row }, 0, "/?default_format=JSON&query=Q" },
  { "clickhouse RowGone query=Q", { one_row, no_rows }, 0, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { old_no_table, one_row }, 0, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { old_unknown_user }, 1, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { wrong_password }, 1, "/?default_format=JSON&query=Q" },

  { "influxdb", { json(503, '{"status":"fail"}'), json(200, '{"status":"pass","version":"2.7.1"}') }, 0, "/health" },
  { "influxdb", { { status = 404 }, { status = 204, headers = { ["X-Influxdb-Version"] = "1.6.4" } } }, 0, "/ping" },

  { "consul", { { status = 500, body = "No cluster leader" }, json(200, '""'), json(200, '"10.0.0.1:8300"') }, 0,
    "/v1/status/leader" },
  { "consul ServicePassing service=web count=2", { json(200, "[{}]"), json(200, "[{},{}]") }, 0,
    "/v1/health/service/web?passing=true" },
  { "consul ServiceGone service=web", { json(200, "[{}]"), json(200, "[]") }, 0, "/v1/health/service/web?passing=true" },
  { "consul", { { status = 403, body = "Permission denied" } }, 3, "/v1/status/leader" },

  { "vault", { vault(501, false, true, true), vault(503, true, true, true), vault(429, true, false, true) }, 0,
    "/v1/sys/health" },
  { "vault VaultActive", { vault(429, true, false, true), vault(200, true, false, false) }, 0, "/v1/sys/health" },
  { "vault VaultSealed", { vault(200, true, false, false), vault(503, true, true, true) }, 0, "/v1/sys/health" },
  { "vault", { json(200, '"hello"') }, 3, "/v1/sys/health" },

  { "minio", { { status = 503 }, { status = 200, headers = { ["X-Minio-Write-Quorum"] = "3" } } }, 0,
    "/minio/health/cluster" },
  { "minio MinioLive", { { status = 200, headers = { Server = "MinIO" } } }, 0, "/minio/health/live" },
}

describe("the recipe", function()
  for _, row in ipairs(rows) do
    local line, answers, code, target = table.unpack(row)

    it(("%s, over %d answers of its service"):format(line, #answers), function()
      local workspace, asked = Workspace.make(), 0
      local server = Server.start(function()
        asked = asked + 1
        return answers[asked]
      end)
      local words = { "run" }
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      for _, word in ipairs { "url=" .. server.url, "--interval", "1ms", "--max-wait", "9s" } do words[#words + 1] = word end
      local done = workspace:bide(words)
      server:close()
      workspace:remove()
      assert.equal(code, done.code, done.stdout .. done.stderr)
      assert.equal(#answers, asked)
      assert.equal(target, server.requests[asked].target)
    end)
  end
end)
