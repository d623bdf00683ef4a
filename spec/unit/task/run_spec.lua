local core = require "bide.core"

local loop, task = core.loop, core.task

describe("a task that runs within another one", function()
  ---Runs a function in a task of the given kind, to its end.
  local function in_task(f, kind)
    local ending
    task.start(f, function(_, ...) ending = table.pack(...) end, nil, nil, kind)
    while not ending do assert(loop.turn()) end
    return table.unpack(ending, 1, ending.n)
  end

  it("returns what its function returns, at once", function()
    assert.same({ "returned", "returned", 1, nil, 3 }, { in_task(function()
      return task.run(function(...) return ... end, 1, nil, 3)
    end) })
  end)

  it("runs outside of tasks as well", function()
    assert.same({ "returned", true }, { task.run(function() return task.current() ~= nil end) })
    assert.is_nil(task.current())
  end)

  it("returns what its function raises", function()
    assert.same({ "raised", "no" }, { task.run(error, "no", 0) })
  end)

  it("is another task than the one that then runs on", function()
    local _, before, within, after = in_task(function()
      local own = task.current()
      local _, other = task.run(task.current)
      return own, other, task.current()
    end)
    assert.equal(before, after)
    assert.is_not.equal(before, within)
    assert.equal(0, task.count())
  end)

  it("may not wait", function()
    local function wait() task.pause(task.waker()) end
    local how, mistake = task.run(wait)
    assert.equal("raised", how)
    assert.matches("cannot wait here", mistake)
    assert.same({ "returned", "raised", mistake }, { in_task(function() return task.run(wait) end) })
  end)

  it("ends with the tasks that it has started", function()
    local how
    in_task(function()
      task.run(function() task.start(function() end, function(_, word) how = word end) end)
      local waker = task.waker()
      task.start(function() end, function() waker() end)
      task.pause(waker)
    end)
    assert.equal("cancelled", how)
  end)

  it("can be cancelled, and the one around it runs on", function()
    assert.same({ "returned", "cancelled", "on" }, { in_task(function()
      local how = task.run(function() task.current():cancel() end)
      return how, "on"
    end) })
  end)

  it("may cancel the one around it, which ends once", function()
    local ends = 0
    local outer
    outer = task.start(function()
      task.run(function() outer:cancel() end)
      task.pause(task.waker())
    end, function() ends = ends + 1 end)
    for _ = 1, 5 do loop.turn() end
    assert.equal(1, ends)
  end)
end)
