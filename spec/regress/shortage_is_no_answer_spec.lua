---Where libcurl lacked memory its request failed with an operation error, so that a waiter for
---something to be gone succeeded; or libcurl lost the socket, and the wait hung to its deadline.

local allocations = require "spec.support.allocations"
local process = require "spec.support.process"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local recipe = [[
return {
  GetThing = {
    call = function(input) return require("bide.http").get(input.url) end,
    waitable = { ThingGone = { minDelay = 10, acceptors = { { state = "success", matcher = { success = false } } } } },
  },
}
]]

describe("memory that libcurl lacks", function()
  it("is no answer of the service, and no silence of it", function()
    if process.is_sanitized then return end -- which the preloaded library would have to come before
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    local server = Server.start(function() return { body = "{}" } end)
    finally(function() server:close() end)
    workspace:write("thing.lua", recipe)
    local words = { "run", "thing.lua", "url=" .. server.url, "--max-wait", "5s", "--max-attempts", "1", "--quiet" }
    local codes = {}
    for number = 20, 100, 2 do
      local done = allocations.run(workspace, words, "libraries", number)
      codes[done.signal ~= 0 and "ended by libuv" or done.code] = true
    end
    codes["ended by libuv"] = nil -- which calls abort where it lacks memory
    assert.same({ [70] = true, [4] = true }, codes) -- 4: libcurl could do without
  end)
end)
