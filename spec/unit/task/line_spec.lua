local line = require "bide.task.line"
local check = require "spec.support.check"

-- busted looks up a global at each use
local math, table = math, table

describe("a line", function()
  it("is served in the order of joining, but for those who stepped out, over many seeds", function()
    for seed = 1, 300 do
      math.randomseed(seed)
      local it, standing, joined = line.new(), {}, 0
      for _ = 1, 200 do
        local what = math.random(1, 4)
        if what <= 2 then
          joined = joined + 1
          standing[#standing + 1] = { who = joined, place = it:join(joined) }
        elseif what == 3 and #standing > 0 then
          local gone = table.remove(standing, math.random(#standing))
          it:leave(gone.place)
          it:leave(gone.place)
        elseif what == 4 then
          local first = table.remove(standing, 1)
          check.equal(first and first.who, it:next())
        end
        check.equal(#standing, it.count)
      end
    end
  end)
end)
