---A hostile script, by its seed: lua5.4 hostile.lua SEED URL STEPS, or the same behind `bide exec --sandbox`.
---Every line that it prints says what it does next, so that the last one of a crash names its cause.
---
---What it took before bide was loaded stays as it was: a resume that bide has not replaced, and a
---finalizer that runs when everything of bide is gone.

local seed, url, steps = tonumber((...)), (select(2, ...)), tonumber((select(3, ...))) or 40

---Lua does not collect what finalizers make while the state closes: where leaks are looked for there are none.
local has_finalizers = select(4, ...) ~= "leaks"

local fuzz = { url = url, at_end = {}, raw_resume = debug and coroutine.resume or nil, has_finalizers = has_finalizers,
  folder = arg[0]:match "^.*/" }

local function log(...)
  if io then io.stderr:write(table.concat({ ... }, " "), "\n") else print(...) end
end

fuzz.log = log

local function run_at_end()
  for _, act in ipairs(fuzz.at_end) do
    log "finalizer"
    log("finalizer", tostring(select(2, pcall(act))))
  end
end

if debug then fuzz.guard = setmetatable({}, { __gc = run_at_end }) end

local Random, Pool, calls, openings = require "random", require "values", require "calls", {}
for _, name in ipairs { "openings", "greed", "broken" } do
  for opening, f in pairs(require(name)) do openings[opening] = f end
end

local function module(name)
  local ok, value = pcall(require, name)
  return ok and value or nil
end

fuzz.bide, fuzz.http, fuzz.core = require "bide", require "bide.http", module "bide.core"
fuzz.calls, fuzz.random = calls, Random.new(seed)
fuzz.foreign = io and assert(io.open "/dev/null") -- a userdata that is not bide's; reading it returns at once
fuzz.pool = Pool.new(fuzz)
if fuzz.bide.install and fuzz.random:once_in(2) then fuzz.bide.install() end
fuzz.functions = calls.functions(fuzz)

local count = 0

---A name of a JMESPath function that nobody has.
function fuzz.name()
  count = count + 1
  return "f" .. seed .. "_" .. count
end

local function describe(...)
  local words = {}
  for i = 1, select("#", ...) do words[i] = type((select(i, ...))) end
  return table.concat(words, ", ")
end

local function arguments()
  local list = { n = fuzz.random:number(0, 5) }
  for i = 1, list.n do list[i] = fuzz.pool:any() end
  return list
end

---One call of anything with anything; what it returns goes into the pool, and is returned.
function fuzz.act()
  local name, f = calls.of(fuzz)
  local given = arguments()
  log("call", name, "(" .. describe(table.unpack(given, 1, given.n)) .. ")")
  local function call() return f(table.unpack(given, 1, given.n)) end
  local results
  if calls.may_wait(name) or fuzz.random:once_in(4) then
    results = table.pack(pcall(fuzz.bide.timeout, 0.02, call))
  else
    results = table.pack(pcall(call))
  end
  fuzz.pool:add(table.unpack(results, 2, math.min(results.n, 6)))
  return table.unpack(results, 2, math.min(results.n, 6))
end

local names = {}
for name in pairs(openings) do names[#names + 1] = name end
table.sort(names)

local function open(name)
  log("opening", name)
  local ok, mistake = pcall(openings[name], fuzz)
  if not ok and tostring(mistake):find "what was freed" then error(mistake, 0) end
end

local function step()
  local kind = fuzz.random:number(12)
  if kind == 1 then
    open(fuzz.random:of(names))
  elseif kind == 2 then
    log "drop"
    fuzz.pool:drop()
  elseif kind == 3 then
    fuzz.pool:add(fuzz.pool:fresh())
  else
    fuzz.act()
  end
end

local first = names[(seed + 1) // 2] -- a seed in plain Lua and one in the sandbox for each
if first then open(first) end
for _ = 1, steps do step() end
log "end"
