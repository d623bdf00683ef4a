---An outcome that was recorded and not reported is reported by --resume, without a request and with no second token;
---one that was reported is never found again.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local process = require "spec.support.process"
local uv = require "luv"

require "bide"

local recipe = [[
local http = require "bide.http"
return { Create = { idempotencyToken = "ClientToken",
  call = function(input) return http.post("%s", { json = input }) end,
  waitable = { Created = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "created" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "failed" } } },
  } } } } }
]]

local can_trace = not process.is_sanitized
  and process.run({ "sh", "-c", "strace -qq -e trace=none true" }, { tool = true }).code == 0

describe("an outcome that was not reported", function()
  local workspace = Workspace.of_each()
  local server, tokens, answer, file
  before_each(function()
    tokens = {}
    answer = function(input) return { state = input.name, b = 1, a = { z = 1, y = 2 } } end
    server = Server.start(function(request)
      local input = core.json.decode(request.body)
      tokens[#tokens + 1] = input.ClientToken
      local body = answer(input)
      return { body = type(body) == "string" and body or core.json.encode(body) }
    end)
    workspace:write("things.lua", recipe:format(server.url))
    file = workspace.path .. "/waits.db"
  end)
  after_each(function() server:close() end)

  local function words(name, ...)
    return { "run", "things.lua", "name=" .. name, "--max-wait", "5s", "--quiet", "--journal", "waits.db", ... }
  end

  ---Runs a command and has it killed by the system call that writes the outcome to standard output.
  local function killed(list, output)
    local command = { "strace", "-f", "-qq", "-o", "/dev/null", "-P", workspace.path .. "/" .. output, "-e",
      "inject=write:signal=KILL:when=1", assert(uv.fs_realpath(process.bide)) }
    table.move(list, 1, #list, #command + 1, command)
    local line = {}
    for position, word in ipairs(command) do line[position] = ("'%s'"):format(word) end
    local text = ("exec %s > %s"):format(table.concat(line, " "), output)
    return process.run({ "sh", "-c", text }, { cwd = workspace.path, tool = true })
  end

  for name, code in pairs { created = 0, failed = 1 } do
    it("is reported again, with its exit code: " .. name, function()
      if not can_trace then return pending "strace may trace nothing here, or a sanitizer is in its way" end
      killed(words(name, "--output", "json"), "out")
      assert.same({ 1, 1 }, { #tokens, #journal.query(file, "SELECT * FROM run WHERE reported IS NULL") })
      local printed = workspace:read "out"
      local done = workspace:bide(words(name, "--output", "json", "--resume", "--events", "events.jsonl"))
      assert.same({ code, 1 }, { done.code, #tokens })
      assert.matches("ended before its outcome was reported; reporting it now", done.stderr, 1, true)
      local outcome = done.stdout
      if printed ~= "" then assert.equal(printed, outcome) end
      local events = Workspace.decode_lines(workspace:read "events.jsonl")
      assert.same({ 2, "start", 1, "end", tokens[1] },
        { #events, events[1].event, events[1].resumed, events[2].event, events[2].input.ClientToken })
      assert.same(core.json.decode(outcome).history, events[2].history)
      local again = workspace:bide(words(name, "--resume"))
      assert.same({ code, 2 }, { again.code, #tokens })
      assert.not_equal(tokens[1], tokens[2])
      assert.matches("the journal has no such wait; a new one begins", again.stderr, 1, true)
    end)
  end

  it("is that of a whole fleet, with what was cancelled and in the order of the ends", function()
    answer = function(input)
      return { state = input.name == "c" and "created" or input.name == "b" and #tokens > 5 and "failed" or "pending" }
    end
    workspace:write("lines.jsonl", '{"name": "a"}\n{"name": "b"}\n{"name": "c"}\n{"name": "d"}\n')
    for _, how in ipairs { { "--any", 0 }, { "--some", "1", 0 }, { "--all", "--max-attempts", "9", 1 } } do
      local code = table.remove(how)
      local list = { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "5s", "--output", "json", "--journal",
        "waits.db", "--resume", table.unpack(how) }
      local first = workspace:bide(list)
      assert.equal(code, first.code)
      journal.query(file, "UPDATE run SET reported = NULL")
      local asked = #tokens
      local second = workspace:bide(list)
      assert.same({ code, asked, first.stdout }, { second.code, #tokens, second.stdout })
      assert.matches("Created, which began [%d.]+ m?s ago, ended before its outcome was reported; reporting it now",
        second.stderr)
      journal.query(file, "DELETE FROM run")
    end
  end)

  it("has its members in the order in which they came", function()
    answer = function() return '{"state": {"z": 1, "y": [{"b": null, "a": 2}]}, "q": 1, "p": {"d": 1, "c": 2}}' end
    local list = words("x", "--max-attempts", "2", "--output", "json", "--resume")
    local first = workspace:bide(list)
    assert.equal(4, first.code)
    assert.matches('"seen": %[%s*{[^%]]*"value": {%s*"z": 1', first.stdout)
    journal.query(file, "UPDATE run SET reported = NULL")
    assert.equal(first.stdout, workspace:bide(list).stdout)
  end)

  it("is recorded as reported after standard output has it, and before the command runs", function()
    local script = [["$BIDE" journal list --journal waits.db --output json | "$BIDE" query "runs[0].reported != null"]]
    workspace:write("look.sh", script)
    local done = workspace:shell('"$BIDE" ' .. table.concat(words("created", "--", "sh", "look.sh"), " "))
    assert.same({ 0, "true\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("is not recorded as reported where it cannot be written", function()
    local done = workspace:shell('"$BIDE" ' .. table.concat(words "created", " ") .. " > /dev/full")
    assert.matches("the outcome cannot be written", done.stderr, 1, true)
    local again = workspace:bide(words("created", "--resume"))
    assert.same({ 0, 1 }, { again.code, #tokens })
    assert.matches("succeeded after 1 attempt", again.stdout, 1, true)
  end)

  it("is nothing that a signal ended: that goes on", function()
    answer = function() return { state = "pending" } end
    local running = workspace:start(words "created")
    while #tokens < 2 do uv.run "once" end
    running:kill "sigterm"
    assert.equal(143, running:wait().code)
    answer = function() return { state = "created" } end
    local done = workspace:bide(words("created", "--resume", "--events", "-"))
    local events = Workspace.decode_lines(done.stdout)
    assert.is_true(events[1].resumed >= 1)
    assert.equal(tokens[1], tokens[#tokens])
  end)
end)

describe("journal list", function()
  local workspace = Workspace.of_each()

  it("tells success and failure apart, and a resumed fleet counts what had ended", function()
    workspace:write("op.lua", [[
      return { Op = { call = function(input) return input end, waitable = { Done = { minDelay = 9, acceptors = {
      { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "ok" } } },
      { state = "failure", matcher = { output = { path = "s", comparator = "stringEquals", expected = "bad" } } } } } } } }]])
    workspace:write("lines.jsonl", '{"s": "ok"}\n{"s": "bad"}\n{"s": "wait"}\n')
    local function run(...) return workspace:bide { "run", "op.lua", "--max-wait", "60s", "--journal", "waits.db", ... } end
    assert.same({ 0, 1 }, { run("s=ok", "--quiet").code, run("s=bad", "--quiet").code })
    local list = workspace:bide({ "journal", "list", "--journal", "waits.db" }).stdout
    assert.matches("\n +1  success +20.*\n +2  failure +20", list)
    local runs = core.json.decode(workspace:bide({ "journal", "list", "--journal", "waits.db", "--output", "json" }).stdout).runs
    assert.same({ "ended", "success", 1, 0 }, { runs[1].state, runs[1].outcome, runs[1].succeeded, runs[1].failed })
    assert.same({ "ended", "failure", 0, 1 }, { runs[2].state, runs[2].outcome, runs[2].succeeded, runs[2].failed })
    local words = { "run", "op.lua", "--max-wait", "60s", "--journal", "waits.db", "--each", "lines.jsonl" }
    workspace:start(words, { signal = "sigkill", caught_for = 1 }):wait()
    table.insert(words, "--resume")
    local resumed = workspace:start(words, { signal = "sigterm", caught_for = 1.5 }):wait()
    assert.matches("2 of 3 waits have ended: 1 succeeded, 1 failed; 3 attempts", resumed.stderr, 1, true)
    assert.not_matches("[01] of 3 waits have ended: ", resumed.stderr)
    list = workspace:bide({ "journal", "list", "--journal", "waits.db" }).stdout
    assert.matches("\n +3  interrupted .*Done, 2 of 3, 1 failed", list)
  end)
end)
