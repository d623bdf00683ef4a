---Answers that contradict themselves, are about another object, or were cut so that they still read well, were successes:
---a node of RabbitMQ whose running is the text "false", a page of nginx cut within a number, the checks of two commits, an
---instance of Consul with a critical check, keys of etcd that are counted and not listed.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local witnesses = require "spec.support.witnesses"

local of_consul = { ["X-Consul-Index"] = "22", ["X-Consul-KnownLeader"] = "true", ["Content-Type"] = "application/json" }

local function consul(changes)
  local headers = {}
  for name, value in pairs(of_consul) do headers[name] = value end
  for name, value in pairs(changes or {}) do headers[name] = value end
  return headers
end

local function page_of_nginx(writing, rest)
  return ("Active connections: 12 \nserver accepts handled requests\n 9 9 9 \nReading: 0 Writing: %s%s"):format(writing, rest)
end

local vector = '{"status":"success","data":{"resultType":"vector","result":%s},"warnings":%s}'

local RANGE <const> = '{"header":{"revision":"8"},"kvs":[{"key":"%s","value":"ZG9uZQ=="}]}'

local NODE <const> = '[{"name":"rabbit@a","running":%s,"mem_alarm":false,"disk_free_alarm":false,"partitions":[]}%s]'

local AGENT <const> = "/v1/agent/health/service/name/web"

local INSTANCE <const> = '{"Node":{"Node":"n1","Datacenter":"dc1"},'
  .. '"Service":{"ID":"web1","Service":"web","Tags":["v1"]},"Checks":[%s]}'

---An answer of Consul with instances whose only check has a status.
local function instances(...)
  local list = {}
  for position, status in ipairs { ... } do list[position] = INSTANCE:format(('{"Status":%s}'):format(status)) end
  return { body = ("[%s]"):format(table.concat(list, ",")), headers = consul() }
end

local KEYS <const> = '{"header":{"revision":%s},"kvs":%s%s}'

local HEALTH_OF_VAULT <const> = '{"initialized":true,"sealed":false,"standby":false}'

local QUEUE <const> = '{"items":[{"name":"jobs","vhost":"/","type":"classic","messages":0,%s}]}'

local COUNT <const> = '{"count":0,"_shards":{"total":2,"successful":2,"failed":%s}}'

local UNKNOWN_PARAMETER = '{"error":{"type":"illegal_argument_exception",'
  .. '"reason":"request [/o/_count] contains unrecognized parameter: [bide_witness]"},"status":400}'
local NO_INDEX <const> = '{"error":{%s"type":"index_not_found_exception","reason":"no such index"},"status":404}'

local OF_INDEX <const> = '{"status":"green","number_of_nodes":1,"timed_out":false,"indices":{"o":{"status":%s}}}'

---The words behind `bide run`, and the answers by their paths, beside which the witness of the service says what it should;
---false if its question is the one that is answered.
local rows = {
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 401, body = "who?" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 500, body = "[]" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 302, body = "[]" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 404, body = "<html>" } } },
  { "consul ServiceGone service=web", { body = "[]", [AGENT] = { status = 404, body = "[]" },
    headers = consul { ["X-Consul-KnownLeader"] = "" } } },
  { "consul ServiceGone service=web", { body = "[]", [AGENT] = { status = 404, body = "[]" },
    headers = consul { ["X-Consul-Index"] = "none" } } },
  { "consul ServicePassing service=web", { body = '[{"Service":{"Service":"shop"}}]', headers = consul() } },
  { "consul ServicePassing service=web", { body = '[{"Service":{"Service":true}}]', headers = consul() } },

  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 404, body = "[5]" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { body = "[]" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 503, body = "[]" } } },
  { "consul ServiceGone service=web", { body = "[]", headers = consul { ["X-Consul-Index"] = "0" },
    [AGENT] = { status = 404, body = "[]" } } },
  { "consul ServicePassing service=web", instances '"critical"' },
  { "consul ServicePassing service=web", instances "null" },
  { "consul ServicePassing service=web", { body = '[{"Service":{"Service":"web"}}]', headers = consul() } },
  { "consul ServicePassing service=web tag=v2", instances '"passing"' },
  { "consul ServicePassing service=web dc=dc2", instances '"passing"' },
  { "consul ServicePassing service=web count=2", instances('"passing"', '"passing"') },

  { "vault VaultActive", { status = 473, body = HEALTH_OF_VAULT } },
  { "vault", { status = 429, body = HEALTH_OF_VAULT } },
  { "vault", { status = 503, body = '{"initialized":true,"sealed":false,"standby":false}' } },
  { "vault VaultUnsealed", { status = 404, body = '{"initialized":true,"sealed":false,"standby":false}' } },
  { "vault VaultSealed", { status = 200, body = '{"initialized":true,"sealed":true,"standby":true}' } },
  { "vault", { status = 429, body = '{"initialized":true,"sealed":false,"standby":true}',
    ["/v1/sys/leader"] = { status = 500, body = '{"leader_address":"http://10.0.0.1:8200"}' } } },

  { "nginx", { body = page_of_nginx("1", "") } },
  { "nginx", { body = page_of_nginx("1", " Wait") } },
  { "nginx", { body = page_of_nginx("2", " Waiting: 0\n") .. page_of_nginx("1", " Waiting: 0\n") } },

  { "prometheus ResultFound query=up", { body = vector:format("[null]", "[]") } },
  { "prometheus ResultFound query=up", { body = vector:format("[5]", "[]") } },
  { "prometheus ResultEmpty query=up", { body = vector:format("[]", '{"0":"a store did not answer"}') } },

  { "rabbitmq", { body = NODE:format('"false"', "") } },
  { "rabbitmq", { body = NODE:format("0", "") } },
  { "rabbitmq", { body = NODE:format("true", ',{"running":false}') } },
  { "rabbitmq", { body = NODE:format("true", ",null") } },

  { "etcd KeyExists key=/jobs/1", { body = RANGE:format "L2pvYnMvMg==" } },
  { "etcd KeyExists key=/jobs/1 value=done", { body = RANGE:format "" } },

  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"8"', "[]", ',"count":"1"') } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"8"', "[null]", "") } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"8"', '[{"key":null}]', ',"count":"1"') } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"8"', '{"key":"L2pvYnMvMQ=="}', "") } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"0"', "[]", "") } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format("true", "[]", "") } },
  { "etcd KeyExists key=/jobs/1", { body = KEYS:format('"8"', '[{"key":"L2pvYnMvMQ=="},{}]', ',"count":"2"') } },

  { "influxdb", { status = 404, ["/ping"] = { status = 202, body = "<html>", headers = { ["X-Influxdb-Version"] = "1.6" } } } },

  { "rabbitmq", { body = (NODE:format("true", ""):gsub('"partitions":%[%]', '"partitions":"rabbit@b"')) } },
  { "rabbitmq", { body = (NODE:format("true", ""):gsub('"partitions":%[%]', '"partitions":[null]')) } },
  { "rabbitmq", { body = (NODE:format("true", ""):gsub('"name"', '"being_drained":"","name"')) } },
  { "rabbitmq nodes=2", { body = (NODE:format("true", ""):gsub("^%[(.*)%]$", "[%1,%1]")) } },
  { "rabbitmq QueueDrained queue=jobs", { body = QUEUE:format '"state":"running","messages_unacknowledged":5' } },
  { "rabbitmq QueueDrained queue=jobs", { body = QUEUE:format '"state":false' } },
  { "rabbitmq QueueDrained queue=jobs", { body = QUEUE:format '"state":"running","members":["a","b"],"online":["a"]' } },
  { "rabbitmq QueueDrained queue=jobs", { body = (QUEUE:format('"state":"running"'):gsub('"vhost":"/"', '"vhost":"shop"')) } },
  { "rabbitmq QueueDrained queue=jobs", { body = (QUEUE:format('"state":"running"'):gsub('"jobs"', '"job"')) } },

  { "prometheus", { body = vector:format('[{"metric":{},"value":[1,"1"]}]', "[]"), ["/-/ready"] = { status = 204, body = "" } },
    false },
  { "prometheus", { body = vector:format('[{"metric":{},"value":[1,"1"]}]', "[]"),
    ["/-/ready"] = { body = "<html>Sign in</html>", headers = { ["Content-Type"] = "text/html" } } }, false },
  { "prometheus ResultFound query=up", { body = vector:format('[{"metric":{}}]', "[]") } },
  { "prometheus ResultFound query=up", { body = vector:format('[{"metric":{},"value":true}]', "[]") } },
  { "prometheus ResultEmpty query=up", { body = (vector:format("[]", "[]"):gsub("^{", '{"isPartial":"true",')) } },

  { "minio", { status = 204, body = "", headers = { ["X-Minio-Write-Quorum"] = "3" } } },
  { "minio", { body = "", headers = { ["X-Minio-Write-Quorum"] = "0" } } },

  { "elasticsearch DocumentsGone index=o", { body = COUNT:format "1" } },
  { "elasticsearch IndexGone index=o", { status = 404, body = NO_INDEX:format '"index":"p","resource.id":"p",' } },
  { "elasticsearch IndexGone index=o,q", { status = 404, body = NO_INDEX:format '"index":"p","resource.id":"p",' } },
  { "elasticsearch IndexGone index=o", { status = 404, body = NO_INDEX:format "" } },
  { "elasticsearch DocumentsGone index=o missing=true", { status = 404, body = NO_INDEX:format '"index":"p",' } },
  { "elasticsearch index=o", { body = OF_INDEX:format '"red"' } },
  { "elasticsearch index=o", { body = OF_INDEX:format "null" } },

  { "clickhouse RowGone query=Q", { body = '{"meta":[],"data":[],"rows":0}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[{"name":"a"}],"data":[null],"rows":1}' } },
  { "clickhouse RowFound query=Q", { status = 206, body = '{"meta":[{"name":"a"}],"data":[{"a":1}],"rows":1}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[{"name":"a"}],"data":[{"a":"0"}],"rows":1}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[{"name":"a"}],"data":[[false]],"rows":1}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[{"name":"a"}],"data":[{"a":null}],"rows":1}' } },
  { "clickhouse", { body = '{"meta":[{"name":"1"}],"data":[],"rows":0}', ["/ping"] = { body = "Ok.\n" } }, false },
  { "clickhouse RowGone query=Q", { body = '{"meta":[],"data":[],"rows":5}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[],"data":[{"1":1}],"rows":0}' } },
}

---Answers without a contradiction, by which the same waits succeed.
local right = {
  { "consul ServiceGone service=web", { body = "[]", headers = consul(), [AGENT] = { status = 404, body = "[]" } } },
  { "consul ServicePassing service=web tag=V1 dc=DC1", instances '"passing"' },
  { "vault", { body = HEALTH_OF_VAULT } },
  { "vault VaultSealed", { status = 503, body = '{"initialized":true,"sealed":true,"standby":true}' } },
  { "nginx", { body = page_of_nginx("1", " Waiting: 0\n") } },
  { "prometheus ResultFound query=up", { body = vector:format('[{"metric":{},"value":[1,"1"]}]', "[]") } },
  { "prometheus ResultEmpty query=up", { body = vector:format("[]", "[]") } },
  { "prometheus", { body = vector:format('[{"metric":{},"value":[1,"1"]}]', "[]"), ["/-/ready"] = { body = "Ready.\n" } } },
  { "rabbitmq", { body = NODE:format("true", "") } },
  { "rabbitmq QueueDrained queue=jobs", { body = QUEUE:format '"state":"running"' } },
  { "rabbitmq QueueDrained queue=jobs", { body = QUEUE:format '"state":"running","members":["a","b"],"online":["a","b"]' } },
  { "etcd KeyExists key=/jobs/1 value=done", { body = RANGE:format "L2pvYnMvMQ==" } },
  { "etcd KeyDeleted key=/jobs/1", { body = KEYS:format('"8"', "[]", "") } },
  { "elasticsearch DocumentsGone index=o", { body = COUNT:format "0" } },
  { "elasticsearch IndexGone index=o", { status = 404, body = NO_INDEX:format '"index":"o","resource.id":"o",' } },
  { "elasticsearch index=o", { body = OF_INDEX:format '"green"' } },
  { "clickhouse RowGone query=Q", { body = '{"meta":[{"name":"a"}],"data":[],"rows":0}' } },
  { "clickhouse RowFound query=Q", { body = '{"meta":[{"name":"a"}],"data":[{"a":1}],"rows":1}' } },
  { "minio", { body = "", headers = { ["X-Minio-Write-Quorum"] = "3" } } },
}

---A part of an answer (206) is not the answer, though it has all that a good one has.
for words, row in pairs {
  nginx = { body = page_of_nginx("1", " Waiting: 0\n") },
  ["prometheus ResultFound query=up"] = { body = vector:format('[{"metric":{},"value":[1,"1"]}]', "[]") },
  rabbitmq = { body = NODE:format("true", "") },
  ["etcd KeyExists key=/jobs/1"] = { body = RANGE:format "L2pvYnMvMQ==" },
  ["elasticsearch index=o"] = { body = OF_INDEX:format '"green"' },
  ["consul ServicePassing service=web"] = instances '"passing"',
  ["elasticsearch DocumentsGone index=o"] = { body = COUNT:format "0" },
  influxdb = { body = '{"name":"influxdb","status":"pass"}' },
} do
  row.status = 206
  rows[#rows + 1] = { words, row }
end

local RUNS <const> = '{"total_count":%d,"check_runs":[{"name":"test","status":"completed","conclusion":"success",'
  .. '"head_sha":"%s"}%s]}'

local STATUSES <const> = '{"state":"success","sha":"%s","total_count":%d,"statuses":[%s]}'

local CI <const> = '{"context":"ci","state":"success"}'

---@param runs string
---@param statuses string
local function github(runs, statuses)
  return { body = "", ["/repos/acme/shop/commits/main/check-runs"] = { body = runs },
    ["/repos/acme/shop/commits/main/status"] = { body = statuses } }
end

for _, row in ipairs {
  github(RUNS:format(2, "a1", ',{"status":"completed","conclusion":"failure"}'), STATUSES:format("a1", 0, "")),
  github(RUNS:format(2, "a1", ",null"), STATUSES:format("a1", 0, "")),
  github(RUNS:format(1, "a1", ',5'), STATUSES:format("a1", 0, "")),
  github(RUNS:format(1, "a1", ""), STATUSES:format("a1", 1, '{"state":"failure"}')),
  github(RUNS:format(0, "a1", ""), STATUSES:format("a1", 0, "")),
  github((RUNS:format(2, "a1", ""):gsub('"name":"test"', '"name":"test","id":4')), STATUSES:format("a1", 0, "")),
  github(RUNS:format(1, "a1", ""), STATUSES:format("b2", 1, CI)),
  github(RUNS:format(1, "a1", ""), STATUSES:format("b2", 0, "")),
  github(RUNS:format(2, "a1", ',{"name":"lint","status":"completed","conclusion":"success","head_sha":"b2"}'),
    STATUSES:format("a1", 0, "")),
  github((RUNS:format(1, "a1", ""):gsub('"total_count":1', '"total_count":"2"')), STATUSES:format("a1", 0, "")),
  github(RUNS:format(1, "a1", ""), (STATUSES:format("a1", 0, ""):gsub('"success"', "{}"))),
} do
  rows[#rows + 1] = { "commit_checks acme/shop main test", row }
end
right[#right + 1] = { "commit_checks acme/shop main test", github(RUNS:format(1, "a1", ""), STATUSES:format("a1", 0, "")) }
rows[#rows + 1] = { "commit_checks acme/shop " .. ("c"):rep(40) .. " test", { body = "",
  ["/repos/acme/shop/commits/" .. ("c"):rep(40) .. "/check-runs"] = { body = (RUNS:format(1, "", ""):gsub('"head_sha"', '"x"')) },
  ["/repos/acme/shop/commits/" .. ("c"):rep(40) .. "/status"] = { body = STATUSES:format(("c"):rep(40), 0, "") } } }
rows[#rows + 1] = { "commit_checks acme/shop " .. ("a"):rep(40) .. " test", { body = "",
  ["/repos/acme/shop/commits/" .. ("a"):rep(40) .. "/check-runs"] = { body = RUNS:format(1, ("b"):rep(40), "") },
  ["/repos/acme/shop/commits/" .. ("a"):rep(40) .. "/status"] = { body = STATUSES:format(("b"):rep(40), 0, "") } } }

rows[#rows + 1] = { "commit_checks acme/shop 3f1c2ab test", { body = "",
  ["/repos/acme/shop/commits/3f1c2ab/check-runs"] = { body = RUNS:format(1, ("b"):rep(40), "") },
  ["/repos/acme/shop/commits/3f1c2ab/status"] = { body = STATUSES:format(("b"):rep(40), 0, "") } } }

describe("a contradictory answer", function()
  local workspace = Workspace.of_block()
  local answer, witness

  local server = Server.of_block(function(request)
    local found = witness and witness(request)
      or type(answer) == "function" and answer(request) or answer[request.path] or answer
    found.headers = found.headers or { ["Content-Type"] = found.body:find "^[%[{]" and "application/json" or "text/plain" }
    return found
  end)

  local function run_row(row)
    answer, witness = row[2], row[3] ~= false and witnesses[row[1]:match "^%S+"]
    local words = { "run" }
    for word in row[1]:gmatch "%S+" do words[#words + 1] = word end
    for word in ("url=%s --max-wait 50s --max-attempts 2 --min-delay 10ms --quiet"):format(server.url):gmatch "%S+" do
      words[#words + 1] = word
    end
    return workspace:bide(words)
  end

  for position, row in ipairs(rows) do
    it(("is no success of %s (%d)"):format(row[1], position), function()
      local done = run_row(row)
      assert.is_true(done.code == 3 or done.code == 4, done.code .. done.stdout .. done.stderr)
    end)
  end

  for position, row in ipairs(right) do
    it(("has one beside it that is a success of %s (%d)"):format(row[1], position), function()
      run_row(row):ends(0)
    end)
  end

  before_each(function() witness = nil end)

  it("of GitHub is a success where a cut hash is that of the commit, or a name is no hash", function()
    for commit, of in pairs { ["3F1c2ab"] = "3f1c2ab" .. ("0"):rep(33), ["20240101"] = "a1", deadbeef = "a1", main = "a1" } do
      answer = function(request)
        local is_status = request.path:find("/status", 1, true)
        return { body = is_status and STATUSES:format(of, 0, "") or RUNS:format(1, of, "") }
      end
      local outcome = workspace:outcome { "commit_checks", "acme/shop", commit, "test", "url=" .. server.url, "--max-wait", "9s" }
      assert.equal("success", outcome.state, outcome.message)
      assert.equal(of, outcome.output.commit)
    end
  end)

  it("of Elasticsearch is the absence of the index that was asked for, and of what a pattern fits", function()
    for index, named in pairs { o = "o", ["o*"] = "p*", ["more:o"] = "o" } do
      answer = function(request)
        if request.target:find("bide_witness", 1, true) then return { status = 400, body = UNKNOWN_PARAMETER } end
        return { status = 404, body = NO_INDEX:format(('"resource.id":%q,'):format(named)) }
      end
      workspace:bide({ "elasticsearch", "IndexGone", server.url, index, "unseen=true", "--max-wait", "50s" }):ends(0)
    end
  end)

  it("of a node that Vault has removed is a failure", function()
    for _, waiter in ipairs { "VaultReady", "VaultUnsealed", "VaultActive", "VaultSealed" } do
      local health = HEALTH_OF_VAULT:gsub("false", tostring(waiter == "VaultSealed"))
      answer = { status = 530, body = (health:gsub("^{", '{"removed_from_cluster":true,')) }
      workspace:bide({ "vault", waiter, server.url, "--max-wait", "50s", "--quiet" }):ends(1)
    end
  end)

  it("of Docker, about another container than the one that is asked for, is no success", function()
    local socket, body, status = workspace.path .. "/docker.sock", nil, nil
    local docker = Server.start(function() return { status = status, body = body } end, { unix_socket = socket })
    local form = '{"Id":"a1b2c3d4e5f6","Name":"/%s","State":{"Status":"%s","Running":%s,"ExitCode":0},"RestartCount":0}'
    local function run(waiter, container)
      return workspace:bide({ "docker", waiter, container, "socket=" .. socket, "--max-wait", "50s", "--max-attempts", "1",
        "--quiet" }).code
    end
    body = form:format("db", "running", "true")
    for name, code in pairs { db = 0, a1b2c3d4 = 0, ["/db"] = 0, web = 3 } do
      assert.equal(code, run("ContainerRunning", name), name)
    end
    body = form:format("db", "running", '"no"')
    assert.equal(4, run("ContainerRunning", "db"))
    body = form:format("db", "exited", "true")
    assert.equal(1, run("ContainerExited", "db"))
    body, status = '{"message":"No such container: dbx"}', 404
    assert.same({ 3, 0 }, { run("ContainerGone", "db"), run("ContainerGone", "dbx") })
    body = [[{"message":"no container with name or ID \"db\" found: no such container"}]]
    assert.same({ 3, 0 }, { run("ContainerGone", "dbx"), run("ContainerGone", "db") })
    docker:close()
  end)

  it("of Docker, with another container in the place of one of a list, is no success of compose", function()
    local socket = workspace.path .. "/docker.sock"
    local docker = Server.start(function(request)
      return { body = request.path == "/containers/json" and '[{"Id":"a1"},{"Id":"b2"}]' or [[{"Id":"a1","Name":"/shop-db-1",
        "State":{"Status":"running","Running":true},"Config":{"Labels":{"com.docker.compose.project":"shop"}}}]] }
    end, { unix_socket = socket })
    local done = workspace:bide { "compose", "shop", "socket=" .. socket, "--max-wait", "50s", "--quiet" }
    done:says(3, "the API was asked for the container b2, and gives another one")
    docker:close()
  end)

  it("of Docker, with a container of another project, is no success of compose", function()
    local socket = workspace.path .. "/docker.sock"
    local docker = Server.start(function(request)
      local is_list = request.path == "/containers/json"
      return { headers = { ["Content-Type"] = "application/json", ["Api-Version"] = "1.41" },
        body = is_list and '[{"Id":"a1"}]' or [[{"Id":"a1","Name":"/other-db-1","State":{"Status":"running","Running":true},
          "Config":{"Labels":{"com.docker.compose.project":"other","com.docker.compose.service":"db"}}}]] }
    end, { unix_socket = socket })
    for _, waiter in ipairs { "ProjectReady", "ProjectGone" } do
      local done = workspace:bide { "compose", waiter, "shop", "socket=" .. socket, "--max-wait", "50s", "--quiet" }
      done:says(3, "a container that is not of the project shop")
    end
    docker:close()
  end)
end)
