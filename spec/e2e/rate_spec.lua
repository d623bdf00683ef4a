---Rates: at most so many requests to a host, over all waits of the process.

local uv = require "luv"
local bide = require "bide"
local core = require "bide.core"
local http = require "bide.http"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local leftovers = require "spec.support.leftovers"
local timely = require "spec.support.timely"

local LATE = 100 -- milliseconds between the token and the server's noticing, on a machine with much to do

describe("requests at a rate", function()
  local server, times, answer

  before_each(function()
    times, answer = {}, function() return { body = '{"status": "done"}' } end
    server = Server.start(function(request)
      times[#times + 1] = uv.hrtime() / 1e6
      return answer(request)
    end)
  end)

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  ---Each of `count` tasks sends a request; returns their tasks.
  local function send(count, given)
    local tasks = {}
    for i = 1, count do
      tasks[i] = bide.spawn(function() return http.get(server.url .. "/" .. i, given) end)
    end
    return tasks
  end

  local function join(tasks)
    for _, task in ipairs(tasks) do task:join() end
  end

  ---No window of `milliseconds` may hold more than the rate allows to one that is late by LATE.
  local function assert_within(count, milliseconds)
    local per = count / milliseconds
    for from = 1, #times do
      local to = from
      while times[to + 1] and times[to + 1] - times[from] <= milliseconds do to = to + 1 end
      assert(to - from + 1 <= count + 1 + LATE * per, ("%d in %d ms"):format(to - from + 1, milliseconds))
    end
  end

  it("never exceed it in any window: 1,000 at 500/s", function()
    join(send(1000, { timeout = 60 }))
    local free = (times[1000] - times[1]) / 1000
    times = {}
    local began = bide.now()
    join(send(1000, { rate = "500/s", timeout = 60 }))
    local elapsed = bide.now() - began
    assert.equal(1000, #times)
    for _, window in ipairs { 100, 500, 1000 } do assert_within(window / 2, window) end
    assert.is_true(elapsed > 990 / 500 and elapsed < 4 + 2 * free, elapsed)
  end)

  it("are sent in the order of arrival", function()
    -- those that a busy machine sends at once may be read in another order
    timely.within(0, function()
      local before, inverted = #server.requests, 0
      join(send(60, { rate = "300/s" }))
      for i = 1, 60 do inverted = inverted + (server.requests[before + i].path == "/" .. i and 0 or 1) end
      return inverted
    end)
  end)

  it("leave the line at once when they are cancelled or cut, and take no token", function()
    local tasks = send(5, { rate = "1/300ms" })
    bide.sleep(0.02)
    tasks[2]:cancel()
    tasks[3]:cancel()
    local began = bide.now()
    local ok, failure = pcall(bide.timeout, 0.02, http.get, server.url .. "/cut", { rate = "1/300ms" })
    assert.same({ false, "Timeout" }, { ok, failure.type })
    assert.is_true(bide.now() - began < 1) -- not after five tokens
    join { tasks[1], tasks[4], tasks[5] }
    local paths = {}
    for i, request in ipairs(server.requests) do paths[i] = request.path end
    assert.same({ "/1", "/4", "/5" }, paths)
    assert.is_true(times[3] - times[1] < 1000) -- two intervals, not four
  end)

  it("to another host, or at another rate, have a bucket of their own", function()
    local other = Server.start(function() return {} end)
    local began = bide.now()
    join { bide.spawn(http.get, server.url, { rate = "1/h" }), bide.spawn(http.get, other.url, { rate = "1/h" }),
      bide.spawn(http.get, server.url, { rate = "2/h" }) }
    assert.is_true(bide.now() - began < 60)
    other:close()
  end)

  it("take the ones saved up at once where a burst is allowed", function()
    local began = bide.now()
    join(send(5, { rate = "1/500ms,burst=4" }))
    assert.is_true(bide.now() - began > 0.499)
    assert.is_true(times[4] - times[1] < times[5] - times[4])
  end)

  it("wait for all together until Retry-After when one of them is told 429", function()
    answer = function(request)
      if request.path == "/1" then return { status = 429, headers = { ["Retry-After"] = "2" } } end
      return {}
    end
    local tasks = send(4, { rate = "2/s,burst=1" })
    join(tasks)
    assert.is_true(times[2] - times[1] >= 2000 - LATE, times[2] - times[1])
  end)

  it("wait for all together when one of them is told ThrottlingException with 400", function()
    answer = function(request)
      return request.path == "/1" and { status = 400, body = '{"__type": "ThrottlingException"}' } or {}
    end
    join(send(2, { rate = "3/s" }))
    local pause = times[2] - times[1]
    assert.is_true(pause >= 500 - LATE and pause <= 5000, pause)
  end)

  it("do not wait for what is no throttling", function()
    answer = function() return { status = 503, headers = { ["Retry-After"] = "60" } } end
    join(send(3, { rate = "22/s" }))
    assert.is_true(times[3] - times[1] < 50000)
  end)

  it("are refused where the rate is none", function()
    local ok, mistake = pcall(http.get, server.url, { rate = "5" })
    assert.is_false(ok)
    assert.matches([[http.get: rate: expected a rate such as 5/s, 100/m, 1/2s or 5/s,burst=10, found "5"]], mistake, 1, true)
  end)
end)

describe("a wait at a rate", function()
  local workspace = Workspace.of_block()
  local server, times

  before_each(function()
    times = {}
    server = Server.start(function()
      times[#times + 1] = uv.hrtime() / 1e6
      return { body = '{"status": "done"}' }
    end)
  end)
  after_each(function() server:close() end)

  local function write(rate)
    workspace:write("things.lua", ([[
      local http = require "bide.http"
      return { GetThing = {
        %s
        call = function(input) return http.get(%q, { query = { id = input.id } }) end,
        waitable = { ThingExists = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
        } } },
      } }]]):format(rate, server.url))
    local lines = {}
    for i = 1, 6 do lines[i] = core.json.encode { id = i } end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
  end

  local function run(...)
    return workspace:bide { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "50s", "--quiet", ... }
  end

  it("holds it over the whole fleet, with --rate", function()
    write ""
    local done = run("--rate", "20/s")
    assert.equal(0, done.code, done.stderr)
    assert.equal(6, #times)
    assert.is_true(done.elapsed >= 0.25)
  end)

  it("holds that of the recipe, unless --rate says otherwise", function()
    write 'rate = "3/s",'
    local done = run()
    assert.equal(0, done.code)
    assert.is_true(done.elapsed >= 5 / 3)
    times = {}
    assert.equal(0, run("--rate", "1000/s").code)
    assert.is_true(times[6] - times[1] < 1500)
  end)

  it("ends at its deadline while it stands in line, without having asked", function()
    write 'rate = "1/h",'
    local done = workspace:bide { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "3s", "--quiet",
      "--output", "json" }
    assert.equal(124, done.code)
    assert.equal(1, #times)
    local reasons = {}
    for _, outcome in ipairs(core.json.decode(done.stdout).outcomes) do
      assert.equal(outcome.reason ~= "acceptor" and "ended in the line before " .. server.url or nil,
        outcome.history[1].note)
      reasons[outcome.reason] = (reasons[outcome.reason] or 0) + 1
    end
    local cancelled = reasons.cancelled or 0 -- once one was too late the fleet has failed
    assert.same({ 1, 5 }, { reasons.acceptor, reasons.maxWait + cancelled })
  end)

  it("is cooled down for all of the fleet by what one of them is told", function()
    server:close()
    local count = 0
    server = Server.start(function()
      count, times[#times + 1] = count + 1, uv.hrtime() / 1e6
      if count == 2 then return { status = 429, headers = { ["Retry-After"] = "2" } } end
      return { body = '{"status": "done"}' }
    end)
    write 'rate = "3/s",'
    assert.equal(3, run().code) -- no acceptor has a word for what that one was told; the others are heard out
    assert.equal(6, #times)
    count, times = 0, {}
    assert.equal(0, run("--some", "5").code)
    assert.equal(6, #times)
    assert.is_true(times[3] - times[2] >= 2000 - LATE and times[6] - times[3] < 2000)
  end)

  it("comes with the operation of a file for --with", function()
    write 'rate = "10/s",'
    workspace:write("trait.json", [[{ "ThingKnown": { "acceptors": [{ "state": "success", "matcher": { "success": true } }] } }]])
    local done = workspace:bide { "run", "trait.json", "--with", "things.lua", "--each", "lines.jsonl", "--max-wait", "50s",
      "--quiet" }
    assert.equal(0, done.code, done.stderr)
    assert.is_true(done.elapsed >= 0.5)
  end)

  it("holds for all requests of a script, with --rate before its name", function()
    workspace:write("script.lua", ([[
      local http = require "bide.http"
      for i = 1, 4 do http.get(%q .. "/" .. i, { rate = "1000/s" }) end
      print(...)]]):format(server.url))
    local done = workspace:bide { "exec", "--rate", "10/s", "script.lua", "--rate", "x" }
    assert.same({ 0, "--rate\tx\n" }, { done.code, done.stdout })
    assert.is_true(done.elapsed >= 0.3)
    assert.equal(4, #times)
  end)

  it("that is none is an error of usage, and nothing is sent", function()
    write 'rate = "fast",'
    local done = run()
    done:says(2, 'things.lua:2: GetThing.rate: expected a rate such as 5/s, 100/m, 1/2s or 5/s,burst=10, found "fast"')
    write ""
    done = run("--rate", "5 a second")
    assert.equal(2, done.code)
    local mistake = '--rate: expected a rate such as 5/s, 100/m, 1/2s or 5/s,burst=10, or none, found "5 a second"'
    assert.matches(mistake, done.stderr, 1, true)
    assert.equal(0, #times)
  end)

  it("of a waiter in a script holds for the tasks that its operation spawns", function()
    local things = bide.waiter {
      name = "ThingExists", rate = "1/300ms", minDelay = 0.01,
      call = function()
        local child = bide.spawn(http.get, server.url)
        http.get(server.url)
        return child:join()
      end,
      acceptors = { { state = "success", matcher = { success = true } } },
    }
    assert(things:wait({}, { maxWait = 5 }))
    assert.is_true(times[2] - times[1] >= 300 - LATE)
    assert.error_matches(function()
      bide.waiter { rate = "x", call = print, acceptors = {} }
    end, 'bide.waiter: rate: expected a rate such as .*, found "x"')
  end)
end)
