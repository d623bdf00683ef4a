---Equal requests that are in flight at one time are sent once.

local bide = require "bide"
local core = require "bide.core"
local http = require "bide.http"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local leftovers = require "spec.support.leftovers"

describe("requests that are shared", function()
  local answer
  local server = Server.of_each(function() return answer end)
  before_each(function()
    answer = { body = '{"list": [1, 2]}', headers = { ["X-Trace"] = "42" }, delay = 0.05 }
  end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  local function get(given, path)
    given = given or {}
    given.share = true
    return bide.spawn(http.get, server.url .. (path or "/"), given)
  end

  local function join(tasks)
    local results = {}
    for i, task in ipairs(tasks) do results[i] = task:join() end
    return results
  end

  it("are sent once, and all who asked get the answer", function()
    local tasks = {}
    for i = 1, 200 do tasks[i] = get() end
    for _, response in ipairs(join(tasks)) do
      assert.same({ 200, "42", 2, answer.body, server.url .. "/", true, "1.1" }, {
        response.status, response.headers["x-trace"], response:json().list[2], response.body, response.url, response.ok,
        response.version,
      })
      assert.matches("^127.0.0.1:", response.address)
      assert.is_truthy(response:document())
    end
    assert.equal(1, #server.requests)
  end)

  it("are sent anew once there was an answer", function()
    join { get(), get() }
    join { get(), get() }
    assert.equal(2, #server.requests)
  end)

  it("take up who comes while they are on their way", function()
    answer.delay = 0.5
    local first = get()
    while #server.requests == 0 do bide.sleep(0.001) end
    join { first, get() }
    assert.equal(1, #server.requests)
  end)

  it("are not sent for others unless both ask for it", function()
    join { get(), bide.spawn(http.get, server.url .. "/"), bide.spawn(http.get, server.url .. "/", { share = false }) }
    assert.equal(3, #server.requests)
  end)

  it("are never shared over different credentials, headers, bodies or paths", function()
    join {
      get(), get { bearer = "a" }, get { bearer = "b" }, get { user = "a", password = "a" }, get { user = "a", password = "b" },
      get { headers = { Authorization = "Bearer a" } }, get { headers = { Cookie = "a" } }, get { headers = { Cookie = "b" } },
      get { body = "a" }, get({}, "/a"), get { query = { a = 1 } },
    }
    assert.equal(11, #server.requests)
    local seen = {}
    for _, request in ipairs(server.requests) do
      local authorization, cookie = request.headers.authorization or "", request.headers.cookie or ""
      local said = table.concat({ request.target, request.body, authorization, cookie }, "|")
      seen[said] = (seen[said] or 0) + 1
    end
    assert.same({ seen["/||Bearer a|"], seen["/||Bearer b|"], seen["/|||"] }, { 2, 1, 1 })
  end)

  it("give each its own answer to change", function()
    local responses = join { get(), get(), get() }
    responses[1]:json().list[1] = "changed"
    responses[1].headers["x-trace"] = "changed"
    for i = 2, 3 do
      assert.same({ 1, "42" }, { responses[i]:json().list[1], responses[i].headers["x-trace"] })
    end
  end)

  it("share a failure, each its own copy", function()
    local failures = {}
    local function fail()
      local _, failure = pcall(http.get, "http://127.0.0.1:1/", { share = true })
      failure.message = failure.message .. "!"
      failures[#failures + 1] = failure
    end
    join { bide.spawn(fail), bide.spawn(fail) }
    assert.same(failures[1], failures[2])
    assert.same({ "ConnectionRefused", "127.0.0.1:1" }, { failures[1].type, failures[1].address })
    assert.is_nil(failures[1].message:find("!!", 1, true))
  end)

  it("share an answer that is an error, and a body that is none", function()
    answer = { status = 503, body = "<sorry>", delay = 0.05 }
    for _, response in ipairs(join { get(), get() }) do
      assert.same({ "ServiceUnavailable", false }, { response:operation_error().type, response.ok })
      local ok, failure = pcall(response.json, response)
      assert.same({ false, "InvalidResponse", 503 }, { ok, failure.type, failure.status })
    end
    assert.equal(1, #server.requests)
  end)

  it("go on for the others when the one who asked first is cancelled", function()
    local first, second, third = get(), get(), get()
    bide.sleep(0.02)
    first:cancel()
    third:cancel()
    assert.equal(200, second:join().status)
    assert.equal(1, #server.requests)
  end)

  it("are cancelled at once when the last one goes away, and asked anew afterwards", function()
    answer = { silent = true }
    local first, second = get(), get()
    bide.sleep(0.02)
    assert.same({ 1, 1 }, { #server.requests, server:open_connections() })
    first:cancel()
    bide.sleep(0.01)
    assert.equal(1, server:open_connections())
    second:cancel()
    bide.sleep(0.02)
    assert.same({ 0, 0 }, { server:open_connections(), core.task.count() })
    answer = { body = "{}" }
    assert.equal(200, get():join().status)
    assert.equal(2, #server.requests)
  end)

  it("are not even sent when all go away at once", function()
    local task = get()
    task:cancel()
    bide.sleep(0.02)
    assert.equal(0, #server.requests)
  end)

  it("wait each within its own time", function()
    answer.delay = 0.3
    local patient = get()
    local ok, failure = pcall(bide.timeout, 0.05, http.get, server.url .. "/", { share = true })
    assert.same({ false, "Timeout" }, { ok, failure.type })
    assert.equal(200, patient:join().status)
    assert.equal(1, #server.requests)
  end)

  it("take one token, and are tried again by each as its own policy has it", function()
    answer = { status = 503, delay = 0.05 }
    local retried = { rate = "100/s", retry = { retries = 2, customBackoff = function() return 0 end } }
    local responses = join { get(retried), get { rate = "100/s" }, get { rate = "100/s" } }
    assert.equal(3, #server.requests)
    assert.same({ 3 }, { responses[1]:operation_error().tries, responses[2]:operation_error().tries })
  end)

  it("may be of any method where the request itself says so", function()
    local function post() return bide.spawn(http.post, server.url, { json = { Action = "Describe" }, share = true }) end
    join { post(), post() }
    assert.equal(1, #server.requests)
  end)

  it("work outside of any task", function()
    assert.equal(200, http.get(server.url, { share = true }).status)
  end)
end)

describe("an operation whose requests are shared", function()
  local workspace = Workspace.of_block()

  local server = Server.of_each(function() return { body = '{"status": "done"}', delay = 0.1 } end)

  local function run(share, method)
    workspace:write("things.lua", ([[
      local http = require "bide.http"
      return { GetThing = {
        share = %s,
        call = function(input) return http.%s(%q, { query = { name = input.name } }) end,
        waitable = { ThingExists = { acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
        } } },
      } }]]):format(share, method, server.url))
    workspace:write("lines.jsonl", ('{"name": "a"}\n{"name": "b"}\n'):rep(10))
    return workspace:bide { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "5s", "--quiet" }
  end

  it("asks once for all waits that ask the same at one time", function()
    run("true", "get"):prints(0, "20 of 20 waits succeeded")
    assert.equal(2, #server.requests)
  end)

  it("asks for each where it is no GET or HEAD, or does not say so", function()
    assert.equal(0, run("true", "post").code)
    assert.equal(20, #server.requests)
    server.requests = {}
    assert.equal(0, run("false", "get").code)
    assert.equal(20, #server.requests)
  end)

  it("is checked when the recipe is loaded", function()
    run('"yes"', "get"):says(2, 'things.lua:2: GetThing.share: expected true or false, found "yes"')
  end)
end)
