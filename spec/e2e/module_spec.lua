---`require "bide"` without the host: here in busted, and in plain lua5.4.

local bide = require "bide"
local cjson = require "cjson"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local leftovers = require "spec.support.leftovers"
local process = require "spec.support.process"

local function path_matcher(path, expected)
  return { output = { path = path, comparator = "stringEquals", expected = expected } }
end

local function waiter_of(call, acceptors)
  return bide.waiter {
    name = "Thing", minDelay = 0.01, maxDelay = 0.01, call = call,
    acceptors = acceptors or { { state = "success", matcher = path_matcher("status", "ok") } },
  }
end

describe("the module bide", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("waits and returns the outcome of a success", function()
    local attempt = 0
    local outcome = assert(waiter_of(function(input)
      attempt = attempt + 1
      assert.same({ name = "foo" }, input)
      return { status = attempt == 3 and "ok" or "no", list = bide.json.array() }
    end):wait({ name = "foo" }, { maxWait = 5 }))
    assert.equal("success", outcome.state)
    assert.equal(3, outcome.attempts)
    assert.equal("ok", outcome.output.status)
    assert.equal("[]", bide.json.encode(outcome.output.list))
    assert.equal("retry", outcome.history[1].state)
    assert.equal(outcome.message, tostring(outcome))
    assert.equal("ok", outcome.seen[1].value)
  end)

  it("returns nil and the outcome of a failure, which assert raises as its message", function()
    local waiter = waiter_of(function() error { type = "Denied", message = "no", status = 403 } end)
    local outcome, failure = waiter:wait({}, { maxWait = 5 })
    assert.is_nil(outcome)
    assert.equal("unmatchedError", failure.reason)
    assert.same({ type = "Denied", message = "no", status = 403 }, failure.error)
    local ok, raised = pcall(function() assert(waiter:wait({}, { maxWait = 5 })) end)
    assert.is_false(ok)
    assert.matches("^Thing failed after 1 attempt in .*: no acceptor matched the error Denied %(403%): no$", tostring(raised))
  end)

  it("tells a script error as one", function()
    local _, failure = waiter_of(function() return nil + 1 end):wait({}, { maxWait = 5 })
    assert.equal("scriptError", failure.reason)
    assert.matches("module_spec.lua:%d+: attempt to perform arithmetic", failure.message)
    assert.matches("module_spec.lua", failure.traceback)
  end)

  it("ends with maxWait and maxAttempts", function()
    local waiter = waiter_of(function() return {} end)
    local _, failure = waiter:wait({}, { maxWait = 5, maxAttempts = 2 })
    assert.equal("maxAttempts", failure.reason)
    _, failure = waiter:wait({}, { maxWait = "50ms" })
    assert.equal("maxWait", failure.reason)
    _, failure = waiter_of(function() bide.sleep(60) end):wait({}, { maxWait = 0.05 })
    assert.is_true(failure.elapsed >= 0.05 and failure.elapsed < 10)
  end)

  local wrong_options = {
    { nil, "maxWait is missing" },
    { { maxWait = 0 }, "maxWait: expected a number of seconds above 0, found 0" }, { { maxWait = -1 }, "found -1" },
    { { maxWait = 0 / 0 }, "maxWait: expected a number of seconds above 0, found nan" },
    { { maxWait = "soon" }, 'maxWait: expected a duration' },
    { { maxWait = {} }, "maxWait: expected a number" },
    { { maxWait = 5, maxAttempts = 0 }, "maxAttempts: expected a whole number" },
    { { maxWait = 5, maxAttemps = 5 }, 'did you mean "maxAttempts"?' },
    { { maxWait = 5, minDelay = 9, maxDelay = 8 }, "minDelay, 9 s, is greater than maxDelay, 8 s" },
    { { maxWait = 5, interval = 1, maxDelay = 8 }, "interval and maxDelay are given" },
    { { maxWait = 5, interval = 0 }, "interval: expected a number of seconds above 0, found 0" },
    { { maxWait = 5, seed = "x" }, "seed: expected a whole number" },
  }

  for _, case in ipairs(wrong_options) do
    it("raises where an option is wrong: " .. case[2], function()
      local waiter = waiter_of(function() return {} end)
      local ok, message = pcall(function() waiter:wait({}, case[1]) end)
      assert.is_false(ok)
      assert.matches(case[2], message, 1, true)
      assert.matches("module_spec.lua:", message, 1, true)
    end)
  end

  it("raises where a definition is wrong, at the caller's line", function()
    local function make(definition) return select(2, pcall(function() bide.waiter(definition) end)) end
    assert.matches("module_spec.lua:%d+: bide.waiter: call: expected a function", make {})
    assert.matches("acceptors: expected a list of acceptors, found nothing", make { call = print })
    assert.matches('minDelai: unknown member, did you mean "minDelay"', make { call = print, minDelai = 1, acceptors = {} })
  end)

  it("keeps values faithful, its own and those of lua-cjson", function()
    assert.equal(cjson.null, bide.null)
    local given = { whole = 9007199254740993, fraction = 0.5, empty = bide.json.array(), null = bide.null, text = "\0ü" }
    local inputs = {}
    local outcome = assert(waiter_of(function(input)
      inputs[1] = input
      return { status = "ok", decoded = cjson.decode '{"a":[{"b":null}],"n":1.5,"i":7}', given = input }
    end):wait(given, { maxWait = 5 }))
    assert.equal("integer", math.type(inputs[1].whole))
    assert.equal(9007199254740993, outcome.output.given.whole)
    assert.equal("[]", bide.json.encode(outcome.output.given.empty))
    assert.equal(bide.null, outcome.output.given.null)
    assert.equal("\0ü", outcome.output.given.text)
    assert.equal('{"a":[{"b":null}],"i":7.0,"n":1.5}', (bide.json.encode(outcome.output.decoded):gsub('7([,}])', "7.0%1")))
  end)

  it("asks custom matchers, by function and by registered name", function()
    local contexts = {}
    bide.matcher("isThird", function(context)
      contexts[#contexts + 1] = context
      return context.attempt == 3
    end)
    local outcome = assert(waiter_of(function(input)
      if input.fails and #contexts < 2 then error { type = "Busy" } end
      return { status = "?" }
    end, { { state = "success", matcher = { lua = "isThird" } }, { state = "retry", matcher = { errorType = "Busy" } } })
      :wait({ fails = true }, { maxWait = 5 }))
    assert.equal(1, outcome.acceptor)
    assert.equal("Busy", contexts[1].error.type)
    assert.is_nil(contexts[1].output)
    assert.same({ status = "?" }, contexts[3].output)
    assert.is_nil(contexts[3].error)
    assert.same({ fails = true }, contexts[3].input)
    assert.is_true(contexts[3].elapsed > 0 and contexts[3].remaining < 5)
  end)

  it("does not call a match what is not exactly true", function()
    for _, answer in ipairs { 1, "true", {}, 0 } do
      local matcher = { lua = function() return answer end }
      local _, failure = waiter_of(function() return {} end, { { state = "success", matcher = matcher } })
        :wait({}, { maxWait = 5, maxAttempts = 1 })
      assert.equal("maxAttempts", failure.reason)
    end
  end)

  it("waits within coroutines, several at a time", function()
    local server = Server.start(function() return { delay = 0.02, body = '{"status":"ok"}' } end)
    local waiter = waiter_of(function() return require("bide.http").get(server.url) end)
    local function wait() return assert(waiter:wait({}, { maxWait = 5 })).attempts end
    assert.equal(1, coroutine.wrap(wait)())
    local co = coroutine.create(function()
      coroutine.yield(wait())
      return wait() + 1
    end)
    assert.same({ true, 1 }, { coroutine.resume(co) })
    assert.same({ true, 2 }, { coroutine.resume(co) })
    server:close()
  end)

  it("searches with JMESPath", function()
    assert.same({ 1, 2 }, bide.jmespath("a[].b"):search { a = { { b = 1 }, { b = 2 } } })
    assert.matches("^.*syntax", select(2, pcall(bide.jmespath, "a.")))
  end)
end)

describe("bide in plain lua5.4", function()
  local workspace = Workspace.of_block()
  local root

  setup(function()
    root = require("luv").cwd()
    workspace:write("things.lua", [[return { GetThing = {
      call = function(input) return { status = input.status } end,
      waitable = { ThingExists = { minDelay = 0.01, acceptors = {
        { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } },
      } } },
    } }]])
  end)

  local function lua(script)
    workspace:write("script.lua", script)
    return process.run({ process.lua, "script.lua" }, { cwd = workspace.path, env = {
      LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root),
      LUA_CPATH = process.build:sub(1, 1) == "/" and ";;" or ("%s/%s/lib/?.so;;"):format(root, process.build),
    } })
  end

  it("loads recipes and waits", function()
    local done = lua [[
      local bide = require "bide"
      local things = assert(bide.load("things.lua"))
      print(assert(things.ThingExists:wait({ status = "ok" }, { maxWait = 5 })).message)
      local outcome, failure = things.ThingExists:wait({ status = "no" }, { maxWait = 0.1 })
      print(outcome, failure.reason)
      print(bide.load("nobody.lua"))
      print(coroutine.wrap(function() bide.sleep(0.01) return "slept" end)())
      assert(things.ThingExists:wait({ status = "no" }, { maxWait = 0.1 }))]]
    assert.equal(1, done.code)
    assert.matches('^ThingExists succeeded after 1 attempt in [%d.]+ s: status is "ok"\nnil\tmaxWait\n', done.stdout)
    assert.matches("\nnil\tnobody.lua: ", done.stdout)
    assert.matches("slept\n$", done.stdout)
    assert.matches('ThingExists [%w .:]+ maxWait = "100ms"; last seen: ', done.stderr)
  end)
end)
