---A task kept each child that had ever failed, joined or not: a script that runs for long, and whose probes fail within
---bide.timeout, took more and more memory.

local Workspace = require "spec.support.workspace"

local COUNT, MOST = 3000, 100 -- bytes for each, which the allocator may need

local script = [[
local bide = require "bide"
local failure = { type = "Failed", message = "on purpose" }
local ways = {
  timeout = function() pcall(bide.timeout, 1, error, failure) end,
  spawn = function()
    local task = bide.spawn(error, failure)
    pcall(task.join, task)
  end,
}
local way = ways[ ... ]
local function used()
  collectgarbage()
  collectgarbage()
  return collectgarbage "count" * 1024
end
for _ = 1, 100 do way() end
local before = used()
for _ = 1, %d do way() end
print(math.floor((used() - before) / %d))
]]

describe("a child that failed is forgotten once it was joined:", function()
  local workspace = Workspace.of_block()
  setup(function() workspace:write("script.lua", script:format(COUNT, COUNT)) end)

  for _, way in ipairs { "timeout", "spawn" } do
    it(way, function()
      local done = workspace:bide { "exec", "--quiet", "script.lua", way }
      assert.equal(0, done.code, done.stderr)
      assert.is_true(tonumber(done.stdout) < MOST, done.stdout .. " bytes stay for each")
    end)
  end

  it("the first one of those that nobody joined still ends its parent", function()
    workspace:write("lost.lua", [[
      local bide = require "bide"
      for _, word in ipairs { "first", "second", "third" } do bide.spawn(error, { type = "Lost", message = word }) end
      bide.sleep(0.01)
    ]])
    local done = workspace:bide { "exec", "lost.lua" }
    assert.matches("first", done.stderr)
    assert.is_nil(done.stderr:find "second")
  end)
end)
