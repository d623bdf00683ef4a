---`bide run A … + B …`: several waits on one command line.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"

require "bide"

local recipe = [[
local http = require "bide.http"
local function acceptors()
  local list = {}
  for _, rule in ipairs { "Done success done", "Broken failure failed", "Spoiled failure bad" } do
    local name, state, expected = rule:match "(%%S+) (%%S+) (%%S+)"
    list[#list + 1] = {
      state = state, name = name, matcher = { output = { path = "state", comparator = "stringEquals", expected = expected } },
    }
  end
  return list
end
return {
  GetThing = {
    idempotencyToken = "ClientToken",
    call = function(input)
      if input.bug then error "a bug" end
      if input.raise then error { type = input.raise } end
      return http.post("%s/things", { json = { name = input.name, token = input.ClientToken } })
    end,
    waitable = { ThingDone = { minDelay = 0.02, maxDelay = 0.05, acceptors = acceptors() } },
  },
  GetOther = {
    call = function(input) return http.get("%s/others", { query = { name = input.name } }) end,
    waitable = { OtherDone = { minDelay = 0.02, maxDelay = 0.05, acceptors = acceptors() } },
  },
}
]]

describe("bide run with +", function()
  local workspace = Workspace.of_each()
  local server, answers, asked, tokens

  before_each(function()
    answers, asked, tokens = {}, {}, {}
    server = Server.start(function(request)
      local input = request.method == "POST" and core.json.decode(request.body) or { name = request.query:match "name=(%w+)" }
      local name = input.name
      asked[name] = (asked[name] or 0) + 1
      tokens[name] = tokens[name] or {}
      if input.token then tokens[name][input.token] = true end
      local answer = answers[name]
      if type(answer) == "function" then answer = answer(asked[name]) end
      return type(answer) == "table" and answer or { body = core.json.encode { state = answer or "done" } }
    end)
    workspace:write("things.lua", recipe:format(server.url, server.url))
  end)

  after_each(function()
    server:close()
    assert.is_nil(leftovers.find())
  end)

  ---Words of a command line, and a maximum of 50 s unless they have one.
  local function words(line)
    local list = { "run" }
    for word in line:gmatch "%S+" do list[#list + 1] = word end
    if not line:find("--max-wait", 1, true) then table.move({ "--max-wait", "50s" }, 1, 2, 2, table.move(list, 2, #list, 4)) end
    list[1] = "run"
    return list
  end

  local function run(line, options)
    return workspace:bide(words(line), options)
  end

  local function fleet(line)
    local done = run(line .. " --quiet --output json")
    return core.json.decode(done.stdout), done
  end

  local A, B = "things.lua ThingDone name=a", "things.lua OtherDone name=b"

  it("waits for all at once, and has a line for each", function()
    answers.a = function(count) return count > 3 and "done" or "pending" end
    local done = run(("%s + %s --quiet"):format(A, B))
    assert.equal(0, done.code)
    assert.truthy(done.stdout:find '^things#1: ThingDone succeeded %(Done%) after 4 attempts in [^\n]*: state is "done"\n')
    assert.truthy(done.stdout:find '\nthings#2: OtherDone succeeded %(Done%) after 1 attempt in [^\n]*: state is "done"\n')
    assert.truthy(done.stdout:find "\n2 of 2 waits succeeded, 0 failed, 0 cancelled; 2 needed\n$")
  end)

  it("has the branches by name in its outcome and its events", function()
    local result = fleet(("%s + %s --events events.jsonl"):format(A, B))
    assert.same({ "success", 2, 2 }, { result.state, result.count, result.needed })
    local one, other = result.outcomes[1], result.outcomes[2]
    assert.same({ "things#1", "ThingDone", "Done" }, { one.branch, one.waiter, one.name })
    assert.same({ "things#2", "OtherDone" }, { other.branch, other.waiter })
    local seen = {}
    for line in workspace:read("events.jsonl"):gmatch "[^\n]+" do
      local event = core.json.decode(line)
      table.insert(seen, event.branch .. " " .. event.event)
    end
    table.sort(seen)
    assert.same({
      "things#1 attempt", "things#1 end", "things#1 start", "things#2 attempt", "things#2 end", "things#2 start",
    }, seen)
  end)

  it("runs COMMAND after all have succeeded, and never otherwise", function()
    local lines = run(("%s + %s --quiet -- echo started + done"):format(A, B)).stdout
    assert.equal("started + done\n", lines)
    answers.b = "failed"
    local done = run(("%s + %s --quiet -- echo started"):format(A, B))
    assert.equal(1, done.code)
    assert.is_nil(done.stdout:find "started")
  end)

  it("ends at the first failure, cancels the others, and exits with its cause", function()
    answers.a, answers.b = "failed", "pending"
    local result, done = fleet(("%s + %s"):format(A, B))
    assert.same({ 1, "failure", 0, 1, 1 }, { done.code, result.state, result.succeeded, result.failed, result.cancelled })
    assert.is_true(done.elapsed < 40)
    local rows = {
      { 1, B .. " + " .. A }, { 3, "things.lua ThingDone raise=Denied + " .. B }, { 5, B .. " + things.lua ThingDone bug=1" },
      { 4, A:gsub("name=a", "name=b") .. " --max-attempts 2 + " .. B },
    }
    for _, row in ipairs(rows) do assert.equal(row[1], run(row[2] .. " --quiet").code, row[2]) end
  end)

  it("tells the reason of a failure once", function()
    answers.a, answers.b = "failed", "pending"
    for _, quiet in ipairs { "", " --quiet" } do
      local done = run(("%s + %s%s"):format(A, B, quiet))
      assert.equal("", done.stdout)
      assert.equal(1, select(2, done.stderr:gsub('state is "failed"', "")), done.stderr)
    end
  end)

  it("ends --any and --some when they are decided", function()
    answers.a, answers.b = "failed", "pending"
    local result, done = fleet(("%s + %s + %s --some 2"):format(A, B, A))
    assert.same({ 1, 2, 1 }, { done.code, result.failed, result.cancelled })
    result, done = fleet(("%s + %s --any --max-wait 300ms"):format(A, B))
    assert.same({ 1, 2, 0 }, { done.code, result.failed, result.cancelled })
  end)

  it("lets every wait end with --keep-going, and exits with the worst cause", function()
    answers.a = "failed"
    answers.b = function(count) return count > 5 and "done" or "pending" end
    local result, done = fleet(("%s + %s --keep-going"):format(A, B))
    assert.same({ 1, "failure", 1, 1, 0 }, { done.code, result.state, result.succeeded, result.failed, result.cancelled })
    local rows = {
      { 3, "raise=Denied" }, { 5, "bug=1" }, { 1, "name=a" },
    }
    for _, row in ipairs(rows) do
      local line = "things.lua ThingDone %s + %s + things.lua OtherDone name=a --keep-going --quiet"
      assert.equal(row[1], run(line:format(row[2], B)).code)
    end
    answers.a = "pending"
    assert.equal(4, run(("%s --max-attempts 2 + %s + %s --max-wait 300ms --keep-going --quiet"):format(A, B, A)).code)
    assert.equal(124, run(("%s + %s --max-wait 300ms --quiet"):format(A, B)).code)
  end)

  it("succeeds with --any and --some, wherever they are, and cancels the rest", function()
    answers.b = "pending"
    for _, line in ipairs { A .. " --any + " .. B, A .. " + " .. B .. " --some 1", "--any " .. A .. " + " .. B } do
      local result, done = fleet(line)
      assert.same({ 0, "success", 1, "cancelled" }, { done.code, result.state, result.needed, result.outcomes[2].reason })
    end
    assert.equal(124, run(("%s + %s --some 2 --max-wait 200ms --quiet"):format(A, B)).code)
    assert.equal(2, run(("%s + %s --some 3"):format(A, B)).code)
  end)

  it("ends all of them on a signal", function()
    answers.a, answers.b = { silent = true }, "pending"
    local done = run(("%s + %s --quiet"):format(A, B), { signal = "sigterm", caught_for = 0.3 })
    assert.equal(143, done.code)
    assert.truthy(done.stderr:find "things#1: ThingDone was cancelled")
    assert.truthy(done.stderr:find "things#2: OtherDone was cancelled")
  end)

  describe("gives options of a wait", function()
    before_each(function() answers.a, answers.b = "pending", "pending" end)

    local function attempts(line)
      local result = fleet(line .. " --keep-going --max-wait 2s")
      return { result.outcomes[1].attempts, result.outcomes[2].attempts }
    end

    it("to the recipe that they follow", function()
      assert.same({ 2, 4 }, attempts(("%s --max-attempts 2 + %s --max-attempts=4"):format(A, B)))
    end)

    it("to every one if they are before the first recipe, and lets each have its own", function()
      assert.same({ 3, 3 }, attempts(("--max-attempts 3 %s + %s"):format(A, B)))
      assert.same({ 3, 2 }, attempts(("--max-attempts 3 %s + %s --max-attempts 2"):format(A, B)))
    end)
  end)

  it("takes an option of the run once, wherever it is", function()
    for _, line in ipairs {
      "%s --max-wait 50s + %s", "%s + %s --max-wait 50s", "--max-wait 50s %s + %s", "%s + --max-wait 50s %s",
    } do
      assert.equal(0, run(line:format(A, B)).code)
    end
  end)

  it("refuses what cannot be meant, and sends nothing", function()
    local rows = {
      { "+ " .. A, "found no RECIPE before the first %+" },
      { A .. " +", "found no RECIPE after the last %+" },
      { A .. " + + " .. B, "found no RECIPE between two %+" },
      { A .. " + --max-attempts 3", "found no RECIPE after the last %+" },
      { "--each lines.jsonl + " .. A, "%-%-each and %+ exclude each other" },
      { A .. " --each lines.jsonl + " .. B, "%-%-each and %+ exclude each other" },
      { A .. " --max-wait 5s + " .. B .. " --max-wait 5s", "%-%-max%-wait is given twice" },
      { A .. " -q + " .. B .. " --quiet", "%-%-quiet is given twice" },
      { A .. " --any + " .. B .. " --all", "can not be used together" },
      { A .. " + " .. B .. " --max-attempts 0", "%-%-max%-attempts" },
      { A .. " + nothing", "nothing: " },
      { A .. " --any", "%-%-any needs several waits" },
      { A .. " --keep-going", "%-%-keep%-going needs several waits" },
      { A .. " --fail-fast", "%-%-fail%-fast needs several waits" },
      { A .. " --keep-going + " .. B .. " --fail-fast", "can not be used together" },
    }
    for _, row in ipairs(rows) do
      local done = run(row[1])
      assert.equal(2, done.code, row[1])
      assert.truthy(done.stderr:find(row[2]), done.stderr)
    end
    assert.same({}, asked)
  end)

  it("does not take a + for a separator in an input or in the argument of an option", function()
    local outcome = workspace:outcome { "run", "things.lua", "OtherDone", "name=b", "sign=+", "--max-wait", "50s" }
    assert.equal("+", outcome.input.sign)
    run(("%s --max-attempts + "):format(A)):says(2, 'found "+"')
  end)

  it("gives each branch its own exit codes, of which that of the worst cause counts", function()
    answers.a, answers.b = "failed", "bad"
    local function code(line) return run(line .. " --quiet").code end
    assert.equal(42, code(("%s --exit-code Broken=42 + %s --exit-code Done=7"):format(A, "things.lua OtherDone name=c")))
    assert.equal(42, code(("--exit-code Broken=42 %s + things.lua OtherDone name=c"):format(A)))
    assert.equal(1, code(("%s --exit-code Broken=0 + %s"):format(A, B)))
    assert.equal(0, code(("%s --exit-code Broken=0 + things.lua OtherDone name=c"):format(A)))
    answers.c = function(count) return count > 5 and "done" or "pending" end
    local result = fleet(("%s --exit-code Broken=0 + things.lua OtherDone name=c"):format(A))
    assert.same({ 1, 1, 0 }, { result.succeeded, result.failed, result.cancelled })
    local done = run(("%s --exit-code Broken=0 + things.lua OtherDone name=c --quiet -- echo started"):format(A))
    assert.same({ 0, "" }, { done.code, done.stdout })
    assert.equal(7, code("things.lua OtherDone name=c --exit-code Done=7 + things.lua OtherDone name=d"))
    answers.b = "pending"
    assert.equal(42, code(("%s --exit-code Broken=42 + %s --max-wait 300ms"):format(A, B)))
  end)

  describe("with a journal", function()
    local line = ("%s + %s --journal waits.db"):format(A, B)

    ---Kills a run while its second wait sleeps.
    local function kill()
      answers.b = "pending"
      local process = workspace:start(words(line))
      while (asked.b or 0) < 3 do require("luv").run "once" end
      process:kill "sigkill"
      process:wait()
      answers.b = nil
    end

    it("continues all of them, with their tokens and without asking again for what has ended", function()
      kill()
      local before = asked.a
      local result, done = fleet(line .. " --resume")
      assert.equal(0, done.code)
      assert.same({ "success", "things#1", "things#2" }, { result.state, result.outcomes[1].branch, result.outcomes[2].branch })
      assert.equal(before, asked.a)
      assert.is_true(result.outcomes[2].attempts >= 3)
    end)

    it("keeps the token of a wait that has not ended", function()
      answers.a, answers.b = "pending", "pending"
      local process = workspace:start(words(line))
      while (asked.a or 0) < 3 do require("luv").run "once" end
      process:kill "sigkill"
      process:wait()
      answers.a, answers.b = nil, nil
      assert.equal(0, run(line .. " --resume").code)
      local count = 0
      for _ in pairs(tokens.a) do count = count + 1 end
      assert.equal(1, count)
    end)

    it("finds the run by recipes, waiters and inputs, in their order", function()
      kill()
      for _, other in ipairs {
        ("%s + %s"):format(B, A), A, ("%s + %s x=1"):format(A, B), ("%s + things.lua ThingDone name=b"):format(A),
        ("%s --until state=done + %s"):format(A, B),
      } do
        local done = run(other .. " --journal waits.db --resume")
        assert.truthy(done.stderr:find "the journal has no such wait; a new one begins", other)
      end
      assert.is_nil(run(line .. " --resume").stderr:find "a new one begins")
    end)

    it("lists and shows the waits of a run", function()
      kill()
      local list = workspace:bide { "journal", "list", "--journal", "waits.db" }.stdout
      assert.truthy(list:find "interrupted")
      assert.truthy(list:find("ThingDone + OtherDone, 1 of 2", 1, true), list)
      local shown = core.json.decode(workspace:bide { "journal", "show", "1", "--journal", "waits.db" }.stdout)
      assert.same({ "things#1", "ThingDone", "a" }, { shown.waits[1].branch, shown.waits[1].waiter, shown.waits[1].input.name })
      assert.same({ "things#2", "OtherDone", "b" }, { shown.waits[2].branch, shown.waits[2].waiter, shown.waits[2].input.name })
    end)
  end)
end)
