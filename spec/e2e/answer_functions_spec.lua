---header(), status() and text() of the answer, on the command line and in acceptors.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local RECIPE = [[
local http = require "bide.http"

return {
  Thing = {
    input = { url = { type = "string" } },
    call = function(input) return http.get(input.url) end,
    waitable = {
      ThingReady = {
        minDelay = 0.05,
        maxDelay = 0.05,
        acceptors = {
          { state = "success", matcher = { output = {
            path = "header('x-state')", comparator = "stringEquals", expected = "ready" } } },
          { state = "failure", message = "header('x-why')", matcher = { output = {
            path = "status() == `202`", comparator = "booleanEquals", expected = "true" } } },
        },
      },
    },
  },
}
]]

describe("the functions of an answer, on the command line", function()
  local workspace = Workspace.of_block()
  local answers, asked

  local server = Server.of_block(function()
    asked = asked + 1
    return answers[math.min(asked, #answers)]
  end)

  setup(function() workspace:write("thing.lua", RECIPE) end)

  local function page(state, given)
    given = given or {}
    return { status = given.status or 200, body = given.body or "<html>UP</html>",
      headers = { ["Content-Type"] = given.type or "text/html", ["X-State"] = state, ["X-Why"] = given.why,
        ["Set-Cookie"] = given.cookie } }
  end

  local function run(given, ...)
    answers, asked = given, 0
    return workspace:bide { "run", "http", server.url, "--max-attempts", "3", "--interval", "50ms", "--max-wait", "20s", ... }
  end

  it("decide by a header, though the body is no JSON", function()
    local result = run({ page "pending", page "ready" }, "--until", "header('X-State') == 'ready'")
    assert.equal(0, result.code, result.stderr)
    assert.equal(2, asked)
    assert.equal(0, run({ page "ready" }, "--until", "header('x-state')=ready").code)
    assert.equal(0, run({ page "ready" }, "path=header('x-state')", "expect=ready").code)
    result = run({ page "broken" }, "--until", "status() == `200`", "--fail", "header('x-state')=broken")
    assert.equal(1, result.code)
  end)

  it("decide by the body as a text", function()
    assert.equal(0, run({ page "x" }, "--until", "contains(text(), 'UP')").code)
    assert.equal(4, run({ page "x" }, "--until", "contains(text(), 'DOWN')").code)
    local large = page("x", { body = ("x"):rep(100000) .. "end" })
    assert.equal(0, run({ large }, "--until", "ends_with(text(), 'xend')", "--hold", "2").code)
  end)

  it("decide by a status that was asked for", function()
    local busy = page("busy", { status = 503 })
    assert.equal(0, run({ busy }, "status=2xx,503", "--until", "status() == `503` && header('x-state') == 'busy'").code)
    assert.equal(4, run({ busy }, "--until", "status() == `503`").code)
  end)

  it("leave the members of the body their names", function()
    local both = page("ready", { type = "application/json", body = '{"header":1,"status":"UP","text":[2]}' })
    assert.equal(0, run({ both }, "--until", "[header, status, text[0]] == [`1`, 'UP', `2`] && status() == `200`").code)
  end)

  it("are asked of this answer, not of one before with the same body", function()
    local same = '{"a":1}'
    local function json(state) return page(state, { type = "application/json", body = same }) end
    assert.equal(4, run({ json "ready", json "x", json "x" }, "--until", "header('x-state')=ready", "--hold", "2").code)
    assert.equal(0, run({ json "x", json "ready", json "ready" }, "--until", "header('x-state')=ready", "--hold", "2").code)
  end)

  it("do not make a success of a header that no answer had", function()
    run({ page "x" }, "--until", "header('x-stat') != 'pending'"):says(4, "no answer has had the header x-stat")
    assert.equal(0, run({ page "x" }, "--until", "header('x-stat') != 'pending'", "--allow-missing").code)
    assert.equal(4, run({ page "x" }, "--until", "header('x-state')=x", "--until", "!error").code)
  end)

  it("are refused where they can never be a yes", function()
    assert.equal(2, run({ page "x" }, "--until", "status()").code)
    assert.equal(2, run({ page "x" }, "--until", "header('x-state')").code)
    assert.equal(0, asked)
  end)

  it("show no secrets", function()
    local secret = page("x", { cookie = "sid=hunter2hunter2", type = "application/json",
      body = '{"password":"hunter2hunter2","n":1}' })
    for _, expression in ipairs { "header('set-cookie')=x", "header(join('-', ['set', 'cookie']))=x", "text()=x" } do
      local result = run({ secret }, "--until", expression)
      assert.equal(4, result.code)
      assert.is_nil((result.stdout .. result.stderr):find("hunter2hunter2", 1, true), result.stderr)
      assert.truthy(result.stderr:find("[redacted]", 1, true), result.stderr)
    end
    local echo = page("x", { body = "you sent hunter3hunter3" })
    local result = run({ echo }, "bearer=hunter3hunter3", "--until", "text()=x")
    assert.is_nil((result.stdout .. result.stderr):find("hunter3hunter3", 1, true), result.stderr)
  end)

  it("serve acceptors of recipes, and their messages", function()
    answers, asked = { page "pending", page("pending", { status = 202, why = "the disk is full" }) }, 0
    local result = workspace:bide { "run", "thing.lua", "ThingReady", "url=" .. server.url, "--max-wait", "20s" }
    assert.equal(1, result.code)
    assert.truthy((result.stdout .. result.stderr):find("the disk is full", 1, true), result.stderr)
    answers, asked = { page "pending", page "ready" }, 0
    assert.equal(0, workspace:bide { "run", "thing.lua", "ThingReady", "url=" .. server.url, "--max-wait", "20s" }.code)
  end)

  it("are asked again by a wait that is resumed, which remembers which headers it had", function()
    local words = { "run", "http", server.url, "--until", "!header('x-state')", "--interval", "50ms", "--max-wait", "20s",
      "--journal", "journal", "--resume", "--quiet" }
    answers, asked = { page "pending" }, 0
    local started = workspace:start(words)
    while asked < 3 do require("bide").sleep(0.01) end
    started:kill "sigkill"
    started:wait()
    answers, asked = { page "pending", page(nil) }, 0
    workspace:bide(words):ends(0)
    assert.equal(2, asked)
  end)

  it("are refused in a model, where Smithy has no such functions", function()
    local matcher = { output = { path = "header('x')", comparator = "stringEquals", expected = "ready" } }
    local result = workspace:bide(workspace:replay_of({ { state = "success", matcher = matcher } }, { '{"output": {}}' },
      "--max-wait", "1m"))
    assert.truthy(result.stderr:find("only a Lua recipe may call them", 1, true), result.stderr)
    assert.equal(2, result.code)
  end)

  it("have no answer in other recipes, and in query", function()
    workspace:write("there", "x")
    local function file(...)
      return workspace:bide({ "run", "file", "there", "--max-attempts", "2", "--interval", "50ms", "--max-wait", "9s", ... }).code
    end
    assert.equal(4, file("--until", "status() == `200`"))
    assert.equal(4, file("--until", "header('x') != 'y'"))
    assert.equal("[\n  null,\n  null,\n  null\n]\n",
      workspace:bide({ "query", "[status(), header('x'), text()]" }, { stdin = "{}" }).stdout)
  end)

  it("ask of what a replayed line has", function()
    workspace:write("answers.jsonl", [[
{"output": {}, "status": 200, "headers": {"X-State": ["ready", "pending"]}, "text": "hello"}
{"output": {}, "status": 202, "headers": {"x-state": "ready"}}
]])
    local function replay(...)
      return workspace:bide({ "replay", "http", "ServiceHealthy", "answers.jsonl", "url=http://x", "--max-wait", "1m",
        "--max-attempts", "3", ... }).code
    end
    assert.equal(0, replay("--until", "header('x-state') == 'ready' && status() == `202`"))
    assert.equal(0, replay("--until", "text()=hello"))
    assert.equal(4, replay("--until", "text()=bye"))
    workspace:write("answers.jsonl", '{"output": {}, "headers": ["a"]}\n')
    assert.equal(2, replay("--until", "status() == `202`"))
  end)
end)
