local moment = require "bide.record.journal.moment"

local HOUR = 3600000

local function at(wall, uptime, boot)
  return { wall = wall, uptime = uptime, boot = boot or "first" }
end

describe("a moment", function()
  local then_ = at(1000000000000, 50000)

  it("is as long ago as the wall clock says", function()
    assert.same({ HOUR }, { moment.since(then_, at(then_.wall + HOUR, 50000 + HOUR)) })
    assert.same({ HOUR }, { moment.since(then_, at(then_.wall + HOUR, 50000 + HOUR - 2900)) })
    assert.same({ HOUR }, { moment.since(then_, at(then_.wall + HOUR, 7, "second")) })
    assert.same({ 0 }, { moment.since(then_, at(then_.wall - 2, 50000)) })
    assert.same({ HOUR }, { moment.since({ wall = 5, uptime = 0 }, { wall = 5 + HOUR, uptime = 9 }) })
  end)

  it("is as long ago as the machine has been up, where the wall clock was set meanwhile", function()
    local rows = {
      { { moment.since(then_, at(then_.wall + 3 * HOUR, 50000 + HOUR)) }, HOUR, "forward by 2 h" },
      { { moment.since(then_, at(then_.wall - HOUR, 50000 + 60000)) }, 60000, "back by 1 h 1 m" },
      { { moment.since(then_, at(then_.wall - HOUR, 7, "second")) }, 0, "back by 1 h or more" },
    }
    for _, row in ipairs(rows) do
      assert.equal(row[2], row[1][1])
      assert.equal("the wall clock was set " .. row[3], (row[1][2]:gsub("(%d)([hm])", "%1 %2")))
    end
  end)

  it("is now", function()
    local now = moment.now()
    assert.is_true(math.abs(now.wall - os.time() * 1000) < 2000)
    assert.is_true(moment.since(now) < 1000)
  end)
end)
