---Compares chains of steps with runs, on the virtual clock: `bide exec spec/support/step_chain.lua FIRST LAST` does so for
---each seed, prints what differs, and at the end what the chains have met.

local bide = require "bide"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local operation = require "bide.probe.asking.operation"

local json = core.json

core.loop.use_virtual_clock()

local first, last = math.tointeger(tonumber(arg[1])), math.tointeger(tonumber(arg[2]))

---Returns one of the values.
local function one_of(...)
  return (select(math.random(select("#", ...)), ...))
end

---Returns answers: runs of alike ones, so that streaks grow and break.
local function new_answers()
  local answers, kind = {}, nil
  for position = 1, math.random(1, 14) do
    if not kind or math.random(3) == 1 then kind = one_of("busy", "busy", "ready", "lost", "lost", "odd") end
    local retry_after = math.random(5) == 1 and math.random(1, 90) or nil
    answers[position] = { kind = kind, retry_after = retry_after, duration = one_of(0, 0, 0.003, 0.4, 2.5, 40) }
  end
  answers[#answers + 1] = { kind = one_of("ready", "busy", "failed", "lost"), duration = one_of(0, 0.2, 30) }
  return answers
end

local function new_options(seed)
  local options = { maxWait = one_of(1, 12, 90, 600), seed = seed }
  if math.random(3) == 1 then options.maxAttempts = math.random(3, 9) end
  if options.maxWait >= 90 and math.random(2) == 1 then options.hold = one_of(2, 3, "1s", "15s") end
  if math.random(2) == 1 then options.tolerate = one_of(1, 3, "2s", "30s") end
  if math.random(4) == 1 then options.retryAfter = one_of(false, { cap = 20 }) end
  if math.random(5) == 1 then options.initialDelay = one_of(0.4, 3, 700) end
  return options
end

local met = { steps = 0 }

local function count(name)
  met[name] = (met[name] or 0) + 1
end

---What the operation was asked with.
local tokens, attempt

local function new_waiter(answers)
  local lateness = one_of(nil, 0.05, 0.5, nil)
  local minimum = one_of(0.05, 0.5, 2)
  if lateness then count "lateness" end
  return bide.waiter {
    name = "ThingDone", idempotencyToken = "token", minDelay = minimum, maxDelay = minimum * one_of(1, 4, 50),
    lateness = lateness,
    acceptors = {
      { state = "failure", matcher = { output = { path = "kind", comparator = "stringEquals", expected = "failed" } } },
      { state = "success", matcher = { output = { path = "kind", comparator = "stringEquals", expected = "ready" } } },
      { state = "retry", matcher = { errorType = "Odd" } },
    },
    call = function(input)
      attempt = attempt + 1
      tokens[#tokens + 1] = input.token
      local answer = answers[math.min(attempt, #answers)]
      bide.sleep(answer.duration)
      if answer.retry_after then count "retry_after" end
      if answer.kind == "lost" then error { type = "ConnectionRefused", message = "lost", retryAfter = answer.retry_after } end
      if answer.kind == "odd" then error { type = "Odd", message = "odd", retryAfter = answer.retry_after } end
      return operation.answer(json.document { kind = answer.kind }, answer.retry_after)
    end,
  }
end

local function forget()
  tokens, attempt = {}, 0
end

---Leaves out the delays that the history of a long run leaves out, between its first and last fifty attempts.
local function shorten(delays)
  while #delays > 99 do table.remove(delays, 51) end
  return delays
end

---@return table what has to be the same
local function told(outcome, delays)
  return {
    state = outcome.state, reason = outcome.reason, acceptor = outcome.acceptor, attempts = outcome.attempts,
    elapsed = outcome.elapsed, delays = table.concat(delays, " "), tokens = table.concat(tokens, " "),
    code = exit_code.of(outcome),
  }
end

local function run(waiter, input, options)
  local delays = {}
  forget()
  local success, failure = waiter:wait(input, options)
  local outcome = success or failure
  for _, entry in ipairs(outcome.history) do delays[#delays + 1] = entry.delay end
  return told(outcome, delays)
end

---Counts what an attempt has met, by the words of its note.
local function count_entry(entry)
  if not entry then return count "early" end
  local note = entry.note or ""
  if not entry.state then count "cut" end
  if note:find "tolerated" then count(note:find "tolerated, %d+ of" and "tolerated_attempts" or "tolerated_time") end
  if note:find "held" then count(note:find "held for %d+ of" and "held_attempts" or "held_time") end
end

---Each step prepares the wait anew, as a new process does.
local function chain(waiter, input, options, key)
  local delays, state, outcome = {}, nil
  forget()
  repeat
    local step = assert(waiter:prepare(input, options):step(state, { key = key }))
    state, outcome, met.steps = step.state, step.outcome, met.steps + 1
    assert(#state <= 2048 and step.outcome.partial and #step.outcome.history <= 1)
    local entry = step.outcome.history[1]
    delays[#delays + 1] = entry and entry.delay
    count_entry(entry)
    if step.next then bide.sleep(step.next) end
  until not step.next
  return told(outcome, shorten(delays))
end

for seed = first, last do
  math.randomseed(seed)
  local options, waiter = new_options(seed), new_waiter(new_answers())
  local input, key = { token = "T" .. seed, name = "foo" }, one_of(nil, "a key")
  local of_run, of_chain = run(waiter, input, options), chain(waiter, input, options, key)
  for name in pairs(of_run) do
    if of_run[name] ~= of_chain[name] then
      print(("seed %d: %s: %s in a run, %s in a chain"):format(seed, name, of_run[name], of_chain[name]))
    end
  end
  count(of_run.state .. " " .. of_run.reason)
end

local words = {}
for name, number in pairs(met) do words[#words + 1] = ("%s=%d"):format(name:gsub(" ", "_"), number) end
table.sort(words)
print(table.concat(words, " "))
