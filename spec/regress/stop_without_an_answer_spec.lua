---A worker that was stopped while its store answered no verb, as behind a network that loses all, waited for that answer, for up
---to 30 s, before it gave back.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

---A worker that is stopped while a claim has no answer. Prints that it has ended.
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
local claims = 0
function store.claim()
  claims = claims + 1
  await()
end
core.task.start(function()
  worker:run()
  print(("ended after %d claim"):format(claims))
  os.exit(0)
end, function() end)
core.task.start(function()
  while claims == 0 do await(loop.update() + 10) end
  worker:stop()
end, function() end)
while loop.turn() do end
]]

describe("a worker whose store answers nothing", function()
  local directory

  before_each(function() directory = Directory.make() end)
  after_each(function() directory:remove() end)

  it("ends once it is stopped", function()
    local done = process.run({ process.lua, directory:write("worker.lua", script), directory.path .. "/waits.db" },
      { env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }, longest = 20 })
    assert.same({ 0, "ended after 1 claim\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
