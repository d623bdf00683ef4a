---SQLite takes any value for a number. One that is none in the row of a turn, of a wait or of a run ended the worker of the store
---again and again, and no wait of any run was made or counted; nor was one beside a run that said it had opened no waits. A wait
---with such a row ends with 5, or its run is not believed, and the others are made.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local recipe = [[
return { Look = {
  call = function() return { state = "there" } end,
  waitable = { Seen = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } },
} }
]]

local of_turn = "UPDATE turn SET %s WHERE id = (SELECT id FROM store_wait WHERE run = RUN AND position = 1)"
local of_wait = "UPDATE store_wait SET %s WHERE run = RUN AND position = 1"
local of_run = "UPDATE store_run SET %s WHERE id = RUN"

---The statements, and the exit codes that a watch of the run may have then.
local cases = {
  { "DELETE FROM store_wait WHERE run = RUN", 75 },
  { "UPDATE turn SET id = 1000000 WHERE id = (SELECT id FROM store_wait WHERE run = RUN)", 75 },
  { "UPDATE store_wait SET outcome = '{}' WHERE run = RUN", 75 },
}

for _, value in ipairs { "'x'", "x'35'", "1.5", "9e999" } do
  for _, name in ipairs { "attempts", "strikes", "definition" } do
    cases[#cases + 1] = { of_turn:format(("%s = %s"):format(name, value)), 5 }
  end
  cases[#cases + 1] = { of_wait:format("position = " .. value), 70 }
  cases[#cases + 1] = { of_run:format("seed = " .. value), 5 }
  for _, name in ipairs { "need", "waits", "open", "succeeded", "failed", "cancelled" } do
    cases[#cases + 1] = { of_run:format(("%s = %s"):format(name, value)), 70 }
  end
  for _, name in ipairs { "opened", "keeps_going" } do
    cases[#cases + 1] = { of_run:format(("%s = %s"):format(name, value)), 75 }
  end
end

cases[#cases + 1] = { of_turn:format "strikes = -5", 5 }

---Numbers that contradict each other.
for _, change in ipairs { "open = 0", "open = 3", "succeeded = 1", "opened = 0", "opened = -1" } do
  cases[#cases + 1] = { of_run:format(change), 70, 75, 0 }
end

describe("a broken number in a file", function()
  local workspace = Workspace.of_each()

  local function submit(...)
    local done = workspace:bide { "submit", "look.lua", "--max-wait", "1h", "--store", "w.db", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  it("keeps no other run from its end", function()
    workspace:write("look.lua", recipe)
    local runs, path = {}, workspace.path .. "/w.db"
    for position in ipairs(cases) do runs[position] = submit("--jobs", "1", "+", "look.lua") end
    for position, case in ipairs(cases) do journal.query(path, (case[1]:gsub("RUN", runs[position]))) end
    local sound = submit()
    local worker = workspace:start { "worker", "--quiet", "--store", "w.db" }
    worker:hold_loop(false)
    local done = workspace:bide { "watch", sound, "--quiet", "--for", "50s", "--store", "w.db" }
    assert.equal(0, done.code, done.stderr .. worker.stderr)
    for position, case in ipairs(cases) do
      local last = case[#case]
      done = workspace:bide { "watch", runs[position], "--quiet", "--for", last == 5 and "50s" or "1ms", "--store", "w.db" }
      local is_right = false
      for place = 2, #case do is_right = is_right or done.code == case[place] end
      assert.is_true(is_right, ("%s: %d\n%s"):format(case[1], done.code, done.stderr))
      if last ~= 0 then assert.equal("", done.stdout) end
      assert.is_nil(done.stderr:find("traceback", 1, true), done.stderr)
    end
    worker:kill "sigterm"
    worker:wait()
    assert.same({ 0, "" }, { worker.code, worker.stderr })
  end)
end)
