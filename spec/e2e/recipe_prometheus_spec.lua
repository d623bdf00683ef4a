local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"

local configuration = [[
global: { scrape_interval: 200ms, evaluation_interval: 200ms }
rule_files: [ rules.yml ]
scrape_configs:
  - job_name: web
    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
]]

local rules = [[
groups:
  - name: spec
    rules:
      - { alert: QueueTooLong, expr: queue_length > 5 }
]]

require "spec.support.proven"

describe("the recipe prometheus, with Prometheus", function()
  local program, missing = service.find("prometheus", "prometheus")
  if not program then return pending(missing) end

  local workspace = Workspace.of_block()
  local prometheus, url, web

  local function start(...)
    return workspace:start { "run", "prometheus", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function ask(waiter, ...) return start(waiter, url, ...) end

  ---What Prometheus scrapes, from now on. nginx answers it whatever the spec is about, so that no scrape fails.
  local function measure(length)
    local fresh = workspace:write("fresh", ("queue_length %d\n"):format(length))
    assert(os.rename(fresh, workspace.path .. "/metrics"))
  end

  setup(function()
    web = Nginx.start(workspace, "default_type text/plain; server { listen 127.0.0.1:PORT; root .; }")
    web:stop()
    workspace:write("prometheus.yml", configuration:format(web.port))
    workspace:write("rules.yml", rules)
    local address = "127.0.0.1:" .. free_port()
    url = "url=http://" .. address
    local started = ask("PrometheusReady", "--max-wait", "40s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    prometheus = service.start { program, "--config.file=" .. workspace.path .. "/prometheus.yml",
      "--storage.tsdb.path=" .. workspace.path .. "/data", "--web.listen-address=" .. address, "--log.level=error" }
    started:wait():prints(0, "Prometheus Server is Ready")
  end)

  teardown(function()
    prometheus:stop()
    web:stop()
  end)

  it("waits until a target is up, and until a value is beyond a bound", function()
    local up = ask("ResultFound", 'query=up{job="web"} == 1', "--max-wait", "20s", "--output", "json")
    local long = ask("ResultFound", "query=queue_length < 5", "--max-wait", "20s")
    up:wait_for_output "result != `%[%]` is false"
    measure(8)
    web:restart()
    up:wait():prints(0, '"job": "web"')
    assert.is_nil(long.code)
    measure(3)
    assert.equal(0, long:wait().code, long.stderr)
    assert.equal(0, ask("ResultEmpty", "query=ALERTS", "--max-wait", "20s"):wait().code)
  end)

  it("waits until an alert does not fire any more", function()
    measure(8)
    local query = 'query=ALERTS{alertname="QueueTooLong",alertstate="firing"}'
    assert.equal(0, ask("ResultFound", query, "--max-wait", "20s"):wait().code)
    local started = ask("ResultEmpty", query, "--max-wait", "20s")
    started:wait_for_output "result == `%[%]` && !unproven is false"
    measure(3)
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("takes no series that is there whatever its value for a yes", function()
    measure(0)
    assert.equal(0, ask("ResultFound", "query=queue_length == 0", "--max-wait", "20s"):wait().code)
    local no = { "queue_length", "queue_length > bool 5", "sum(queue_length > 5) or vector(0)", "queue_length / queue_length",
      'queue_length{job!="x"}', "(vector(0))", "queue_length OR vector(0)", "queue_length == bool 5" }
    for _, query in ipairs(no) do
      local done = ask("ResultFound", "query=" .. query, "--max-wait", "0.3s"):wait()
      done:says(124, "not believed: UnexpectedValue: the value is ")
      done:says(124, ("write it as (%s) == 1, or as (%s) >= 0 if a series is enough"):format(query, query))
    end
    local yes = { "(queue_length == 0)", "queue_length >= 0", "queue_length == bool 0", "(queue_length or vector(0)) == 0",
      "queue_length and on() vector(1)", "queue_length UNLESS queue_length > 5", "absent(queue_lengt)",
      "up > 5 or queue_length < 1" }
    for _, query in ipairs(yes) do
      assert.equal(0, ask("ResultFound", "query=" .. query, "--max-wait", "20s"):wait().code, query)
    end
    assert.equal(124, ask("ResultEmpty", "query=queue_length", "--max-wait", "0.3s"):wait().code)
    local any = ask("ResultFound", "query=queue_length", "--until", "result[0].value[1]=0", "--max-wait", "20s")
    assert.equal(0, any:wait().code)
    ask("ResultFound", "query=queue_length", "--fail", "result[0].value[1]=0", "--max-wait", "20s"):wait():says(1, '"0"')
  end)

  it("believes an empty result once what it is about was scraped", function()
    measure(3)
    local query = "query=queue_length > 5"
    assert.equal(0, ask("ResultEmpty", query, "proof=queue_length", "--max-wait", "20s"):wait().code)
    assert.equal(124, ask("ResultEmpty", "query=queue_lengt > 5", "proof=queue_lengt", "--max-wait", "0.3s"):wait().code)
  end)

  it("fails where what must not happen does", function()
    measure(8)
    assert.equal(0, ask("ResultFound", 'query=ALERTS{alertstate="firing"}', "--max-wait", "20s"):wait().code)
    local done = ask("ResultFound", "query=queue_length < 5", 'failed=ALERTS{alertstate="firing"}', "--max-wait", "20s"):wait()
    assert.equal(1, done.code, done.stdout .. done.stderr)
    assert.matches("ResultFound failed after 1 attempt in [%d.]+ s: QueueTooLong\n$", done.stdout .. done.stderr)
  end)

  it("fails at once where waiting does not help", function()
    local done = ask("ResultFound", "query=up{", "--max-wait", "50s"):wait()
    done:writes(3, "parse error: unexpected end of input inside braces")
    done = ask("ResultFound", "query=1", "--max-wait", "50s"):wait()
    assert.matches("1: expected a query for series, found a scalar", done.stdout .. done.stderr)
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("PrometheusReady", "--max-wait", "50s"):wait().stderr)
    assert.matches("query: expected .*, found nothing", ask("ResultFound", "--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "quer", did you mean "query"%?', ask("ResultFound", "quer=x", "--max-wait", "1s"):wait().stderr)
    assert.matches("query: expected a string, found true",
      ask("ResultEmpty", "query:=true", "--max-wait", "50s"):wait().stderr)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ServiceUnavailable", "status": 503}}
{"output": {"result": [], "failed": []}}
{"output": {"result": [], "failed": [{"metric": {"__name__": "up"}}, {"metric": {"alertname": "A"}}]}}
]])
    local outcome = workspace:outcome { "replay", "prometheus", "ResultFound", "answers.jsonl", "x", "up", "--max-wait", "1h" }
    assert.same({ "failure", 3 }, { outcome.state, outcome.attempts })
    assert.matches("^ResultFound failed after 3 attempts in [%d.]+ s: up, A$", outcome.message)
  end)
end)

describe("the recipe prometheus", function()
  local workspace = Workspace.of_block()
  local answers

  local server = Server.of_block(function(request)
    return request.target:find("vector", 1, true) and answers.one or answers[request.path] or answers
  end)

  local READY, QUERY = "/-/ready", "/api/v1/query"

  local function json(text)
    return { headers = { ["Content-Type"] = "application/json" }, body = text }
  end

  local function vector(result, more)
    return json(('{"status":"success"%s,"data":{"resultType":"vector","result":[%s]}}'):format(more or "", result))
  end

  local one = '{"metric":{},"value":[1.5,"1"]}'
  local ready = { body = "Prometheus Server is Ready.\n" }

  local function run(waiter, ...)
    return workspace:bide { "run", "prometheus", waiter, server.url, "--max-attempts", "1", "--max-wait", "5s", ... }
  end

  it("is ready by a query, whatever the page says", function()
    local rows = {
      { ready, vector(one), 0 },
      { { body = "OK" }, vector(one), 0 }, -- Thanos
      { { status = 503, body = "Service Unavailable" }, vector(one), 4 },
      { ready, { status = 503, body = "Service Unavailable" }, 4 },
      { ready, { status = 404, body = "404 page not found" }, 4 },
      { ready, { body = "<html>" }, 4 },
      { ready, { body = "" }, 4 },
      { ready, json "{}", 4 },
      { ready, vector "", 4 },
      { ready, vector '{"metric":{},"value":[1.5,"2"]}', 4 },
      { { body = "<html>log in</html>" }, { body = "<html>log in</html>" }, 4 },
      { { status = 401 }, vector(one), 3 },
    }
    for position, row in ipairs(rows) do
      answers = { [READY] = row[1], [QUERY] = row[2] }
      local done = run "PrometheusReady"
      assert.equal(row[3], done.code, position .. ": " .. done.stdout .. done.stderr)
    end
  end)

  it("waits while a result is partial", function()
    local partial = ',"warnings":["No StoreAPIs matched for this query"]'
    for waiter, result in pairs { ResultEmpty = "", ResultFound = one } do
      answers = vector(result, partial)
      run(waiter, "query=up"):writes(4, "PartialResult: the result may not be complete: No StoreAPIs matched")
      answers = vector(result, ',"warnings":["PromQL info: metric might not be a counter"],"infos":["x"]')
      answers.one = vector(one)
      assert.equal(0, run(waiter, "query=up").code)
      answers = vector(result, ',"warnings":[]')
      answers.one = vector(one)
      assert.equal(0, run(waiter, "query=up").code)
    end
    answers = json '{"status":"error","data":{"resultType":"vector","result":[]}}'
    assert.equal(3, run("ResultEmpty", "query=up").code)
  end)
end)
