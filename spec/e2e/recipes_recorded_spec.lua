---Recipes over HTTP with the answers of their services. They are written by hand, in the form that these services
---are known to use, where nothing else is said. Each wait is recorded as well, and its recording replayed.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local replayed = require "spec.support.replayed"

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

---Recorded from Consul 1.17.3, as a cluster of three servers and with the default policies "allow" and "deny".
local function consul(status, media_type, body, policy)
  return { status = status, body = body, headers = { ["Content-Type"] = media_type,
    ["X-Consul-Default-Acl-Policy"] = policy or "allow", ["X-Consul-Index"] = "22", ["X-Consul-KnownLeader"] = "true" } }
end
local function consul_json(body) return consul(200, "application/json", body) end
local unknown_leader = consul_json "[]"
unknown_leader.headers["X-Consul-KnownLeader"] = "false"
local no_leader = consul(500, "text/plain; charset=utf-8", "No cluster leader")
local acl_not_found = consul(403, "text/plain; charset=utf-8", "ACL not found", "deny")
local unreadable = consul(200, "application/json", "[]", "deny")
local not_of_this_agent = consul(404, "application/json", "[]", "deny")

---An instance of a service, as Consul has it: with the check of its node, and its own.
local function web(number)
  local node = [["Node":"n1","CheckID":"serfHealth","Name":"Serf Health Status","Status":"passing","Notes":"",]]
    .. [["Output":"Agent alive and reachable","ServiceID":"","ServiceName":"","ServiceTags":[],"Type":""]]
  local own = [["Node":"n1","CheckID":"web1","Name":"Service 'web' check","Status":"passing","Notes":"",]]
    .. [["Output":"","ServiceID":"web1","ServiceName":"web","ServiceTags":["v1"],"Type":"ttl"]]
  local text = [=[[{"Node":{"ID":"b365f789-52ab-42d8-47ea-ace7e2c5fffc","Node":"n1","Address":"127.0.0.1","Datacenter":"dc1"},]=]
    .. [["Service":{"ID":"web1","Service":"web","Tags":["v1"],"Address":"","Meta":null,"Port":1},]]
    .. ("\"Checks\":[{%s},{%s}]}]"):format(node, own)
  return (text:gsub("web1", "web" .. number):gsub('"v1"', ('"v%d"'):format(number)))
end

---Recorded from MinIO of 2026-02-12, a cluster of four nodes: while a node waits for the others, and with too few nodes.
local function minio(status, headers)
  headers.Server = "MinIO"
  return { status = status, headers = headers }
end
local offline = { ["X-Minio-Server-Status"] = "offline" }
local write_quorum = { ["X-Minio-Write-Quorum"] = "3", ["X-Minio-Storage-Class-Defaults"] = "false" }
local read_quorum = { ["X-Minio-Read-Quorum"] = "2", ["X-Minio-Storage-Class-Defaults"] = "false" }

---What MinIO itself answers to a path that it does not know: a store that has no such path says the same.
local of_another_store = { status = 403, headers = { Server = "MinIO", ["Content-Type"] = "application/xml" },
  body = [[<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>AccessDenied</Code><Message>Access Denied.</Message><Key>health/bogus</Key><BucketName>minio</BucketName>]]
    .. "<Resource>/minio/health/bogus</Resource><RequestId>18EA6B734004238D</RequestId></Error>" }

---As Vault's documentation has it, for a sealed one.
local seal_of_vault = json(200, '{"type":"shamir","initialized":true,"sealed":true,"t":3,"n":5,"progress":0,"nonce":"",'
  .. '"version":"1.11.0","build_date":"2022-05-03T08:34:11Z","migration":false,"recovery_seal":false,"storage_type":"file"}')

---Recorded from Vault 1.21.4, a Raft cluster of two.
local function vault(status, words)
  return json(status, ('{"initialized":%s,"sealed":%s,"standby":%s,"performance_standby":false,"version":"1.21.4",'
    .. '"enterprise":false,"removed_from_cluster":false}'):format(words:match "(%S+) (%S+) (%S+)"))
end
local uninitialized, sealed = vault(501, "false true true"), vault(503, "true true true")
local standby, active = vault(429, "true false true"), vault(200, "true false false")
local function leader_of_vault(address)
  return json(200, ('{"ha_enabled":true,"is_self":false,"leader_address":"%s","performance_standby":false}'):format(address))
end
local no_leader_of_vault, leader_elected = leader_of_vault "", leader_of_vault "http://127.0.0.1:18210"
local secondary = json(472, '{"initialized":true,"sealed":false,"standby":false,"replication_performance_mode":"disabled",'
  .. '"replication_dr_mode":"secondary","version":"1.21.4+ent"}')
local primary = json(200, '{"initialized":true,"sealed":false,"standby":false,"replication_performance_mode":"disabled",'
  .. '"replication_dr_mode":"primary","version":"1.21.4+ent"}')
local standby_of_secondary = json(472, '{"initialized":true,"sealed":false,"standby":true,"version":"1.21.4+ent"}')
local old_vault = json(200, '{"initialized":true,"sealed":false,"standby":false,"version":"1.15.2"}')

local no_table = { status = 404,
  body = "Code: 60. DB::Exception: Table default.jobs does not exist. (UNKNOWN_TABLE) (version 23.8.2.7)\n" }
local wrong_password = { status = 403,
  body = "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED) (version 23.8.2.7)\n" }
local no_rows, one_row = json(200, '{"meta":[{"name":"1","type":"UInt8"}],"data":[],"rows":0}'),
  json(200, '{"meta":[{"name":"1","type":"UInt8"}],"data":[{"1":1}],"rows":1}')

---Recorded from Spring Boot 3.2.5, Keycloak 26.0.8 and Temporal 1.32.0, which gives its JSON a strange type.
local function spring(status, body)
  return { status = status, body = body, headers = { ["Content-Type"] = "application/vnd.spring-boot.actuator.v3+json" } }
end
local database_down = spring(503, '{"status":"DOWN","components":{"database":{"status":"DOWN","details":{"error":'
  .. '"connection refused"}},"ping":{"status":"UP"},"readinessState":{"status":"UP"}},"groups":["liveness","readiness"]}')
local keycloak = { headers = { ["Content-Type"] = "application/json; charset=UTF-8", ["Cache-Control"] = "no-store" },
  body = '{\n    "status": "UP",\n    "checks": [\n    ]\n}' }
local function temporal(status, body) return { status = status, headers = { ["Content-Type"] = "*" }, body = body } end
local no_namespace = temporal(404, '{"code":5,"message":"Namespace shop is not found.","details":[{"@type":'
  .. '"type.googleapis.com/temporal.api.errordetails.v1.NamespaceNotFoundFailure","namespace":"shop"}]}')
local namespace = temporal(200, '{"namespaceInfo":{"name":"shop","state":"NAMESPACE_STATE_REGISTERED"}}')

---The words behind `bide run`, what the service answers in turn, the exit code, the target of the last request, and a part
---of what is said.
local rows = {
  { "clickhouse", { { body = "Ok.\n" }, no_table, { body = "Ok.\n" }, one_row }, 0,
    "/?default_format=JSON&query=SELECT%201" },
  { "clickhouse", { { body = "Ok.\n" }, wrong_password }, 0, "/?default_format=JSON&query=SELECT%201" },
  { "clickhouse user=app:pw", { { body = "Ok.\n" }, wrong_password }, 1, "/?default_format=JSON&query=SELECT%201" },
  { "clickhouse", { { body = "Ok.\n" }, json(200, "{}") }, 3, "/?default_format=JSON&query=SELECT%201" },
  { "clickhouse", { { body = "Ok. Welcome to the shop" } }, 3, "/ping" },
  { "clickhouse RowGone query=Q", { json(200, '{"data":[]}') }, 3, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { no_table, no_rows, one_row }, 0, "/?default_format=JSON&query=Q" },
  { "clickhouse RowGone query=Q", { one_row, no_rows, one_row }, 0, "/?default_format=JSON&query=SELECT%201" },
  { "clickhouse RowFound query=Q", { old_no_table, one_row }, 0, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { old_unknown_user }, 1, "/?default_format=JSON&query=Q" },
  { "clickhouse RowFound query=Q", { wrong_password }, 1, "/?default_format=JSON&query=Q" },

  { "influxdb", { json(503, '{"name":"influxdb","status":"fail"}'), json(200, '{"name":"influxdb","status":"pass"}') }, 0,
    "/health" },
  { "influxdb", { json(200, '{"status":"pass"}') }, 3, "/health", "InvalidAnswer: this is not an answer of InfluxDB" },
  { "influxdb", { json(200, '{"name":"shop","status":"pass"}') }, 3, "/health" },
  { "influxdb", { { status = 404 }, { status = 204, headers = { ["X-Influxdb-Version"] = "1.6.4" } } }, 0, "/ping" },

  { "consul", { consul_json '""', consul_json '"127.0.0.1:18300"' }, 0, "/v1/status/leader" },
  { "consul ServicePassing service=web count=2", { no_leader, consul_json "[]", consul_json(web(1)),
    consul_json("[" .. web(1):sub(2, -2) .. "," .. web(2):sub(2)) }, 0, "/v1/health/service/web?passing=true",
    "InternalServerError (500): No cluster leader" },
  { "consul ServicePassing service=web tag=v2", { consul_json(web(2)) }, 0, "/v1/health/service/web?passing=true&tag=v2" },
  { "consul ServiceGone service=web", { consul_json(web(1)), consul_json "[]" }, 0, "/v1/health/service/web?passing=true" },
  { "consul ServiceGone service=web", { unknown_leader, consul_json "[]" }, 0, "/v1/health/service/web?passing=true",
    "NoLeader: Consul has no leader" },
  { "consul ServiceGone service=web", { json(200, "[]") }, 3, "/v1/health/service/web?passing=true",
    "InvalidAnswer: this is not an answer of Consul: it has no X-Consul-Index" },
  { "consul", { json(200, '"error: no such page"') }, 3, "/v1/status/leader", "InvalidAnswer" },
  { "consul", { json(200, '"[::1]:8300"') }, 0, "/v1/status/leader" },
  { "consul ServiceGone service=web", { acl_not_found }, 3, "/v1/health/service/web?passing=true",
    "Forbidden (403): ACL not found" },
  { "consul ServiceGone service=web bearer=T", { unreadable, not_of_this_agent }, 0, "/v1/agent/health/service/name/web" },

  { "vault", { uninitialized, sealed, standby, no_leader_of_vault, standby, leader_elected }, 0, "/v1/sys/leader" },
  { "vault", { sealed, active }, 0, "/v1/sys/health" },
  { "vault", { old_vault }, 0, "/v1/sys/health" },
  { "vault", { secondary, standby_of_secondary, primary }, 0, "/v1/sys/health", "after 3 attempts" },
  { "vault VaultActive", { secondary, standby_of_secondary, primary }, 0, "/v1/sys/health", "after 3 attempts" },
  { "vault VaultUnsealed", { secondary }, 0, "/v1/sys/health" },
  { "vault VaultUnsealed", { uninitialized, sealed, standby, no_leader_of_vault }, 0, "/v1/sys/leader" },
  { "vault VaultActive", { standby, leader_elected, active }, 0, "/v1/sys/health" },
  { "vault VaultSealed", { uninitialized, active, sealed, seal_of_vault }, 0, "/v1/sys/seal-status" },
  { "vault", { json(200, '"hello"') }, 3, "/v1/sys/health" },

  { "minio", { minio(503, offline), minio(503, write_quorum), minio(200, write_quorum) }, 0, "/minio/health/cluster" },
  { "minio maintenance=true", { minio(412, write_quorum), minio(200, write_quorum) }, 0,
    "/minio/health/cluster?maintenance=true" },
  { "minio MinioReadable", { minio(503, offline), minio(200, read_quorum) }, 0, "/minio/health/cluster/read" },
  { "minio MinioLive", { minio(200, offline) }, 0, "/minio/health/live" },
  { "minio MinioLive", { { status = 200 } }, 3, "/minio/health/live", "InvalidAnswer: this is not MinIO's API" },
  { "minio MinioLive", { { status = 200, headers = { Server = "nginx" } } }, 3, "/minio/health/live" },
  { "minio MinioLive", { { status = 200, headers = { Server = "nginx", ["X-Amz-Request-Id"] = "18EA6B734004238D" } } }, 0,
    "/minio/health/live" },
  { "minio", { { status = 200, headers = { ["X-Minio-Write-Quorum"] = "yes" } } }, 3, "/minio/health/cluster" },
  { "minio", { of_another_store }, 3, "/minio/health/cluster", "AccessDenied (403): Access Denied." },

  { "http --until status=UP", { spring(503, '{"status":"OUT_OF_SERVICE"}'), database_down, spring(200, '{"status":"UP"}') }, 0,
    "/" },
  { "http --until status=UP", { keycloak }, 0, "/" },
  { "http --until namespaceInfo.state=NAMESPACE_STATE_REGISTERED", { no_namespace, namespace }, 0, "/",
    "NotFound (404): Namespace shop is not found." },
}

describe("the recipe", function()
  local workspace = Workspace.of_each()

  for _, row in ipairs(rows) do
    local line, answers, code, target, text = table.unpack(row)

    it(("%s, over %d answers of its service"):format(line, #answers), function()
      local asked = 0
      local server = Server.start(function()
        asked = asked + 1
        return answers[asked]
      end)
      local words = { "run" }
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      for _, word in ipairs { "url=" .. server.url, "--interval", "1ms", "--max-wait", "50s", "--no-watch" } do
        words[#words + 1] = word
      end
      local done = replayed(workspace, words)
      server:close()
      assert.equal(code, done.code, done.stdout .. done.stderr)
      assert.equal(#answers, asked)
      assert.equal(target, server.requests[asked].target)
      if text then assert.matches(text, done.stdout .. done.stderr, 1, true) end
    end)
  end
end)
