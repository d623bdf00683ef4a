---`bide test` passed cases whose scenario had not run: answers after the one that decided, steps and connections of a
---dialogue after the wait had ended, and recordings of which lines were missing, moved or joined.

local Workspace = require "spec.support.workspace"

local recipe = [[
local tcp = require "bide.tcp"
local function waiter(name)
  return { [name] = { minDelay = 0.1, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } }
end
return {
  Look = { call = function() end, waitable = waiter "Seen" },
  Talk = {
    call = function()
      local result = tcp { host = "127.0.0.1", port = 25, talk = function(dialogue) return dialogue:read_line() end }
      return { state = result.answer }
    end,
    waitable = waiter "Greeted",
  },
}
]]

local case = [[return { recipe = "./look.lua", {
  name = "a", waiter = "%s", %s, expect = { state = "success", attempts = %d },
} }]]

local pending, there = '{ output = { state = "pending" } }', '{ output = { state = "there" } }'

describe("a case whose scenario did not run", function()
  local workspace = Workspace.of_each { ["look.lua"] = recipe }

  local function check(code, words, waiter, source, attempts)
    workspace:write("look.wait.lua", case:format(waiter, source, attempts))
    local done = workspace:bide { "test", "look.wait.lua" }
    assert.equal(code, done.code, source .. done.stdout .. done.stderr)
    assert.matches(words, done.stdout .. done.stderr, 1, true)
  end

  it("fails: an answer that no attempt got", function()
    check(0, "0 failed", "Seen", ("answers = { %s, %s }"):format(pending, there), 2)
    check(1, "answer 3 of 3 was not used", "Seen", ("answers = { %s, %s, %s }"):format(pending, there, pending), 2)
  end)

  it("fails: a step that was not played, a connection that was not made", function()
    local greeting = '{ send = "there\\n" }'
    check(0, "0 failed", "Greeted", ("dialogue = { %s }"):format(greeting), 1)
    check(0, "0 failed", "Greeted", ("dialogue = { %s, { close = true } }"):format(greeting), 1)
    check(1, "step 2 of the dialogue was not played", "Greeted",
      ([[dialogue = { %s, { receive = "QUIT\n", send = "bye\n" } }]]):format(greeting), 1)
    check(1, "connection 2 of the dialogue was not made", "Greeted",
      ("dialogue = { { %s }, { %s } }"):format(greeting, greeting), 1)
  end)

  it("fails: a recording that somebody has edited", function()
    local function line(attempt, state, rest)
      return ('{"attempt":%d,"at":%.1f,"duration":0,"output":{"state":"%s"}%s}\n'):format(attempt, attempt / 10 - 0.1, state,
        rest or "")
    end
    local first = line(1, "pending", ',"wait":{"format":1,"recipe":"look.lua","waiter":"Seen","maxWait":10}')
    local second, third = line(2, "pending"), line(3, "there")
    local place = "a line is missing, or in another place"
    for _, row in ipairs {
      { 0, "0 failed", first .. second .. third, 3 }, { 1, "attempt: expected 2, found 3: " .. place, first .. third, 2 },
      { 1, place, second .. third, 2 }, { 1, place, second .. first .. third, 3 }, { 1, place, first .. second .. first, 3 },
      { 1, "answer 4 of 4 was not used", first .. second .. third .. line(4, "pending"), 3 },
      { 1, "wait: expected it in the first line alone", first .. line(2, "there", first:match ',"wait":{.*}.'), 2 },
    } do
      workspace:write("rec.jsonl", row[3])
      check(row[1], row[2], "Seen", 'recording = "rec.jsonl"', row[4])
    end
  end)
end)
