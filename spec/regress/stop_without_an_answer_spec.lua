---A worker that was stopped while its store answered no verb, as behind a network that loses all, waited for that answer, for up
---to 30 s, before it gave back.

local worker_program = require "spec.support.worker_program"

---A worker that is stopped while a claim has no answer. Prints that it has ended.
local script = [[
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
]]

describe("a worker whose store answers nothing", function()
  it("ends once it is stopped", function()
    local done = worker_program.run(script)
    assert.same({ 0, "ended after 1 claim\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
