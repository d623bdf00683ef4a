---A 200 whose body was no JSON matched `success = false`, as the operation error InvalidBody, and not `success = true`.

local bide = require "bide"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local tables = require "bide.text.tables"

local recipe = [[
local acceptor, http = require "bide.acceptor", require "bide.http"
local function get(input) return http.get(input.url) end
local function read(input) return http.get(input.url):json() end
local function w(success) return { acceptors = { { state = "success", matcher = { success = success } } } } end
return {
  Get = { call = get, waitable = { PageExists = w(true), PageGone = w(false) } },
  Spawned = { call = function(input) return require "bide".timeout(9, read, input) end, waitable = { TextReadInTime = w(true) } },
  Read = { call = read, waitable = { TextRead = w(true), TextUnread = w(false) } },
  Run = { call = function() return require "bide.exec" { "echo", '{"status":"\\ud83d","size":-1e999}' }:json() end,
    waitable = { ProgramRan = w(true) } },
  Print = { input = { code = { type = "string" } }, waitable = { ProgramFailed = w(false) },
    call = function(input) return require "bide.exec" { "sh", "-c", "echo text; exit " .. input.code }:json() end },
} ]]

describe("a 200 whose body is not JSON", function()
  local workspace = Workspace.of_block()
  local answer
  local server = Server.of_block(function() return answer end)
  setup(function() workspace:write("text.lua", recipe) end)

  local function wait(waiter)
    return workspace:outcome { "run", "text.lua", waiter, "url=" .. server.url, "--max-wait", "10s", "--max-attempts", "1" }
  end

  before_each(function()
    answer = { headers = { ["Content-Type"] = "text/html; charset=utf-8" }, body = "<html>It works!</html>" }
  end)

  it("is a success with the output {}, and the history says why", function()
    local outcome, done = wait "PageExists"
    assert.same({ 0, {} }, { done.code, outcome.output })
    assert.equal("the body is not JSON (text/html)", outcome.history[1].note)
  end)

  it("is no failure", function()
    local _, done = wait "PageGone"
    assert.equal(4, done.code)
  end)

  it("is an error to whoever reads it as JSON", function()
    local outcome, done = wait "TextRead"
    assert.same({ 3, "InvalidResponse", 200 }, { done.code, outcome.error.type, outcome.error.status })
    assert.matches("^the body is not JSON %(text/html%): found '<' where a value should be, at line 1, column 1$",
      outcome.error.message)
  end)

  it("is no failure of the operation where it cannot be read, whoever reads it", function()
    for body, kind in pairs { ["<html>"] = "text/html", ['{"status":"UP"'] = "application/json" } do
      answer = { headers = { ["Content-Type"] = kind }, body = body }
      assert.equal(3, select(2, wait "TextUnread").code)
      assert.equal(kind == "text/html" and 4 or 3, select(2, wait "PageGone").code)
    end
    answer.status = 404
    assert.same({ 0, 0 }, { select(2, wait "TextUnread").code, select(2, wait "PageGone").code })
    local words = { "run", "text.lua", "ProgramFailed", "--max-wait", "10s", "--record", "program.jsonl" }
    assert.equal(3, workspace:bide(tables.joined(words, { "code=0" })).code)
    assert.equal(3, workspace:bide({ "replay", "text.lua", "ProgramFailed", "program.jsonl", "--max-wait", "10s" }).code)
    assert.equal(0, workspace:bide(tables.joined(words, { "code=1" })).code)
  end)

  it("is one to a waiter of a script as well", function()
    local http = require "bide.http"
    local waiter = bide.waiter { call = function() return http.get(server.url) end,
      acceptors = { { state = "success", matcher = { success = true } } } }
    assert.same({}, assert(waiter:wait({}, { maxWait = 10 })).output)
  end)

  it("is what progress and message say, where an acceptor wants more of it", function()
    workspace:write("path.lua", [[
local acceptor, http = require "bide.acceptor", require "bide.http"
return { Get = { call = function(input) return http.get(input.url) end,
  waitable = { ThingExists = { acceptors = { acceptor.output("success", "status", "ok") } } } } }]])
    local done = workspace:bide { "run", "path.lua", "url=" .. server.url, "--max-wait", "50s", "--max-attempts", "1" }
    assert.matches("status is null; the body is not JSON (text/html)", done.stderr, 1, true)
    assert.matches("last seen: status is null; the body is not JSON (text/html)\n", done.stderr, 1, true)
  end)

  it("is what bide http says as well, of a body that is announced as JSON or comes with a status of 503", function()
    answer = { status = 200, headers = { ["Content-Type"] = "application/json" }, body = '{"a":,' }
    local words = { "run", "http", server.url, "status=200,503", "--until", "a=b", "--max-wait", "50s", "--max-attempts", "1" }
    assert.matches("last seen: the body is not JSON (application/json): found ',' where", workspace:bide(words).stderr, 1, true)
    answer = { status = 503, headers = { ["Content-Type"] = "text/html" }, body = "<html>" }
    assert.matches("last seen: the body is not JSON (text/html)", workspace:bide(words).stderr, 1, true)
    answer = { status = 503, body = "" }
    assert.matches("last seen: the body is empty", workspace:bide(words).stderr, 1, true)
  end)

  it("decides nothing by the path of an input, whatever that makes of {}", function()
    local bodies = { answer, { body = "" }, { headers = { ["Content-Type"] = "application/json" }, body = "5" } }
    local inputs = { { "path=!error" }, { "path=!error", "expect=true" }, { "path=type(error)", "expect=null" },
      { "path=!error", "expect=false", "failed=true" }, { "path=type(error)", "expect=string", "failed=null" } }
    for _, body in ipairs(bodies) do
      answer = body
      for _, input in ipairs(inputs) do
        local done = workspace:bide { "http", server.url, "--max-wait", "50s", "--max-attempts", "1", table.unpack(input) }
        assert.equal(4, done.code, table.concat(input, " ") .. done.stdout .. done.stderr)
      end
    end
  end)

  it("decides nothing by a path that asks no member of it", function()
    local done = workspace:bide { "http", server.url, "path=type(@)", "expect=object", "--max-wait", "50s",
      "--max-attempts", "1" }
    done:says(4, "the body is not JSON (text/html)")
  end)

  it("and is nothing at all is {} without a note", function()
    answer.body = ""
    local outcome = wait "PageExists"
    assert.same({}, outcome.output)
    assert.is_nil(outcome.history[1].note)
  end)
end)

describe("what a value cannot hold", function()
  local workspace = Workspace.of_block()
  local note = "1 lone surrogate was read as U+FFFD, 1 number beyond a double was read as the largest double of its sign"
  local text = '{"status":"\\ud83d","size":-1e999}'

  setup(function() workspace:write("text.lua", recipe) end)

  local smallest, replaced = -0x1.fffffffffffffp+1023, "\u{FFFD}"

  it("is replaced in what a program prints", function()
    local outcome = workspace:outcome { "run", "text.lua", "ProgramRan", "--max-wait", "50s" }
    assert.same({ status = replaced, size = smallest }, outcome.output)
    assert.equal(note, outcome.history[1].note)
  end)

  for _, waiter in ipairs { "TextRead", "TextReadInTime" } do
    it("is replaced in what an operation reads for itself: " .. waiter, function()
      local server = Server.start(function() return { body = text } end)
      local outcome = workspace:outcome { "run", "text.lua", waiter, "url=" .. server.url, "--max-wait", "50s" }
      server:close()
      assert.same({ status = replaced, size = smallest }, outcome.output)
      assert.equal(note, outcome.history[1].note)
    end)
  end

  it("is replaced in what the recipes of bide look at", function()
    local server = Server.start(function() return { body = text } end)
    local outcome = workspace:outcome { "run", "http", "url=" .. server.url, "path=size",
      "expect:=" .. ("%.17g"):format(smallest), "--max-wait", "50s" }
    server:close()
    assert.equal(note, outcome.history[1].note)
  end)

  it("is replaced in the answers of a replay", function()
    local words = workspace:replay_of({ { state = "success", matcher = { success = true } } },
      { '{"output":' .. text .. "}" }, "--max-wait", "50s")
    local outcome = workspace:outcome(words)
    assert.same({ status = replaced, size = smallest }, outcome.output)
    assert.equal(note, outcome.history[1].note)
  end)

  it("is replaced in the documents of a query, with a warning", function()
    local done = workspace:bide({ "query", "@", "--compact" }, { stdin = text })
    assert.same({ 0, ('{"status":"%s","size":-1.7976931348623157e308}\n'):format(replaced) }, { done.code, done.stdout })
    assert.equal("bide: warning: standard input: " .. note .. "\n", done.stderr)
  end)

  local refused = {
    { "run", "text.lua", "PageExists", "size:=1e999" }, { "run", "text.lua", "PageExists", 'name:="\\ud83d"' },
    { "run", "text.lua", "PageExists", "--input", text }, { "run", "text.lua", "PageExists", "--each", "inputs.jsonl" },
    { "list", "recipe.json" },
  }

  for _, words in ipairs(refused) do
    it("is a mistake in what a person writes: " .. table.concat(words, " "), function()
      workspace:write("inputs.jsonl", text .. "\n")
      workspace:write("recipe.json", '{"Waiter":{"documentation":"\\ud83d","acceptors":[]}}')
      if words[1] == "run" then words = table.move({ "--max-wait", "5s" }, 1, 2, #words + 1, words) end
      assert.equal(2, workspace:bide(words).code)
    end)
  end

  it("is a mistake to bide.json.decode, and in an expression", function()
    assert.is_nil((bide.json.decode(text)))
    assert.is_false((pcall(bide.jmespath, "`1e999`")))
  end)
end)

describe("the type InvalidBody", function()
  local workspace = Workspace.of_block()

  local warning = "the error type InvalidBody is called InvalidResponse now: name that"
  local acceptors = {
    { "errorType", '{ state = "retry", matcher = { errorType = "InvalidBody" } }' },
    { "lua", '(require "bide.acceptor").transient("Other", "InvalidBody")' },
  }

  for _, row in ipairs(acceptors) do
    it("is a warning where an acceptor names it: " .. row[1], function()
      workspace:write("old.lua", [[return { Get = { call = function() return {} end, waitable = { ThingExists = {
        acceptors = { { state = "success", matcher = { success = true } }, ]] .. row[2] .. " } } } } }")
      for _, options in ipairs { {}, { "--sandbox" } } do
        local done = workspace:bide { "run", "old.lua", "--max-wait", "50s", "--quiet", table.unpack(options) }
        assert.equal(0, done.code)
        assert.equal(("bide: warning: old.lua:1: ThingExists: acceptors[2].matcher.%s: %s\n"):format(row[1], warning),
          done.stderr)
      end
    end)
  end

  it("is a warning of bide.waiter as well", function()
    workspace:write("old.lua", [[require "bide".waiter { call = print, acceptors = { { state = "success",
      matcher = { errorType = "ns#InvalidBody" } } } }]])
    local done = workspace:bide { "exec", "old.lua" }
    assert.equal(0, done.code)
    assert.equal("bide: warning: bide.waiter: acceptors[1].matcher.errorType: "
      .. "the error type ns#InvalidBody is called InvalidResponse now: name that\n", done.stderr)
  end)
end)
