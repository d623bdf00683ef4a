---A journal of release 0.2 keeps the meaning that the options had there: any --until decides, by the truth of JMESPath, and
---replaces what inputs ask for.

local Workspace = require "spec.support.workspace"
local acceptors = require "bide.cli.words.acceptors"
local bide = require "bide"
local core = require "bide.core"
local journal = require "spec.support.journal"
local runs = require "bide.record.journal.runs"
local sources = require "bide.record.journal.sources"
local waiters = require "bide.wait.waiter"

local recipe = [[
local bide = require "bide"
return { Get = {
  call = function(input)
    local handle = io.open(input.file)
    local text = handle and handle:read "a" or ""
    if handle then handle:close() end
    return { a = text:match "a=(%d)", b = text:match "b=(%d)", c = text }
  end,
  input = { file = { type = "string", required = true } },
  waitable = { Ready = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = "success", matcher = { success = true } } } } },
} }]]

describe("the conditions of a journal", function()
  local workspace = Workspace.of_each()
  local words

  before_each(function()
    workspace:write("get.lua", recipe)
    words = { "run", "get.lua", "file=state", "--max-wait", "9s", "--journal", "waits.db", "--until", "a=1", "--until", "b=1" }
  end)

  ---Begins the run, and ends bide after some attempts.
  local function begin()
    local cut = workspace:start(table.move({ "--events", "-" }, 1, 2, #words + 1, table.move(words, 1, #words, 1, {})))
    cut:wait_for_output '"attempt": 2,'
    cut:kill "sigint"
    assert.equal(130, cut:wait().code)
  end

  ---Makes the journal what release 0.2 would have written.
  local function age()
    local file = workspace.path .. "/waits.db"
    local loaded = assert(bide.load(workspace.path .. "/get.lua"))
    local options = { ["until"] = { "a=1", "b=1" }, fail = {}, retry_on = {} }
    local waiter = waiters.variant(assert(acceptors.derive(options, loaded.waiters.Ready)), "earlier")
    local run = journal.query(file, "SELECT * FROM run")[1]
    local wait = { waiter = waiter, input = core.json.document { file = "state" } }
    local inputs = runs.inputs_of({ recipe = run.recipe, waiter = run.waiter }, { wait })
    journal.query(file, "UPDATE run SET question = NULL, seal = NULL, inputs = ?, sources = ?", inputs,
      (assert(core.json.encode(sources.of { waiter }))))
  end

  local function resume()
    return workspace:bide(table.move({ "--resume", "--output", "json" }, 1, 3, #words + 1, table.move(words, 1, #words, 1, {})))
  end

  it("need all in a run of this release", function()
    begin()
    workspace:write("state", "a=1 b=0")
    words[5] = "9s"
    local resumed = workspace:start(table.move({ "--resume", "--events", "-" }, 1, 3, #words + 1,
      table.move(words, 1, #words, 1, {})))
    resumed:wait_for_output '"event": "attempt"'
    workspace:write("state", "a=1 b=1")
    resumed:wait():says(0, "continuing Ready")
  end)

  it("need one in a run of the release before", function()
    begin()
    age()
    workspace:write("state", "a=1 b=0")
    local done = workspace:bide(table.move({ "--resume" }, 1, 1, #words + 1, table.move(words, 1, #words, 1, {})))
    assert.matches("continuing Ready", done.stderr)
    done:prints(0, 'a is "1" (--until "a=1")')
  end)

  it("are not those of an old run with other conditions", function()
    begin()
    age()
    workspace:write("state", "a=2 b=1")
    words[#words] = "a=2"
    words[#words - 2] = "b=1"
    local done = resume()
    assert.equal(0, done.code, done.stderr)
    assert.not_matches("continuing", done.stderr)
  end)

  it("are asked anew where an old run has ended: it did not record all of its question", function()
    workspace:write("state", "a=1 b=1")
    workspace:shell('"$BIDE" run get.lua file=state --max-wait 9s --journal waits.db --until a=1 --until b=1 >/dev/full 2>&1')
    age()
    workspace:write("state", "a=2 b=2")
    words[5] = "100ms"
    resume():says(124, "Run 1 is near, and differs in what its release did not record")
  end)

  it("remember the members that answers had, by the last output", function()
    words = { "run", "get.lua", "file=state", "--max-wait", "9s", "--journal", "waits.db", "--until", "!a" }
    workspace:write("state", "a=1")
    begin()
    workspace:write("state", "none")
    workspace:bide(table.move({ "--resume" }, 1, 1, #words + 1, table.move(words, 1, #words, 1, {}))):ends(0)
  end)

  it("remember them for path too", function()
    workspace:write("printed", '{"pending":true}')
    words = { "command", "cat printed", "path=!pending", "--max-wait", "9s", "--journal", "waits.db" }
    begin()
    workspace:write("printed", '{"n":1}')
    workspace:bide(table.move({ "--resume" }, 1, 1, #words + 1, table.move(words, 1, #words, 1, {}))):ends(0)
    assert.equal(4, workspace:bide({ "command", "cat printed", "path=!pending",
      "--max-wait", "30s", "--max-attempts", "2" }).code)
  end)
end)
