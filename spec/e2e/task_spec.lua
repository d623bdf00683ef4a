---Tasks on the real loop: how they wait, how they are cut, what they leave behind.

local core = require "bide.core"
local uv = require "luv"
local leftovers = require "spec.support.leftovers"
local timely = require "spec.support.timely"

require("bide").install()

local loop, task = core.loop, core.task

---Runs f as a task until it has ended; returns how, what with, and after how many milliseconds.
local function run(f, deadline)
  local results
  local started = loop.update()
  task.start(f, function(_, ...) results = table.pack(...) end, deadline and started + deadline, "argument")
  while not results do assert(loop.turn()) end
  return results[1], results[2], loop.update() - started
end

local function sleep(milliseconds)
  local waker = task.waker()
  local alarm <close> = loop.alarm(waker)
  alarm:start(loop.update() + milliseconds)
  task.pause(waker)
end

local function on_close(f)
  return setmetatable({}, { __close = f })
end

describe("a task", function()
  after_each(function()
    assert.equal(0, task.count())
    assert.equal(0, loop.timer_count())
  end)

  it("is woken once where it sleeps once", function()
    local function sleeps()
      for line in io.lines "/proc/thread-self/status" do
        local count = line:match "^voluntary_ctxt_switches:%s*(%d+)"
        if count then return tonumber(count) end
      end
    end
    if not uv.fs_stat "/proc/thread-self/status" then return pending "this system does not count them" end
    local before
    run(function()
      sleep(1)
      before = sleeps()
      for _ = 1, 8 do sleep(150) end
    end)
    assert.is_true(sleeps() - before < 16)
  end)

  it("ends with what its function returns or raises", function()
    local how, value = run(function(argument) return argument end)
    assert.same({ "returned", "argument" }, { how, value })
    how, value = run(function() error({ type = "NotFound" }) end)
    assert.same({ "raised", { type = "NotFound" } }, { how, value })
  end)

  it("waits while others go on", function()
    local order = {}
    local ended = 0
    for name, delay in pairs { slow = 30, quick = 10 } do
      task.start(function() sleep(delay) order[#order + 1] = name end, function() ended = ended + 1 end)
    end
    while ended < 2 do loop.turn() end
    assert.same({ "quick", "slow" }, order)
  end)

  it("gets the values its waker was called with, before it pauses or after", function()
    local _, values = run(function()
      local waker = task.waker()
      waker(1, nil, "three")
      waker("too late")
      return { task.pause(waker) }
    end)
    assert.same({ 1, nil, "three" }, values)
  end)

  describe("that is past its deadline", function()
    local function spin() while true do end end

    local bodies = {
      ["sleeps"] = function() sleep(5000) end,
      ["never yields"] = spin,
      ["wraps its loop in pcall"] = function() while true do pcall(spin) end end,
      ["wraps its sleep in pcall"] = function() while true do pcall(sleep, 5000) end end,
      ["spins in a coroutine of its own"] = function()
        local co = coroutine.wrap(function() while true do pcall(spin) end end)
        while true do pcall(co) end
      end,
      ["spins below a C function"] = function() table.sort({ 1, 2, 3 }, spin) end,
      ["never ends closing"] = function()
        local _guard <close> = on_close(function() while true do pcall(spin) end end)
        sleep(5000)
      end,
      ["yields to nobody"] = function() while true do coroutine.yield() end end,
    }
    for name, body in pairs(bodies) do
      it("is cut although it " .. name, function()
        timely.within(30 + (name == "never ends closing" and 700 or 100), function()
          local how, _, took = run(body, 30)
          assert.equal("cut", how)
          assert.is_true(took >= 29, took)
          return took
        end)
      end)
    end

    it("releases what it held, where pcall cannot see it", function()
      local closed, caught = false, false
      run(function()
        caught = not pcall(function()
          local _guard <close> = on_close(function() closed = true end)
          sleep(5000)
        end)
      end, 20)
      assert.same({ true, false }, { closed, caught })
    end)

    it("leaves a usable host behind", function()
      for _ = 1, 300 do run(spin, 1) end
      assert.equal("returned", (run(function() return true end)))
    end)
  end)

  it("is cancelled in a sleep, at once", function()
    local results
    local running = task.start(function() sleep(5000) end, function(_, ...) results = { ... } end)
    loop.turn()
    local started = loop.update()
    running:cancel()
    while not results do loop.turn() end
    assert.same({ "cancelled" }, results)
    assert.is_true(loop.update() - started < 20)
    running:cancel()
  end)

  it("may be cancelled before its first step, and by itself", function()
    local ends = {}
    local function ended(_, how) ends[#ends + 1] = how end
    task.start(function() ends[#ends + 1] = "ran" end, ended):cancel()
    local own
    own = task.start(function() own:cancel() sleep(5000) end, ended)
    while #ends < 2 do loop.turn() end
    assert.same({ "cancelled", "cancelled" }, ends)
  end)

  it("may wait in coroutines of its own, which yield to it what they yield", function()
    local _, values = run(function()
      local values = {}
      for value in coroutine.wrap(function()
        for i = 1, 3 do sleep(2) coroutine.yield(i) end
      end) do
        values[#values + 1] = value
      end
      return values
    end)
    assert.same({ 1, 2, 3 }, values)
  end)

  it("may not wait below a C function, nor within what must only look", function()
    local _, message = run(function() table.sort({ 2, 1 }, function() sleep(1) end) end)
    assert.truthy(message:find("cannot wait here", 1, true))
    _, message = run(function() task.without_waiting("a matcher", sleep, 1) end)
    assert.truthy(message:find("a matcher may not wait", 1, true))
  end)

  it("is told when it would wait for ever", function()
    assert.is_nil(leftovers.find()) -- of other specs, which it would wait for
    assert.has_error(function() task.pause(task.waker()) end,
      "this would wait for ever: nothing is left that could end it")
  end)

  it("waits for what luv does", function()
    local how, value = run(function()
      local timer, waker = uv.new_timer(), task.waker()
      timer:start(5, 0, function() waker("rung") end)
      local rung = task.pause(waker)
      timer:close()
      return rung
    end)
    assert.same({ "returned", "rung" }, { how, value })
  end)

  it("costs no coroutine while it only exists as an alarm", function()
    local rung = 0
    for _ = 1, 1000 do loop.alarm(function() rung = rung + 1 end):start(loop.now() + 5) end
    assert.equal(0, task.count())
    while rung < 1000 do loop.turn() end
  end)

  it("leaves no place in the registry where its alarms were", function()
    local function ring(count)
      local rung = 0
      for _ = 1, count do loop.alarm(function() rung = rung + 1 end):start(loop.now()) end
      while rung < count do loop.turn() end
      collectgarbage()
      collectgarbage()
    end
    local registry = debug.getregistry()
    ring(1000)
    local places = #registry
    for _ = 1, 3 do ring(1000) end
    assert.is_true(#registry <= places, #registry)
  end)

  it("rings an alarm again from within itself, and keeps only one that runs", function()
    local rung, alarm = 0, nil
    local kept = setmetatable({}, { __mode = "v" })
    alarm = loop.alarm(function()
      rung = rung + 1
      if rung < 3 then alarm:start(loop.now()) end
    end)
    kept[1] = alarm
    alarm:start(loop.now())
    while rung < 3 do loop.turn() end
    alarm:start(loop.now() + 60000)
    alarm:stop()
    alarm = nil
    collectgarbage()
    collectgarbage()
    assert.is_nil(kept[1])
  end)

  it("looks at sockets between many alarms that are due at a time, which ring in their order", function()
    local rung, rung_before, due = {}, nil, loop.update() + 1
    local async
    async = uv.new_async(function()
      rung_before = #rung
      async:close()
    end)
    loop.alarm(function() async:send() end):start(due)
    for i = 1, 1000 do loop.alarm(function() rung[i] = #rung + 1 end):start(due) end
    while #rung < 1000 do loop.turn() end
    assert.is_true(rung_before and rung_before < 500, rung_before)
    for i = 1, 1000 do assert.equal(i, rung[i]) end
    uv.run("nowait")
  end)
end)

---Runs an attempt to its end; returns its userdata, and how it ended.
local function attempt(f, argument, finish)
  local how
  local started = task.start(f, function(_, word) how = word end, nil, argument, "attempt")
  if finish then finish(started) end
  while not how do assert(loop.turn()) end
  return started, how
end

describe("an attempt that has returned", function()
  it("rests for the next one, and keeps nothing", function()
    local kept = setmetatable({}, { __mode = "k" })
    local first = attempt(function(argument)
      kept[argument] = true
      local waker = task.waker()
      kept[waker] = true
      loop.alarm(waker):start(loop.now())
      task.pause(waker)
    end, {})
    assert.is_nil(task.argument(first))
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(kept))
    local seen
    local second = attempt(function(argument) seen = argument end, "second")
    assert.is_true(rawequal(first, second))
    assert.equal("second", seen)
  end)

  it("is used again within the `ended` of its own", function()
    local order, ended = {}, 0
    local function count() ended = ended + 1 end
    task.start(function(argument) table.insert(order, argument) end, function(argument)
      table.insert(order, argument .. " ended")
      task.start(function(other) table.insert(order, other) end, count, nil, "second", "attempt")
      count()
    end, nil, "first", "attempt")
    while ended < 2 do assert(loop.turn()) end
    assert.same({ "first", "first ended", "second" }, order)
    assert.equal(0, task.count())
  end)

  it("has its own deadline and family", function()
    attempt(function() end)
    local how
    task.start(function() sleep(60000) end, function(_, word) how = word end, loop.update() + 10, nil, "attempt")
    while not how do assert(loop.turn()) end
    assert.equal("cut", how)
    local child
    attempt(function() task.start(function() sleep(60000) end, function(_, word) child = word end) end)
    while not child do assert(loop.turn()) end
    assert.equal("cancelled", child)
  end)

  it("is not used again if other code may keep something by it, or if it did not return", function()
    local earlier = {}
    local ways = {
      function() earlier[#earlier + 1] = task.current() end,
      function() earlier[#earlier + 1] = task.attempt() end,
      function() error "raised" end,
      function() sleep(60000) end,
    }
    for position, way in ipairs(ways) do
      earlier[#earlier + 1] = attempt(way, nil, position == 4 and function(started) started:cancel() end)
      local later = { attempt(function() end), attempt(function() end) }
      for _, one in ipairs(earlier) do
        for _, other in ipairs(later) do assert.is_false(rawequal(one, other)) end
      end
    end
    assert.equal(0, task.count())
  end)
end)
