---A secret is planted, and searched for in all that comes out of bide.

local fingerprint = require("bide.record.journal.sources").fingerprint
local journal = require "spec.support.journal"
local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

describe("a secret", function()
  local workspace = Workspace.of_block()

  local SECRET = "hunter2hunter2"

  ---A recipe whose operation runs `body`, until the state is "done".
  local function write_recipe(body, beside)
    workspace:write("things.lua", ([[
      local attempt = 0
      return { Get = { %s call = function(input) attempt = attempt + 1 %s end, waitable = { Done = {
        minDelay = 0.01, maxDelay = 0.01, acceptors = {
          { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
          { state = "failure", message = "reason",
            matcher = { output = { path = "state", comparator = "stringEquals", expected = "bad" } } },
          { state = "failure", matcher = { errorType = "Bad" } },
          { state = "retry", matcher = { errorType = "Again" } },
        } } } } }]]):format(beside or "", body))
  end

  ---All that bide says and writes, by channel, in both formats.
  local function channels(input, ...)
    local said = {}
    for _, format in ipairs { "text", "json" } do
      os.remove(workspace.path .. "/waits.db")
      local done = workspace:bide { "run", "things.lua", "--max-wait", "5s", "--verbose", "--output", format,
        "--events", "events.jsonl", "--journal", "waits.db", "--input", input, ... }
      said[format], said["progress of " .. format] = done.stdout, done.stderr
      said["events of " .. format] = workspace:read "events.jsonl"
      said["journal of " .. format] = journal.bytes(workspace.path .. "/waits.db")
      said["journal show of " .. format] = workspace:bide({ "journal", "show", "1", "--journal", "waits.db" }).stdout
    end
    return said
  end

  local function assert_nowhere(said, what)
    for channel, text in pairs(said) do
      assert.is_nil(text:find(what or SECRET, 1, true), channel .. ": " .. text)
    end
  end

  local again = 'if attempt < 3 then error { type = "Again", message = "with " .. %s, %s } end return { state = "done", %s }'

  local cases = {
    { "a member of the input", ('{"token": "%s"}'):format(SECRET), again:format("input.token", "", "seen = input.token") },
    { "a member of an old word, as a number", '{"password": 1234567890123}',
      'error { type = "Bad", password = input.password, deep = { { passwd = input.password } } }', secret = "1234567890123" },
    { "a header of the input", ('{"headers": {"X-Any": "%s", "Accept": "a/b"}}'):format(SECRET),
      again:format('input.headers["X-Any"]', "", "x = 1") },
    { "a member of the output", "{}", ('return { state = "bad", reason = "no: %s", jwt = "%s" }'):format(SECRET, SECRET) },
    { "a member of an earlier output", "{}", ([[
        if attempt == 1 then return { state = "pending", session = "%s" } end
        error { type = "Bad", message = "unknown: %s" }]]):format(SECRET, SECRET) },
    { "a member of an error", "{}", ('error { type = "Bad", message = "with %s", apiKey = "%s" }'):format(SECRET, SECRET) },
    { "a name of the recipe's own", ('{"pin": "%s"}'):format(SECRET),
      again:format("input.pin", "pin = input.pin", "x = input.pin"),
      'secret = { "pin" },' },
    { "a number with a name of the recipe's own", '{"pin": 9876543210123}',
      'return { state = "done", deep = { { pin = input.pin } } }', 'secret = { "pin" },', secret = "9876543210123" },
    { "the user part of a URL", ('{"url": "https://%s@h/"}'):format(SECRET),
      'error { type = "Bad", message = "at " .. input.url }' },
    { "a parameter of a URL", ('{"url": "https://h/?X-Amz-Signature=%s&a=b"}'):format(SECRET),
      'error { type = "Bad", message = "at " .. input.url }' },
    { "a connection string", ('{"to": "Server=h;Password=%s;"}'):format(SECRET), 'error("script: " .. input.to)' },
    { "a bearer text", ('{"text": "Authorization: Bearer %s"}'):format(SECRET), 'error("script: " .. input.text)' },
    { "the message of a script error", ('{"api_key": "%s"}'):format(SECRET), 'error("refused " .. input.api_key)' },
    { "a raised script error below", ('{"jwt": "%s"}'):format(SECRET), 'local function f(x) error({ x }) end f(input.jwt)' },
  }

  for _, case in ipairs(cases) do
    it("comes out nowhere: " .. case[1], function()
      write_recipe(case[3], case[4])
      assert_nowhere(channels(case[2]), case.secret)
    end)
  end

  it("comes out in the outcome and in progress where that is asked for, and in nothing else", function()
    write_recipe(again:format("input.token", "", "token = input.token"))
    local said = channels(('{"token": "%s"}'):format(SECRET), "--show-secrets")
    for _, channel in ipairs { "json", "progress of text" } do
      assert.matches(SECRET, said[channel], 1, true)
      said[channel] = nil
    end
    said["progress of json"] = nil
    assert_nowhere(said)
  end)

  it("is none where it is the idempotency token", function()
    write_recipe(again:format("input.token", "", "seen = input.token"), 'idempotencyToken = "token",')
    local said = channels "{}"
    local outcome = workspace:outcome { "run", "things.lua", "--max-wait", "5s", "--token", SECRET, "--input", "{}" }
    assert.same({ SECRET, SECRET }, { outcome.input.token, outcome.output.seen })
    assert.is_nil(said.json:find("[redacted]", 1, true))
    assert.is_nil(said["journal show of json"]:find("[redacted]", 1, true))
  end)

  it("does not come out where it changes with each answer", function()
    local lines = {}
    for i = 1, 100 do lines[i] = ('{"output": {"session": "rotating-%03d", "state": "it is rotating-%03d"}}'):format(i, i) end
    lines[#lines + 1] = '{"error": {"type": "Gone", "message": "rotating-100, rotating-099, rotating-070"}}'
    local path = '{"output": {"path": "state", "comparator": "stringEquals", "expected": "done"}}'
    local words = workspace:replay_of('[{"state": "success", "matcher": ' .. path .. "}]", lines, "--max-wait", "1h", "--verbose",
      "--events", "events.jsonl", "--min-delay", "1s", "--max-delay", "1s")
    local done = workspace:bide(words)
    done:says(3, "Gone: [redacted], [redacted], [redacted]")
    for _, text in ipairs { done.stdout, done.stderr, workspace:read "events.jsonl" } do
      assert.is_nil(text:find("rotating", 1, true), text)
    end
  end)

  it("does not come out of a fleet", function()
    write_recipe('return { state = "bad", reason = "no " .. input.token, token = input.token }')
    workspace:write("each.jsonl", ('{"token": "%s"}\n{"token": "%s"}\n'):format(SECRET, SECRET))
    local said = channels("{}", "--each", "each.jsonl")
    assert_nowhere(said)
  end)

  it("does not come out of a script that nobody caught", function()
    workspace:write("script.lua", 'error { type = "Bad", message = "at https://hunter2hunter2@h/ Bearer hunter2hunter2" }')
    local done = workspace:bide { "exec", "script.lua" }
    assert.equal("bide: uncaught operation error Bad: at https://[redacted]@h/ Bearer [redacted]\n", done.stderr)
    assert.matches(SECRET, workspace:bide({ "exec", "--show-secrets", "script.lua" }).stderr, 1, true)
  end)

  it("comes out of an outcome that nobody caught with --show-secrets only", function()
    workspace:write("script.lua", [[
      local waiter = require("bide").waiter {
        name = "ThingExists",
        acceptors = { { state = "success", matcher = { success = true } } },
        call = function(input) error { type = "Bad", message = "no " .. input.token } end,
      }
      assert(waiter:wait({ token = "hunter2hunter2" }, { maxWait = 1 }))]])
    assert.matches("Bad: no [redacted]\n", workspace:bide({ "exec", "script.lua" }).stderr, 1, true)
    assert.matches("Bad: no " .. SECRET, workspace:bide({ "exec", "--show-secrets", "script.lua" }).stderr, 1, true)
  end)

  it("is shown of no request of bide.once, and kept", function()
    workspace:write("once.lua", [[
      local bide = require "bide"
      print(bide.once("T-1-idempotent", { password = "hunter2hunter2" }, function() return { jwt = "hunter2hunter2" } end).jwt)]])
    for _ = 1, 2 do
      assert.equal(SECRET .. "\n", workspace:bide({ "exec", "--journal", "once.db", "once.lua" }).stdout)
    end
    local shown = workspace:bide({ "journal", "show", "T-1-idempotent", "--journal", "once.db" }).stdout
    assert.is_nil(shown:find(SECRET, 1, true), shown)
    assert.matches('"token": "T-1-idempotent"', shown, 1, true)
    local clear = workspace:bide { "journal", "show", "T-1-idempotent", "--journal", "once.db", "--show-secrets" }
    assert.matches(SECRET, clear.stdout, 1, true)
  end)

  it("of a journal of bide 0.1.0 is not shown, and its run is found", function()
    write_recipe('error { type = "Again" }')
    local input = ('{"password":"%s","text":"%s"}'):format(SECRET, SECRET)
    local words = { "run", "things.lua", "--max-wait", "1m", "--journal", "old.db", "--input", input }

    local function run_cut()
      local running = workspace:start(words)
      running:wait_for_output "attempt %d"
      running:kill "sigterm"
      running:wait():ends(143)
    end

    run_cut()
    journal.query(workspace.path .. "/old.db", "UPDATE run SET inputs = ?, seal = NULL, question = NULL",
      fingerprint(input))
    journal.query(workspace.path .. "/old.db", "UPDATE wait SET input = ?", input)
    local shown = workspace:bide({ "journal", "show", "1", "--journal", "old.db" }).stdout
    assert.matches('"text": "[redacted]"', shown, 1, true)
    assert.is_nil(shown:find(SECRET, 1, true), shown)
    words[#words + 1] = "--resume"
    run_cut()
    assert.equal(1, #assert(json.decode(workspace:bide({ "journal", "--journal", "old.db", "--output", "json" }).stdout)).runs)
  end)

  for _, case in ipairs {
    { '"pin"', 'secret: expected a list of names of members, found "pin"' },
    { '{ 5 }', "secret[1]: expected the name of a member, found 5" },
    { '{ "" }', 'secret[1]: expected the name of a member, found ""' },
  } do
    it("is named by a list of names, not by " .. case[1], function()
      write_recipe("", "secret = " .. case[1] .. ",")
      workspace:bide({ "list", "things.lua" }):says(2, case[2])
    end)
  end

  it("of a waiter of bide.waiter's is in none of its words, and in its output", function()
    workspace:write("script.lua", [[
      local bide = require "bide"
      local waiter = bide.waiter { name = "Paid", secret = { "pin" },
        call = function(input) return { state = "x" .. input.pin, pin = input.pin } end,
        acceptors = { { state = "success",
          matcher = { output = { path = "state", comparator = "stringEquals", expected = "x12345678" } } } } }
      local outcome = assert(waiter:wait({ pin = "12345678" }, { maxWait = 1 }))
      print(outcome.message:match 'state is .*', outcome.seen[1].value, outcome.output.pin)
      print(select(2, pcall(bide.waiter, { call = print, secret = "pin", acceptors = {} })))]])
    assert.equal('state is "x[redacted]"\tx[redacted]\t12345678\n'
      .. 'bide.waiter: secret: expected a list of names of members, found "pin"\n',
      workspace:bide({ "exec", "script.lua" }).stdout)
  end)

  it("is named by a member that is spelled right", function()
    write_recipe("", 'secrets = { "pin" },')
    assert.matches('did you mean "secret"?', workspace:bide({ "list", "things.lua" }).stderr, 1, true)
  end)
end)
