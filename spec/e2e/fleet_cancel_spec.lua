---One of ten thousand waits is cancelled: what it held goes, and nothing of the others.

local bide = require "bide"
local core = require "bide.core"
local fleet = require "bide.wait.fleet"
local http = require "bide.http"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"
local turns = require "spec.support.turns"

local COUNT, ONE = 10000, 5000

---A fleet of which every wait has made its first attempt; `ask` is what the one does there.
---@param ask fun(input: table): any
---@param is_there fun(): boolean whether the one has come as far as it should
local function start(ask, is_there)
  local asked, prepared = 0, {}
  local things = bide.waiter {
    name = "ThingExists", minDelay = 60, maxDelay = 60,
    call = function(input)
      asked = asked + 1
      return input.id == ONE and ask(input) or { status = "pending" }
    end,
    acceptors = {
      { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
    },
  }
  for id = 1, COUNT do prepared[id] = things:prepare({ id = id }, { maxWait = 3600 }) end
  local running = fleet.start(prepared, COUNT - 1, function() end)
  turns.await(function() return asked == COUNT and core.task.count() <= 1 and is_there() end)
  return running
end

---Cancels the one, and returns its record once it has ended.
local function cancel(running)
  local watched = setmetatable({ running.running[ONE] }, { __mode = "v" })
  running.running[ONE]:cancel()
  turns.await(function() return running.records[ONE] end)
  assert.is_nil(running.running[ONE])
  collectgarbage()
  collectgarbage()
  assert.is_nil(watched[1], "something keeps the wait")
  return running.records[ONE]
end

describe("one of ten thousand waits that is cancelled", function()
  local before

  before_each(function()
    assert.is_nil(leftovers.find())
    before = leftovers.count()
  end)

  after_each(function() assert.is_nil(leftovers.find()) end)

  it("leaves nothing behind, and the others asleep, while it sleeps", function()
    local running = start(function() return { status = "asked" } end, function() return core.task.count() == 0 end)
    local asleep = leftovers.count()
    assert.equal(before.timers + COUNT, asleep.timers)
    local record = cancel(running)
    assert.same({ "cancelled", 1 }, { record.reason, record.attempts })
    asleep.timers = asleep.timers - 1
    assert.same(asleep, leftovers.count())
    assert.equal(COUNT - 1, running.left)
    running:abandon()
    assert.same(before, leftovers.count())
  end)

  it("leaves nothing behind in the middle of a request", function()
    local server = Server.start(function(request) return { silent = request.path == "/silent", close = true } end)
    http.get(server.url) -- what is made for the first of all transfers is there to stay
    turns.await(function() return server:open_connections() == 0 end)
    before = leftovers.count()
    local running = start(function() return http.get(server.url .. "/silent") end,
      function() return #server.requests == 2 end)
    assert.equal(1, core.task.count())
    assert.equal(1, server:open_connections())
    local record = cancel(running)
    assert.same({ "cancelled", 1 }, { record.reason, record.attempts })
    turns.await(function() return server:open_connections() == 0 end)
    local after = leftovers.count()
    before.timers = before.timers + COUNT - 1
    assert.same(before, after)
    running:abandon()
    server:close()
  end)
end)
