---The specs of the outcomes of a store: `bide run --store URL` ends as `bide run --journal FILE` does, with the same outcome
---and exit code, but for times.
---
---    outcomes("a file", { words = function(number) return { "--store", … } end }, _ENV)

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"

require "bide"

local recipe = [[
local http = require "bide.http"
local done = { output = { path = "state", comparator = "stringEquals", expected = "done" } }
local function of(changes, call)
  local waiter = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = done, name = "Done" },
    { state = "failure", name = "Broken",
      matcher = { output = { path = "state", comparator = "stringEquals", expected = "broken" } } },
  } }
  for name, value in pairs(changes) do waiter[name] = value end
  return waiter
end
local function ask(input)
  return http.get("%s/" .. input.path .. "?token=" .. tostring(input.ClientToken))
end
local input = { path = { type = "string", required = true }, limit = { type = "integer", default = 3 } }
return {
  Ask = {
    idempotencyToken = "ClientToken", input = { path = input.path, limit = input.limit }, call = ask,
    waitable = { Asked = of {}, Held = of { hold = { attempts = 3 } } },
  },
  Prepared = {
    prepare = function(given)
      if given.path == "wrong" then return nil, "path: it is wrong" end
      local count = 0
      return function()
        count = count + 1
        return { state = count > 0 and "done" or "no" }
      end
    end,
    waitable = { Ready = of {} },
  },
  Bug = { call = function() error "a bug" end, waitable = { Buggy = of {} } },
}
]]

---Removes what differs between two runs: times, tokens, and the folder, which a worker has to know.
local function without_times(value)
  if type(value) == "string" then
    local text = value:gsub("bundle:%x+/(things.lua)", "%1")
      :gsub("/%S*/(things.lua)", "%1"):gsub("%f[%w]%d[%d%.]* m?s%f[%W]", "TIME")
    return (text:gsub("%x+%-%x+%-%x+%-%x+%-%x+", "TOKEN"))
  end
  if type(value) ~= "table" then return value end
  local copy = {}
  for name, member in pairs(value) do
    if name ~= "elapsed" and name ~= "at" and name ~= "duration" and name ~= "age" then copy[name] = without_times(member) end
  end
  return copy
end

---@class spec.StoreWay
---@field words fun(number: integer, words: string): string[] the words of a run with a store of that number
---@field setup? fun()
---@field teardown? fun()

---@param name string
---@param way spec.StoreWay
---@param busted table the environment of the spec
return function(name, way, busted)
  local it, before_each, after_each, assert = busted.it, busted.before_each, busted.after_each, busted.assert
  busted.describe("a wait of " .. name, function()
    busted.setup(way.setup or function() end)
    busted.teardown(way.teardown or function() end)

    local workspace, server, answers, count

    before_each(function()
      workspace, count = Workspace.make(), {}
      server = Server.start(function(request)
        local path = request.target:match "^/(%w+)"
        count[path] = (count[path] or 0) + 1
        local list = answers[path] or {}
        local answer = list[math.min(count[path], #list)] or "waiting"
        if answer == "503" then return { status = 503, body = "{}" } end
        if answer == "404" then return { status = 404, body = "{}" } end
        local body = core.json.encode { state = answer, n = 1, path = path }
        return { headers = { ["Content-Type"] = "application/json" }, body = body }
      end)
      answers = {
        ready = { "done" }, later = { "waiting", "waiting", "done" }, broken = { "waiting", "broken" },
        flaky = { "waiting", "503", "503", "done" }, missing = { "404" }, steady = { "done", "waiting", "done" }, never = {},
      }
      workspace:write("things.lua", (recipe:gsub("%%s", function() return server.url end)))
      workspace:write("there", "yes")
      workspace:write("paths.jsonl", '{"path":"later"}\n{"path":"ready"}\n{"path":"steady"}\n')
      workspace:write("mixed.jsonl", '{"path":"later"}\n{"path":"broken"}\n{"path":"ready"}\n')
      workspace:write("wrong.jsonl", '{"path":"later"}\n{"path":7}\n')
    end)
    after_each(function()
      server:close()
      workspace:remove()
      assert.is_nil(leftovers.find())
    end)

    ---The end of a command: its code, its outcome or what it printed, and the requests that it made.
    local function run(words, ...)
      count = {}
      local line = { "run" }
      for word in words:gsub("%$URL", server.url):gmatch "%S+" do line[#line + 1] = word end
      for _, word in ipairs { "--output", "json", "--quiet", "--no-watch", "--seed", "7", ... } do line[#line + 1] = word end
      local done = workspace:bide(line)
      local document = done.stdout ~= "" and core.json.decode(done.stdout) or false
      return { code = done.code, outcome = without_times(document),
        message = document and "" or without_times(done.stderr), requests = count }
    end

    ---Commands whose end does not depend on time.
    local cases = {
      -- what acceptors decide
      { 0, "things.lua Asked path=ready --max-wait 20s" }, { 0, "things.lua Asked path=later --max-wait 20s" },
      { 1, "things.lua Asked path=broken --max-wait 20s" }, { 3, "things.lua Asked path=missing --max-wait 20s" },
      { 4, "things.lua Asked path=never --max-wait 20s --max-attempts 4" }, { 0, "things.lua Held path=steady --max-wait 20s" },
      { 0, "things.lua Asked path=flaky --max-wait 20s --tolerate 1m" }, { 3, "things.lua Asked path=flaky --max-wait 20s" },
      { 0, "things.lua Asked path=flaky --max-wait 20s --tolerate 4" },
      { 0, "things.lua Asked path=steady --max-wait 20s --hold 2" },
      { 9, "things.lua Asked path=broken --max-wait 20s --exit-code Broken=9" },
      { 0, "things.lua Asked path=ready --max-wait 20s --token abc" }, { 5, "things.lua Buggy --max-wait 20s" },
      { 0, "things.lua Ready path=x --max-wait 20s" }, { 0, "things.lua Asked path=later --max-wait 20s --interval 30ms" },
      { 0, "things.lua Asked path=ready --initial-delay 200ms --max-wait 9s" },
      { 0, "things.lua Asked path=later --max-wait 20s --until n==`1`" },
      { 1, "things.lua Asked path=never --fail n==`1` --max-wait 20s" },
      { 0, "things.lua Asked path=never --until path=='never' --max-wait 20s" },
      { 4, "things.lua Asked path=never --until nothing --max-wait 20s --max-attempts 2" },
      { 124, "things.lua Asked path=later --max-wait 1s --min-delay 3s" },
      -- bundled recipes
      { 0, "http $URL/ready --max-wait 20s" }, { 0, "http $URL/later --until state=='done' --max-wait 20s --interval 50ms" },
      { 4, "http $URL/missing --max-wait 20s --max-attempts 3 --interval 50ms" },
      { 0, "http $URL/flaky status=503 --max-wait 20s --interval 50ms" },
      { 0, "http url=$URL/ready matches=done --max-wait 20s" },
      { 0, "file path=there --max-wait 20s" }, { 4, "file path=nowhere --max-wait 20s --max-attempts 3" },
      { 4, "file path=there --invert --max-wait 20s --max-attempts 2" }, { 0, "file path=nowhere --invert --max-wait 20s" },
      { 0, "command run=true --max-wait 20s" },
      { 4, "command run=false --max-wait 20s --max-attempts 2 --interval 20ms" },
      { 4, "tcp 127.0.0.1:1 --max-wait 20s --max-attempts 3" }, { 0, "dns localhost --max-wait 20s" },
      { 4, "unix /nowhere/socket --max-wait 20s --max-attempts 2" },
      -- several waits
      { 0, "things.lua Asked --each paths.jsonl --max-wait 20s" }, { 1, "things.lua Asked --each mixed.jsonl --max-wait 20s" },
      { 0, "file path=there + things.lua Asked path=later --max-wait 20s" },
      { 0, "things.lua Asked --each paths.jsonl --all --max-wait 20s" },
      { 1, "things.lua Asked --each mixed.jsonl --keep-going --max-wait 20s" },
      -- mistakes
      { 2, "things.lua Asked --max-wait 20s" }, { 2, "things.lua Ready path=wrong --max-wait 20s" },
      { 2, "things.lua Nothing --max-wait 20s" }, { 2, "nothing.lua --max-wait 20s" }, { 2, "things.lua Asked path=x" },
      { 2, "things.lua Asked --each wrong.jsonl --max-wait 20s" }, { 2, "things.lua Asked path=x lmit=3 --max-wait 20s" },
      { 2, "file --max-wait 20s" },
    }

    for number, case in ipairs(cases) do
      local code, words = case[1], case[2]
      it("ends as that of a journal: " .. words, function()
        local expected = run(words, "--journal", ("journal%d.db"):format(number))
        local found = run(words, table.unpack(way.words(number, words)))
        assert.equal(code, expected.code, expected.message)
        assert.same(expected, found)
      end)
    end

    it("decides for any and some, and cancels the others", function()
      local done = run("things.lua Asked --each paths.jsonl --any --max-wait 20s", table.unpack(way.words(1, "")))
      assert.equal("", done.message)
      assert.same({ 0, "success", 1 }, { done.code, done.outcome.state, done.outcome.needed })
      done = run("things.lua Asked path=never + things.lua Asked path=ready --some 1 --max-wait 20s",
        table.unpack(way.words(1, "")))
      assert.same({ 0, 1, 1 }, { done.code, done.outcome.succeeded, done.outcome.cancelled })
      local cancelled = done.outcome.outcomes[1]
      assert.same({ "failure", "cancelled", "things#1" }, { cancelled.state, cancelled.reason, cancelled.branch })
    end)

    it("runs COMMAND after a success alone", function()
      local line = { "run", "file", "path=there", "--max-wait", "9s", "--quiet" }
      local of_store = way.words(1, "file")
    table.move(of_store, 1, #of_store, #line + 1, line)
      table.move({ "--", "echo", "ran" }, 1, 3, #line + 1, line)
      local done = workspace:bide(line)
      assert.same({ 0, "ran\n" }, { done.code, done.stdout })
      line[3], line[5] = "path=nowhere", "0.2s"
      done = workspace:bide(line)
      assert.same({ 124, "" }, { done.code, done.stdout })
    end)
  end)
end
