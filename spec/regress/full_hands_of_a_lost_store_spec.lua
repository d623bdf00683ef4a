---A worker with full hands, which then could not be sure of its lease, called no verb and let the loop never turn again: it
---expected to poll at once, and had to wait for a beat first, which could not come. Seen where a server was killed twice.

local worker_program = require "spec.support.worker_program"

---A worker whose beats have no answer any more, after a claim that filled its hands. Prints that the loop turns.
local script = [[
core.task.start(function() worker:run() end, function() end)
core.task.start(function()
  while not worker.me do await(loop.update() + 10) end
  function store.beat() await() end
  worker.is_full, worker.sure_until = true, loop.update()
  await(loop.update() + 1000)
  print "the loop turns"
  os.exit(0)
end, function() end)
]]

describe("a worker with full hands", function()
  it("lets the loop turn while it waits for a beat", function()
    local done = worker_program.run(script)
    assert.same({ 0, "the loop turns\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
