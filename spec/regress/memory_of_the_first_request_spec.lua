---Where memory was exhausted while the first request set up libcurl, the error was "libcurl cannot be set up": a fault of the
---recipe, with exit code 5, and the next request of the process would have gone without its User-Agent.

local allocations = require "spec.support.allocations"
local Workspace = require "spec.support.workspace"

local LAST = 60 -- among these allocations of a script are those of its first request

describe("lack of memory at the first request", function()
  local workspace = Workspace.of_block()

  it("is told as lack of memory", function()
    if allocations.lack then return pending(allocations.lack) end
    workspace:write("script.lua", 'require("bide.http").get "http://127.0.0.1:1/"')
    local words = { "exec", "script.lua" }
    local whole, report = allocations.run(workspace, words, "own", 0)
    local setting_up = 0
    for number = report.counted - LAST, report.counted do
      local done, one = allocations.run(workspace, words, "own", number)
      if done.stderr ~= whole.stderr then assert.same({ 70, "bide: not enough memory\n" }, { done.code, done.stderr }) end
      if one.failed_at:find "transfer%.so" then setting_up = setting_up + 1 end
    end
    assert.is_true(setting_up > 0)
  end)
end)
