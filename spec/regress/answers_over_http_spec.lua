---Answers that Consul, ClickHouse, Elasticsearch, Vault and InfluxDB do not give were successes: a service was gone where the
---body was empty, ClickHouse ready where a page of login came, and documents gone where nothing had counted them.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local bodies = { "null", "{}", '"x"', "1", "true", "[null]", "[5]", "[{}]", "" }

---The words behind `bide run`, the name in the message, and bodies besides those above.
local waits = {
  { "consul ConsulReady", "Consul", { "[]" } },
  { "consul ServicePassing service=web", "Consul", { '[{"Service":5}]',
    '[{"Service":{}},{"Service":{"Service":"web"}}]' } },
  { "consul ServiceGone service=web", "Consul", { '[{"Service":5}]' } },
  { "clickhouse ClickhouseReady", "ClickHouse", { "[]", "<html>", "Okay" } },
  { "clickhouse RowFound query=Q", "ClickHouse", { "[]", '{"data":"xyz"}', '{"data":{"a":1}}', '{"data":null}' } },
  { "clickhouse RowGone query=Q", "ClickHouse", { "[]", '{"data":""}', '{"data":{}}', '{"data":null}' } },
  { "elasticsearch ElasticsearchHealthy", "Elasticsearch", { "[]", '{"status":"green"}',
    '{"status":"green","number_of_nodes":"3"}', '{"status":"green","number_of_nodes":1e300}',
    '{"status":5,"number_of_nodes":1}' } },
  { "elasticsearch DocumentsFound index=o", "Elasticsearch", { "[]", '{"count":"5"}', '{"count":5,"_shards":5}',
    '{"count":5,"_shards":{"total":1}}', '{"count":1.5,"_shards":{"total":1,"successful":1}}' } },
  { "elasticsearch DocumentsGone index=o", "Elasticsearch", { "[]", '{"_shards":{"total":1,"successful":1}}',
    '{"count":"0","_shards":{"total":1,"successful":1}}', '{"count":0,"_shards":{"total":"1","successful":"1"}}',
    '{"count":1e300,"_shards":{"total":1,"successful":1}}', '{"count":-1,"_shards":{"total":1,"successful":1}}' } },
  { "elasticsearch IndexGone index=o", "Elasticsearch", { "[]", '{"_shards":{"total":0}}' } },
  { "vault VaultReady", "Vault", { "[]", '{"sealed":false}', '{"sealed":false,"initialized":"x"}' } },
  { "vault VaultUnsealed", "Vault", { "[]", '{"sealed":false,"standby":false,"initialized":"x"}' } },
  { "vault VaultSealed", "Vault", { "[]", '{"sealed":true,"standby":false,"initialized":1}' } },
  { "influxdb", "InfluxDB", { "[]", '{"status":null}', '{"status":5}' } },
}

describe("an answer over HTTP", function()
  local workspace = Workspace.of_block()
  local answer
  local server = Server.of_block(function(request) return answer[request.path] or answer end)

  local function run(line)
    local words = { "run" }
    for word in line:gmatch "%S+" do words[#words + 1] = word end
    for _, word in ipairs { "url=" .. server.url, "--max-wait", "50s", "--max-attempts", "1", "--quiet" } do
      words[#words + 1] = word
    end
    return workspace:bide(words)
  end

  for _, wait in ipairs(waits) do
    local line, service, own = table.unpack(wait)

    it(("that %s does not give is an error for %s"):format(service, line), function()
      for _, text in ipairs(table.move(own, 1, #own, #bodies + 1, table.move(bodies, 1, #bodies, 1, {}))) do
        answer = { headers = { ["Content-Type"] = "application/json" }, body = text }
        local done = run(line)
        assert.equal(3, done.code, text .. ": " .. done.stdout .. done.stderr)
        assert.matches("error InvalidAnswer: this is not .*" .. service, done.stdout .. done.stderr)
      end
    end)
  end

  it("says whether a node of Vault is a standby", function()
    answer = { body = '{"initialized":true,"sealed":false}', ["/v1/sys/leader"] = { body = "{}" } }
    assert.equal(4, run("vault VaultActive").code)
    assert.equal(4, run("vault").code)
  end)

  it("names the leader of Vault in a text", function()
    answer = { status = 429, body = '{"initialized":true,"sealed":false,"standby":true}',
      ["/v1/sys/leader"] = { body = '{"leader_address":null}' } }
    assert.equal(4, run("vault").code)
  end)

  it("of InfluxDB 1 has its version", function()
    answer = { status = 404, ["/ping"] = { status = 204 } }
    run("influxdb"):writes(3, "error InvalidAnswer: this is not an answer of InfluxDB")
  end)

  it("of ClickHouse may say after its rows that the query has failed", function()
    answer = { body = '{"data":[],"rows":0,"exception":"Code: 241. DB::Exception: Limit. (MEMORY_LIMIT_EXCEEDED)"}' }
    run("clickhouse RowGone query=Q"):writes(3, "error MEMORY_LIMIT_EXCEEDED")
  end)
end)
