local process = require "spec.support.process"
local origin = require "bide.probe.http.origin"
local rate = require "bide.probe.http.rate"
local token_bucket = require "bide.probe.asking.token_bucket"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math = ipairs, math

describe("a rate", function()
  it("is spread as evenly as intervals of 10 ms allow, and is never above what was said", function()
    -- text, tokens with each interval, interval in milliseconds, the most that are saved up
    local rows = {
      { "5/s", 1, 200, 1 }, { "50/s", 1, 20, 1 }, { "100/m", 1, 600, 1 }, { "1/2s", 1, 2000, 1 },
      { "10/1m30s", 1, 9000, 1 }, { "3/s", 1, 334, 1 }, { "700/s", 7, 10, 7 }, { "5000/s", 50, 10, 50 },
      { "5/s,burst=10", 1, 200, 10 }, { "5000/s,burst=2", 50, 10, 50 }, { "1/500ms", 1, 500, 1 },
      { "1/5ms", 2, 10, 2 }, { "1000/ms", 10000, 10, 10000 }, { "1000000/ms", 10000000, 10, 10000000 },
    }
    for _, row in ipairs(rows) do
      local read = assert(rate.parse(row[1]))
      assert.same({ row[2], row[3], row[4] }, { read.tokens, read.interval, read.burst }, row[1])
    end
  end)

  it("is at most one part in a hundred lower, over many seeds", function()
    for seed = 1, 500 do
      math.randomseed(seed)
      local count, period = math.random(1, 10 ^ math.random(1, 6) // 1 | 0), math.random(1, 10 ^ math.random(1, 8) // 1 | 0)
      local read = assert(rate.parse(("%d/%dms"):format(count, period)))
      local wanted, got = count / period, read.tokens / read.interval
      check.is_true(got <= wanted * (1 + 1e-12) and got >= wanted / 1.01 * (1 - 1e-12), ("%d/%dms"):format(count, period))
    end
  end)

  it("that is none is told with what was found and what is wanted", function()
    for _, text in ipairs { "5", "/s", "5/", "0/s", "-1/s", "1.5/s", "5/x", "5/0s", "5/s,", "5/s,burst=0", "5/s,brst=3",
      "2000000/s", "1/400d", 5, false } do
      local read, mistake = rate.parse(text)
      assert.is_nil(read)
      assert.matches("^expected a rate such as 5/s, 100/m, 1/2s or 5/s,burst=10, found .*$", mistake)
    end
  end)

  it("goes for a host, however its URL is written", function()
    local rows = {
      { "http://a.example/x", "http://a.example:80" }, { "HTTP://u:p@A.example:80", "http://a.example:80" },
      { "https://a.example?x@y", "https://a.example:443" }, { "http://[::1]:8080/", "http://[::1]:8080" },
      { "http://[::1]/x", "http://[::1]:80" }, { "http://a:#f", "http://a:80" }, { "http://a:81", "http://a:81" },
    }
    for _, row in ipairs(rows) do check.equal(row[2], origin.of(row[1])) end
    check.equal("unix:/run/x", origin.of("http://a/", "/run/x"))
  end)
end)

describe("a bucket that keeps its tokens itself", function()
  it("never gives more than the burst and what the stretch's intervals add, over many seeds", function()
    for seed = 1, 60 do
      math.randomseed(seed)
      local tokens, interval = math.random(1, 5), math.random(1, 50)
      local burst = math.random(tokens, 20)
      local now, given = math.random(0, 10 ^ 12 | 0), {}
      local bucket = token_bucket.new({ refillRate = tokens, interval = interval, burstLimit = burst }, now)
      for _ = 1, 300 do
        now = now + math.random(0, 2 * interval)
        for _ = 1, math.random(1, 8) do
          local taken, next_at = bucket:take(now)
          if taken then given[#given + 1] = now end
          check.is_true(taken or next_at > now and next_at <= now + interval)
        end
      end
      for from = 1, #given do
        for to = from, math.min(from + 60, #given) do
          local most = burst + tokens * ((given[to] - given[from] + interval - 1) // interval)
          if to - from + 1 > most then
            error(("seed %d: %d in %d ms"):format(seed, to - from + 1, given[to] - given[from]))
          end
        end
      end
    end
  end)

  it("does not lose the rate to timers that ring late", function()
    math.randomseed(1)
    local bucket, now, taken = token_bucket.new({ refillRate = 1, interval = 20, burstLimit = 1 }, 0), 0, 0
    while now < 100000 do
      local ok, next_at = bucket:take(now)
      if ok then taken = taken + 1 else now = next_at + math.random(0, 15) end
    end
    check.is_true(taken >= 4999 and taken <= 5001, taken)
  end)

  it("saves up no more than the burst while nobody asks", function()
    local bucket = token_bucket.new({ refillRate = 1, interval = 100, burstLimit = 3 }, 0)
    for _ = 1, 3 do check.is_true(bucket:take(0)) end
    assert.same({ false, 100 }, { bucket:take(0) })
    for _ = 1, 3 do check.is_true(bucket:take(3600000)) end
    assert.same({ false, 3600100 }, { bucket:take(3600000) })
  end)
end)

describe("the line before a bucket", function()
  ---Runs a script on the virtual clock, where an hour takes no time.
  local function run(script)
    local done = process.run({ process.lua, "-e", [[
      core, rate = require "bide.core", require "bide.probe.http.rate"
      loop, task = core.loop, core.task
      loop.use_virtual_clock()
      loop.update()
      began = loop.now()
      function answer(status, after)
        local failure = status >= 300 and { type = "Http" .. status, status = status } or nil
        return { status = status, headers = { ["retry-after"] = after }, operation_error = function() return failure end }
      end
      function turn_all() while task.count() > 0 and loop.turn() do end end
      local function ended(_, how, value) if how == "raised" then print(value) end end
      function start(f, deadline) return task.start(f, ended, deadline) end
    ]] .. script }, { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath } })
    check.equal("", done.stderr)
    return done.stdout
  end

  it("lets 1,000 in at 50/s: one each 20 ms, in the order of arrival", function()
    check.equal("1000\ttrue\ttrue\t0\n", run [[
      local bucket, times, order = rate.bucket(assert(rate.parse "50/s"), "h"), {}, {}
      for i = 1, 1000 do
        start(function() bucket:enter() times[#times + 1] = loop.now() - began order[#order + 1] = i end)
      end
      turn_all()
      local even, fifo = true, true
      for i = 1, 1000 do even, fifo = even and times[i] == (i - 1) * 20, fifo and order[i] == i end
      print(#times, even, fifo, loop.timer_count())
    ]])
  end)

  it("has one alarm, however many stand in it", function()
    check.equal("1\n", run [[
      local bucket = rate.bucket(assert(rate.parse "1/m"), "h")
      for _ = 1, 1000 do start(function() bucket:enter() end) end
      for _ = 1, 2 do loop.turn() end
      print(loop.timer_count())
    ]])
  end)

  it("costs the same for each token, whether ten stand in it or ten thousand", function()
    local script = [[
      local bucket, steps = rate.bucket(assert(rate.parse "1/s"), "h"), 0
      for _ = 1, %d do start(function() bucket:enter() end) end
      for _ = 1, 2 do loop.turn() end
      debug.sethook(function() steps = steps + 1 end, "l")
      for _ = 1, 10 do loop.turn() end
      debug.sethook()
      print(steps)
    ]]
    check.equal(run(script:format(20)), run(script:format(10000)))
  end)

  it("is left at once by who is cancelled or cut, whose token goes to the next", function()
    check.equal("1 0\n2 1000\n5 2000\n0\t0\n", run [[
      local bucket, tasks = rate.bucket(assert(rate.parse "1/s"), "h"), {}
      for i = 1, 5 do
        tasks[i] = start(function()
          bucket:enter()
          print(i .. " " .. loop.now() - began)
        end, i == 4 and began + 1500 or nil)
      end
      loop.alarm(function() tasks[3]:cancel() end):start(began + 500)
      turn_all()
      print(loop.timer_count(), bucket.line.count)
    ]])
  end)

  it("keeps no alarm where all have gone", function()
    check.equal("0\n", run [[
      local bucket = rate.bucket(assert(rate.parse "1/d"), "h")
      for _ = 1, 3 do start(function() bucket:enter() end, began + 100) end
      turn_all()
      print(loop.timer_count())
    ]])
  end)

  it("stands still until Retry-After, for all", function()
    check.equal("1 0\n2 7000\n3 7010\n", run [[
      local bucket = rate.bucket(assert(rate.parse "100/s"), "h")
      for i = 1, 3 do
        start(function()
          local sent_at = bucket:enter()
          print(i .. " " .. loop.now() - began)
          bucket:handle(answer(i == 1 and 429 or 200, i == 1 and "7" or nil), sent_at)
        end)
      end
      turn_all()
    ]])
  end)

  it("stands still for a pause that doubles up to a minute, and is halved by an answer in order", function()
    local pauses = {}
    for pause in run([[
      local bucket = rate.bucket(assert(rate.parse "1000/s"), "h")
      start(function()
        for i = 1, 12 do
          local sent_at = bucket:enter()
          bucket:handle(answer((i == 9 or i == 10) and 200 or 429), sent_at)
          print(math.max(bucket.closed_until - loop.now(), 0))
        end
      end)
      turn_all()
    ]]):gmatch("%d+") do pauses[#pauses + 1] = math.tointeger(pause) end
    local highest = { 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000, 0, 0, 60000, 60000 }
    check.equal(12, #pauses)
    for i, most in ipairs(highest) do check.is_true(pauses[i] >= most // 2 and pauses[i] <= most, i .. ": " .. pauses[i]) end
  end)

  it("counts an overload once, however many requests were in flight", function()
    check.equal("1\tfalse\t3000\t1\n", run [[
      local bucket = rate.bucket(assert(rate.parse "1000/s"), "h")
      local sent_at = loop.now()
      for _ = 1, 50 do bucket:handle(answer(429), sent_at) sent_at = sent_at - 1 end
      local overloads, closed = bucket.overloads, bucket.closed_until
      bucket:handle(answer(200), sent_at)
      local shortened = bucket.closed_until < closed or bucket.overloads < overloads
      bucket:handle(answer(429, "3"), sent_at)
      print(overloads, shortened, bucket.closed_until - loop.now(), bucket.overloads)
    ]])
  end)
end)
