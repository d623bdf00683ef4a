---A worker with full hands, which then could not be sure of its lease, called no verb and let the loop never turn again: it
---expected to poll at once, and had to wait for a beat first, which could not come. Seen where a server was killed twice.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

---A worker whose beats have no answer any more, after a claim that filled its hands. Prints that the loop turns.
local script = [[
local bide = require "bide"
local core = require "bide.core"
local await = require "bide.task.await"
local stores = require "bide.record.store.open"
local workers = require "bide.record.worker"
local loop = core.loop
local store = assert(stores.open(arg[1]))
local worker = workers.new(store, { name = "w", queues = { { name = "default", weight = 1 } }, jobs = 4, version = "0",
  kind = "trusted", read = function() end })
core.task.start(function() worker:run() end, function() end)
core.task.start(function()
  while not worker.me do await(loop.update() + 10) end
  function store.beat() await() end
  worker.is_full, worker.sure_until = true, loop.update()
  await(loop.update() + 1000)
  print "the loop turns"
  os.exit(0)
end, function() end)
while loop.turn() do end
]]

describe("a worker with full hands", function()
  local directory

  before_each(function() directory = Directory.make() end)
  after_each(function() directory:remove() end)

  it("lets the loop turn while it waits for a beat", function()
    local done = process.run({ process.lua, directory:write("worker.lua", script), directory.path .. "/waits.db" },
      { env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }, longest = 20 })
    assert.same({ 0, "the loop turns\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
