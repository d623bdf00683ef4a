---The proof of recordings: a wait of a recipe is run with `--record`, and the recording replayed. The replay must have the same
---delays, acceptors, state and reason.
---
---    local done = replayed(workspace, { "run", "consul", "url=" .. server.url, "--max-wait", "9s" })

local json = require("bide.core").json
local luassert = require "luassert"

---Returns what a replay must repeat.
local function decisions_of(outcome)
  local found = { state = outcome.state, reason = outcome.reason, acceptor = outcome.acceptor, attempts = {} }
  for position, attempt in ipairs(outcome.history) do
    found.attempts[position] = { delay = attempt.delay, state = attempt.state, acceptor = attempt.acceptor }
  end
  return found
end

---Returns the words that replay a recording: those of the run, with its waiter and without what is for real waits.
local function words_of_replay(words, waiter)
  local all = { "replay", words[2], waiter, "rec.jsonl" }
  for position = words[3] == waiter and 4 or 3, #words do
    if words[position] ~= "--no-watch" then all[#all + 1] = words[position] end
  end
  return all
end

---@param workspace spec.Workspace
---@param words string[] of `bide run RECIPE [WAITER] …`, whose inputs have names
---@return spec.Process done of the run
return function(workspace, words)
  local recorded = table.move(words, 1, #words, 1, {})
  for _, word in ipairs { "--record", "rec.jsonl", "--output", "json=out.json" } do recorded[#recorded + 1] = word end
  local done = workspace:bide(recorded)
  local lines = io.open(workspace.path .. "/rec.jsonl")
  local first = lines and lines:read "l"
  if lines then lines:close() end
  if not first then return done end
  local outcome = assert(json.decode(assert(io.open(workspace.path .. "/out.json")):read "a"))
  local again, replay = workspace:outcome(words_of_replay(words, json.decode(first).wait.waiter))
  luassert.same(decisions_of(outcome), decisions_of(again), ("%s\n%s"):format(table.concat(words, " "), replay.stderr))
  return done
end
