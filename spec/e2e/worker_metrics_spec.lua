---`bide worker --metrics`: what a monitor reads of a worker, and what becomes of bad requests.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local luv = require "luv"
local port = require "spec.support.port"
local process = require "spec.support.process"
local service = require "spec.support.service"

local constant = [[
return { Count = { call = function() return { state = "waiting" } end,
  waitable = { Counted = { minDelay = 0.05, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } } } }
]]

---Sends bytes to a port of this machine, and returns all that comes back.
local function exchange(to, bytes)
  local socket, received, is_over = luv.new_tcp(), "", false
  local timer = luv.new_timer()
  timer:start(20000, 0, function() is_over = true end)
  socket:connect("127.0.0.1", to, function(mistake)
    if mistake then is_over = true return end
    socket:read_start(function(_, chunk)
      received, is_over = received .. (chunk or ""), is_over or not chunk
    end)
    if bytes then socket:write(bytes) end
  end)
  while not is_over do luv.run "once" end
  timer:close()
  socket:close()
  return received
end

local function get(to, path)
  local answer = exchange(to, ("GET %s HTTP/1.1\r\nHost: here\r\n\r\n"):format(path))
  local status, head, body = answer:match "^HTTP/1.1 (%d+) [^\r\n]*\r\n(.-)\r\n\r\n(.*)$"
  return math.tointeger(tonumber(status)), body, head
end

describe("bide worker --metrics", function()
  local workspace = Workspace.of_each()
  local worker

  before_each(function()
    worker = nil
    workspace:write("constant.lua", constant)
    assert.equal(0, workspace:bide({ "submit", "constant.lua", "--max-wait", "60s", "--store", "waits.db" }).code)
  end)
  after_each(function()
    if worker then
      worker:kill "sigterm"
      worker:wait()
    end
  end)

  ---Starts a worker, and returns the port of its numbers.
  local function start(...)
    worker = workspace:start { "worker", "--metrics", "127.0.0.1:0", ... }
    worker:wait_for_output "metrics at http://127.0.0.1:(%d+)/metrics\n"
    return math.tointeger(tonumber(worker.stderr:match "metrics at http://127.0.0.1:(%d+)/"))
  end

  ---Reads the numbers until they hold what they should.
  local function numbers_with(to, pattern)
    local body
    for _ = 1, 200 do
      local _, text = get(to, "/metrics")
      body = text or "nothing came back"
      if body:find(pattern) then return body end
      luv.sleep(50)
    end
    error(body)
  end

  it("counts attempts, and says how late they begin and what is held", function()
    local to = start("--store", "waits.db")
    local body = numbers_with(to, 'bide_attempts_total{queue="default",result="retry"} [1-9]%d')
    assert.matches("\nbide_held 1\n", body, 1, true)
    assert.matches("\nbide_store_up 1\n", body, 1, true)
    assert.matches('\nbide_lag_seconds{queue="default"} 0', body, 1, true)
    local made = body:match 'result="retry"} (%d+)'
    assert.matches(('bide_late_seconds_bucket{le="+Inf"} %s\n'):format(made), body, 1, true)
    assert.matches("\n# EOF\n$", body)
    local status, said = get(to, "/healthz")
    assert.same({ 200, "ok\n" }, { status, said })
  end)

  it("warns where others can read them", function()
    worker = workspace:start { "worker", "--metrics", "0.0.0.0:0", "--store", "waits.db" }
    worker:wait_for_output "metrics at http"
    assert.matches("every machine that reaches http://0.0.0.0:%d+ can read the numbers of this worker", worker.stderr)
  end)

  it("has nothing of a wait in it", function()
    local own = "their-own-name-of-it"
    local words = { "submit", "constant.lua", "name=" .. own, "--submit-token", own, "--max-wait", "60s", "--store", "waits.db" }
    assert.equal(0, workspace:bide(words).code)
    local to = start("--store", "waits.db")
    local body = numbers_with(to, "bide_held 2")
    for _, word in ipairs { own, "Count", "constant", "waiting" } do assert.is_nil(body:find(word, 1, true), word) end
  end)

  it("says that no more is held than four times --jobs between attempts, and one for each that is made", function()
    workspace:write("lines", ('{"a":"b"}\n'):rep(30))
    local words = { "submit", "constant.lua", "--each", "lines", "--max-wait", "60s", "--store", "waits.db" }
    assert.equal(0, workspace:bide(words).code)
    local to, most = start("--store", "waits.db", "--jobs", "1"), 0
    numbers_with(to, 'result="retry"} %d%d%d')
    for _ = 1, 30 do
      local _, body = get(to, "/metrics")
      most = math.max(most, math.tointeger(tonumber(body:match "\nbide_held (%d+)")))
    end
    assert.is_true(most >= 4 and most <= 5, most)
  end)

  it("is what promtool takes", function()
    local promtool, missing = service.find("promtool", "prometheus")
    if not promtool then return pending(missing) end
    local to = start("--store", "waits.db")
    local done = process.run({ promtool, "check", "metrics" }, { stdin = numbers_with(to, "bide_held 1") })
    -- it knows the older form alone, in which the help of a counter has the name with its ending
    assert.equal("", (done.stderr:gsub("%S+_total no help text\n", "")))
  end)

  it("is scraped by Prometheus", function()
    local program, missing = service.find("prometheus", "prometheus")
    if not program then return pending(missing) end
    local to = start("--store", "waits.db")
    local own = port.free()
    workspace:write("prometheus.yml", ([[{"global": {"scrape_interval": "200ms"}, "scrape_configs": [{"job_name": "bide",
      "static_configs": [{"targets": ["127.0.0.1:%d"]}]}]}]]):format(to))
    local prometheus = service.start { program, "--config.file=" .. workspace.path .. "/prometheus.yml",
      "--storage.tsdb.path=" .. workspace.path .. "/data", "--web.listen-address=127.0.0.1:" .. own }
    local done = workspace:bide { "prometheus", "ResultFound", "url=http://127.0.0.1:" .. own, "--max-wait", "30s", "--quiet",
      "query=bide_attempts_total{result=\"retry\"} > 3" }
    prometheus:stop()
    assert.equal(0, done.code, done.stderr)
  end)

  it("says that the store does not answer", function()
    local to = start("--store", "waits.db")
    numbers_with(to, "bide_store_up 1")
    local database = assert(require("bide.sqlite").open(workspace.path .. "/waits.db"))
    assert(database:query "BEGIN EXCLUSIVE")
    numbers_with(to, "bide_store_up 0")
    assert.equal(503, (get(to, "/healthz")))
    assert(database:query "COMMIT")
    database:close()
    numbers_with(to, "bide_store_up 1")
  end)

  it("answers bad requests, and goes on", function()
    local to = start("--store", "waits.db")
    assert.equal(404, (get(to, "/")))
    assert.equal(200, (get(to, "/metrics?a=b")))
    assert.matches("^HTTP/1.1 405 ", exchange(to, "POST /metrics HTTP/1.1\r\n\r\n"))
    assert.matches("^HTTP/1.1 200 OK\r\n.*\r\n\r\n$", exchange(to, "HEAD /metrics HTTP/1.1\r\n\r\n"))
    for _, bytes in ipairs { "\0\255\r\n\r\n", "GET\r\n\r\n", ("x"):rep(9000), "GET /metrics HTTP/2\r\n\r\n" } do
      assert.matches("^HTTP/1.1 400 ", exchange(to, bytes))
    end
    assert.equal("", exchange(to)) -- says nothing, and is closed
    assert.equal(200, (get(to, "/healthz")))
  end)

  it("keeps few connections, and serves again once they are closed", function()
    local to, open = start("--store", "waits.db"), {}
    for position = 1, 40 do
      open[position] = luv.new_tcp()
      open[position]:connect("127.0.0.1", to, function() end)
    end
    local _, _, head = get(to, "/healthz")
    for _, socket in ipairs(open) do socket:close() end
    luv.run "nowait"
    assert.is_nil(head)
    numbers_with(to, "bide_held 1")
  end)

  it("refuses what is no address, and one that is taken", function()
    local function mistake_of(place)
      local done = workspace:bide { "worker", "--store", "waits.db", "--metrics", place }
      assert.equal(2, done.code, done.stderr)
      return done.stderr
    end
    for _, place in ipairs { "9464", "example.com:1", "127.0.0.1:65536", "127.0.0.1", "[::1:1" } do
      assert.matches("expected an address and a port", mistake_of(place), 1, true)
    end
    local taken = luv.new_tcp()
    taken:bind("127.0.0.1", 0)
    taken:listen(1, function() end)
    assert.matches("EADDRINUSE", mistake_of("127.0.0.1:" .. taken:getsockname().port), 1, true)
    taken:close()
  end)
end)

describe("a sandboxed worker", function()
  local cluster = Cluster.installed()
  if not cluster then return end

  it("serves its numbers behind its walls", function()
    local worker = process.start { process.bide, "worker", "--store", cluster:url "wim", "--metrics", "127.0.0.1:0" }
    worker:wait_for_output "metrics at http://127.0.0.1:(%d+)/metrics\n"
    local to = math.tointeger(tonumber(worker.stderr:match "metrics at http://127.0.0.1:(%d+)/"))
    local status, body
    for _ = 1, 100 do
      status, body = get(to, "/metrics")
      if body:find('bide_lag_seconds{queue="default"} 0', 1, true) then break end
      luv.sleep(50)
    end
    worker:kill "sigterm"
    worker:wait()
    assert.equal(200, status)
    assert.matches('bide_lag_seconds{queue="default"} 0', body, 1, true)
  end)
end)
