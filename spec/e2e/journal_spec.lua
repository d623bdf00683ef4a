---`bide run --journal` and `--resume`: a wait goes on after its process was killed.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local leftovers = require "spec.support.leftovers"
local luv = require "luv"

require "bide"

local recipe = [[
local http = require "bide.http"
return {
  Create = {
    idempotencyToken = "ClientToken",
    call = function(input)
      return http.post("%s/things", { json = { name = input.name, token = input.ClientToken } })
    end,
    waitable = { Created = { minDelay = 0.02, maxDelay = 0.2, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "created" } } },
      { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
      { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
    } } },
  },
}
]]

describe("a journal", function()
  local workspace = Workspace.of_each()
  local server, tokens, states, on_request, file

  before_each(function()
    tokens, states, on_request = {}, {}, function() end
    server = Server.start(function(request)
      local input = core.json.decode(request.body)
      tokens[#tokens + 1] = input.token
      local answer = on_request(#tokens, input)
      if answer then return answer end
      local state = states[#tokens] or "created"
      if state == "error" then return { status = 503 } end
      return { body = core.json.encode { state = state, password = "hunter2" } }
    end)
    workspace:write("things.lua", recipe:format(server.url))
    file = workspace.path .. "/waits.db"
  end)

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  local function words(...)
    return { "run", "things.lua", "Created", "name=foo", "--max-wait", "5s", "--journal", "waits.db", "--seed", "7", ... }
  end

  ---Runs a wait and kills it while it has its n-th request in flight.
  local function kill_in(count, list, signal)
    local process
    on_request = function(number)
      if number ~= count then return end
      if #states >= count then table.insert(states, count, "lost") end -- it will be asked for again
      process:kill(signal or "sigkill")
      return { silent = true }
    end
    process = workspace:start(list or words())
    process:wait()
    on_request = function() end
    return process
  end

  local function delays(outcome)
    local list = {}
    for position, attempt in ipairs(outcome.history) do list[position] = attempt.delay or "none" end
    return list
  end

  it("is not there unless it is asked for", function()
    assert.equal(0, workspace:bide({ "run", "things.lua", "name=foo", "--max-wait", "50s" }).code)
    assert.is_nil(luv.fs_stat(file))
  end)

  it("lets a wait that was killed end as the uninterrupted one does", function()
    states = { "pending", "error", "pending", "pending", "pending" }
    local whole = workspace:outcome(words())
    local token = tokens[1]
    assert.equal(6, #tokens)
    tokens = {}
    kill_in(3)
    local rest, done = workspace:outcome(words "--resume")
    assert.equal(0, done.code)
    assert.equal(7, #tokens) -- the third was made again
    for position = 2, 7 do assert.equal(tokens[1], tokens[position]) end
    assert.not_equal(token, tokens[1])
    assert.equal(tokens[1], rest.input.ClientToken)
    assert.same({ whole.state, whole.reason, whole.attempts, whole.maxWait, whole.seen },
      { rest.state, rest.reason, rest.attempts, rest.maxWait, rest.seen })
    assert.same(delays(whole), delays(rest))
    assert.same(whole.history[2].error, rest.history[2].error)
    local before = -1
    for _, attempt in ipairs(rest.history) do
      assert.is_true(attempt.at > before)
      before = attempt.at
    end
    assert.is_true(rest.elapsed >= before)
  end)

  it("is its owner's alone, and has no secrets in it", function()
    states = { "pending", "pending" }
    kill_in(3, words("password=sesame", "--resume"))
    for _, name in ipairs { "waits.db", "waits.db-wal", "waits.db-shm", "waits.db-lock" } do
      assert.equal(tonumber("600", 8), assert(luv.fs_stat(workspace.path .. "/" .. name)).mode & tonumber("777", 8))
    end
    assert.not_matches("sesame", journal.bytes(file), 1, true)
    assert.not_matches("hunter2", journal.bytes(file), 1, true)
    local shown = workspace:bide { "journal", "show", "1", "--journal", "waits.db" }
    assert.matches('"password": "[redacted]"', shown.stdout, 1, true)
    assert.equal(1, workspace:outcome(words("password=sesame", "other=1", "--resume")).attempts) -- another wait
    assert.equal(1, workspace:outcome(words("password=changed", "--resume")).attempts) -- nothing declares it to be secret
  end)

  ---Kills a wait in its n-th request, before its deadline, and returns behind it. On a busy machine that takes a later one.
  local function kill_before_deadline(count, ...)
    local milliseconds = 150
    repeat
      milliseconds, tokens, states = 2 * milliseconds, {}, { ... }
      for _, ending in ipairs { "", "-wal", "-shm" } do os.remove(file .. ending) end
      local killed = kill_in(count, words("--max-wait", milliseconds .. "ms"))
    until killed.signal == 9
    luv.sleep(milliseconds + 50)
    return milliseconds
  end

  it("keeps the deadline, and makes no request behind it", function()
    local milliseconds = kill_before_deadline(2, "pending")
    local outcome, done = workspace:outcome(words("--max-wait", milliseconds .. "ms", "--resume"))
    assert.same({ 124, "maxWait", 1, milliseconds / 1000 }, { done.code, outcome.reason, outcome.attempts, outcome.maxWait })
    assert.equal(2, #tokens)
    assert.equal("pending", outcome.output.state)
    assert.matches("exceeded %-%-max%-wait %S+ after 1 attempt", outcome.message)
  end)

  it("makes no request behind the deadline where there was no attempt before it either", function()
    local milliseconds = kill_before_deadline(1)
    local outcome, done = workspace:outcome(words("--max-wait", milliseconds .. "ms", "--resume"))
    assert.same({ 124, "maxWait", 1 }, { done.code, outcome.reason, #tokens })
  end)

  it("keeps the max attempts, of which one that was killed is none", function()
    states = { "pending", "pending", "pending", "pending" }
    kill_in(2, words("--max-attempts", "2"))
    local outcome, done = workspace:outcome(words "--resume")
    assert.same({ 4, "maxAttempts", 2 }, { done.code, outcome.reason, outcome.attempts })
    assert.equal(3, #tokens)
  end)

  it("notices that the clock was set, and measures by the machine's uptime then", function()
    for _, hours in ipairs { 3, -3 } do
      states = { "pending", "pending" }
      tokens = {}
      kill_in(2)
      journal.query(file, "UPDATE wait SET wall = wall - ? WHERE outcome IS NULL", hours * 3600000)
      local done = workspace:bide(words "--resume")
      done:says(0, hours > 0 and "bide: warning: the wall clock was set forward by 3 h" or "was set back by 3 h")
    end
  end)

  it("can be resumed after a signal too, and not once it has ended", function()
    states = { "pending", "pending" }
    kill_in(2, words("--quiet"), "sigterm"):ends(143)
    assert.equal(3, workspace:outcome(words "--resume").attempts)
    local again = workspace:bide(words "--resume")
    assert.equal(0, again.code)
    assert.not_matches("going on", again.stderr, 1, true)
    assert.matches("succeeded after 1 attempt", again.stdout, 1, true)
  end)

  it("tells its events that it goes on, and their first attempt is the next one", function()
    states = { "pending", "pending" }
    kill_in(3)
    local events = workspace:events(words "--resume")
    assert.same({ "start", 2, tokens[1] }, { events[1].event, events[1].resumed, events[1].input.ClientToken })
    assert.same({ "attempt", 3, "end", 3 }, { events[2].event, events[2].attempt, events[3].event, #events[3].history })
    assert.is_nil(workspace:events(words "--resume")[1].resumed)
  end)

  it("says that it goes on, unless it is to be quiet", function()
    states = { "pending" }
    kill_in(2)
    local done = workspace:bide(words "--resume")
    assert.matches("bide: continuing Created, which began [%d.]+ m?s ago, 1 attempt so far", done.stderr)
  end)

  it("tells the outcome that it was killed before it could tell", function()
    kill_in(99)
    journal.query(file, "UPDATE run SET ended = NULL, reported = NULL")
    local outcome, done = workspace:outcome(words "--resume")
    assert.same({ 0, "success", 1, "created" }, { done.code, outcome.state, outcome.attempts, outcome.output.state })
    assert.equal(1, #tokens)
  end)

  it("refuses what is broken within it", function()
    states = { "pending" }
    kill_in(2)
    local breaks = {
      { "UPDATE attempt SET entry = substr(entry, 3)", "it is broken: " },
      { "UPDATE wait SET output = '{'", 'it is broken: wait.output: expected JSON, or NULL, found "{"' },
      { "UPDATE wait SET output = NULL, state = replace(state, 'bide-wait', 'bide-weight')",
        "the state of run 1 is not of this version" },
    }
    for _, row in ipairs(breaks) do
      journal.query(file, row[1])
      local done = workspace:bide(words "--resume")
      assert.same({ 2, 2 }, { done.code, #tokens })
      assert.matches("bide: the journal waits.db: " .. row[2], done.stderr, 1, true)
    end
  end)

  it("lists the runs where several could be meant", function()
    states = { "pending", "pending", "pending" }
    kill_in(1)
    kill_in(2)
    local done = workspace:bide(words "--resume")
    assert.same({ 2, "", 2 }, { done.code, done.stdout, #tokens })
    assert.matches("which run is to be resumed?", done.stderr, 1, true)
    assert.matches("  run 1, begun 20%d%d%-.*\n  run 2, begun 20", done.stderr)
    local token = tokens[2]
    assert.equal(token, workspace:outcome(words("--resume", "--token", token)).input.ClientToken)
    assert.equal(0, workspace:bide(words "--resume").code)
    assert.equal(tokens[1], tokens[#tokens])
  end)

  it("does not resume what another process waits for", function()
    local state = "pending"
    on_request = function() return { body = core.json.encode { state = state } } end
    local first = workspace:start(words("--max-wait", "50s"))
    while #tokens == 0 do luv.run "once" end
    local done = workspace:bide(words("--max-wait", "50s", "--resume"))
    done:says(2, ("process %d waits for this already, as run 1"):format(first.pid))
    local pruned = workspace:bide { "journal", "prune", "1", "--journal", "waits.db" }
    assert.same({ 2, true }, { pruned.code, pruned.stderr:find(("process %d"):format(first.pid), 1, true) ~= nil })
    state = "created"
    assert.equal(0, first:wait().code)
  end)

  it("refuses what is not what it was, by its name", function()
    workspace:write("helper.lua", "return 1")
    workspace:write("with.lua", "return {}")
    local function write(text) workspace:write("things.lua", "require 'helper'\n" .. recipe:format(server.url) .. text) end
    write ""
    local list = words("--with", "with.lua")
    kill_in(1, list)
    local changes = {
      { "things.lua", function() write "-- changed" end, function() write "" end },
      { "helper.lua", function() workspace:write("helper.lua", "return 2") end,
        function() workspace:write("helper.lua", "return 1") end },
      { "with.lua", function() workspace:write("with.lua", "return { }") end,
        function() workspace:write("with.lua", "return {}") end },
    }
    for _, change in ipairs(changes) do
      change[2]()
      local done = workspace:bide(words("--with", "with.lua", "--resume"))
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches("/" .. change[1] .. " has changed since run 1 began", done.stderr, 1, true)
      change[3]()
    end
    assert.equal(1, #tokens)
    assert.equal(0, workspace:bide(words("--with", "with.lua", "--resume")).code)
  end)

  it("is named by BIDE_JOURNAL too, and a replay keeps none", function()
    states = { "pending" }
    local env = { BIDE_JOURNAL = file }
    local list = { "run", "things.lua", "name=foo", "--max-wait", "5s" }
    assert.equal(0, workspace:bide(list, { env = env }).code)
    assert.equal(1, #journal.query(file, "SELECT * FROM run WHERE ended IS NOT NULL"))
    local replay = workspace:replay_of([=[[{"state": "success", "matcher": {"success": true}}]]=], { '{"output": 1}' },
      "--max-wait", "1s")
    assert.equal(0, workspace:bide(replay, { env = env }).code)
    assert.equal(1, #journal.query(file, "SELECT * FROM run"))
    local done = workspace:bide({ "run", "things.lua", "--max-wait", "1s", "--resume" }, { env = { BIDE_JOURNAL = "" } })
    done:says(2, "--resume needs --journal FILE, or BIDE_JOURNAL")
  end)

  it("runs the command only once the wait has ended, and no more after that", function()
    local list = words("--resume", "--quiet", "--", "echo", "ran")
    on_request = function(number) if number == 1 then return { status = 400 } end end
    assert.equal(3, workspace:bide(list).code)
    local done = workspace:bide(list)
    assert.same({ 0, "ran" }, { done.code, done.stdout:match "(%a+)\n$" })
    assert.equal(2, #journal.query(file, "SELECT * FROM run WHERE ended IS NOT NULL"))
  end)

  describe("of a fleet", function()
    local function fleet(...)
      return { "run", "things.lua", "Created", "--each", "lines.jsonl", "--max-wait", "5s", "--journal", "waits.db", ... }
    end

    it("goes on with the waits that have not ended, and repeats no other", function()
      workspace:write("lines.jsonl", '{"name": "a"}\n{"name": "b"}\n{"name": "c"}\n')
      local asked, process = {}, nil
      on_request = function(_, input)
        asked[input.name] = (asked[input.name] or 0) + 1
        if input.name == "a" then return end
        if input.name == "b" and process then return { body = '{"state": "pending"}' } end
        if not process then return { body = '{"state": "created"}' } end
        if asked.c == 3 then process:kill "sigkill" return { silent = true } end
        return { body = '{"state": "pending"}' }
      end
      process = workspace:start(fleet())
      process:wait()
      process = nil
      local token = journal.query(file, "SELECT token FROM wait WHERE position = 3")[1].token
      local before = asked.c
      local done = workspace:bide(fleet("--resume", "--output", "json"))
      assert.equal(0, done.code)
      assert.matches("bide: continuing Created, which began [%d.]+ m?s ago, 1 of 3 waits have ended", done.stderr)
      local result = core.json.decode(done.stdout)
      assert.same({ "success", 3, 3 }, { result.state, result.succeeded, #result.outcomes })
      assert.same({ 1, before + 1 }, { asked.a, asked.c })
      assert.equal(token, result.outcomes[3].input.ClientToken)
      assert.same({ "a", "b", "c" },
        { result.outcomes[1].input.name, result.outcomes[2].input.name, result.outcomes[3].input.name })
      asked = {}
      assert.equal(0, workspace:bide(fleet "--resume").code) -- all had ended: these are new ones
      assert.same({ a = 1, b = 1, c = 1 }, asked)
    end)

    it("has ended with all its waits once it is decided", function()
      workspace:write("lines.jsonl", '{"name": "a"}\n{"name": "b"}\n')
      on_request = function(_, input) return input.name == "b" and { silent = true } or nil end
      assert.equal(0, workspace:bide(fleet("--any", "--quiet")).code)
      assert.equal(1, #journal.query(file, "SELECT * FROM run WHERE ended IS NOT NULL"))
    end)

    it("does not mistake one list of inputs for another", function()
      workspace:write("lines.jsonl", '{"name": "a"}\n')
      kill_in(1, fleet())
      workspace:write("lines.jsonl", '{"name": "b"}\n')
      local done = workspace:bide(fleet "--resume")
      assert.same({ 0, nil }, { done.code, done.stderr:match "going on" })
    end)
  end)

  describe("is listed, shown and pruned", function()
    local function command(...)
      return workspace:bide { "journal", ... }
    end

    it("by bide journal", function()
      states = { "pending" }
      kill_in(2)
      assert.equal(0, workspace:bide(table.move({ "name=bar" }, 1, 1, 4, words())).code)
      local list = command("list", "--journal", "waits.db")
      assert.equal(list.stdout, command("--journal", "waits.db").stdout)
      assert.matches("    1  interrupted 20[%d%-]+T[%d:]+Z         1  Created                  %S+/things.lua\n", list.stdout)
      assert.matches("\n    2  success ", list.stdout)
      local runs = core.json.decode(command("list", "--journal", "waits.db", "--output", "json").stdout).runs
      assert.same({ "interrupted", "ended", 1 }, { runs[1].state, runs[2].state, runs[1].attempts })
      local shown = core.json.decode(command("show", "1", "--journal", "waits.db").stdout)
      assert.same({ 1, "pending", 1, tokens[1] },
        { shown.run, shown.waits[1].output.state, #shown.waits[1].history, shown.waits[1].token })
      shown = core.json.decode(command("show", "2", "--journal", "waits.db").stdout)
      assert.equal("success", shown.waits[1].outcome.state)
      assert.equal("0 runs and 0 requests forgotten that ended more than 1 h ago\n",
        command("prune", "--older-than", "1h", "--journal", "waits.db").stdout)
      assert.equal("1 run and 0 requests forgotten\n", command("prune", "--journal", "waits.db").stdout)
      assert.equal(0, command("prune", "1", "--journal", "waits.db").code)
      assert.equal("", command("list", "--journal", "waits.db").stdout)
      assert.same({}, journal.query(file, "SELECT * FROM attempt"))
    end)

    it("and holds nobody up while somebody reads it slowly", function()
      workspace:write("lines.jsonl", ('{"name": "%s"}\n'):format(("x"):rep(1000)):rep(200))
      assert.equal(0, workspace:bide({ "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "9s", "--quiet",
        "--journal", "waits.db" }).code)
      local reading = workspace:shell([[
        "$BIDE" journal show 1 --journal waits.db | (sleep 0.3; "$BIDE" journal prune 1 --journal waits.db && cat | wc -c)]])
      assert.equal(0, reading.code)
      assert.is_true(tonumber(reading.stdout) > 200000)
    end)

    it("or not, where that is a mistake", function()
      kill_in(1)
      local rows = {
        { { "list" }, "no journal: give --journal FILE, or set BIDE_JOURNAL" },
        { { "list", "--journal", "none.db" }, "the journal none.db: no such file" },
        { { "lsit", "--journal", "waits.db" },
          'the first word: expected "list", "show", "report" or "prune", found "lsit", did you mean "list"?' },
        { { "show", "--journal", "waits.db" }, "show needs the number of a run" },
        { { "show", "9", "--journal", "waits.db" }, 'expected the number of a run or the token of a request, found "9"' },
        { { "prune", "1", "9", "--journal", "waits.db" }, 'expected the number of a run or the token of a request, found "9"' },
        { { "list", "1", "--journal", "waits.db" }, "list takes no NAME" },
        { { "--older-than", "1h", "--journal", "waits.db" }, "--older-than belongs to bide journal prune" },
        { { "prune", "1", "--older-than", "1h", "--journal", "waits.db" }, "--older-than is for all runs" },
        { { "show", "1", "--output", "xml", "--journal", "waits.db" }, "--output belongs to bide journal list and report" },
      }
      for _, row in ipairs(rows) do
        command(table.unpack(row[1])):says(2, row[2])
      end
      assert.equal(1, #journal.query(file, "SELECT * FROM run"))
      assert.is_nil(luv.fs_stat(workspace.path .. "/none.db"))
    end)
  end)
end)
