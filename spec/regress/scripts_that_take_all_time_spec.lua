---Operators on long strings, `next` over emptied tables and the like are one instruction each, so that a script could take all
---the time of the process within its instructions: the other waits of a fleet came too late.

local CountedReads = require "spec.support.counted_reads"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local process = require "spec.support.process"

---Attempts that are short: each runs twice, and the clock of the thread was read before and after.
local WAITS <const> = 300

---What never returns, and gives no instructions away.
local greedy = {
  equal = 'local s = ("a"):rep(2^22) local t = s .. "b" s = s .. "b" while true do local _ = s == t end',
  less = 'local s = ("a"):rep(2^22) local t = s .. "b" s = s .. "b" while true do local _ = s < t end',
  join = 'local s = ("a"):rep(2^22) while true do local _ = s .. "b" end',
  next = "local t = {} for i = 1, 200000 do t[i] = i end for i = 1, 200000 do t[i] = nil end while true do next(t) end",
  rest = "local t = {} for i = 1, 100000 do t[i] = i end "
    .. 'local function f(...) while true do local _ = select("#", ...) end end f(table.unpack(t))',
  coroutine = 'local s = ("a"):rep(2^22) local t = s .. "b" s = s .. "b" '
    .. "coroutine.wrap(function() while true do local _ = s == t end end)()",
  caught = 'local s = ("a"):rep(2^22) local t = s .. "b" s = s .. "b" '
    .. "while true do pcall(function() while true do local _ = s == t end end) end",
  tasks = 'local s = ("a"):rep(2^22) local t = s .. "b" s = s .. "b" '
    .. "for _ = 1, 50 do bide.spawn(function() while true do local _ = s == t end end) end bide.sleep(99)",
}

---bide multiplies it by ten under sanitizers.
local SCRIPT_TIME = process.is_sanitized and "0.05s" or "0.1s"

local recipe = [[
local bide = require "bide"
return { Op = { call = function(input)
    if input.bad then %s end
    bide.sleep(0.05)
    return {}
  end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("scripts that take all time", function()
  local workspace = Workspace.of_each()

  ---The forms that are tried with sanitizers, which make each ten times as long.
  local slow = { equal = true, coroutine = true, tasks = true }

  for name, code in pairs(greedy) do
    if process.is_sanitized and not slow[name] then goto next end
    it("leave the other waits their own: " .. name, function()
      workspace:write("recipe.lua", recipe:format(code))
      local lines = {}
      for number = 1, 11 do lines[number] = ('{"number": %d, "bad": %s}'):format(number, number <= 5) end
      workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
      local done = workspace:bide({ "run", "--sandbox", "recipe.lua", "--each", "lines.jsonl", "--max-wait", "5m",
        "--script-time", SCRIPT_TIME, "--output", "json", "--quiet" }, { longest = 310 })
      local result = json.decode(done.stdout)
      for number = 1, 5 do
        assert.equal("scriptError", result.outcomes[number].reason, done.stderr)
        assert.matches("limit of processor time exceeded: it took %d+.%d s in one attempt", result.outcomes[number].message)
      end
      for number = 6, 11 do assert.equal("success", result.outcomes[number].state, result.outcomes[number].message) end
    end)

    it("end a script with exit code 5: " .. name, function()
      if name == "tasks" then return end -- each of them has its own time there
      workspace:write("script.lua", 'local bide = require "bide" bide.sleep(0)\n' .. code)
      local done = workspace:bide({ "exec", "--sandbox", "--script-time", SCRIPT_TIME, "script.lua" }, { longest = 310 })
      assert.equal(5, done.code, done.stderr)
      assert.matches("script.lua:2: limit of processor time exceeded: it took [%d.]+ s without waiting", done.stderr)
    end)
    ::next::
  end

  it("run once each before the first attempt of every other wait", function()
    -- Each of five greedy ones takes 0.4 s of the processor's time; the others began after about 1 s of it.
    workspace:write("recipe.lua", recipe:format "local began = os.clock() while os.clock() < began + 0.4 do end")
    local lines = {}
    for number = 1, 11 do lines[number] = ('{"bad": %s}'):format(number <= 5) end
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide { "run", "recipe.lua", "--each", "lines.jsonl", "--max-wait", "60s", "--output", "json",
      "--quiet" }
    local greedy_end, latest = math.huge, 0
    for number, outcome in ipairs(json.decode(done.stdout).outcomes) do
      local attempt = outcome.history[1]
      if number <= 5 then greedy_end = math.min(greedy_end, attempt.at + attempt.duration) end
      if number > 5 then latest = math.max(latest, attempt.at) end
    end
    assert.is_true(latest < greedy_end, ("%s %s"):format(latest, greedy_end))
  end)

  it("have as much as the line says", function()
    workspace:write("recipe.lua", recipe:format(greedy.equal))
    local done = workspace:bide({ "run", "recipe.lua", "bad:=true", "--script-time", "200ms", "--max-wait", "30s" })
    done:writes(5, process.is_sanitized and "may take 2.0 s" or "may take 0.2 s")
    done = workspace:bide { "run", "recipe.lua", "--script-time", "soon", "--max-wait", "50s" }
    assert.equal(2, done.code)
  end)

  it("have all of it where they take it in short pieces", function()
    workspace:write("script.lua", [[
local bide = require "bide"
local function pieces()
  while true do
    local began = os.clock()
    while os.clock() < began + 0.002 do end
    bide.sleep(0.001)
  end
end
return { Op = { call = pieces, waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]])
    local done = workspace:bide({ "run", "--sandbox", "script.lua", "--script-time", process.is_sanitized and "0.1s" or "1s",
      "--max-wait", "5m" }, { longest = 310 })
    assert.equal(5, done.code, done.stderr)
    assert.matches("limit of processor time exceeded: it took 1%.%d s in one attempt", done.stdout .. done.stderr)
  end)

  it("are not charged while others have the processor", function()
    workspace:write("recipe.lua", recipe:format 'for _ = 1, 4 do os.execute "sleep 0.1" bide.sleep(0) end')
    local done = workspace:bide({ "run", "recipe.lua", "bad:=true", "--script-time",
      process.is_sanitized and "0.02s" or "0.2s", "--max-wait", "60s" })
    assert.equal(0, done.code, done.stdout .. done.stderr)
  end)

  it("are not looked at where they are short", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    local reads = CountedReads.make(workspace)
    workspace:write("recipe.lua", recipe:format "")
    local lines = {}
    for number = 1, WAITS do lines[number] = ('{"number": %d, "bad": false}'):format(number) end
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    local done = workspace:bide({ "run", "--sandbox", "recipe.lua", "--each", "lines.jsonl", "--max-wait", "5m", "--quiet",
      "--script-time", process.is_sanitized and "0.1s" or "1s" }, { longest = 310, env = reads.environment })
    assert.equal(0, done.code, done.stderr)
    local count = reads:count()
    assert.is_true(count > 0 and count < WAITS, count .. " reads")
  end)

  it("have no limit of time outside of the sandbox, but leave the others theirs", function()
    workspace:write("recipe.lua", recipe:format(greedy.equal))
    workspace:write("lines.jsonl", '{"bad": true}\n{"bad": true}\n{"n": 1}\n{"n": 2}\n')
    local done = workspace:bide({ "run", "recipe.lua", "--each", "lines.jsonl", "--some", "2", "--max-wait", "5m",
      "--output", "json", "--quiet" }, { longest = 310 })
    local reasons = {}
    for number, ended in ipairs(json.decode(done.stdout).outcomes) do reasons[number] = ended.reason end
    assert.same({ "cancelled", "cancelled", "acceptor", "acceptor" }, reasons)
  end)

  it("continue where they gave way", function()
    workspace:write("script.lua", [[
local bide = require "bide"
local function work(seed)
  local parts, state = {}, seed
  local _closing <close> = setmetatable({}, { __close = function() parts[#parts + 1] = "closed" end })
  local step = coroutine.wrap(function()
    for i = 1, math.huge do
      state = (state * 1103515245 + 12345 + i) % 2147483648
      coroutine.yield(state)
    end
  end)
  for i = 1, 200000 do
    local ok, value = pcall(function() if i % 1000 == 0 then error(i, 0) end return step() end)
    if i % 5000 == 0 then parts[#parts + 1] = tostring(ok) .. tostring(value) .. state end
  end
  return table.concat(parts, " "), parts
end
local alone, parts = work(7)
assert(parts[#parts] == "closed")
local tasks, found = {}, {}
for number = 1, 5 do tasks[number] = bide.spawn(function() found[number] = work(number == 3 and 8 or 7) end) end
for _, task in ipairs(tasks) do task:join() end
for number = 1, 5 do assert((found[number] == alone) == (number ~= 3), number) end
print "equal"
]])
    local done = workspace:bide({ "exec", "script.lua" }, { longest = 120 })
    assert.equal("equal\n", done.stdout, done.stderr)
  end)
end)
