---`bide run` against a service: an operation in Lua, decided by its acceptors.

local null = require("bide.core").json.null
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local timely = require "spec.support.timely"

local recipe = [[
local http = require "bide.http"

return {
  GetThing = {
    call = function(input)
      local response = http.get(input.endpoint .. "/things/" .. input.name)
      if response.status == 404 then
        error { type = "NotFound", message = "no such thing", status = 404 }
      end
      return response:json()
    end,
    waitable = {
      ThingExists = {
        documentation = "Waits until a thing has been created",
        minDelay = 0.02,
        maxDelay = 0.05,
        acceptors = {
          { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } } },
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "success" } } },
          { state = "retry",   matcher = { errorType = "NotFound" } },
          { state = "success", matcher = { lua = function(context)
            return context.output ~= nil and context.output.size == 3
          end } },
        },
      },
    },
  },
  GetRaw = {
    call = function(input) return http.get(input.endpoint .. "/raw") end,
    waitable = {
      RawExists = {
        minDelay = 0.02, maxDelay = 0.05,
        acceptors = {
          { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "ready" } } },
          { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
        },
      },
      RawNotExists = { acceptors = { { state = "success", matcher = { errorType = "NotFound" } } } },
    },
  },
}]]

describe("bide run", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }
  local server, answers

  server = Server.of_each(function() return answers[math.min(#server.requests, #answers)] end)

  local function wait(waiter, ...)
    return workspace:outcome { "run", "things.lua", waiter, "name=foo", "endpoint=" .. server.url, "--max-wait", "5s", ... }
  end

  it("succeeds where an acceptor moves the waiter to success", function()
    answers = { { status = 404 }, { body = '{"status":"pending"}' }, { body = '{"status":"success"}' } }
    local outcome, done = wait "ThingExists"
    assert.equal(0, done.code)
    assert.equal(3, #server.requests)
    assert.equal("/things/foo", server.requests[1].path)
    assert.equal("success", outcome.state)
    assert.equal("acceptor", outcome.reason)
    assert.equal(2, outcome.acceptor)
    assert.equal("ThingExists", outcome.waiter)
    assert.equal("GetThing", outcome.operation)
    assert.same({ status = "success" }, outcome.output)
    assert.same({ name = "foo", endpoint = server.url }, outcome.input)
    assert.matches('^ThingExists succeeded after 3 attempts in [%d.]+ s: status is "success"$', outcome.message)
    assert.same({ type = "NotFound", message = "no such thing", status = 404 }, outcome.history[1].error)
    assert.is_nil(outcome.error)
  end)

  it("fails where an acceptor moves it to failure, and sends nothing more", function()
    answers = { { body = '{"status":"failed"}' } }
    local outcome, done = wait "ThingExists"
    assert.equal(1, done.code)
    assert.equal(1, #server.requests)
    assert.equal(1, outcome.acceptor)
    assert.matches('^ThingExists failed after 1 attempt in [%d.]+ s: status is "failed"$', outcome.message)
  end)

  it("asks a custom matcher in its turn", function()
    answers = { { body = '{"size":2}' }, { body = '{"size":3}' } }
    local outcome, done = wait "ThingExists"
    assert.equal(0, done.code)
    assert.equal(4, outcome.acceptor)
    assert.equal(2, outcome.attempts)
  end)

  it("takes a response that the operation returns: its body is the output", function()
    answers = { { status = 503 }, { body = "" }, { body = '{"state":"ready","empty":[],"big":9007199254740993}' } }
    local outcome, done = wait "RawExists"
    assert.equal(0, done.code)
    assert.equal("ServiceUnavailable", outcome.history[1].error.type)
    assert.is_nil(outcome.history[2].error)
    assert.equal(9007199254740993, outcome.output.big)
    assert.matches('"empty": %[%]', done.stdout)
  end)

  it("takes the type of an error from the answer, else from its status", function()
    local cases = {
      { { status = 404 }, "NotFound" }, { { status = 429 }, "TooManyRequests" }, { { status = 599 }, "Http599" },
      { { status = 400, body = '{"__type":"ns#Wrong","message":"m"}' }, "ns#Wrong" },
      { { status = 400, headers = { ["X-Amzn-Errortype"] = "Gone:http://x" } }, "Gone" },
      { { status = 500, body = '{"code":"Broken"}' }, "Broken" },
    }
    for _, case in ipairs(cases) do
      answers = { case[1] }
      server.requests = {}
      local outcome, done = wait "RawExists"
      assert.equal(3, done.code)
      assert.equal("unmatchedError", outcome.reason)
      assert.equal(case[2]:gsub("^.*#", ""), (outcome.error.type:gsub("^.*#", ""):gsub(":.*$", "")))
      assert.equal(case[1].status, outcome.error.status)
    end
  end)

  it("makes a success by error plain", function()
    answers = { { status = 404 } }
    local outcome, done = wait "RawNotExists"
    assert.equal(0, done.code)
    assert.equal("success", outcome.state)
    assert.equal("NotFound", outcome.error.type)
    assert.is_nil(outcome.output)
    assert.matches("succeeded after 1 attempt in [%d.]+ s: the operation answered with the error NotFound", outcome.message)
  end)

  it("tells a body that is not JSON as the operation error InvalidResponse, with the place", function()
    answers = { { body = "<html>", headers = { ["Content-Type"] = "application/json" } } }
    for _, waiter in ipairs { "ThingExists", "RawExists" } do
      local outcome, done = wait(waiter)
      assert.equal(3, done.code)
      assert.equal("InvalidResponse", outcome.error.type)
      assert.matches("line 1, column 1", outcome.error.message)
    end
  end)

  it("keeps one connection over all attempts", function()
    answers = { { body = "{}" }, { body = "{}" }, { body = "{}" }, { body = '{"state":"ready"}' } }
    wait "RawExists"
    assert.equal(4, #server.requests)
    assert.equal(1, server.connections)
  end)

  it("cuts the request in flight at the deadline, and keeps what was seen before", function()
    local outcome
    timely.within(0.35, function()
      local done
      server.requests = {}
      answers = { { body = '{"status":"pending"}' }, { silent = true } }
      outcome, done = wait("ThingExists", "--max-wait=300ms")
      assert.equal(124, done.code)
      assert.is_true(outcome.elapsed >= 0.3, outcome.elapsed)
      assert.is_true(done.elapsed < 10, done.elapsed)
      return outcome.elapsed
    end)
    assert.equal("maxWait", outcome.reason)
    assert.same({ status = "pending" }, outcome.output)
    assert.is_nil(outcome.error)
    local cut = outcome.history[2]
    assert.equal(2, outcome.attempts)
    assert.is_nil(cut.state)
    assert.is_nil(cut.error)
    assert.is_nil(cut.delay)
    assert.matches('exceeded %-%-max%-wait 300ms after 2 attempts in 0.3%d* s; last seen: status is "pending"', outcome.message)
  end)

  it("keeps the last error when the attempt after it is cut", function()
    answers = { { status = 404 }, { silent = true } }
    local outcome = wait("ThingExists", "--max-wait=200ms")
    assert.equal("NotFound", outcome.error.type)
    assert.is_nil(outcome.history[2].error)
  end)

  it("ends with maxAttempts", function()
    answers = { { body = "{}" } }
    local outcome, done = wait("ThingExists", "--max-attempts", "3")
    assert.equal(4, done.code)
    assert.equal(3, #server.requests)
    assert.equal("maxAttempts", outcome.reason)
    assert.is_nil(outcome.history[3].delay)
  end)

  it("waits at least the shortest delay, at most the longest", function()
    answers = { { body = "{}" } }
    local outcome = wait("ThingExists", "--max-attempts", "4", "--min-delay", "30ms", "--max-delay", "30ms")
    for i = 1, 3 do
      assert.equal(0.03, outcome.history[i].delay)
      local next_at, entry = outcome.history[i + 1].at, outcome.history[i]
      assert.is_true(next_at >= entry.at + entry.duration + 0.03 - 1e-9)
    end
  end)
end)

describe("waits of bide run, without a network", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("recipe.lua", [[
      return { Echo = {
        call = function(input) return input end,
        waitable = { Echoed = { acceptors = { { state = "success", matcher = { success = true } } } } },
      } }]])
    workspace:write("input.json", '{"from": "file", "list": []}')
  end)

  local inputs = {
    { { "a=b" }, { a = "b" } },
    { { "a=1", "b:=1", "c:=null", 'd:=[1,{"x":true}]' }, { a = "1", b = 1, c = null, d = { 1, { x = true } } } },
    { { "a=b=c", 'd:=""', "e.f-1=g" }, { a = "b=c", d = "", ["e.f-1"] = "g" } },
    { { "url=http://x/?a:=b" }, { url = "http://x/?a:=b" } },
    { { "--input", '{"a": 1}', "b=2" }, { a = 1, b = "2" } },
    { { "--input=@input.json" }, { from = "file", list = {} } },
    { { "--input", '{"ä": "ö"}', "a=\xFF" }, { ["ä"] = "ö", a = "\xEF\xBF\xBD" } },
    { { "n:=12345678901234567", "f:=1.5e3" }, { n = 12345678901234567, f = 1500.0 } },
    { {}, {} },
  }

  for _, case in ipairs(inputs) do
    it("take their input from: " .. table.concat(case[1], " "), function()
      local words = { "run", "recipe.lua", "Echoed", "--max-wait", "50s" }
      table.move(case[1], 1, #case[1], #words + 1, words)
      local outcome = workspace:outcome(words)
      assert.same(case[2], outcome.input)
      assert.same(case[2], outcome.output)
    end)
  end

  local durations = { ["300"] = 300, ["300s"] = 300, ["5m"] = 300, ["1h30m"] = 5400, ["250ms"] = 0.25, ["1.5s"] = 1.5 }

  for text, seconds in pairs(durations) do
    it("take a duration as " .. text, function()
      assert.equal(seconds, (workspace:outcome { "run", "recipe.lua", "--max-wait", text }).maxWait)
    end)
  end

  for _, text in ipairs { "", "0", "0s", "0ms", "-1", "5x", "m", "5 m", "1e3", "nan", "inf", "5m3", "0x10", "999999999999d" } do
    it(("refuse %q as a duration"):format(text), function()
      assert.equal(2, workspace:bide({ "run", "recipe.lua", "--max-wait=" .. text }).code)
    end)
  end
end)
