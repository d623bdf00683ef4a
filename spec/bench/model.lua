---What a model costs beside its text: loading and checking it, against reading it as JSON; listing its waiters, against
---starting; and its memory. Prints one JSON object a line. Run by `make bench-model`.
---
---    lua5.4 spec/bench/model.lua BUILD

local bide = require "bide"
local check = require "bide.model.check.model"
local core = require "bide.core"
local data = require "spec.support.data"
local model = require "bide.model"
local process = require "spec.support.process"

local build = arg[1]
local name = "smithy/models/elastic-load-balancing-v2-2015-12-01.json"
local text = data.read(name)
if not text then
  io.stderr:write(name, " ", data.unpacked_hint, "\n")
  os.exit(true)
end

---The least processor time of several runs.
local function seconds(runs, run)
  local least = math.huge
  for _ = 1, runs do
    collectgarbage()
    local before = os.clock()
    run()
    least = math.min(least, os.clock() - before)
  end
  return least
end

local function report(line)
  for key, value in pairs(line) do
    if math.type(value) == "float" then line[key] = math.floor(value * 1e5 + 0.5) / 1e5 end
  end
  print(core.json.encode(line))
end

local function load_and_check()
  return check.check(model.of_texts { { file = name, text = text } })
end

local function bench_check()
  local reading, checking = seconds(20, function() assert(core.json.read(text)) end), seconds(20, load_and_check)
  report { bench = "model: load and check", reference = reading, bide = checking, ratio = checking / reading, target = 5 }
end

local function bench_list()
  local function run(...)
    local words, least = { build .. "/bide", ... }, math.huge
    for _ = 1, 20 do
      local done = process.run(words)
      assert(done.code == 0, done.stderr)
      least = math.min(least, done.elapsed)
    end
    return least
  end
  local version, list = run "--version", run("list", data.path(name))
  report { bench = "model: list", reference = version, bide = list, ratio = list / version, target = 2 }
end

---The memory of this process, in bytes.
local function resident()
  for line in io.lines "/proc/self/status" do
    local kilobytes = line:match "^VmRSS:%s+(%d+)"
    if kilobytes then return kilobytes * 1024 end
  end
end

---Several models are held, since one is not much more than a page.
local function bench_memory()
  local held, COUNT <const> = {}, 20
  collectgarbage()
  local before = resident()
  for position = 1, COUNT do held[position] = model.of_texts { { file = name, text = text } } end
  collectgarbage()
  local each = (resident() - before) / #held
  report { bench = "model: memory beyond the text", reference = #text, bide = each, ratio = each / #text, target = 4 }
end

assert(bide)
bench_check()
bench_list()
bench_memory()
