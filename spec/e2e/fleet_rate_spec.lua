---The rate of a fleet: more than ten waits of one command send at most 100 requests a second to one remote origin. The
---origins here are names that nobody resolves, as the requests go by a proxy of this machine.

local uv = require "luv"
local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local timely = require "spec.support.timely"

local LATE = 100 -- milliseconds between the token and the server's noticing, on a machine with much to do

describe("the requests of a fleet", function()
  local workspace = Workspace.of_block()
  local times, answer

  local server = Server.of_each(function(request)
    times[#times + 1] = uv.hrtime() / 1e6
    return answer(request)
  end)

  before_each(function() times, answer = {}, function() return { body = '{"state": "busy"}' } end end)

  ---Writes the lines of `--each http`: `count` addresses, by the proxy unless they are of this machine.
  local function write(count, address)
    local lines = {}
    for i = 1, count do
      lines[i] = json.encode { url = address:format(i), proxy = not address:find "127.0.0.1" and server.url or nil }
    end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
  end

  local function run(...)
    return workspace:bide { "run", "http", "--each", "lines.jsonl", "--until", "state=done", ... }
  end

  ---No second may hold more requests than the rate allows to one that is late by LATE.
  local function most_in_a_second()
    local most = 0
    for from = 1, #times do
      local to = from
      while times[to + 1] and times[to + 1] - times[from] <= 1000 do to = to + 1 end
      most = math.max(most, to - from + 1)
    end
    return most
  end

  ---How many requests come at no rate while a wait takes `longest`.
  local function count_free(longest, ...)
    times = {}
    local words = { "--max-wait", longest, "--quiet", ... }
    table.move({ "--rate", "none" }, 1, 2, #words + 1, words)
    run(table.unpack(words))
    local count = #times
    times = {}
    return count
  end

  ---Runs for some time, and asserts that not many more requests come in it at no rate.
  local function assert_requests(longest, ...)
    local words, done = { ... }, nil
    timely.within(3, function()
      local free = count_free(longest, table.unpack(words))
      done = run("--max-wait", longest, "--quiet", table.unpack(words))
      return free / #times
    end)
    return done
  end

  local limited = 100 + 1 + LATE // 10

  it("are at most 100 a second to one remote origin", function()
    write(40, "http://api.example/%d")
    local free = count_free "2s"
    run("--max-wait", "2s", "--quiet"):ends(124)
    assert.is_true(#times >= math.min(100, free / 3) and #times <= 210 and most_in_a_second() <= limited, #times)
  end)

  it("are counted for each origin, of which the port is a part", function()
    write(40, "http://api%d.example/")
    assert_requests "1s"
    write(12, "http://api.example:8%03d/")
    assert_requests("1s", "--interval", "20ms")
  end)

  local free = {
    { 40, "%s/%%d", {} }, { 10, "http://api.example/%%d", {} }, { 40, "http://api.example/%%d", { "--rate", "none" } },
    { 40, "http://localhost:1/%%d", {} }, { 40, "http://a.localhost/%%d", {} }, { 40, "http://127.3.4.5/%%d", {} },
    { 40, "http://[::1]:99/%%d", {} },
  }
  for _, row in ipairs(free) do
    it(("are as many as there are: %d to %s %s"):format(row[1], row[2], table.concat(row[3], " ")), function()
      write(row[1], row[2]:format(server.url))
      local done = assert_requests("500ms", "--interval", "20ms", table.unpack(row[3]))
      assert.is_nil(done.stderr:find("a second", 1, true))
    end)
  end

  it("go by the rate of the command line, or of the recipe", function()
    write(40, "http://api.example/%d")
    assert_requests("1s", "--rate", "400/s")
    assert.is_true(#times <= 450, #times)
    times = {}
    workspace:write("own.lua", [[local http = require "bide.http"
      return { Op = { rate = "30/s", call = function(input) return http.get(input.url, { proxy = input.proxy }) end,
        waitable = { Done = { minDelay = 0.02, maxDelay = 0.02, acceptors = {
          { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
        } } } } }]])
    workspace:bide { "run", "own.lua", "--each", "lines.jsonl", "--max-wait", "1s", "--quiet" }
    assert.is_true(#times >= 2 and #times <= 40, #times)
  end)

  it("of lists and of parts of a command are limited as well", function()
    local list, words = {}, { "run" }
    for i = 1, 12 do
      list[i] = { recipe = "http", input = { url = "http://api.example/" .. i, proxy = server.url }, interval = "10ms" }
      if i > 1 then words[#words + 1] = "+" end
      for _, word in ipairs { "http", "http://api.example/" .. i, "proxy=" .. server.url, "--until", "state=done" } do
        words[#words + 1] = word
      end
    end
    workspace:write("list.json", json.encode(list))
    workspace:bide { "run", "list.json", "--until", "state=done", "--max-wait", "1s", "--quiet" }
    assert.is_true(#times >= 12 and most_in_a_second() <= limited, #times)
    times = {}
    for _, word in ipairs { "--interval", "10ms", "--max-wait", "1s", "--quiet" } do words[#words + 1] = word end
    workspace:bide(words)
    assert.is_true(#times >= 12 and most_in_a_second() <= limited, #times)
  end)

  describe("that cannot ask each wait twice", function()
    local warning = "bide: warning: %d waits for api.example, at 100 requests a second, take %s to be asked twice, longer "
      .. "than --max-wait %s; --rate sets another rate, --rate none lifts it\n"

    it("are told before they begin", function()
      write(80, "http://api.example/%d")
      timely.within(0, function()
        local unlimited = count_free "1s"
        local done = run("--max-wait", "1s", "--quiet")
        local expected = warning:format(80, "1.6 s", "1s")
        assert.equal(expected, done.stderr:sub(1, #expected))
        assert.is_true(#times <= 110, #times)
        return math.min(80, unlimited / 2) - #times -- those that were not asked
      end)
    end)

    it("are told only then", function()
      write(50, "http://api.example/%d")
      assert.is_nil(run("--max-wait", "1s", "--quiet").stderr:find("warning", 1, true))
      write(80, "http://api.example/%d")
      assert.is_nil(run("--max-wait", "1s", "--quiet", "--rate", "none").stderr:find("warning", 1, true))
      write(80, server.url .. "/%d")
      assert.is_nil(run("--max-wait", "1s", "--quiet").stderr:find("warning", 1, true))
    end)

    it("are told of a rate that was given, too", function()
      write(11, server.url .. "/%d")
      local done = run("--max-wait", "1s", "--quiet", "--rate", "600/m")
      assert.matches("warning: 11 waits for 127.0.0.1:%d+, at 600 requests a minute, take 2.1 s to be asked twice,", done.stderr)
    end)

    it("say of a wait that never had its turn that it was never asked", function()
      answer = function() return { body = '{"state": "done"}' } end
      write(200, "http://api.example/%d")
      timely.within(5, function()
        times = {}
        local done = run("--max-wait", "1s", "--output", "json", "--quiet", "--jobs", "1000")
        local asked, never, unanswered = 0, 0, 0
        for _, outcome in ipairs(json.decode(done.stdout).outcomes) do
          if outcome.state == "success" then
            asked = asked + 1
          elseif outcome.message:find "was cut off after" or outcome.message:find "came too late" then
            unanswered = unanswered + 1 -- begun just before the deadline
          else
            never = never + 1
            assert.equal("ServiceHealthy exceeded --max-wait 1s; it was never asked: 100 requests a second to api.example",
              outcome.message)
          end
        end
        assert.equal(124, done.code)
        assert.equal(200, asked + never + unanswered)
        assert.is_true(asked <= limited, asked)
        return asked >= 15 and asked >= #times - 1 and unanswered or math.huge
      end)
    end)
  end)

  it("are refused a rate that is none of them", function()
    write(1, "http://api.example/%d")
    for _, text in ipairs { "5", "", "None", "0/s" } do
      run("--max-wait", "1s", "--rate", text):says(2, "--rate: expected")
    end
  end)
end)

describe("the last attempts of a fleet", function()
  local workspace = Workspace.of_block()

  it("that a Retry-After puts off to the end are spread over the last 5 % of the wait", function()
    local count
    local server = Server.start(function()
      count = count + 1
      return { status = 503, headers = { ["Retry-After"] = "3600" } }
    end)
    local lines = {}
    for i = 1, 60 do lines[i] = json.encode { url = server.url .. "/" .. i } end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
    local words = { "run", "http", "--each", "lines.jsonl", "--max-wait", "8s", "--quiet", "--output", "json" }
    local outcomes
    timely.within(0, function()
      count = 0
      local done = workspace:bide(words)
      assert.equal(124, done.code)
      outcomes = json.decode(done.stdout).outcomes
      return 120 - count -- those for which a busy machine had no time
    end)
    server:close()
    local earliest, latest, seen = 8, 0, {}
    for _, outcome in ipairs(outcomes) do
      assert.same({ 2, "maxWait" }, { outcome.attempts, outcome.reason })
      local began = outcome.history[2].at
      earliest, latest = math.min(earliest, began), math.max(latest, began)
      seen[math.floor(began * 50)] = true
    end
    assert.is_true(earliest >= 7.55 and earliest < 7.64 and latest <= 8 and latest > 7.76, ("%g to %g"):format(earliest, latest))
    local moments = 0
    for _ in pairs(seen) do moments = moments + 1 end
    assert.is_true(moments >= 6, moments)
  end)
end)
