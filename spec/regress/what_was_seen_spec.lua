---The sentence of an outcome said "nothing was seen" where the note of the attempt knew better, and "the operation
---succeeded" where the recipe knows what that means. Progress had a line for every attempt when the state held its age.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local port = require "spec.support.port"

describe("what was seen", function()
  local workspace = Workspace.of_block()

  local function message_of(...)
    local outcome = workspace:outcome { ... }
    return outcome.message, outcome
  end

  it("is what a log has, where no line matches", function()
    workspace:write("app.log", "some twenty bytes here\n")
    local limit = "--max-wait"
    assert.matches("; the log does not exist yet$", (message_of("file", "LineFound", "nosuch.log", "x", limit, "1s")))
    assert.matches("; 23 bytes read, no line matches$",
      (message_of("file", "LineFound", "app.log", "nothing", "from=start", limit, "1s")))
  end)

  it("has status() where the body has no member status", function()
    local server = Server.start(function() return { body = '{"state":"up"}' } end)
    assert.matches("there is no member status; did you mean status%(%), that of the answer%?$",
      (message_of("http", server.url, "--until", "status=200", "--max-attempts", "1", "--max-wait", "9s")))
    server:close()
  end)

  it("has no status() where a file may not call it", function() -- the acceptors of a trait or a model
    workspace:write("trait.json", json.encode { Up = { acceptors = { { state = "success", matcher = { output = {
      path = "status", comparator = "stringEquals", expected = "yes" } } } } } })
    workspace:write("answers.jsonl", '{"output": {}, "status": 200}\n')
    local words = { "replay", "trait.json", "Up", "answers.jsonl", "--max-wait", "1s" }
    assert.matches("; last seen: status is null$", (message_of(table.unpack(words))))
    table.move({ "--until", "status=yes" }, 1, 2, #words + 1, words)
    assert.matches("did you mean status%(%), that of the answer%?$", (message_of(table.unpack(words))))
  end)

  it("is the last error of the retries that a deadline cut", function()
    local server = Server.start(function() return { status = 501, headers = { ["retry-after"] = "5" } } end)
    workspace:write("retried.lua", ([[local http = require "bide.http"
      return { Ask = { retry = "standard", call = function() return http.post("%s/", {}) end, waitable = { Ready = {
        acceptors = { { state = "success", matcher = { success = true } } } } } } }]]):format(server.url))
    assert.matches("; the last error was NotImplemented %(501%): Not Implemented$",
      (message_of("run", "retried.lua", "--max-wait", "1s")))
    server:close()
  end)

  it("is the line of a log", function()
    workspace:write("app.log", "listening on 80\n")
    local message, outcome = message_of("file", "LineFound", "app.log", "listening", "from=start", "--max-wait", "5s")
    assert.matches("^LineFound succeeded after 1 attempt in [^:]+: listening on 80$", message)
    assert.is_nil(outcome.history[1].note)
  end)

  it("is the fact, on success and where another waiter tries again", function()
    local server = Server.start(function() return { body = "{}" } end)
    local address = server.url:match "//(.*)"
    assert.matches(": the port is open$", (message_of("tcp", address, "--max-wait", "5s")))
    assert.matches("; last seen: the port is open$", (message_of("tcp", "PortClosed", address, "--max-wait", "1s")))
    server:close()
    assert.matches("refused", (message_of("tcp", "PortClosed", "127.0.0.1:" .. port.free(), "--max-wait", "5s")))
    workspace:write("there", "")
    assert.matches(": the file is there$", (message_of("file", "there", "--max-wait", "5s")))
  end)

  it("is what a recipe of one's own says", function()
    local recipe = [[return { Look = { call = function() return { name = "x", password = "hunter2" } end, fact = %q,
      waitable = { Seen = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]
    local rows = {
      { "name", ": x$" }, { "join(' is ', [name, 'up'])", ": x is up$" }, { "nothing", ": the operation succeeded$" },
      { "password", ": %[redacted%]$" },
    }
    for _, row in ipairs(rows) do
      workspace:write("own.lua", recipe:format(row[1]))
      assert.matches(row[2], (message_of("run", "own.lua", "--max-wait", "5s")))
    end
    workspace:write("own.lua", recipe:format "a..b")
    workspace:bide({ "run", "own.lua", "--max-wait", "5s" }):says(2, "Look.fact: ")
  end)

  it("has a line in 5 s where only its age changes", function()
    local answers = {}
    local acceptors = '[{"state": "success", "matcher": {"output": {"path": "state", "comparator": "stringEquals", '
      .. '"expected": ""}}}]'
    for number = 1, 60 do
      answers[number] = json.encode { output = { state = ("written to 0.%02d s ago"):format(number) } }
    end
    local function count_lines(lines)
      local words = workspace:replay_of(acceptors, lines, "--max-wait", "15s", "--interval", "250ms")
      return select(2, workspace:bide(words).stderr:gsub("Waiter: attempt", ""))
    end
    local aging = count_lines(answers)
    assert.is_true(aging >= 3 and aging <= 4, aging)
    for number = 1, 60 do answers[number] = json.encode { output = { state = ("%d files"):format(number) } } end
    assert.is_true(count_lines(answers) >= 55)
  end)
end)
