---A worker that had reserved requests to a host twice, with those of another worker between them, and needed none any more, gave
---back as many as it had from the end: those of the other one too, which were then granted a second time.

local process = require "spec.support.process"

---Prints how many of two requests are given back, of which the last was reserved alone, as the first of three was sent.
local script = [[
local await, core, clocks = require "bide.task.await", require "bide.core", require "bide.record.worker.clock"
local paces, rates = require "bide.record.worker.pace", require "bide.probe.http.rate"
local loop, task, store, given = core.loop, core.task, {}, nil
loop.use_virtual_clock()
task.argument_of_attempt = function() return { has_turns = true, key = { queue = "q" } } end
local function start(f) return task.start(f, function() end, nil, nil, "unlimited") end

function store.closed_hosts() return {} end
function store:reserve(_, what)
  local first = (loop.now() + 150) * 1000
  return { first = first, granted = what.count, gap = what.gap, free = first + what.count * what.gap, clock = loop.now() * 1000 }
end
function store:give_back(_, what)
  given = what.count
  return true
end

local pace = paces.new { me = { id = 1 }, clock = clocks.new(), store = store }
pace.worker.clock.is_near = true
start(function() pace:run() end)
local bucket = pace:bucket(assert(rates.parse "10/s"), "http://h:80")
local tasks = {}
local function enter() tasks[#tasks + 1] = start(function() bucket:enter() end) end
local function pass() await(loop.now() + 100) end
start(function()
  enter()
  enter()
  pass()
  enter()
  pass()
  for _, one in ipairs(tasks) do one:cancel() end
  pace:wake()
  pass()
  print(bucket.tokens:left(), given)
  os.exit(0)
end)
while loop.turn() do end
]]

describe("a worker that gives back what it has reserved", function()
  it("gives back no more than the last reservation", function()
    local done = process.run({ process.lua, "-e", script },
      { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath } })
    assert.same({ 0, "0\t1\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
