---The proof of recordings, for the runs of a spec that requires it: each wait of a bundled recipe that the spec starts is
---recorded too, and the recording is replayed once the wait has ended. The replay must have the same delays, acceptors,
---state and reason. A recorded wait only polls, so that a spec of watches would wait for one for ever.
---
---    require "spec.support.proven"

local Directory = require "spec.support.directory"
local json = require("bide.core").json
local luassert = require "luassert"
local process = require "spec.support.process"

---Options by which a run is recorded already, or is no single wait of a bundled recipe.
local others = {
  "%-%-record", "%-%-events", "%-%-each", "%-%-any", "%-%-some", "%-%-journal", "%-%-start", "%-%-while", "%-%-with",
  "%-%-help", "%-%-resume", "%-%-sandbox",
}

---Options that a replay has not, by the number of their further words.
local real = {
  ["--no-watch"] = 0, ["--wake-on"] = 1, ["--quiet"] = 0, ["--silent"] = 0, ["--verbose"] = 0, ["--output"] = 1,
}

---How a wait ends that no answers repeat.
local unrepeatable = { cancelled = true, scriptError = true, ended = true }

---@param word string
local function is_other(word)
  if word == "+" then return true end
  for _, pattern in ipairs(others) do
    if word:find("^" .. pattern) then return true end
  end
  return false
end

---Returns the words of a recipe's run, without those before its name and up to COMMAND; nil of other commands.
---@param command string[] of which the first is the program
---@return string[]? own
---@return integer? next the position of COMMAND
local function run_of(command)
  local own, position = {}, command[2] == "run" and 3 or 2
  local file = io.open("scripts/" .. tostring(command[position]) .. ".lua")
  if not file then return nil end
  file:close()
  while position <= #command and command[position] ~= "--" do
    if is_other(command[position]) then return nil end
    own[#own + 1] = command[position]
    position = position + 1
  end
  return own, position
end

---Returns what a replay must repeat, of the events of a wait; nil if it has not ended by what it saw.
---@param text string? JSON Lines
local function decisions_of(text)
  local found, is_over = {}, false
  for line in (text or ""):gmatch "[^\n]+" do
    local event = json.decode(line)
    if event.event == "attempt" then
      found[#found + 1] = { delay = event.delay, state = event.state, acceptor = event.acceptor }
    elseif event.event == "end" then
      is_over = not unrepeatable[event.reason]
      found.state, found.reason, found.acceptor = event.state, event.reason, event.acceptor
    end
  end
  return is_over and #found > 0 and found or nil
end

---Returns the waiter that a run names, which is that of the opposite with --invert. A name behind an option is its value.
local function named(own)
  for position = 2, #own do
    local is_value = own[position - 1]:find "^%-%-" and real[own[position - 1]] ~= 0
    if own[position]:find "^%u%l+%u%l%a*$" and not is_value then return own[position], position end
  end
end

---Returns the words that replay a recording. A wait for the opposite was recorded under the waiter that is opposite.
local function words_of_replay(own, waiter, name)
  local given, at = named(own)
  local all, position = { "replay", own[1], given or waiter, name }, 2
  while position <= #own do
    local further = real[own[position]]
    if position == at or not given and own[position] == "--invert" then further = 0 end
    if not further then all[#all + 1] = own[position] end
    position = position + 1 + (further or 0)
  end
  return all
end

local function read(path)
  local file <close> = io.open(path)
  return file and file:read "a"
end

---Replays what a run has recorded; nothing if it made no attempt, or was killed.
---@param folder spec.Directory
---@param again fun(words: string[]): spec.Process starts bide as the run was started
local function replay(folder, own, again)
  local text, decisions = read(folder.path .. "/run.jsonl"), decisions_of(read(folder.path .. "/run.events"))
  if not decisions or not text or text == "" then return end
  local words = words_of_replay(own, json.decode(text:match "[^\n]+").wait.waiter, folder.path .. "/run.jsonl")
  words[#words + 1], words[#words + 2] = "--events", folder.path .. "/replay.events"
  local done = again(words):wait()
  luassert.same(decisions, decisions_of(read(folder.path .. "/replay.events")),
    ("%s\n%s\n%s"):format(table.concat(words, " "), done.stderr, text))
end

-- Under sanitizers programs take longer, and replays reach no C that other specs do not.
if process.is_sanitized then return end

local start = process.start

---Starts a program; one that is bide and runs a recipe is recorded, and its recording is replayed when it is waited for.
---@param command string[]
---@param options? spec.ProcessOptions
---@return spec.Process
function process.start(command, options)
  local own, from = nil, nil
  if command[1]:find "bide$" then own, from = run_of(command) end
  if not own then return start(command, options) end
  local folder, recorded = Directory.make(), { command[1], "run", table.unpack(own) }
  table.move({ "--record", folder.path .. "/run.jsonl", "--events", folder.path .. "/run.events" }, 1, 4, #recorded + 1,
    recorded)
  local running = start(table.move(command, from, #command, #recorded + 1, recorded), options)
  local wait = running.wait
  function running.wait(...)
    running.wait = wait
    local done = wait(...)
    replay(folder, own, function(words) return start(table.move(words, 1, #words, 2, { command[1] }), options) end)
    folder:remove()
    return done
  end
  return running
end
