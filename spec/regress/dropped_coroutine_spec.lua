---A task kept a pointer to the waker that it was paused on, and nothing kept the waker but the coroutine
---that had paused. A library that took coroutine.resume before bide was loaded may drop that coroutine.

local plain_lua = require "spec.support.plain_lua"

local before = [[
  local raw = coroutine.resume
  local bide, core = require "bide", require "bide.core"
  local function churn()
    collectgarbage() collectgarbage()
    for _ = 1, 1000 do local _ = { ("x"):rep(40) } end
  end
]]

local scripts = {
  ["while it waits for a waker"] = [[
    local task = bide.spawn(function()
      raw(coroutine.create(function() core.task.pause(core.task.waker()) end))
      churn()
      bide.sleep(0.01)
      return "end"
    end)
    print(task:join())]],
  ["while a waker that it left is kept by somebody else"] = [[
    local kept
    local task = bide.spawn(function()
      local first = core.task.waker()
      raw(coroutine.create(function() core.task.pause(first) end))
      first()
      raw(coroutine.create(function() kept = core.task.waker() core.task.pause(kept) end))
      coroutine.yield()
      return "end"
    end)
    local how = task:join()
    task = nil
    churn()
    kept()
    churn()
    print(how)]],
  ["while a request of it is under way"] = [[
    local http = require "bide.http"
    local task = bide.spawn(function()
      raw(coroutine.create(function() http.get "http://127.0.0.1:1/" end))
      churn()
      bide.sleep(0.01)
      return "end"
    end)
    print(task:join())]],
}

describe("a coroutine that a script drops", function()
  for name, script in pairs(scripts) do
    it(name .. " leaves the task well", function()
      local done = plain_lua(before .. script)
      assert.same({ "end\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
    end)
  end
end)
