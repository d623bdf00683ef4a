---The events of a run of a store: `bide watch RUN --events FILE` and `bide run --store URL --events FILE` write those of
---`bide run --events`, each of them once, and none that the store does not know.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local tables = require "bide.text.tables"

local json = core.json

local recipe = [[
local http = require "bide.http"
local function path(text, state)
  return { state = state, name = text, matcher = { output = { path = "state", comparator = "stringEquals", expected = text } } }
end
return { Ask = {
  idempotencyToken = "ClientToken", input = { url = { type = "string", required = true } },
  call = function(input) return http.get(input.url) end,
  waitable = { Asked = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    path("done", "success"), path("broken", "failure"), { state = "retry", matcher = { errorType = "NotFound" } },
  } } },
} }
]]

local differing = { wait = true, time = true, at = true, duration = true, elapsed = true, message = true, history = true }

---Removes what differs between two runs: times and tokens, and what is known only once a worker has made an attempt.
local function without_times(event)
  local copy = {}
  for name, value in pairs(event) do
    if not differing[name] then copy[name] = value end
  end
  copy.input = event.input and { url = event.input.url }
  if event.event == "start" then copy.operation = nil end
  return copy
end

---The events of each wait in their order, by the URL that it asks, without times.
local function by_url(events)
  local url_of, lists = {}, {}
  for _, event in ipairs(events) do
    if event.event == "start" then
      url_of[event.wait], lists[event.input.url] = event.input.url, {}
    end
    table.insert(lists[url_of[event.wait]], without_times(event))
  end
  return lists
end

local function names_of(events)
  local names = {}
  for position, event in ipairs(events) do names[position] = event.event end
  return table.concat(names, " ")
end

---@param name string
---@param options string[] of its workers
---@param url_of fun(): string
---@param empty fun()
local function declare(name, options, url_of, empty)
  describe("the events of a run of " .. name, function()
    local workspace = Workspace.of_each { ["ask.lua"] = recipe }
    local server, count, answers

    before_each(function()
      empty()
      count = {}
      answers = {
        ["/ready"] = { "done" }, ["/later"] = { "waiting", "404", "waiting", "done" }, ["/broken"] = { "waiting", "broken" },
      }
      server = Server.start(function(request)
        count[request.path] = (count[request.path] or 0) + 1
        local list = answers[request.path] or {}
        local answer = list[math.min(count[request.path], #list)] or "waiting"
        if answer == "404" then return { status = 404, body = "{}" } end
        local body = json.encode { state = answer, apiToken = "hunter2" }
        return { headers = { ["Content-Type"] = "application/json" }, body = body }
      end)
    end)
    after_each(function() server:close() end)

    local function words_of(line, ...)
      local words = {}
      for word in line:gsub("%$URL", server.url):gmatch "%S+" do words[#words + 1] = word end
      return tables.joined(words, { "--seed", "7", ... })
    end

    ---Runs a line without a store, and with one, whose run is watched again; returns all events.
    local function compare(line)
      count = {}
      local expected, without_store = workspace:events(words_of("run ask.lua " .. line))
      count = {}
      local found, done = workspace:events(words_of("run ask.lua " .. line, "--store", url_of(), "--work"))
      assert.same({ without_store.code, "" }, { done.code, done.stdout == "" and done.stderr or "" })
      assert.same(by_url(expected), by_url(found))
      local run = found[1].wait:match "^%d+"
      local again = workspace:events { "watch", run, "--store", url_of() }
      local lists, lists_again = {}, {}
      for _, event in ipairs(found) do tables.append(lists, { json.encode(event) }) end
      for _, event in ipairs(again) do tables.append(lists_again, { json.encode(event) }) end
      table.sort(lists)
      table.sort(lists_again)
      assert.same(lists, lists_again)
      return found, run
    end

    it("are those of a run without a store", function()
      local found, run = compare "url=$URL/later --max-wait 60s"
      assert.equal("start attempt attempt attempt attempt end", names_of(found))
      assert.equal("NotFound", found[3].error.type)
      assert.equal(found[6].time, os.date("!%Y-%m-%d", os.time()) .. found[6].time:sub(11))
      for position = 2, #found do
        assert.is_true(found[position].time >= found[position - 1].time, found[position - 1].time .. " " .. found[position].time)
      end
      for position = 1, 4 do
        assert.same(found[6].history[position].at, found[position + 1].at)
        assert.equal(run .. ".1", found[position].wait)
      end
      assert.equal("[redacted]", found[6].output.apiToken)
    end)

    it("are those of several waits, with their names", function()
      local found = compare "url=$URL/later + ask.lua url=$URL/ready --max-wait 60s"
      for _, event in ipairs(found) do assert.matches("^ask#%d$", event.branch) end
      compare "url=$URL/later + ask.lua url=$URL/broken --keep-going --max-wait 60s"
    end)

    it("stand in a file beside the outcome, and on standard output in its place", function()
      workspace:bide(words_of("submit ask.lua url=$URL/later --max-wait 60s", "--store", url_of())):ends(0)
      local run = workspace:bide({ "jobs", "list", "--store", url_of(), "--output", "json" }).stdout:match '"run": (%d+)'
      local worker = workspace:start(tables.joined({ "worker", "--store", url_of(), "--quiet" }, options))
      local done = workspace:bide { "watch", run, "--store", url_of(), "--events", "events", "--output", "json", "--quiet" }
      worker:kill "sigterm"
      worker:wait()
      assert.equal(0, done.code, done.stderr)
      assert.equal(4, json.decode(done.stdout).attempts)
      assert.equal("start attempt attempt attempt attempt end", names_of(Workspace.decode_lines(workspace:read "events")))
      done = workspace:bide { "watch", run, "--store", url_of(), "--events", "-", "--output", "json" }
      assert.equal(6, #Workspace.decode_lines(done.stdout))
      done = workspace:bide { "watch", run, "--store", url_of(), "--events", "nowhere/events" }
      assert.same({ 2, "" }, { done.code, done.stdout })
      done = workspace:bide { "watch", run, "--store", url_of(), "--events", "/dev/full", "--quiet" }
      assert.equal(1, done.code, done.stderr)
    end)

    it("lack the attempts that were not kept", function()
      local found, done = workspace:events(words_of("run ask.lua url=$URL/later --max-wait 60s", "--store", url_of(),
        "--work", "--history", "none"))
      assert.equal(0, done.code, done.stderr)
      assert.equal("start end", names_of(found))
      assert.equal(4, found[2].attempts)
    end)

    it("of an attempt come before the wait has ended, and a signal adds no end", function()
      local worker = workspace:start(words_of("run ask.lua url=$URL/never --max-wait 60s --quiet", "--store", url_of(), "--work"))
      local run
      repeat
        run = workspace:bide({ "jobs", "list", "--store", url_of(), "--output", "json" }).stdout:match '"run": (%d+)'
      until run
      local watching = workspace:start { "watch", run, "--store", url_of(), "--events", "-", "--quiet" }
      watching:wait_for_output '"attempt": 3,'
      watching:kill "sigterm"
      assert.equal(143, watching:wait().code, watching.stderr)
      assert.matches("continues", watching.stderr)
      local events = Workspace.decode_lines(watching.stdout)
      for position = 2, #events do
        assert.same({ "attempt", position - 1 }, { events[position].event, events[position].attempt })
      end
      assert.equal("start", events[1].event)
      workspace:bide({ "jobs", "cancel", run, "--store", url_of() }):ends(0)
      assert.equal(143, worker:wait().code)
      events = workspace:events { "watch", run, "--store", url_of() }
      assert.same({ "end", "cancelled" }, { events[#events].event, events[#events].reason })
    end)

    it("of more than 1,000 waits come as each of them ends", function()
      workspace:write("urls", ('{"url":"%s/ready"}\n'):format(server.url):rep(1001))
      local events, done = workspace:events(words_of("run ask.lua --each urls --max-wait 10m", "--store", url_of(), "--work"))
      assert.equal(0, done.code, done.stderr)
      assert.equal(3 * 1001, #events)
      local last = {}
      local before = { attempt = "start", ["end"] = "attempt" }
      for _, event in ipairs(events) do
        assert.equal(before[event.event], last[event.wait])
        last[event.wait] = event.event
      end
    end)
  end)
end

declare("a file", {}, function() return "sqlite:store.db" end, function() end)

describe("with PostgreSQL", function()
  local cluster = Cluster.installed()
  if not cluster then return end
  setup(function() cluster:let_work "ada" end)
  declare("a database", { "--allow-net", "127.0.0.1" }, function() return cluster:url "ada" end, function() cluster:empty() end)
end)

describe("the events of a run", function()
  local workspace = Workspace.of_each()

  it("have no success that the counts of the run do not have", function()
    workspace:write("one.lua", [[return { One = { call = function() return {} end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    workspace:bide({ "run", "one.lua", "--max-wait", "9s", "--store", "w.db", "--work", "--quiet" }):ends(0)
    local database = assert(require("bide.sqlite").open(workspace.path .. "/w.db"))
    assert(database:query "UPDATE store_run SET succeeded = 0, failed = 1")
    database:close()
    local events, done = workspace:events { "watch", "1", "--store", "w.db" }
    assert.equal(70, done.code, done.stderr)
    assert.equal("start attempt", names_of(events))
  end)
end)
