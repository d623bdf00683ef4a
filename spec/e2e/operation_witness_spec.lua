---The witness of an operation: a second question that is asked before a success counts, and at no other time.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local bide = require "bide"
local json = require("bide.core").json

local recipe = [[
local http = require "bide.http"
return { Get = {
  input = { url = { type = "string", positional = 1, required = true } },
  call = function(input)
    local response = http.get(input.url .. "/answer")
    if response.status == 404 then error { type = "NotFound", message = "it is gone" } end
    return response
  end,
  witness = function(context)
    local answer = http.get(context.input.url .. "/witness")
    if answer.status ~= 200 then error(answer:operation_error()) end
    if answer.body == "bug" then error "a bug" end
    if answer.body == "why" then return nil, "two shards are missing" end
    if answer.body == "seen" then return context.output.state == "gone" and context.error == nil end
    if answer.body == "error" then return context.output == nil and context.error.type == "NotFound" end
    return answer.body == "yes" or answer.body
  end,
  waitable = {
    Gone = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "gone" } } },
      { state = "success", matcher = { errorType = "NotFound" } },
    } },
    Patient = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
      { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "gone" } } },
      ACCEPTORS
    } },
    Held = { minDelay = 0.01, maxDelay = 0.02, hold = { attempts = 3 }, acceptors = {
      { state = "success", matcher = { lua = function(context) return context.output.state == "gone" end } },
    } },
  },
} }
]]

local GONE <const>, THERE <const> = '{"state":"gone"}', '{"state":"there"}'

describe("the witness of an operation", function()
  local workspace = Workspace.of_each()
  local answers, witnesses, asked

  ---Takes the next of some answers, or the last.
  local function next_of(list)
    return #list > 1 and table.remove(list, 1) or list[1]
  end

  local server = Server.of_each(function(request)
    asked = asked .. (request.path == "/witness" and "w" or "a")
    local body = next_of(request.path == "/witness" and witnesses or answers)
    if type(body) == "table" then return body end
    return { body = body, headers = { ["Content-Type"] = body:find "^{" and "application/json" or "text/plain" } }
  end)

  before_each(function()
    workspace:write("thing.lua", (recipe:gsub("ACCEPTORS", "")))
    answers, witnesses, asked = { GONE }, { "yes" }, ""
  end)

  local function run(waiter, ...)
    return workspace:bide { "run", "./thing.lua", waiter, server.url, "--max-wait", "9s", ... }
  end

  it("is asked before a success counts, and not while another attempt follows", function()
    answers = { THERE, THERE, GONE }
    run("Gone"):ends(0)
    assert.equal("aaaw", asked)
  end)

  it("makes an attempt a retry, which says why", function()
    witnesses = { { status = 503, body = "busy" }, "no", "yes" }
    local done = run("Gone", "--output", "json")
    assert.equal(0, done.code, done.stderr)
    assert.equal("awawaw", asked)
    local history = json.decode(done.stdout).history
    assert.same({ "retry", 1, "not believed: ServiceUnavailable (503): busy" },
      { history[1].state, history[1].acceptor, history[1].note })
    assert.same({ "retry", "not believed: Unproven: the witness of the operation has not confirmed it" },
      { history[2].state, history[2].note })
    assert.same({ "success", nil }, { history[3].state, history[3].note })
    assert.matches("not believed: ServiceUnavailable (503): busy", done.stderr, 1, true)
  end)

  it("ends the wait if it is refused for good, unless --retry-on has its error", function()
    for status, name in pairs { [401] = "Unauthorized", [403] = "Forbidden" } do
      witnesses, asked = { { status = status, body = "not you" } }, ""
      local done = run("Gone", "--output", "json")
      assert.equal(3, done.code, done.stdout .. done.stderr)
      assert.equal("aw", asked)
      local outcome = json.decode(done.stdout)
      assert.same({ "failure", "unmatchedError" }, { outcome.state, outcome.reason })
      assert.same({ type = name, message = "not you", status = status }, outcome.error)
      assert.is_nil(outcome.output)
      witnesses = { { status = status, body = "not you" }, "yes" }
      assert.equal(0, run("Gone", "--retry-on", name).code)
    end
  end)

  it("is refused in the replay of a recording as it was", function()
    local acceptors = '{ state = "success", matcher = { errorType = "NotFound" } }, '
      .. '{ state = "success", matcher = { status = 403 } }'
    workspace:write("thing.lua", (recipe:gsub("ACCEPTORS", acceptors)))
    for _, answer in ipairs { GONE, { status = 404, body = "" } } do
      answers, witnesses = { answer }, { { status = 403, body = "not you" } }
      assert.equal(3, run("Patient", "--record", "refused.jsonl").code)
      local done = workspace:bide { "replay", "./thing.lua", "Patient", "refused.jsonl", "url=x", "--max-wait", "9s" }
      assert.equal(3, done.code, done.stdout .. done.stderr)
      os.remove(workspace.path .. "/refused.jsonl")
    end
  end)

  it("goes on after a refusal that an acceptor of the waiter takes for a retry", function()
    for acceptors, code in pairs {
      ['{ state = "retry", matcher = { errorType = "x.y#Forbidden" } }'] = 0,
      ['{ state = "retry", matcher = { status = 403 } }'] = 0,
      ['{ state = "retry", matcher = { status = { 401, 403 } } }'] = 0,
      ['{ state = "retry", matcher = { success = false } }'] = 0,
      ['{ state = "retry", matcher = { lua = function(context) return context.error ~= nil and not context.output end } }'] = 0,
      ['require("bide.acceptor").transient "Forbidden"'] = 0,
      ['{ state = "retry", matcher = { status = 401 } }'] = 3,
      ['{ state = "failure", matcher = { status = 403 } }, { state = "retry", matcher = { success = false } }'] = 3,
      ['{ state = "success", matcher = { status = 403 } }'] = 3,
      ['require("bide.acceptor").transient()'] = 3,
    } do
      workspace:write("thing.lua", (recipe:gsub("ACCEPTORS", (acceptors:gsub("%%", "%%%%")))))
      witnesses = { { status = 403, body = "not you" }, "yes" }
      local done = run "Patient"
      assert.equal(code, done.code, acceptors .. done.stdout .. done.stderr)
    end
  end)

  it("says why it has not confirmed a success", function()
    witnesses = { "why" }
    assert.matches("not believed: Unproven: two shards are missing", run("Gone", "--max-attempts", "2").stderr, 1, true)
  end)

  it("lets nothing succeed while it cannot be asked", function()
    for _, body in ipairs { { status = 404, body = "" }, { close = true }, "true", "" } do
      witnesses = { body }
      run("Gone", "--max-attempts", "2"):says(4, "last seen: state is \"gone\"; not believed: ")
    end
  end)

  it("gets what was seen: an output, or an error", function()
    witnesses = { "seen" }
    assert.equal(0, run("Gone", "--max-attempts", "1").code)
    answers, witnesses = { { status = 404, body = "" } }, { "error" }
    assert.equal(0, run("Gone", "--max-attempts", "1").code)
    witnesses = { "no" }
    assert.matches("error NotFound: it is gone; not believed: ", run("Gone", "--max-attempts", "1").stderr, 1, true)
  end)

  it("is asked for conditions of the command line", function()
    answers, witnesses = { THERE }, { "no", "yes" }
    assert.equal(0, run("Gone", "--until", "state=there").code)
    assert.equal("awaw", asked)
  end)

  it("is asked once what has to hold has held, and the hold begins again without it", function()
    witnesses = { "no", "yes" }
    assert.equal(0, run("Held").code)
    assert.equal("aaawaaaw", asked)
  end)

  it("has the time of its attempt: the deadline cuts it, and the success does not count", function()
    witnesses = { { silent = true } }
    workspace:bide({ "run", "./thing.lua", "Gone", server.url, "--max-wait", "200ms" }):ends(124)
    assert.equal("aw", asked)
  end)

  it("delays the next attempt as its service asks", function()
    witnesses = { { status = 429, headers = { ["Retry-After"] = "1" } }, "yes" }
    local history = json.decode(run("Gone", "--max-delay", "2s", "--output", "json").stdout).history
    assert.is_true(history[1].delay >= 1)
  end)

  it("is a script: its bug ends the wait", function()
    witnesses = { "bug" }
    local done = run "Gone"
    assert.equal(5, done.code)
    assert.matches("thing.lua:%d+: a bug", done.stderr)
  end)

  it("is recorded with the requests of its attempt, and replayed to the same decisions", function()
    witnesses = { "no", { status = 429, headers = { ["Retry-After"] = "0.3" } }, "yes" }
    answers = { THERE, GONE, { status = 404, body = "" }, GONE }
    assert.equal(0, run("Gone", "--record", "r.jsonl", "--events", "run.events", "--seed", "3").code)
    assert.equal("aawawaw", asked)
    local urls = {}
    for line in io.lines(workspace.path .. "/r.jsonl") do
      local entry = json.decode(line)
      urls[#urls + 1] = #entry.requests
    end
    assert.same({ 1, 2, 2, 2 }, urls)
    local done = workspace:bide { "replay", "./thing.lua", "Gone", "r.jsonl", server.url, "--max-wait", "9s",
      "--events", "replay.events" }
    assert.equal(0, done.code, done.stderr)
    assert.equal("aawawaw", asked)
    local function decisions(name)
      local list = {}
      for line in io.lines(("%s/%s.events"):format(workspace.path, name)) do
        local event = json.decode(line)
        if event.event ~= "start" then
          list[#list + 1] = { event.state, event.acceptor, event.delay, event.note, event.reason, event.error }
        end
      end
      return list
    end
    assert.same(decisions "run", decisions "replay")
  end)

  it("is asked by a step, and by a wait that is resumed", function()
    witnesses = { "no", "no", "yes" }
    local step = { "step", "./thing.lua", "Gone", server.url, "--max-wait", "1m", "--state", "s.state", "--begin" }
    assert.same({ 75, 75, 0 }, { workspace:bide(step).code, workspace:bide(step).code, workspace:bide(step).code })
    assert.equal("awawaw", asked)
    witnesses, asked = { "no", { silent = true }, "yes" }, ""
    local words = { "run", "./thing.lua", "Gone", server.url, "--max-wait", "20s", "--resume", "--journal", "j.db" }
    local started = workspace:start(words)
    while asked ~= "awaw" do bide.sleep(0.01) end
    started:kill "sigkill"
    started:wait()
    assert.equal(0, workspace:bide(words).code)
    assert.equal("awawaw", asked)
  end)

  it("belongs to the operation of --with, and to a waiter of a script", function()
    workspace:write("gone.json", '{"Gone":{"minDelay":1,"acceptors":[{"state":"success","matcher":{"success":true}}]}}')
    workspace:write("with.lua", 'return { Get = { call = function() return {} end, witness = function() return false end } }')
    workspace:bide({ "run", "./gone.json", "--with", "with.lua", "--max-wait", "9s", "--max-attempts", "1" }):ends(4)
    workspace:write("script.lua", [[
      local waiter = require("bide").waiter {
        call = function() return {} end, witness = function(context) return context.attempt == 2 end,
        minDelay = 0.01, acceptors = { { state = "success", matcher = { success = true } } },
      }
      print(assert(waiter:wait({}, { maxWait = 9 })).attempts)
    ]])
    assert.equal("2\n", workspace:bide({ "exec", "script.lua", "--quiet" }).stdout)
  end)

  it("must be a function", function()
    workspace:write("bad.lua", "return { Get = { call = print, witness = true, waitable = {} } }")
    workspace:bide({ "run", "./bad.lua", "--max-wait", "1s" }):says(2, "Get.witness: expected a function, found true")
  end)
end)
