---A signal during a call of C let the task give way at its end, after which the call gave no results: `bide watch --events`
---ended with 70 where an event was being written.

local plain_lua = require "spec.support.plain_lua"

describe("a call of C during which a signal comes", function()
  it("gives its results, and the signal is handled", function()
    local done = plain_lua [[
      local core = require "bide.core"
      local list, was_seen, fewest = {}, false, 1
      for number = 1, 300000 do list[number] = { number = number } end
      core.loop.watch_signals(function() was_seen = true end)
      core.task.start(function()
        io.popen(("sleep 0.3; kill -TERM %d"):format(require("luv").os_getpid()))
        repeat fewest = math.min(fewest, select("#", core.json.encode(list))) until was_seen
      end, function() end)
      while core.loop.turn() do end
      print(fewest, core.loop.signal())]]
    assert.same({ "1\t15\n", "", 0 }, { done.stdout, done.stderr, done.code })
  end)
end)
