local process = require "spec.support.process"

describe("the garbage of a worker", function()
  it("is collected as it grows, in slices between which the loop turns", function()
    local done = process.run({ process.lua, "-e", [[
      core, garbage = require "bide.core", require "bide.record.worker.garbage"
      loop, task = core.loop, core.task
      loop.use_virtual_clock()
      turns = {}
      for number = 1, 500000 do turns[number] = { number } end
      dropped = setmetatable({}, { __mode = "v" })
      worker = { held = 1, bytes = 0, garbage = 0, rest = 1 << 40, gate = { resume = function() end } }
      collector = task.start(garbage.collect, function() end, nil, worker, "unlimited")
      loop.turn()
      collectgarbage()
      for number = 1, 300000 do -- less than that for which Lua collects by itself
        local one = { { number } }
        dropped[1] = dropped[1] or one
      end
      most = collectgarbage "count"
      passed = 0
      while dropped[1] do passed = passed + (loop.turn() and 1 or 0) end
      collector:cancel()
      print(#turns, passed > 3, collectgarbage "count" < most)
    ]] }, { env = { LUA_PATH = package.path, LUA_CPATH = package.cpath } })
    assert.same({ 0, "500000\ttrue\ttrue\n", "" }, { done.code, done.stdout, done.stderr })
  end)
end)
