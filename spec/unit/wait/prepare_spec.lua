---An operation may read its input once, when a wait begins: `prepare` returns the function that makes each attempt.

local Workspace = require "spec.support.workspace"
local bide = require "bide"

local success = { state = "success", matcher = { output = { path = "done", comparator = "booleanEquals", expected = "true" } } }

---Returns a waiter that is prepared, and what has happened: how often it was prepared and asked.
local function counting(prepare)
  local seen = { prepared = 0, asked = 0 }
  return bide.waiter { name = "ThingDone", minDelay = 0.001, maxDelay = 0.001, acceptors = { success },
    prepare = prepare and function(input) return prepare(seen, input) end or function(input)
      seen.prepared = seen.prepared + 1
      return function(...)
        seen.asked, seen.arguments = seen.asked + 1, select("#", ...)
        return { done = seen.asked == input.needed }
      end
    end }, seen
end

describe("an operation that prepares", function()
  it("reads its input once, and is asked without it", function()
    local waiter, seen = counting()
    assert(waiter:wait({ needed = 3 }, { maxWait = 10 }))
    assert.same({ prepared = 1, asked = 3, arguments = 0 }, seen)
  end)

  it("is prepared when a wait is, and again when that begins again", function()
    local waiter, seen = counting()
    local prepared = waiter:prepare({ needed = 1 }, { maxWait = 10 })
    assert.equal(1, seen.prepared)
    assert(bide.all { prepared })
    assert.equal(1, seen.prepared)
    bide.all { prepared }
    assert.equal(2, seen.prepared)
  end)

  it("says what is wrong with an input before anything is asked", function()
    local waiter = counting(function() return nil, "needed: expected a number" end)
    assert.error_matches(function() waiter:wait({}, { maxWait = 1 }) end, "needed: expected a number", 1, true)
  end)

  it("hides secrets in what it says", function()
    local waiter = bide.waiter { name = "ThingDone", acceptors = { success }, secret = { "word" },
      prepare = function(input) return nil, "the word " .. input.word .. " is wrong" end }
    local _, mistake = pcall(waiter.prepare, waiter, { word = "hush-hush" }, { maxWait = 1 })
    assert.no.matches("hush%-hush", tostring(mistake))
  end)

  for name, row in pairs {
    ["returns nothing"] = { function() end, "expected a function, or nil and the mistake in the input, found nothing" },
    ["returns a table"] = { function() return {} end, "expected a function, or nil and the mistake in the input, found a table" },
    ["raises a text"] = { function() error "broken" end, "prepare_spec.lua:%d+: broken" },
    ["raises an operation error"] = { function() error { type = "NotFound" } end, "raised the operation error NotFound" },
    ["waits"] = { function() bide.sleep(0.01) end, "prepare" },
  } do
    it("is a bug of the script if it " .. name, function()
      local waiter = counting(row[1])
      local ok, mistake = pcall(waiter.prepare, waiter, {}, { maxWait = 1 })
      assert.is_false(ok)
      assert.matches(row[2], tostring(mistake))
    end)
  end

  for name, given in pairs {
    ["call and prepare"] = { call = function() end, prepare = function() end },
    ["neither"] = {},
    ["a text"] = { prepare = "x" },
  } do
    it("is refused with " .. name, function()
      given.acceptors = { success }
      assert.error_matches(function() bide.waiter(given) end, "^[^\n]*bide.waiter: [cp][a-z]+: expected ")
    end)
  end
end)

describe("a recipe that prepares", function()
  local workspace = Workspace.of_each()

  local form = [[
local log = io.open(%q, "a")
return { Look = {
  %s
  input = { needed = { type = "integer" } },
  waitable = { ThingDone = { minDelay = 0.001, maxDelay = 0.001, acceptors = {
    { state = "success", matcher = { output = { path = "done", comparator = "booleanEquals", expected = "true" } } } } } },
} }
]]

  local function run(body, ...)
    workspace:write("things.lua", form:format(workspace.path .. "/log", body))
    return workspace:bide { "run", "things.lua", "--max-wait", "5s", ... }
  end

  local counted = [[prepare = function(input)
    log:write "prepared\n"
    local asked = 0
    return function()
      asked = asked + 1
      log:write "asked\n"
      return { done = asked == input.needed }
    end
  end,]]

  it("is prepared once a wait", function()
    run(counted, "needed=2"):ends(0)
    assert.equal("prepared\nasked\nasked\n", workspace:read "log")
  end)

  it("is not prepared for a replay", function()
    workspace:write("answers.jsonl", '{"output":{"done":true}}\n')
    workspace:write("things.lua", form:format(workspace.path .. "/log", counted))
    workspace:bide({ "replay", "things.lua", "ThingDone", "answers.jsonl", "--max-wait", "5s" }):ends(0)
    assert.equal("", workspace:read "log")
  end)

  for name, row in pairs {
    ["a mistake in the input"] = { "prepare = function() return nil, 'needed: expected more' end,", 2, "needed: expected more" },
    ["an error"] = { "prepare = function() error 'a bug' end,", 5, "things.lua:3: a bug" },
    ["no function"] = { "prepare = function() return 1 end,", 5, "expected a function, or nil and the mistake" },
    ["a pause"] = { "prepare = function() require('bide').sleep(1) end,", 5, "may not wait" },
    ["call beside it"] = { "prepare = print, call = print,", 2, "expected one of call and prepare, found both" },
    ["a request"] = { "prepare = function() require('bide.http').get 'http://127.0.0.1:1' end,", 5, "may not wait" },
  } do
    for _, option in ipairs { "--quiet", "--sandbox" } do
      it(("ends with exit code %d for %s with %s"):format(row[2], name, option), function()
        workspace:write("things.lua", (form:format("", row[1]):gsub("^[^\n]*", "local log")))
        local done = workspace:bide { "run", "things.lua", option, "--max-wait", "5s" }
        assert.equal(row[2], done.code, done.stderr)
        assert.matches(row[3], done.stderr, 1, true)
      end)
    end
  end
end)
