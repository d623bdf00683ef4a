---A random walk over the options of a wait, beside a plain model of its outcome: no walk ends with 0, or runs COMMAND, where
---the model has no success. The walks run by replay, on the virtual clock, and some of them live, with COMMAND, a journal,
---a resumed run and signals. `WALKS=20000 LIVE_WALKS=500 busted spec/e2e/walk_spec.lua` takes more; BIDE_SEED repeats one.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local uv = require "luv"

local WALKS = tonumber(os.getenv "WALKS") or 60
local LIVE_WALKS = tonumber(os.getenv "LIVE_WALKS") or 20
local SEED = tonumber(os.getenv "BIDE_SEED") or os.time()

---The recipe answers with `s`, raises NotFound for "none", an error that is transient for "busy", and another one for "odd".
local recipe = [[
local errors = { none = "NotFound", busy = "ServiceUnavailable", odd = "Odd" }
local asked = {}
return { Look = {
  call = function(input)
    asked[input.answers] = (asked[input.answers] or 0) + 1
    local s, count = nil, 0
    for word in input.answers:gmatch "%l+" do
      count = count + 1
      if count <= asked[input.answers] then s = word end
    end
    if errors[s] then error { type = errors[s], message = s } end
    return { s = s }
  end,
  waitable = {
    Up = { opposite = "Down", minDelay = 0.01, maxDelay = 0.01, acceptors = {
      { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "up" } } },
      { state = "failure", matcher = { output = { path = "s", comparator = "stringEquals", expected = "broken" } } },
      { state = "retry", matcher = { errorType = "NotFound" } },
    } },
    Down = { opposite = "Up", minDelay = 0.01, maxDelay = 0.01, acceptors = {
      { state = "success", matcher = { errorType = "NotFound" } },
    } },
  },
} }]]

-- ---- the model ------------------------------------------------------------------------------

---Decides on one answer, by the documentation: the failures of the line, its conditions, then the waiter's own acceptors.
---@return "success"|"failure"|"retry"
local function decide(walk, s)
  local is_error = s == "none" or s == "busy" or s == "odd"
  if not is_error and walk.fail == s then return "failure" end
  if not walk.invert and s == "broken" then return "failure" end
  if walk.until_ and not is_error and walk.until_ == s then return "success" end
  if is_error and walk.retry_on == s then return "retry" end
  if walk.invert then
    if s == "none" then return walk.until_ and "failure" or "success" end
    return is_error and "failure" or "retry"
  end
  if s == "up" and not walk.until_ then return "success" end
  if s == "none" then return "retry" end
  return is_error and "failure" or "retry"
end

---Reports whether a wait may succeed at all: its attempts are bounded by their number alone.
local function succeeds(walk)
  local held, tolerated = 0, 0
  for attempt = 1, walk.attempts do
    local s = walk.answers[math.min(attempt, #walk.answers)]
    local state = decide(walk, s)
    local is_unmatched = state == "failure" and (s == "busy" or s == "odd")
    tolerated = is_unmatched and s == "busy" and tolerated + 1 or 0
    if is_unmatched and s == "busy" and tolerated <= (walk.tolerate or 0) then state = "retry" end
    held = state == "success" and held + 1 or 0
    if held >= (walk.hold or 1) then return true end
    if state == "failure" then return false end
  end
  return false
end

-- ---- the walks ------------------------------------------------------------------------------

local words = { "up", "down", "broken", "none", "busy", "odd" }

local function maybe(random, value)
  return random(3) == 1 and value or nil
end

local function walk_of(random)
  local walk = { answers = {}, attempts = random(6), invert = random(4) == 1 }
  for position = 1, random(5) do walk.answers[position] = words[random(#words)] end
  walk.until_ = not walk.invert and maybe(random, words[random(3)]) or nil -- the two exclude each other
  walk.fail = maybe(random, words[random(3)])
  walk.retry_on = maybe(random, ({ "none", "busy", "odd" })[random(3)])
  walk.hold = maybe(random, random(math.min(3, walk.attempts))) -- more is a mistake
  walk.tolerate = maybe(random, random(3))
  if walk.fail == walk.until_ then walk.fail = nil end
  return walk
end

local types = { none = "NotFound", busy = "ServiceUnavailable", odd = "Odd" }

---Returns the options of a walk as words.
local function options_of(walk)
  local list = { "--max-wait", "1h", "--interval", "10ms", "--max-attempts", tostring(walk.attempts) }
  local function add(...) table.move({ ... }, 1, select("#", ...), #list + 1, list) end
  if walk.invert then add "--invert" end
  if walk.until_ then add("--until", "s=" .. walk.until_) end
  if walk.fail then add("--fail", "s=" .. walk.fail) end
  if walk.retry_on then add("--retry-on", types[walk.retry_on]) end
  if walk.hold then add("--hold", tostring(walk.hold)) end
  if walk.tolerate then add("--tolerate", tostring(walk.tolerate)) end
  return list
end

local function answer_of(word)
  if types[word] then return json.encode { error = { type = types[word], message = word } } end
  return json.encode { output = { s = word } }
end

describe("a random walk over the options of a wait", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("look.lua", recipe)
    math.randomseed(SEED)
  end)

  ---Fails with all that is needed to repeat a walk.
  local function check(is_right, line, done)
    assert.is_true(is_right, ("BIDE_SEED=%d: %s\nexit %d\n%s%s"):format(SEED, table.concat(line, " "), done.code, done.stdout,
      done.stderr))
  end

  it("has no exit 0 by replay that the model has not", function()
    local zeros = 0
    for _ = 1, WALKS do
      local walk, lines = walk_of(math.random), {}
      for position, word in ipairs(walk.answers) do lines[position] = answer_of(word) end
      workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
      local line = { "replay", "look.lua", "Up", "answers.jsonl", "answers=x", "--quiet" }
      local options = options_of(walk)
      table.move(options, 1, #options, #line + 1, line)
      local done = workspace:bide(line)
      zeros = zeros + (done.code == 0 and 1 or 0)
      check((done.code == 0) == (done.code ~= 2 and succeeds(walk)), line, done)
    end
    assert.is_true(zeros > 0)
  end)

  ---Makes a run of one walk, or of two with +, and returns what the model has for it.
  local function live_walk()
    local line, count, succeeded = { "run" }, math.random(2), 0
    for position = 1, count do
      local walk = walk_of(math.random)
      local options = options_of(walk)
      if position > 1 then
        table.insert(line, "+")
        table.remove(options, 1) -- --max-wait is of the run
        table.remove(options, 1)
      end
      local answers = table.concat(walk.answers, ",")
      for _, word in ipairs { "look.lua", "Up", "answers=" .. answers, "n=" .. position } do table.insert(line, word) end
      table.move(options, 1, #options, #line + 1, line)
      succeeded = succeeded + (succeeds(walk) and 1 or 0)
    end
    local needed = count
    if count > 1 and math.random(2) == 1 then
      needed = math.random(2)
      table.insert(line, "--some=" .. needed)
    end
    return line, succeeded >= needed
  end

  it("runs COMMAND live only where the model has a success, whatever signal comes", function()
    for number = 1, LIVE_WALKS do
      local line, may_succeed = live_walk()
      local signal = math.random(3) == 1 and ({ "sigterm", "sighup", "sigint" })[math.random(3)] or nil
      local journal = math.random(2) == 1 and ("walk%d.db"):format(number) or nil
      for _, word in ipairs { journal and "--journal=" .. journal or "--no-watch", "--silent", "--", "touch", "ran" } do
        table.insert(line, word)
      end
      os.remove(workspace.path .. "/ran")
      local done = workspace:bide(line, { signal = signal, signal_after = signal and math.random() * 0.05 })
      local ran = uv.fs_stat(workspace.path .. "/ran") ~= nil
      local is_zero = done.code == 0 and done.signal == 0 -- a signal before bide watches for it ends it by itself
      check(may_succeed or not is_zero and not ran, line, done)
      if signal then
        check(ran or not is_zero, line, done)
      else
        check(ran == (may_succeed and done.code == 0), line, done)
        check(not may_succeed or ran, line, done)
      end
      if journal and not ran then
        table.insert(line, #line - 2, "--resume")
        done = workspace:bide(line)
        check(may_succeed or done.code ~= 0, line, done)
      end
    end
  end)
end)
