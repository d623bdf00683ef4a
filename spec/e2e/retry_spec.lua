---Retries of one request within an attempt.

local bide = require "bide"
local core = require "bide.core"
local http = require "bide.http"
local send_policy = require "bide.probe.http.policy"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local leftovers = require "spec.support.leftovers"

local json = core.json

local function at_once() return 0 end

---@param answers table[] the last one answers all later requests
local function start_server(answers)
  local count = 0
  return Server.start(function()
    count = count + 1
    return answers[math.min(count, #answers)]
  end)
end

---A list of `count` answers with a status, then one with 200.
local function failing(count, status, headers)
  local answers = {}
  for i = 1, count do answers[i] = { status = status, headers = headers } end
  answers[count + 1] = { body = '{"status": "done"}' }
  return answers
end

describe("a request with retries", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("is sent as often as its preset has it, and not once more", function()
    local tries = { botocore = 5, ["aws-java"] = 4, ["aws-js"] = 4, standard = 3, none = 1 }
    for preset, count in pairs(tries) do
      for _, fails in ipairs { 1, count - 1, count, 20 } do
        server = start_server(failing(fails, 503))
        local response = http.get(server.url, { retry = { preset = preset, customBackoff = at_once } })
        assert.equal(fails < count and 200 or 503, response.status, preset)
        assert.equal(math.min(fails + 1, count), #server.requests, preset)
        server:close()
      end
    end
  end)

  it("is sent once where nothing is said, or where its status is none to retry", function()
    server = start_server(failing(1, 503))
    assert.equal(503, http.get(server.url).status)
    server:close()
    server = start_server(failing(1, 404))
    assert.equal(404, http.get(server.url, { retry = "botocore" }).status)
    assert.equal(1, #server.requests)
  end)

  it("is the same each time: method, query, headers, body, and the token in it", function()
    server = start_server(failing(3, 503))
    http.post(server.url .. "/things", {
      query = { dry = true }, headers = { ["X-Trace"] = "42" }, json = { ClientToken = bide.token(), Name = "a" },
      retry = { preset = "aws-java", customBackoff = at_once },
    })
    assert.equal(4, #server.requests)
    local first = server.requests[1]
    assert.matches('"ClientToken":', first.body)
    for _, request in ipairs(server.requests) do
      assert.same({ first.method, first.target, first.headers, first.body },
        { request.method, request.target, request.headers, request.body })
    end
  end)

  it("that stays an error tells how often it was tried", function()
    server = start_server { { status = 503, body = '{"message": "not now"}' } }
    local response = http.get(server.url, { retry = { retries = 2, customBackoff = at_once } })
    assert.same({ type = "ServiceUnavailable", message = "not now, after 3 tries", status = 503, tries = 3 },
      response:operation_error())
    assert.equal(503, http.get(server.url):operation_error().status)
    assert.is_nil(http.get(server.url):operation_error().tries)
  end)

  it("that gets no answer raises, with how often it was tried", function()
    local ok, failure = pcall(http.get, "http://127.0.0.1:1/", { retry = { preset = "botocore", customBackoff = at_once } })
    assert.same({ false, "ConnectionRefused", 5 }, { ok, failure.type, failure.tries })
    assert.matches("127.0.0.1:1.*, after 5 tries$", failure.message)
  end)

  it("goes on after a reset", function()
    local count = 0
    server = Server.start(nil, { raw = function(peer)
      count = count + 1
      if count <= 2 then return peer:reset() end
      peer:write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    end })
    assert.equal(200, http.get(server.url, { retry = { preset = "aws-java", customBackoff = at_once } }).status)
    assert.equal(3, count)
  end)

  it("waits for Retry-After where its preset does", function()
    server = start_server(failing(1, 429, { ["Retry-After"] = "1" }))
    local began = bide.now()
    assert.equal(200, http.get(server.url, { retry = "aws-js" }).status)
    assert.is_true(bide.now() - began > 0.999)
  end)

  it("waits for Retry-After of an error that is raised, of http.find or of a script", function()
    server = start_server(failing(1, 503, { ["Retry-After"] = "1" }))
    local began = bide.now()
    assert.is_not_nil(bide.retry({ preset = "standard", base = 0.001 }, function()
      return http.find(http.get(server.url), "@", "x")
    end))
    assert.is_true(bide.now() - began > 0.999)
    local tries
    began, tries = bide.now(), 0
    bide.retry({ preset = "aws-js", base = 0.001 }, function()
      tries = tries + 1
      if tries == 1 then error({ type = "ServiceUnavailable", status = 503, retryAfter = 0.4 }, 0) end
    end)
    assert.equal(2, tries)
    assert.is_true(bide.now() - began > 0.399)
  end)

  it("to DynamoDB is tried eleven times as by the SDK for JavaScript", function()
    server = start_server(failing(20, 503))
    local given = {
      headers = { ["X-Amz-Target"] = "DynamoDB_20120810.DescribeTable" },
      retry = { preset = "aws-js", customBackoff = at_once },
    }
    http.post(server.url, given)
    assert.equal(11, #server.requests)
    given.retry.retries = 1
    http.post(server.url, given)
    assert.equal(13, #server.requests)
    local sent = 0
    local function exchange()
      sent = sent + 1
      error({ type = "RequestTimeout" }, 0)
    end
    pcall(send_policy.send, exchange, { method = "GET", url = "https://dynamodb.eu-west-1.amazonaws.com/" },
      send_policy.read { retry = { preset = "aws-js", customBackoff = at_once } })
    assert.equal(11, sent)
  end)

  it("has the times of its preset for the connection, unless it has its own", function()
    local seen
    local function exchange(request)
      seen = request
      return {}
    end
    local request = { url = "http://h/", number = 1 }
    send_policy.send(exchange, request, send_policy.read { retry = "aws-java" })
    assert.same({ url = "http://h/", connect_timeout = 10000, idle_timeout = 50000 }, seen)
    assert.same({ url = "http://h/", number = 1 }, request)
    send_policy.send(exchange, { url = "http://h/", idle_timeout = 1000 }, send_policy.read { retry = "aws-java" })
    assert.same({ url = "http://h/", connect_timeout = 10000, idle_timeout = 1000 }, seen)
    send_policy.send(exchange, request, send_policy.read { retry = "botocore" })
    assert.equal(request, seen)
  end)

  it("takes a token of its rate for each try", function()
    server = start_server(failing(2, 503))
    local began = bide.now()
    http.get(server.url, { rate = "1/100ms", retry = { customBackoff = at_once } })
    assert.is_true(bide.now() - began > 0.199)
    assert.equal(3, #server.requests)
  end)

  it("is signed anew by a script that hears how far the service's clock is ahead", function()
    local ahead = 3600
    server = Server.start(function(request)
      local now = os.time() + ahead
      local date = os.date("!%a, %d %b %Y %H:%M:%S GMT", now)
      local is_right = math.abs(tonumber(request.headers["x-signed-at"]) - now) < 60
      return is_right and {} or { status = 403, headers = { Date = date }, body = '{"__type": "RequestTimeTooSkewed"}' }
    end)
    local offset = 0
    local policy = { preset = "aws-java", clockSkew = function(seconds) offset = seconds end }
    local response = bide.retry(policy, function()
      return http.get(server.url, { headers = { ["X-Signed-At"] = os.time() + math.floor(offset) } })
    end)
    assert.equal(200, response.status)
    assert.equal(2, #server.requests)
    assert.is_true(math.abs(offset - ahead) <= 2)
  end)

  it("is cancelled in its pause at once", function()
    server = start_server(failing(1, 503))
    local task = bide.spawn(http.get, server.url, { retry = { customBackoff = function() return 60 end } })
    bide.sleep(0.05)
    local began = bide.now()
    task:cancel()
    assert.equal("TaskCancelled", select(2, pcall(task.join, task)).type)
    assert.is_true(bide.now() - began < 10)
  end)

  it("is refused where the policy is none", function()
    local ok, mistake = pcall(http.get, "http://h/", { retry = "aws-jav" })
    assert.is_false(ok)
    assert.matches([[http.get: retry: expected "aws-java", "aws-js", "botocore", "none" or "standard", or a table]],
      mistake, 1, true)
  end)
end)

describe("an operation with retries", function()
  local workspace = Workspace.of_block()
  local server

  after_each(function() server:close() end)

  local function write(policy)
    workspace:write("things.lua", ([[
      local http = require "bide.http"
      return { GetThing = {
        retry = %s,
        call = function() return http.get(%q) end,
        waitable = { ThingExists = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
          { state = "failure", matcher = { errorType = "ServiceUnavailable" } },
        } } },
      } }]]):format(policy, server.url))
  end

  it("shows them in the history", function()
    server = start_server(failing(2, 503))
    write "{ retries = 3, customBackoff = function() return 0 end }"
    local outcome, done = workspace:outcome { "run", "things.lua", "--max-wait", "50s" }
    assert.equal(0, done.code)
    assert.same({ 1, "2 retries" }, { outcome.attempts, outcome.history[1].note })
  end)

  it("tells in the outcome's error how often it was tried", function()
    server = start_server(failing(20, 503))
    write "{ preset = 'aws-java', customBackoff = function() return 0 end }"
    local outcome, done = workspace:outcome { "run", "things.lua", "--max-wait", "50s" }
    assert.equal(1, done.code)
    assert.same({ 4, "Service Unavailable, after 4 tries", "3 retries" },
      { outcome.error.tries, outcome.error.message, outcome.history[1].note })
    assert.matches("after 4 tries", outcome.message)
  end)

  it("ends at its deadline in the midst of them", function()
    server = start_server(failing(20, 503))
    write "{ retries = 100, customBackoff = function(count) return count < 3 and 0 or 60 end }"
    local outcome, done = workspace:outcome { "run", "things.lua", "--max-wait", "300ms" }
    assert.equal(124, done.code)
    assert.same({ "maxWait", "3 retries; the last error was ServiceUnavailable (503): Service Unavailable" },
      { outcome.reason, outcome.history[1].note })
    assert.is_true(outcome.elapsed >= 0.3 and outcome.elapsed < 10)
    assert.equal(3, #server.requests)
  end)

  it("is checked when the recipe is loaded", function()
    server = start_server(failing(1, 503))
    write '"botocor"'
    local done = workspace:bide { "run", "things.lua", "--max-wait", "50s" }
    done:says(2, 'things.lua:2: GetThing.retry: expected "aws-java"', 'found "botocor", did you mean "botocore"?')
    assert.equal(0, #server.requests)
  end)

  it("has a bug in its customBackoff told as one", function()
    server = start_server(failing(1, 503))
    write "{ customBackoff = function(count) return count.x.y end }"
    local done = workspace:bide { "run", "things.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(5, done.code)
    assert.matches("things.lua:%d+: attempt to index", done.stderr)
  end)

  it("of a waiter in a script are its own", function()
    server = start_server(failing(1, 503))
    local waiter = bide.waiter {
      name = "ThingExists", retry = { customBackoff = at_once }, call = function() return http.get(server.url) end,
      acceptors = { { state = "success", matcher = { success = true } } },
    }
    assert.equal("1 retry", assert(waiter:wait({}, { maxWait = 5 })).history[1].note)
    assert.same({ 2, 0 }, { #server.requests, core.task.count() })
  end)

  it("of a fleet have a quota, and attempts have none", function()
    server = Server.start(function() return { status = 503 } end)
    write "{ customBackoff = function() return 0 end }"
    local lines = {}
    for position = 1, 60 do lines[position] = json.encode { id = position } end
    workspace:write("fleet.jsonl", table.concat(lines, "\n"))
    local done = workspace:bide { "run", "things.lua", "--each", "fleet.jsonl", "--jobs", "1", "--retry-on", "ServiceUnavailable",
      "--max-attempts", "3", "--interval", "1ms", "--keep-going", "--max-wait", "1m", "--quiet", "--output", "json" }
    local outcome = json.decode(done.stdout)
    assert.equal(60, outcome.count, done.stderr)
    assert.equal(60 * 3 + 100, #server.requests) -- not 60 * 3 * 3
    assert.matches("not sent again: the quota of retries for 127.0.0.1:%d+ is used up", done.stdout)
  end)
end)
