---`--record`: what really happened, as `bide replay` reads it again.

local uv = require "luv"
local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local recipe = [[
local http = require "bide.http"
return { GetJob = {
  input = { url = { type = "string" } },
  call = function(input) return http.get(input.url .. "/jobs/7?api_key=sesame-open", { bearer = "s3cret-of-the-user" }) end,
  waitable = { JobDone = { minDelay = 0.02, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
    { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
  } } },
} }]]

describe("--record", function()
  local workspace = Workspace.of_block()
  local answers, count

  local server = Server.of_block(function()
    count = count + 1
    return answers[math.min(count, #answers)]
  end)

  setup(function() workspace:write("jobs.lua", recipe) end)
  before_each(function() count = 0 end)

  local function answer_with(...)
    answers = {}
    for position, body in ipairs { ... } do
      answers[position] = type(body) == "table" and body
        or { headers = { ["Content-Type"] = "application/json" }, body = body }
    end
  end

  ---Runs JobDone with a recording; returns its outcome, the lines, and their text.
  local function record(...)
    local outcome, done = workspace:outcome { "run", "./jobs.lua", "url=" .. server.url, "--max-wait", "20s", "--record",
      "rec.jsonl", ... }
    local text = workspace:read "rec.jsonl"
    return outcome, Workspace.decode_lines(text), text, done
  end

  local function replay(...)
    return workspace:outcome { "replay", "./jobs.lua", "JobDone", "rec.jsonl", "url=http://nowhere", "--max-wait", "20s", ... }
  end

  local function delays_of(outcome)
    local delays = {}
    for position, attempt in ipairs(outcome.history) do delays[position] = attempt.delay end
    return delays
  end

  local busy = { status = 503, headers = { ["Retry-After"] = "1" } }

  it("replays to the same delays, acceptor and reason", function()
    answer_with('{"state":"queued"}', '{"state":"queued"}', busy, '{"state":"running"}', '{"state":"done"}')
    local outcome, lines = record()
    local again = replay()
    assert.equal(5, #lines)
    assert.same({ "success", 5, 1 }, { again.state, again.attempts, again.acceptor })
    assert.same(delays_of(outcome), delays_of(again))
    assert.equal(outcome.reason, again.reason)
  end)

  it("has the answer, the request and the times of each attempt", function()
    answer_with('{"state":"queued","n":[1]}', busy, '{"state":"failed"}')
    local outcome, lines = record()
    assert.same({ state = "queued", n = { 1 } }, lines[1].output)
    assert.same({ "ServiceUnavailable", 503, 1 }, { lines[2].error.type, lines[2].error.status, lines[2].error.retryAfter })
    assert.same({ 1, 2, 3 }, { lines[1].attempt, lines[2].attempt, lines[3].attempt })
    assert.equal(outcome.history[3].at, lines[3].at)
    local request = lines[1].requests[1]
    assert.same({ "GET", 200, { state = "queued", n = { 1 } } }, { request.method, request.status, request.response })
    assert.equal("application/json", request.response_headers["content-type"])
    assert.same({ 1, "jobs.lua", "JobDone", 20 },
      { lines[1].wait.format, lines[1].wait.recipe, lines[1].wait.waiter, lines[1].wait.maxWait })
    assert.is_nil(lines[2].wait)
  end)

  it("is for its owner alone, and holds no secret", function()
    answer_with '{"state":"done","password":"hunter2","note":"Bearer s3cret-of-the-user"}'
    local _, lines, text = record()
    assert.equal(tonumber("100600", 8), uv.fs_stat(workspace.path .. "/rec.jsonl").mode)
    assert.equal("[redacted]", lines[1].requests[1].headers.Authorization)
    for _, value in ipairs { "sesame%-open", "s3cret", "hunter2" } do assert.is_nil(text:find(value), text) end
  end)

  it("takes a secret out of earlier lines when a later answer says that it is one", function()
    answer_with('{"state":"queued","note":"use hunter2hunter2"}', '{"state":"queued","password":"hunter2hunter2"}',
      '{"state":"done"}')
    local _, lines, text = record()
    assert.is_nil(text:find "hunter2hunter2")
    assert.equal("use [redacted]", lines[1].output.note)
    assert.equal("done", lines[3].output.state)
    assert.equal(tonumber("100600", 8), uv.fs_stat(workspace.path .. "/rec.jsonl").mode)
    assert.equal("success", replay().state)
  end)

  it("takes out a secret that only an answer within the attempt had", function()
    workspace:write("login.lua", [[
      local http = require "bide.http"
      return { Use = { input = { url = { type = "string" } }, call = function(input)
        local got = http.post(input.url .. "/login"):json()
        return { said = "the key is " .. got.token }
      end, waitable = { Used = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    answer_with '{"token":"opensesame1234"}'
    workspace:outcome { "run", "./login.lua", "url=" .. server.url, "--max-wait", "5s", "--record", "login.jsonl" }
    local text = workspace:read "login.jsonl"
    assert.is_nil(text:find "opensesame1234", text)
    assert.truthy(text:find('"said":"the key is [redacted]"', 1, true), text)
  end)

  it("is written as whole lines as it happens, and a cut line is left out", function()
    answer_with('{"state":"queued"}', '{"state":"done"}')
    local _, _, text = record()
    workspace:write("rec.jsonl", text:sub(1, -20))
    local outcome, done = replay("--max-attempts", "1")
    assert.equal("maxAttempts", outcome.reason)
    assert.truthy(done.stderr:find("rec.jsonl:2: the recording was cut here, and the line is left out", 1, true), done.stderr)
  end)

  it("survives a kill", function()
    answer_with '{"state":"queued"}'
    local running = workspace:start { "run", "./jobs.lua", "url=" .. server.url, "--max-wait", "60s", "--record", "rec.jsonl" }
    while count < 5 do uv.run "once" end
    running:kill "sigkill"
    running:wait()
    assert.is_true(#Workspace.decode_lines(workspace:read("rec.jsonl"):match "^.*\n") >= 4)
    assert.equal("maxWait", replay().reason)
  end)

  it("says that the deadline cut an attempt, which a replay repeats", function()
    answer_with('{"state":"queued"}', { silent = true })
    local outcome, lines = record("--max-wait", "1s")
    assert.equal("maxWait", outcome.reason)
    assert.is_true(lines[2].cut)
    local again = replay("--max-wait", "1s")
    assert.same({ "maxWait", 2, 1.0 }, { again.reason, again.attempts, again.elapsed })
  end)

  it("keeps bytes in base64, and leaves out what is longer than a line may be", function()
    answer_with({ body = "\xff\xfe\0" }, { headers = { ["Content-Type"] = "application/json" },
      body = ('{"state":"done","text":"%s"}'):format(("x"):rep(1 << 20)) })
    local _, lines = record()
    assert.equal("//4A", lines[1].requests[1].response_base64)
    assert.equal((1 << 20) + 26, lines[2].requests[1].response_left_out)
    local done = workspace:bide { "replay", "./jobs.lua", "JobDone", "rec.jsonl", "url=x", "--max-wait", "1m" }
    assert.equal(2, done.code)
    assert.truthy(done.stderr:find("rec.jsonl:2: the recording has no output here: its 1048602 bytes are more", 1, true),
      done.stderr)
  end)

  it("records several waits in a folder, by their positions", function()
    answer_with '{"state":"done"}'
    local done = workspace:bide { "run", "./jobs.lua", "url=" .. server.url, "+", "./jobs.lua", "url=" .. server.url .. "/b",
      "--max-wait", "5s", "--record", "fleet" }
    assert.equal(0, done.code, done.stderr)
    for position, path in ipairs { "/jobs/7", "/b/jobs/7" } do
      local line = json.decode(workspace:read(("fleet/%06d.jsonl"):format(position)))
      assert.truthy(line.requests[1].url:find(server.url .. path, 1, true))
    end
    done = workspace:bide { "run", "./jobs.lua", "url=x", "+", "./jobs.lua", "url=y", "--max-wait", "5s", "--record", "fleet" }
    assert.same({ 2, "bide: --record: fleet: expected a folder without recordings, found 000001.jsonl\n" },
      { done.code, done.stderr })
  end)

  it("records the waits of a script", function()
    answer_with '{"state":"done"}'
    workspace:write("script.lua", ([[
      local bide = require "bide"
      local jobs = assert(bide.load "./jobs.lua").JobDone
      assert(jobs:wait({ url = %q }, { maxWait = 5 }))
      assert(bide.all { a = jobs:prepare({ url = %q }, { maxWait = 5 }) })]]):format(server.url, server.url))
    local done = workspace:bide { "exec", "--record", "waits", "script.lua" }
    assert.equal(0, done.code, done.stderr)
    for position = 1, 2 do
      assert.equal("done", json.decode(workspace:read(("waits/%06d.jsonl"):format(position))).output.state)
    end
  end)

  it("records a script error, which no replay repeats", function()
    workspace:write("broken.lua", (recipe:gsub("call = function%(input%)", "%0 local x = nil + 1")))
    workspace:bide { "run", "./broken.lua", "url=x", "--max-wait", "5s", "--record", "rec.jsonl" }
    local done = workspace:bide { "replay", "./broken.lua", "JobDone", "rec.jsonl", "url=x", "--max-wait", "5s" }
    done:says(2, "rec.jsonl:1: a script error ended the recorded wait, which no answer repeats: ")
  end)

  local refused = {
    { "of another waiter", '"waiter":"JobGone","recipe":"other.lua"',
      "expected a recording of JobDone of jobs.lua, found one of JobGone of other.lua" },
    { "of another recipe", '"waiter":"JobDone","recipe":"other.lua"', "found one of JobDone of other.lua" },
    { "of a resumed wait", '"waiter":"JobDone","resumed":3', "the recording lacks the first 3 attempts" },
  }
  for _, row in ipairs(refused) do
    it("is refused by replay if it is " .. row[1], function()
      workspace:write("rec.jsonl", ('{"output":{"state":"done"},"wait":{"format":1,%s}}\n'):format(row[2]))
      workspace:bide({ "replay", "./jobs.lua", "JobDone", "rec.jsonl", "url=x", "--max-wait", "5s" }):says(2, row[3])
    end)
  end

  it("is refused by replay if another release wrote it in another form", function()
    workspace:write("rec.jsonl", '{"output":{},"wait":{"format":9,"waiter":"JobDone"}}\n')
    local done = workspace:bide { "replay", "./jobs.lua", "JobDone", "rec.jsonl", "url=x", "--max-wait", "5s" }
    assert.truthy(done.stderr:find("the recording has the form 9, and this release reads form 1", 1, true), done.stderr)
    assert.equal(2, done.code)
  end)

  it("says at once what cannot be recorded", function()
    local done = workspace:bide { "run", "./jobs.lua", "url=x", "--max-wait", "5s", "--record", "none/rec.jsonl" }
    assert.equal(2, done.code)
    assert.truthy(done.stderr:find("^bide: %-%-record: none/rec%.jsonl: no such file or directory"), done.stderr)
    done = workspace:bide { "run", "./jobs.lua", "url=x", "--max-wait", "5s", "--record", "r.jsonl", "--sandbox" }
    assert.same({ 2, true }, { done.code, done.stderr:find("--record and --sandbox exclude each other", 1, true) ~= nil })
  end)

  it("ends where the disk is full, with a whole line", function()
    answer_with('{"state":"queued"}', '{"state":"done"}')
    local outcome, done = workspace:outcome { "run", "./jobs.lua", "url=" .. server.url, "--max-wait", "5s", "--record",
      "/dev/full" }
    assert.same({ "success", 1 }, { outcome.state, done.code })
  end)
end)
