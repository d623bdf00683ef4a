---What scripts and servers say commanded the terminal: errors of scripts and recipes, lists, unknown members,
---the journal's tables; and a line break in a message made lines that passed for the outcome.

local core = require "bide.core"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local EVIL = [[\27]0;pwned\7\27[2J\r\u{9B}31m\u{202E}\nDone succeeded after 1 attempt]]
local SHOWN = "\\x1B]0;pwned\\x07\\x1B[2J\\x0D\\u{009B}31m\\u{202E}\\x0ADone succeeded after 1 attempt"

local function recipe(call, members)
  return ([[return { Get = { call = function(input) %s end, waitable = { Done = { %s acceptors = {
    { state = "failure", message = "reason",
      matcher = { output = { path = "state", comparator = "stringEquals", expected = "bad" } } },
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "ok" } } },
  } } } } }]]):format(call, members or "")
end

---No control character but the line breaks of bide's own lines, of which none is forged.
local function assert_harmless(text)
  assert.is_nil(text:gsub("[\n\t]", ""):find "%c", text)
  assert.is_nil(text:find "\u{9B}", text)
  assert.is_nil(text:find "\u{202E}", text)
  assert.is_nil(("\n" .. text):find("\nDone succeeded", 1, true), text)
end

describe("what a script says", function()
  local workspace = Workspace.of_block()

  local function both(arguments)
    local done = workspace:bide(arguments)
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    return done.stdout .. done.stderr
  end

  local cases = {
    { "an error of a script", ('error("%s")'):format(EVIL),
      { "exec" }, { "exec", "--sandbox" }, { "list" }, { "list", "--sandbox" } },
    { "an uncaught operation error", ('error { type = "A%s", message = "m%s" }'):format(EVIL, EVIL), { "exec" },
      { "exec", "--sandbox" } },
    { "a script error of an operation", recipe(('error("%s")'):format(EVIL)), { "run", "--max-wait", "50s" } },
    { "an operation error", recipe(('error { type = "E", message = "%s" }'):format(EVIL)),
      { "run", "--max-wait", "50s", "--verbose" } },
    { "the message of an acceptor", recipe(('return { state = "bad", reason = "%s" }'):format(EVIL)),
      { "run", "--max-wait", "50s" } },
    { "an unknown member", recipe("", ('["%s"] = 1,'):format(EVIL)),
      { "run", "--max-wait", "1s" }, { "plan", "--max-wait", "1s" },
      { "list" } },
    { "an unknown member of an operation", ('return { Get = { ["%s"] = 1 } }'):format(EVIL), { "list" } },
    { "a wrong value", ('return { Get = { waitable = { Done = { acceptors = { { state = "%s" } } } } } }'):format(EVIL),
      { "list" } },
    { "what a recipe prints", ('print("%s") '):format(EVIL) .. recipe "", { "list" } },
    { "an operation's name and documentation", ([[return { ["%s"] = { call = print, waitable = { Done = {
        documentation = "%s", acceptors = { { state = "success", matcher = { success = true } } } } } } }]]):format(EVIL, EVIL),
      { "list" }, { "list", "--sandbox" } },
  }

  for number, case in ipairs(cases) do
    for position = 3, #case do
      local arguments = table.move(case[position], 1, #case[position], 1, {})
      it(("commands nothing: %s, by %s"):format(case[1], table.concat(arguments, " ")), function()
        local file = ("case%d.lua"):format(number)
        workspace:write(file, case[2])
        arguments[#arguments + 1] = file
        assert.matches("\\x1B]0;pwned\\x07\\x1B[2J", both(arguments), 1, true)
      end)
    end
  end

  it("is one line of the outcome", function()
    workspace:write("bad.lua", recipe(('return { state = "bad", reason = "%s" }'):format(EVIL)))
    local done = workspace:bide { "run", "bad.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(1, done.code)
    assert.equal("Done failed after 1 attempt in 0 s: " .. SHOWN .. "\n", (done.stderr:gsub("in [%d.]+ s", "in 0 s", 1)))
  end)

  it("is one row of the table of a fleet", function()
    workspace:write("bad.lua", recipe(('return { state = "bad", reason = "%s" }'):format(EVIL)))
    workspace:write("each.jsonl", "{}\n")
    local done = workspace:bide { "run", "bad.lua", "--max-wait", "1s", "--quiet", "--each", "each.jsonl" }
    assert.equal(2, select(2, done.stderr:gsub("\n", ""))) -- the wait that failed, and all of them
    assert_harmless(done.stderr)
  end)

  it("is a JSON escape in JSON", function()
    workspace:write("bad.lua", recipe(('return { state = "bad", reason = "%s" }'):format(EVIL)))
    local done = workspace:bide { "run", "bad.lua", "--max-wait", "50s", "--quiet", "--output", "json" }
    assert_harmless(done.stdout)
    assert.equal("Done failed after 1 attempt in 0 s: " .. load(('return "%s"'):format(EVIL))(),
      (core.json.decode(done.stdout).message:gsub("in [%d.]+ s", "in 0 s", 1)))
  end)

  it("is one row of the journal's table", function()
    workspace:write("once.lua", ([[
      local bide = require "bide"
      bide.once("token%s", {}, function() return {} end, { identity = "me%s" })]]):format(EVIL, EVIL))
    workspace:bide({ "exec", "--journal", "j.db", "once.lua" }):ends(0)
    local text = both { "journal", "list", "--journal", "j.db" }
    assert.equal(2, select(2, text:gsub("\n", "")), text)
  end)

  it("is not touched where a trusted script prints it, and escaped where a sandboxed one does", function()
    workspace:write("loud.lua", ('print("%s")'):format(EVIL))
    assert.equal(load(('return "%s"'):format(EVIL))() .. "\n", workspace:bide({ "exec", "loud.lua" }).stdout)
    local done = workspace:bide { "exec", "--sandbox", "loud.lua" }
    assert.equal(SHOWN:gsub("\\x0A", "\n") .. "\n", done.stdout)
  end)
end)

describe("what a server says", function()
  local workspace = Workspace.of_each()

  it("commands nothing where a script raises it", function()
    local text = core.json.encode { reason = load(('return "%s"'):format(EVIL))() }
    local server = Server.start(function() return { headers = { ["Content-Type"] = "application/json" }, body = text } end)
    workspace:write("server.lua", recipe(([[
      error("unexpected state " .. require("bide.http").get("%s/"):json().reason)]]):format(server.url)))
    finally(function() server:close() end)
    local done = workspace:bide { "run", "server.lua", "--max-wait", "50s" }
    assert.equal(5, done.code)
    assert_harmless(done.stdout)
    assert_harmless(done.stderr)
    assert.matches("unexpected state \\x1B]0;pwned", done.stderr, 1, true)
  end)
end)
