---`bide plan`: the seed's table, and the least and the most polls that any seed gives.

local Workspace = require "spec.support.workspace"

local trait = [[{"Done": {%s "acceptors": [
  {"state": "success", "matcher": {"output": {"path": "s", "comparator": "stringEquals", "expected": "ok"}}}]}}]]

describe("bide plan", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("default.json", trait:format "")
    workspace:write("fixed.json", trait:format '"minDelay": 5, "maxDelay": 5,')
    workspace:write("narrow.json", trait:format '"minDelay": 3, "maxDelay": 7,')
  end)

  local function plan(...)
    local done = workspace:bide { "plan", ... }
    assert.equal(0, done.code)
    local rows = {}
    for retry, last, delay, cumulative, remaining in done.stdout:gmatch "\n(%d+)( ?%(?[a-z ]*%)?) +([%d.]+) +([%d.]+) +(%S+)" do
      rows[#rows + 1] = { retry = tonumber(retry), last = last:find("last attempt", 1, true) ~= nil,
        delay = tonumber(delay), cumulative = tonumber(cumulative), remaining = tonumber(remaining) }
    end
    local least, most = done.stdout:match "\nPolls: at least (%d+), at most (%d+)\n"
    return rows, tonumber(least), tonumber(most), done
  end

  it("prints retry, delay, cumulative and remaining time", function()
    local rows, _, _, done = plan("default.json", "Done", "--max-wait", "300", "--seed", "7")
    assert.matches("Retry +Delay +Cumulative time +Remaining time\n", done.stdout)
    assert.matches("^Done: minDelay 2 s, maxDelay 2 m, max wait 5 m", done.stdout)
    local cumulative = 0
    for position, row in ipairs(rows) do
      cumulative = cumulative + row.delay
      assert.equal(position, row.retry)
      assert.near(cumulative, row.cumulative, 1e-6)
      assert.equal(position == #rows, row.last)
      if row.remaining then
        assert.near(300 - cumulative, row.remaining, 1e-6)
        assert.is_true(row.delay >= 2 and row.delay <= math.min(120, 2 * 2 ^ (position - 1)))
      end
    end
    assert.equal(2, rows[1].delay)
    assert.near(298, cumulative, 1e-6)
    assert.is_nil(rows[#rows].remaining)
  end)

  describe("of bounded lateness", function()
    local text = [[return { A = { call = function() end, waitable = { Done = { minDelay = %s, maxDelay = %s, lateness = %s,
      acceptors = { { state = "success", matcher = { success = false } } } } } } }]]

    it("knows the least and the most polls, by counting each of them", function()
      local core = require "bide.core"
      ---Goes from poll to poll, with every delay drawn as the shortest (1) or the longest (2).
      local function count(which, minimum, maximum, lateness, limit, latency, first)
        local now, polls = first + latency, 1
        while limit - now > minimum do
          local delay = select(which, core.wait.late_range(minimum, maximum, lateness * 10 ^ 9 // 1 | 0, now))
          now, polls = now + core.wait.delay(minimum, delay, limit - now) + latency, polls + 1
        end
        return polls
      end
      math.randomseed(20)
      for _ = 1, 60 do
        local minimum = math.random(1, 3000)
        local maximum, limit = math.random(minimum, minimum * 40), math.random(1, 1000000)
        local lateness, latency = math.random(1, 1000) / 1000, math.random(2) == 1 and math.random(1, 900) or 0
        local first = math.random(3) == 1 and math.random(1, 5000) or 0
        workspace:write("late.lua", text:format(minimum / 1000, maximum / 1000, lateness))
        local _, least, most = plan("late.lua", "--max-wait", limit .. "ms", "--latency", latency .. "ms", "--initial-delay",
          first .. "ms")
        if first >= limit then first = math.max(limit - minimum, 0) end
        assert.same({ count(2, minimum, maximum, lateness, limit, latency, first),
          count(1, minimum, maximum, lateness, limit, latency, first) }, { least, most })
      end
    end)

    it("of `bide http` has at most 2,000 polls an hour, and says what it promises", function()
      local _, least, most, done = plan("http", "127.0.0.1:8080/jobs/2", "--until", "state=done", "--max-wait", "1h")
      assert.same({ 816, 1600 }, { least, most })
      assert.matches("minDelay 0.05 s, maxDelay 5 s, lateness 5 %%, max wait 1 h;", done.stdout)
      assert.matches("\nFound late by at most 5 %% of the time waited, or 0.05 s: for attempts of no duration, without hold, "
        .. "rate and Retry%-After\n$", done.stdout)
    end)

    it("is quick for any wait and any lateness", function()
      for _, row in ipairs { { 0.001, 3600, 0.000001 }, { 0.05, 5, 0.05 }, { 0.001, 120, 1 }, { 1, 1, 1e-9 } } do
        workspace:write("late.lua", text:format(table.unpack(row)))
        local _, least, most = plan("late.lua", "--max-wait", "20000h")
        assert.is_true(least <= most and least >= 1)
      end
    end)

    it("without it promises nothing", function()
      local _, _, _, done = plan("http", "127.0.0.1:1", "--max-wait", "50s", "--interval", "1s")
      assert.is_nil(done.stdout:find("late", 1, true))
    end)
  end)

  it("is what a replay of that seed does", function()
    for seed = 1, 20 do
      local rows = plan("default.json", "--max-wait", "10m", "--seed", tostring(seed))
      workspace:write("answers.jsonl", '{"output": {}}\n')
      local outcome = workspace:outcome { "replay", "default.json", "Done", "answers.jsonl", "--max-wait", "10m",
        "--seed", tostring(seed) }
      assert.equal(#rows + 1, outcome.attempts)
      for position, row in ipairs(rows) do assert.near(row.delay, outcome.history[position].delay, 1e-6) end
    end
  end)

  ---recipe, max wait, latency, further words; the bounds hold for many seeds, and small ones are reached.
  local cases = {
    { "default.json", "300s", "0s" }, { "default.json", "300s", "1500ms" }, { "default.json", "2s", "0s" },
    { "default.json", "2001ms", "0s" }, { "default.json", "9s", "0s" }, { "fixed.json", "60s", "0s" },
    { "fixed.json", "60s", "2s" }, { "fixed.json", "5s", "0s" }, { "narrow.json", "25s", "0s" },
    { "narrow.json", "25s", "1s" }, { "narrow.json", "10s", "30s" }, { "default.json", "1h", "0s", "--max-attempts=4" },
  }

  for _, case in ipairs(cases) do
    it(("bounds the polls of every seed: %s in %s, each %s %s"):format(case[1], case[2], case[3], case[4] or ""), function()
      local _, least, most = plan(case[1], "--max-wait", case[2], "--latency", case[3], case[4])
      workspace:write("answers.jsonl", ('{"output": {}, "duration": %s}\n'):format(
        case[3]:find "ms" and tonumber(case[3]:match "%d+") / 1000 or case[3]:match "%d+"))
      local fewest, highest = math.huge, 0
      for seed = 1, 40 do
        local outcome = workspace:outcome { "replay", case[1], "Done", "answers.jsonl", "--max-wait", case[2],
          "--seed", tostring(seed), case[4] }
        fewest, highest = math.min(fewest, outcome.attempts), math.max(highest, outcome.attempts)
      end
      assert.is_true(least <= fewest and highest <= most, ("%d..%d, planned %d..%d"):format(fewest, highest, least, most))
      if least == most then assert.equal(least, fewest) end
    end)
  end

  it("ends a table of very many retries", function()
    local rows, least, most, done = plan("fixed.json", "--max-wait", "1000h")
    assert.equal(1000, #rows)
    assert.matches("and so on", done.stdout)
    assert.equal(least, most)
    assert.equal(720000, most)
  end)

  it("prints its numbers as JSON", function()
    local done = workspace:bide { "plan", "fixed.json", "--max-wait", "21s", "--output", "json", "--latency", "500ms" }
    local printed = require("bide.core").json.decode(done.stdout)
    assert.same({ least = 4, expected = 4, most = 4 }, printed.polls)
    assert.same({ 6, true, 3 }, { printed.discovery.worst, printed.complete, #printed.retries })
    assert.equal(3.171875, printed.discovery.mean)
    assert.same({ retry = 1, delay = 5, ceiling = 5, cumulative = 5.5, remaining = 15.5 }, printed.retries[1])
  end)

  it("draws the delays and the polls, in 80 columns where there is no terminal, and without colour", function()
    local _, _, _, done = plan("default.json", "--max-wait", "5m", "--seed", "7")
    assert.matches("\n1 +2 +2 +298  █", done.stdout)
    assert.matches("\npolls  0 s [▁▂▃▄▅▆▇█ ]+ 5 m\n", done.stdout)
    assert.is_nil(done.stdout:find("\27", 1, true))
    for line in done.stdout:gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 80) end
  end)

  it("takes the delays of the command line", function()
    local _, least, most = plan("default.json", "--max-wait", "1m", "--min-delay", "10s", "--max-delay", "10s")
    assert.same({ 6, 6 }, { least, most })
  end)
end)

describe("bide plan --output html", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("hostile.json", [[{ "Hostile": { "acceptors": [ { "state": "success", "matcher":
      { "output": { "path": "a", "comparator": "stringEquals", "expected": "</script><b>&\u202e" } } } ] } }]])
  end)

  it("writes a page with the figures of the plan, which loads nothing", function()
    local words = { "plan", "http", "--max-wait", "2m", "--seed", "1" }
    local text = workspace:bide(words).stdout
    local done = workspace:bide { "plan", "http", "--max-wait", "2m", "--seed", "1", "--output", "html=plan.html" }
    assert.same({ 0, "" }, { done.code, done.stdout }, done.stderr)
    local page = workspace:read "plan.html"
    local expected, mean = text:match "Expected: (%S+) polls; a change is found after (.-) on average"
    assert.matches("<dd>" .. expected .. "</div>", page, 1, true)
    assert.matches("<dd>" .. mean .. "</div>", page, 1, true)
    local retries = select(2, page:gsub("<tr><td>%d", ""))
    assert.equal(select(2, text:gsub("\n%d+ ", "")), retries)
    assert.not_matches("<script", page, 1, true)
    assert.not_matches("%shref=", page)
    assert.not_matches("%ssrc=", page)
  end)

  it("escapes what a recipe has written", function()
    local done = workspace:bide { "plan", "hostile.json", "--max-wait", "1m", "--output", "html" }
    assert.equal(0, done.code, done.stderr)
    assert.not_matches("<b>", done.stdout, 1, true)
    assert.matches("&lt;b&gt;&amp;", done.stdout, 1, true)
    assert.not_matches("\u{202e}", done.stdout, 1, true)
  end)

  it("is small for a plan of a thousand days", function()
    local done = workspace:bide { "plan", "http", "--max-wait", "1000d", "--interval", "1s", "--output", "html" }
    done:prints(0, "The first 1000 retries are shown here.")
    assert.is_true(#done.stdout < 200000)
  end)

  it("fails if its file cannot be written", function()
    local function code_of(file)
      return workspace:bide({ "plan", "http", "--max-wait", "1m", "--output", "html=" .. file }).code
    end
    assert.equal(1, code_of "/dev/full")
    assert.equal(2, code_of "/nonexistent/plan.html")
  end)
end)

describe("bide list", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("things.lua", [[
      local acceptors = { { state = "success", matcher = { success = true } } }
      return { GetThing = { call = print, waitable = {
        ThingExists = { documentation = "Waits until a thing is there. More than that.", acceptors = acceptors },
        ThingGone = { minDelay = 0.5, maxDelay = 3, deprecated = true, acceptors = acceptors },
      } } }]])
    workspace:write("trait.json", trait:format "")
    workspace:write("with.lua", "return { GetDone = print }")
  end)

  it("names waiters, their operations, delays and purpose", function()
    local done = workspace:bide { "list", "things.lua" }
    assert.equal(0, done.code)
    assert.matches("^things.lua\n  ThingExists +GetThing +2 s to 2 m +Waits until a thing is there%.\n", done.stdout)
    assert.matches("\n  ThingGone +GetThing +0.5 s to 3 s +%(deprecated%)\n$", done.stdout)
  end)

  it("takes several recipes, and operations with --with", function()
    local done = workspace:bide { "list", "trait.json", "--with", "with.lua" }
    assert.matches("Done +GetDone", done.stdout)
    assert.matches("Done +%-", workspace:bide({ "list", "trait.json" }).stdout)
  end)

  it("goes on behind a recipe that is wrong, and exits with 2", function()
    local done = workspace:bide { "list", "nobody.lua", "things.lua" }
    done:says(2, "nobody.lua: no such file")
    assert.matches("ThingExists", done.stdout)
  end)

  it("lists the recipes that come with bide, by the names they are run by", function()
    local done = workspace:bide { "list" }
    assert.equal(0, done.code)
    for _, name in ipairs { "http", "tcp", "command", "file" } do
      assert.matches("\n" .. name .. "\n", "\n" .. done.stdout, 1, true)
    end
  end)
end)
