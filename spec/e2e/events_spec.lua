---Events: JSON Lines, written as they happen, none left out.

local Workspace = require "spec.support.workspace"

local acceptors = [=[[
  {"state": "success", "matcher": {"output": {"path": "status", "comparator": "stringEquals", "expected": "ok"}}},
  {"state": "retry", "matcher": {"errorType": "NotFound"}}
]]=]

local answers = {
  '{"error": {"type": "NotFound", "message": "gone", "status": 404, "authorization": "hunter2"}}',
  '{"output": {"status": "no"}, "duration": 0.5}',
  '{"output": {"status": "ok", "accessToken": "hunter2"}}',
}

---Seconds of an RFC 3339 time in UTC.
local function seconds_of(time)
  local y, mo, d, h, mi, s = time:match("^(%d%d%d%d)-(%d%d)-(%d%d)T(%d%d):(%d%d):(%d%d%.%d+)Z$")
  assert(y, time)
  return os.time { year = y, month = mo, day = d, hour = h, min = mi, sec = 0 } + tonumber(s)
end

describe("events", function()
  local workspace = Workspace.of_block()

  local function words_of(...)
    return workspace:replay_of(acceptors, answers, "--max-wait", "5m", "--seed", "1", ...)
  end

  it("start, then attempt, then end", function()
    local events, done = workspace:events(words_of("name=foo", "api_secret=hunter2"))
    assert.equal(0, done.code)
    local names = {}
    for i, event in ipairs(events) do names[i] = event.event end
    assert.same({ "start", "attempt", "attempt", "attempt", "end" }, names)
    local start = events[1]
    assert.equal("Waiter", start.waiter)
    assert.equal(300, start.maxWait)
    assert.equal("foo", start.input.name)
  end)

  it("carry an identifier of the wait, another for another wait, and the time", function()
    local events = workspace:events(words_of())
    local others = workspace:events(words_of())
    for _, event in ipairs(events) do
      assert.equal(events[1].wait, event.wait)
      assert.is_true(#event.wait > 0)
    end
    assert.not_equal(events[1].wait, others[1].wait)
    local began = seconds_of(events[1].time)
    assert.is_true(math.abs(began - os.time(os.date("!*t"))) < 5)
    assert.is_true(math.abs(seconds_of(events[5].time) - began - events[5].elapsed) < 0.0015)
  end)

  it("of an attempt have the members of its history entry", function()
    local events = workspace:events(words_of())
    for position, entry in ipairs(events[5].history) do
      local event = events[1 + position]
      event.event, event.wait, event.time = nil, nil, nil
      assert.same(entry, event)
    end
    assert.equal(2.0, events[2].delay)
    assert.is_nil(events[4].delay)
  end)

  it("end with the members of the outcome", function()
    local events = workspace:events(words_of())
    local outcome = workspace:outcome(words_of())
    local last = events[5]
    last.event, last.wait, last.time = nil, nil, nil
    assert.same(outcome, last)
  end)

  it("on standard output stand in place of the outcome, in a file beside it", function()
    local _, done = workspace:events(words_of("--output", "json"))
    assert.equal(5, #Workspace.decode_lines(done.stdout))
    local outcome = workspace:outcome(words_of("--events", "events.jsonl"))
    assert.equal(3, outcome.attempts)
    assert.equal(5, #Workspace.decode_lines(workspace:read "events.jsonl"))
  end)

  it("hold no secret", function()
    local events, done = workspace:events(words_of("password=hunter2", "idempotency_token=kept"))
    assert.not_matches("hunter2", done.stdout)
    assert.equal("[redacted]", events[1].input.password)
    assert.equal("kept", events[1].input.idempotency_token)
    assert.equal("[redacted]", events[5].output.accessToken)
    assert.equal("[redacted]", events[2].error.authorization)
  end)

  it("leave no attempt out, however long the wait", function()
    local words = workspace:replay_of(acceptors, { '{"output": {}}' }, "--max-wait", "10h", "--max-delay", "2s")
    local events, done = workspace:events(words)
    assert.equal(124, done.code)
    assert.equal(18000 + 2, #events)
    for position = 1, 18000 do assert.equal(position, events[position + 1].attempt) end
    assert.equal(100, #events[#events].history)
  end)

  it("are written as they happen", function()
    workspace:write("recipe.lua", [[return { Op = {
      call = function() return { status = "no" } end,
      waitable = { Done = { minDelay = 30, acceptors = {
        { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } },
      } } },
    } }]])
    local running = workspace:start { "run", "recipe.lua", "--max-wait", "5m", "--events", "-", "--quiet" }
    running:wait_for_output '"event": "attempt"'
    assert.equal(2, #Workspace.decode_lines(running.stdout))
    running:kill "sigterm"
    assert.equal(143, running:wait().code)
    local events = Workspace.decode_lines(running.stdout)
    assert.equal("end", events[3].event)
    assert.equal("cancelled", events[3].reason)
    assert.equal("Op", events[1].operation)
  end)

  it("of an attempt that was cut have neither state nor delay", function()
    local words = workspace:replay_of(acceptors, { '{"output": {}, "duration": 60}' }, "--max-wait", "5s")
    local events = workspace:events(words)
    for _, name in ipairs { "state", "delay", "error", "acceptor" } do assert.is_nil(events[2][name]) end
    assert.equal(5.0, events[2].duration)
  end)
end)
