---The page "what others are asked for": the line of each row is run as it stands there, with the addresses of servers that
---stand in for those that it names, where it must succeed and where it must not.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local port = require "spec.support.port"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

local page = "docs/reference/asked-for.md"

---The rows that have no line, with what stands for it.
local without_line = { [58] = "e2e/static", [59] = "declined" }

---The rows of the page: what was asked for, what bide does, its line, and the spec.
local function rows_of_page()
  local rows = {}
  for text in io.lines(page) do
    local number, asked, answer, spec = text:match "^| (%d+) | (.-) | (.*) | ([^|]*) |$"
    if number then
      local line = answer:match "^``(.-)``" or answer:match "^`(.-)`"
      rows[#rows + 1] = { number = tonumber(number), asked = asked, answer = answer, spec = spec,
        line = line and line:gsub("\\|", "|") }
    end
  end
  return rows
end

local function read_recording(name)
  local file <close> = assert(io.open("spec/e2e/data/kubernetes/cluster/" .. name .. ".json"))
  return json.decode(file:read "a")
end

-- ---- what the servers answer ---------------------------------------------------------------------

---What is there: set by each case, and asked by the servers.
local stage

---Returns the next of several values; the last one stays.
local function in_turn(...)
  local values, count = table.pack(...), 0
  return function()
    count = math.min(count + 1, values.n)
    return values[count]
  end
end

local function resolve(value, request)
  while type(value) == "function" do value = value(request) end
  return value
end

local function answer_web(request)
  stage.asked[#stage.asked + 1] = { request = request, at = uv.hrtime() / 1e9 }
  local answer = resolve(stage.web, request)
  return type(answer) == "string" and { body = answer } or answer
end

local function no_object(request)
  local plural, name = request.path:match "/([^/]+)/([^/]+)$"
  return { kind = "Status", apiVersion = "v1", status = "Failure", reason = "NotFound", code = 404,
    message = ("%s %q not found"):format(plural, name), details = { name = name, kind = plural } }
end

local function answer_kube(request)
  local recorded = stage.recording and stage.recording[request.target]
  if recorded then
    return { status = recorded.status, body = json.encode(recorded.body),
      headers = { ["Content-Type"] = "application/json", Date = recorded.date } }
  end
  if request.target:find "watch=1" then return { status = 403, body = "{}" } end
  local object = resolve((stage.kube or {})[request.path], request)
  if object == "fault" then return { status = 503, body = "later" } end
  if object == "page" then return { body = "<html>a proxy</html>" } end
  if object == "refused" then
    object = { kind = "Status", apiVersion = "v1", status = "Failure", reason = "Forbidden", code = 403, message = "not for you" }
  end
  object = object or no_object(request)
  return { status = object.code or 200, body = json.encode(object), headers = { ["Content-Type"] = "application/json" } }
end

local function answer_aws(request)
  stage.asked[#stage.asked + 1] = { request = request, at = uv.hrtime() / 1e9 }
  local answer = resolve(stage.aws, request)
  if answer == "throttled" then
    return { status = 400, headers = { ["Content-Type"] = "text/xml" },
      body = "<ErrorResponse><Error><Code>Throttling</Code><Message>slow down</Message></Error></ErrorResponse>" }
  end
  if request.headers["x-amz-target"] then
    return { body = json.encode(answer), headers = { ["Content-Type"] = "application/x-amz-json-1.1" } }
  end
  return { headers = { ["Content-Type"] = "text/xml" },
    body = ("<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>shop</StackName><StackStatus>%s"
      .. "</StackStatus><StackStatusReason>no room</StackStatusReason></member></Stacks></DescribeStacksResult>"
      .. "</DescribeStacksResponse>"):format(answer) }
end

local function frame(text) return (">I1I1I1I1I4"):pack(1, 0, 0, 0, #text) .. text end

local function answer_docker(request)
  local containers = resolve(stage.docker, request)
  if request.path:find "/logs$" then return { body = frame(stage.log or ""), close = true } end
  if request.path:find "^/events" then return { status = 403, body = "{}" } end
  local body
  local name = request.path:match "/containers/([^/]*)/json"
  if request.path == "/containers/json" then
    local list = json.array {}
    for number, each in ipairs(containers) do
      list[number] = { Id = each.Id, Names = { each.Name }, State = each.State.Status, Labels = each.Config.Labels }
    end
    body = list
  else
    for _, each in ipairs(containers) do
      if each.Name == "/" .. name or each.Id == name then body = each end
    end
  end
  body = body or { message = "No such container: " .. name }
  return { status = body.message and 404 or 200, body = json.encode(body),
    headers = { ["Content-Type"] = "application/json", ["Api-Version"] = "1.41" } }
end

-- ---- the things that they have -------------------------------------------------------------------

local function ready(is_ready)
  return { phase = "Running", conditions = { { type = "Ready", status = is_ready and "True" or "False", reason = "Starting" } } }
end

local function pod(name, status)
  return { kind = "Pod", apiVersion = "v1", status = status,
    metadata = { name = name, namespace = "default", uid = name, labels = { app = "web" } } }
end

local function pod_list(...)
  return { kind = "PodList", apiVersion = "v1", metadata = { resourceVersion = "1" }, items = json.array { ... } }
end

local PODS, JOB = "/api/v1/namespaces/default/pods", "/apis/batch/v1/namespaces/default/jobs/migrate"

---A Job with a condition, or one that still runs.
local function job(condition, more)
  local status = { conditions = condition and { { type = condition, status = "True", reason = "BackoffLimitExceeded",
    message = "Job has reached the limit" } } or json.array {} }
  for name, value in pairs(more or {}) do status[name] = value end
  return { kind = "Job", apiVersion = "batch/v1", metadata = { name = "migrate", namespace = "default", uid = "1" },
    status = status }
end

local WEB = "/apis/apps/v1/namespaces/default/deployments/web"

local function deployment(updated, is_ready)
  return { kind = "Deployment", apiVersion = "apps/v1", metadata = { name = "web", namespace = "default", uid = "1",
    generation = 1 }, spec = { replicas = 2 },
    status = { observedGeneration = 1, updatedReplicas = updated, readyReplicas = is_ready } }
end

local function container(name, state, labels)
  local own = { Status = "running", Running = true, StartedAt = "2026-01-01T00:00:00Z", FinishedAt = "0001-01-01T00:00:00Z" }
  for member, value in pairs(state or {}) do own[member] = value end
  return { Id = name .. "1", Name = "/" .. name, State = own, RestartCount = 0,
    Config = { Tty = false, Labels = labels or json.decode "{}" } }
end

local function exited(code)
  return { Status = "exited", Running = false, ExitCode = code, FinishedAt = "2026-01-01T00:01:00Z" }
end

local function of_project(name, state)
  return container(name, state, { ["com.docker.compose.project"] = "shop", ["com.docker.compose.service"] = name })
end

local function deployments(...)
  local list = json.array {}
  for position, state in ipairs { ... } do
    list[position] = { rolloutState = state, rolloutStateReason = "tasks failed to start", status = "PRIMARY" }
  end
  local running = ... == "COMPLETED" and 1 or 0
  return { services = { { status = "ACTIVE", runningCount = running, desiredCount = 1, deployments = list,
    deploymentConfiguration = { deploymentCircuitBreaker = { enable = true, rollback = false } } } } }
end

local function status(number, body, headers)
  return { status = number, body = body or "{}", headers = headers }
end

local function checks(...)
  local list = json.array {}
  for position, one in ipairs { ... } do
    local is_over = one[2] ~= "queued"
    list[position] = { name = one[1], status = is_over and "completed" or one[2], conclusion = is_over and one[2] or json.null,
      head_sha = "3f1c2ab" }
  end
  return function(request)
    return { headers = { ["content-type"] = "application/json" }, body = json.encode(request.path:find "/check%-runs"
      and { total_count = #list, check_runs = list } or { state = "pending", statuses = json.array {}, total_count = 0 }) }
  end
end

-- ---- the cases of each row -----------------------------------------------------------------------

---@class spec.AskedCase
---@field [1] table what is there
---@field [2] integer the exit code
---@field [3] string? a part of what is printed
---@field limit string? of the wait, in place of the line's
---@field interval string? between its attempts; the last one begins so long before the limit
---@field after? fun(done: spec.Process) further checks

local function attempts_are(count)
  return function(done) assert.equal(count, json.decode(done.stdout).attempts, done.stdout) end
end

---Custom kinds, which come after `missing` questions for them.
local function custom(missing)
  local asked = 0
  return {
    ["/apis"] = function()
      asked = asked + 1
      local group = { name = "example.com", preferredVersion = { groupVersion = "example.com/v1" } }
      return { kind = "APIGroupList", groups = json.array(asked > missing and { group } or {}) }
    end,
    ["/apis/example.com/v1"] = { kind = "APIResourceList", resources = {
      { name = "widgets", singularName = "widget", kind = "Widget", namespaced = true } } },
    ["/apis/example.com/v1/namespaces/default/widgets/x"] = { kind = "Widget", apiVersion = "example.com/v1",
      metadata = { name = "x" } },
  }
end

local function kube(path, ...)
  return { kube = { [path] = in_turn(...) } }
end

local one_check = checks { "build", "success" }

local function two_pods(b)
  return { kube = { [PODS .. "/a"] = pod("a", ready(true)), [PODS .. "/b"] = b } }
end

---@type table<integer, spec.AskedCase[]>
local cases = {
  { { kube(JOB, nil, nil, job "Complete"), 0 }, { {}, 124, 'Job "migrate" does not exist' } },
  { { { kube = custom(1) }, 0 }, { { kube = custom(9999) }, 124, 'the cluster has no kind' } },
  { { kube(PODS, pod_list(), pod_list(pod("a", ready(true)))), 0 }, { kube(PODS, pod_list()), 124 } },
  { { kube(JOB, job(), job "Complete"), 0 }, { kube(JOB, job(), job "Failed"), 1, "BackoffLimitExceeded" } },
  { { kube(JOB, job(nil, { failed = 1, active = 1 }), job("Complete", { failed = 1 })), 0 },
    { kube(JOB, job(nil, { failed = 1, active = 1 })), 124 } },
  { { kube(JOB, job "Complete"), 0 }, { kube(JOB, "page"), 124, "no answer of Kubernetes" } },
  { { kube(JOB, job "Failed"), 1, "Job has reached the limit" }, { kube(JOB, job "Complete"), 0 } },
  { { kube(WEB, deployment(2, 1), deployment(1, 2), deployment(2, 2)), 0, "after 3 attempts" },
    { kube(WEB, deployment(2, 1), deployment(1, 2)), 124, "unmet: --until" } },
  { { kube(JOB, job(), job(nil, { failed = 1 })), 0 }, { kube(JOB, job(nil, { failed = 0 })), 124 } },
  { { two_pods(in_turn(pod("b", ready()), pod("b", ready(true)))), 0 },
    { two_pods(pod("b", ready())), 124, "1 of 2 are done; b: " } },
  { { { recording = "rolled-out" }, 0 }, { { recording = "crash-loop" }, 1, "CrashLoopBackOff after 5 restarts" } },
  { { { kube = { [PODS .. "/x"] = pod("x", { phase = "Succeeded" }) } }, 0 },
    { { kube = { [PODS .. "/x"] = pod("x", ready()) } }, 124 } },
  { { kube(JOB, job "Complete"), 0 }, { kube(JOB, job "Failed"), 1 }, { kube(JOB, job()), 124 }, { kube(JOB, "refused"), 3 } },
  { { kube(PODS, pod_list(pod("w-0", ready(true)))), 0 },
    { kube(PODS, pod_list(pod("w-0", ready()), pod("w-1", ready(true)))), 124,
      "1 of 2 are done; w-0: Ready is False: Starting" } },
  { { kube(PODS .. "/x", pod("x", ready(true)), pod("x", ready()), pod("x", ready(true))), 0, "after 5 attempts" },
    { kube(PODS .. "/x", pod("x", ready(true)), pod("x", ready()), pod("x", ready(true)), pod("x", ready())), 124 } },
  { { kube(PODS .. "/x", "fault", "fault", pod("x", ready(true))), 0 }, { kube(PODS .. "/x", "fault"), 124 } },

  { { { aws = in_turn("CREATE_IN_PROGRESS", "CREATE_COMPLETE") }, 0 }, { { aws = "CREATE_IN_PROGRESS" }, 124 } },
  { { { aws = in_turn("CREATE_IN_PROGRESS", "CREATE_COMPLETE") }, 0 }, { { aws = "CREATE_FAILED" }, 1 } },
  { { { aws = in_turn("throttled", "CREATE_COMPLETE") }, 0 }, { { aws = "throttled" }, 3, "slow down, after 3 tries" } },
  { { { aws = "UPDATE_COMPLETE" }, 0 }, { { aws = "REVIEW_IN_PROGRESS" }, 1 } },
  { { { aws = "CREATE_COMPLETE" }, 0 }, { { aws = "CREATE_FAILED" }, 1, "no room" } },
  { { { aws = deployments "COMPLETED" }, 0 }, { { aws = deployments "FAILED" }, 1, "tasks failed to start" } },
  { { { aws = in_turn("CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS", "CREATE_COMPLETE") }, 0 },
    { { aws = "CREATE_IN_PROGRESS" }, 4, "(--max-attempts 20)" } },

  { { { web = function(request) return status(request.method == "GET" and 200 or 405) end }, 0 },
    { { web = function(request) return status(request.method == "GET" and 503 or 200) end }, 124 } },
  { { { web = "{}" }, 0 }, { { web = "{}", is_on_6 = true }, 0 }, { { closed = true }, 124 } },
  { { { web = in_turn(status(404), status(404), status(200)) }, 0 }, { { web = status(404) }, 124, "NotFound (404)" } },
  { { { web = "{}" }, 0 }, { { closed = true }, 124, "connection refused" } },
  { { { web = in_turn(status(403), status(200)) }, 0 }, { { web = status(403) }, 124 }, { { web = status(401) }, 3 } },
  { { { web = '{"message": "step 9 of 9"}' }, 0 }, { { web = status(503, '{"message": "step 3 of 9"}') }, 124, "step 3 of 9" } },
  { { { web = in_turn(status(503, "{}", { ["Retry-After"] = "1" }), status(200)) }, 0, after = function()
      assert.is_true(stage.asked[2].at - stage.asked[1].at >= 0.9)
    end }, { { web = status(503, "{}", { ["Retry-After"] = "60" }) }, 124 } },
  { { { web = in_turn(status(503, "{}", { ["Retry-After"] = "60" }), status(200)) }, 0, "after 2 attempts",
      limit = "8s", interval = "7s" },
    { { web = status(503, "{}", { ["Retry-After"] = "60" }) }, 124, "2 attempts", limit = "8s", interval = "7s" } },
  { { { web = "{}" }, 0 }, { { web = { silent = true } }, 124, "exceeded", limit = "0.5s", after = function(done)
      assert.is_true(done.elapsed < 20, "the attempt outlived the wait") -- the server is silent for longer
    end } },
  { { { web = status(302, "", { location = "/elsewhere" }) }, 0 }, { { web = status(200) }, 124 } },
  { { { web = function(request)
      local is_meant = request.headers["x-key"] == "v" and request.headers.authorization == "Bearer correct-horse"
      return status(is_meant and 200 or 401)
    end }, 0 }, { { web = status(401) }, 3 } },
  { { { web = '{"state": "done"}' }, 0 }, { { web = '{"state": "failed", "reason": "disk full"}' }, 1, "disk full" },
    { { web = '{"state": "new"}' }, 124 } },
  { { { web = status(200, "{}", { ["X-State"] = "ready" }) }, 0 },
    { { web = status(200, "{}", { ["X-State"] = "new" }) }, 124 } },
  { { { web = "<!DOCTYPE html><p id=state>up" }, 0 }, { { web = "<!DOCTYPE html><p id=state>down" }, 124 } },
  { { {}, 0, "Cumulative" } },
  { { {}, 2, "--fail-message needs --fail" } },
  { { { web = "{}" }, 0 }, { { closed = true }, 124 } },
  { { {}, 2, "--max-wait is missing" }, { { environment = { BIDE_MAX_WAIT = "5s" }, web = "{}" }, 0 } },
  { { { web = "{}" }, 0 }, { { closed = true }, 124, limit = "1" } },
  { { { has_redis = true }, 0 }, { {}, 124, "redis.sock" } },
  { { { has_redis = true, keys = { "jobs:import" } }, 0 }, { { has_redis = true }, 124 } },
  { { { web = "{}" }, 0 }, { { web = "{}", cache_is_down = true }, 124 } },
  { { { web = "{}" }, 0, "2 of 2 waits succeeded" }, { { web = status(503) }, 124 } },
  { { { closed = true }, 0 }, { { web = "{}" }, 124 } },
  { { { web = "{}" }, 0 }, { { closed = true }, 124 } },
  { { { web = in_turn(status(503), status(200)) }, 0, "the status is 200" },
    { { web = status(503) }, 124, "ServiceUnavailable" } },

  { { { web = "{}" }, 0 }, { { closed = true, is_dead = true }, 1, "there is no process" } },
  { { { serves = true }, 0, "tested\n" }, { { serves = false }, 1, "the program of --start ended with exit code 3" } },
  { { { docker = { container "db" } }, 0 }, { { docker = { container("db", exited(3)) } }, 1, "the exit code is 3" } },
  { { { docker = { container("db", exited(0)) } }, 0 },
    { { docker = { container("db", exited(3)) }, log = "no such database\n" }, 1, "its last lines: no such database" } },
  { { { docker = { container "db" }, log = "is ready to accept connections\n" }, 0 },
    { { docker = { container "db" }, log = "starting\n" }, 124 },
    { { docker = { container("db", exited(3)) }, log = "starting\n" }, 1 } },
  { { { docker = { of_project "web", of_project("migrate", exited(0)) } }, 0 },
    { { docker = { of_project "web", of_project("migrate", exited(1)) } }, 1, "migrate has exited with 1" } },
  { { { docker = { container("db", { Health = { Status = "healthy", Log = json.array {} } }) } }, 0 },
    { { docker = { container("db", { Health = { Status = "unhealthy", Log = json.array {} } }) } }, 1, "unhealthy" } },
  { { { rows = 1 }, 0 }, { { rows = 0 }, 124 }, { {}, 124 } },
  false,
  false,
  { { { docker = in_turn({ container "job" }, { container("job", exited(0)) }) }, 0 },
    { { docker = { container "job" } }, 124 } },

  { { { web = in_turn(one_check, one_check, checks({ "build", "success" }, { "test", "success" })) }, 0 },
    { { web = one_check }, 124 }, { { web = checks({ "build", "success" }, { "test", "failure" }) }, 1 } },
  { { { web = in_turn(status(503), status(200)) }, 0, after = attempts_are(2) }, { { closed = true }, 124 } },
  { { {}, 0, "ServiceHealthy" } },
  { { { web = '{"status": "success"}' }, 0 }, { { web = '{"status": "new"}' }, 124 } },
}

-- ---- running ---------------------------------------------------------------------------------------

local smithy = [[
$version: "2.0"
namespace example.service
use aws.protocols#restJson1
use smithy.waiters#waitable
@restJson1
service Things { operations: [GetThing] }
@readonly
@http(method: "GET", uri: "/things/{name}")
@waitable(ThingExists: { acceptors: [
    { state: "success", matcher: { output: { path: "status", comparator: "stringEquals", expected: "success" } } } ] })
operation GetThing {
    input := { @required @httpLabel name: String }
    output := { status: String }
}
]]

local npm = [[#!/bin/sh
if [ "$1" = test ]; then echo tested; exit; fi
[ "$SERVES" = true ] || { echo no such module; exit 3; }
exec python3 -m http.server $PORT --bind 127.0.0.1 --directory .
]]

describe("the page of what others are asked for", function()
  it("has 64 rows, each with a line and a spec that is there, or declined", function()
    local rows = rows_of_page()
    assert.same({ 64, 64 }, { #rows, #cases })
    for position, row in ipairs(rows) do
      assert.equal(position, row.number)
      local name = row.spec:match "^`(e2e/[%w_]+)`$"
      assert.is_true(name ~= nil or row.answer:find "^declined" ~= nil, row.asked)
      local file = name and io.open(("spec/%s_spec.lua"):format(name))
      assert.is_true(name == nil or file ~= nil, row.spec)
      if file then file:close() end
      local has_line = row.line ~= nil and row.line:find "^bide " ~= nil or row.answer:find "^`BIDE_" ~= nil
      assert.equal(without_line[position] == nil, has_line, row.answer)
    end
  end)
end)

describe("what others are asked for:", function()
  local workspace = Workspace.of_block()
  local web, web6, api, aws, docker, redis, database, database_folder
  local folder = uv.fs_realpath(process.bide):match "^(.*)/"

  setup(function()
    web, api, aws = Server.start(answer_web), Server.start(answer_kube), Server.start(answer_aws)
    if port.has_loopback6() then web6 = Server.start(answer_web, { host = "::1" }) end
    docker = Server.start(answer_docker, { unix_socket = workspace.path .. "/docker.sock" })
    workspace:write("kubeconfig", json.encode {
      ["current-context"] = "spec", contexts = { { name = "spec", context = { cluster = "spec", user = "spec" } } },
      clusters = { { name = "spec", cluster = { server = api.url } } }, users = { { name = "spec", user = { token = "t" } } },
    })
    workspace:write("npm", npm)
    workspace:shell "chmod +x npm"
    workspace:write("service.smithy", smithy)
    workspace:write("waits.yaml", ("- {recipe: http, input: {url: %q}}\n- {recipe: tcp, input: {host: %q}}\n")
      :format(web.url, web.url:match "//(.*)"))
  end)

  teardown(function()
    for _, server in pairs { web, api, aws, docker, web6 } do server:close() end
    if database then
      database:stop()
      database_folder:remove()
    end
  end)

  before_each(function() stage = { asked = {} } end)
  after_each(function()
    if redis then redis:stop "sigkill" end
    redis = nil
  end)

  ---Starts Redis at the port, and at the socket, that the line names.
  local function start_redis(at, keys)
    local program, missing = service.find("redis-server", "redis-server")
    if not program then return missing end
    redis = service.start { program, "--port", tostring(at), "--bind", "127.0.0.1", "--unixsocket",
      workspace.path .. "/redis.sock", "--dir", workspace.path, "--save", "" }
    assert.equal(0, workspace:bide({ "redis", "127.0.0.1:" .. at, "--max-wait", "20s", "-q" }).code)
    for _, key in ipairs(keys or {}) do
      workspace:shell(("python3 -c \"import socket;s=socket.create_connection(('127.0.0.1',%d));"
        .. "s.sendall(b'SET %s 1\\r\\n');s.recv(9)\""):format(at, key))
    end
  end

  local function start_postgres(rows)
    local programs, missing = postgres.find()
    if not programs then return missing end
    if not database then
      database_folder = Directory.make_in_memory()
      database = postgres.new(programs, database_folder, "host all all 127.0.0.1/32 trust\nlocal all all trust\n")
      database:start()
      assert.equal(0, workspace:bide({ "postgres", ("postgres://postgres@127.0.0.1:%d/postgres"):format(database.port),
        "--max-wait", "40s", "-q" }).code)
    end
    database:query "DROP TABLE IF EXISTS migrated"
    if rows then database:query "CREATE TABLE migrated (x int)" end
    if rows == 1 then database:query "INSERT INTO migrated VALUES (1)" end
  end

  ---Puts the stand-ins in place of what a line names, and gives its wait a limit.
  local function local_to(line, case, own, limit)
    local world = case[1]
    local up = world.is_on_6 and ("localhost:%d"):format(web6.port) or web.url:match "//(.*)"
    if line:find "localhost:8080 %-%-max%-wait 1m$" and not world.is_on_6 then up = "localhost:" .. web.port end
    if world.closed or world.serves ~= nil then up = "127.0.0.1:" .. own end
    local interval = case.interval or "20ms"
    local text = line:gsub("localhost:8080", up):gsub("localhost:5432", up):gsub("db:5432", up)
      :gsub("cache:6379", world.cache_is_down and "127.0.0.1:" .. own or up):gsub("unix:///run/redis.sock",
      "unix://" .. workspace.path .. "/redis.sock"):gsub("redis://cache", "redis://127.0.0.1:" .. own)
      :gsub("postgres://app@db/shop", ("postgres://postgres@127.0.0.1:%d/postgres"):format(database and database.port or 1))
      :gsub("^bide aws %S+ %S+", "%0 --endpoint " .. aws.url):gsub("^bide docker", "%0 ")
      :gsub("(%-%-max%-wait) %S+", "%1 " .. limit):gsub("%-%-interval %S+", "--interval " .. interval)
      :gsub("%-%-min%-delay %S+ %-%-max%-delay %S+", "--min-delay 20ms --max-delay 1s")
    local more = {}
    if line:find "^bide docker" or line:find "^bide compose" then more[#more + 1] = "socket=docker.sock" end
    if line:find "^bide commit_checks" then more[#more + 1] = "url=" .. web.url end
    if not line:find "interval" and not line:find "min%-delay" and not line:find "^bide plan" and not line:find "^bide show"
      and not line:find "^BIDE" then
      more[#more + 1] = "--interval " .. interval
    end
    local words = " " .. table.concat(more, " ")
    local head, command = text:match "^(.-)( %-%- .*)$"
    return head and head .. words .. command or text .. words
  end

  local function environment(world, own)
    local values = { KUBECONFIG = workspace.path .. "/kubeconfig", TOKEN = "correct-horse", SHA = "3f1c2ab",
      PORT = tostring(own), SERVES = tostring(world.serves), PID = world.is_dead and "4194304" or tostring(uv.os_getpid()),
      AWS_ACCESS_KEY_ID = "a", AWS_SECRET_ACCESS_KEY = "b", AWS_REGION = "us-east-1", AWS_MAX_ATTEMPTS = "1" }
    for name, value in pairs(world.environment or {}) do values[name] = value end
    return values
  end

  ---Runs the line of a row within a limit.
  local function run(row, case, own, limit)
    local line = local_to(row.line, case, own, limit):gsub("^BIDE_MAX_WAIT=%S+", "BIDE_MAX_WAIT=" .. limit)
    local done = process.run({ "sh", "-c", ('PATH="%s:%s:$PATH"; %s'):format(folder, workspace.path, line) },
      { cwd = workspace.path, tool = true, env = environment(case[1], own) })
    return done, line .. "\n" .. done.stdout .. done.stderr
  end

  ---The limits to try. A wait that is to reach its limit may do so before a busy machine has made the attempts that its
  ---message tells of: then it gets a longer one.
  local function limits_of(case)
    if case.limit then return { case.limit } end
    return case[2] == 124 and { "0.4s", "10s" } or { "30s" }
  end

  for _, row in ipairs(rows_of_page()) do
    for number, case in ipairs(cases[row.number] or {}) do
      it(("%d, %d: %s: %d"):format(row.number, number, row.line, case[2]), function()
        local world, own = case[1], port.free()
        for name, value in pairs(world) do stage[name] = value end
        if stage.recording then stage.recording = read_recording(stage.recording) end
        if world.is_on_6 and not web6 then return pending "there is no ::1 here" end
        local missing = world.has_redis and start_redis(own, world.keys) or row.number == 57 and start_postgres(world.rows)
        if missing then return pending(missing) end
        local done, shown
        for _, limit in ipairs(limits_of(case)) do
          done, shown = run(row, case, own, limit)
          if not case[3] or shown:find(case[3], 1, true) then break end
        end
        assert.equal(case[2], done.code, shown)
        if case[3] then assert.matches(case[3], shown, 1, true) end
        if case.after then case.after(done) end
      end)
    end
  end
end)
