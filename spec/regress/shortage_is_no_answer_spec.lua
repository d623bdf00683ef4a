---Where libcurl lacked memory its request failed with an operation error, so that a waiter for
---something to be gone succeeded; or libcurl lost the socket, and the wait hung to its deadline.

local allocations = require "spec.support.allocations"
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
  local workspace = Workspace.of_each()

  it("is no answer of the service, and no silence of it", function()
    if allocations.lack then return pending(allocations.lack) end
    local server = Server.start(function() return { body = "{}" } end)
    finally(function() server:close() end)
    workspace:write("thing.lua", recipe)
    local words = { "run", "thing.lua", "url=" .. server.url, "--max-wait", "50s", "--max-attempts", "1", "--quiet" }
    local codes, counted = {}, select(2, allocations.run(workspace, words, "libraries", 0)).counted
    for number = counted - 100, counted, 2 do -- before these, libssl is prepared
      local done = allocations.run(workspace, words, "libraries", number)
      codes[done.signal ~= 0 and "ended by libuv" or done.code] = true
    end
    codes["ended by libuv"] = nil -- which calls abort where it lacks memory
    assert.same({ [70] = true, [4] = true }, codes) -- 4: libcurl could do without
  end)

  it("leaves a wait that can be resumed, with the same token", function()
    if allocations.lack then return pending(allocations.lack) end
    local tokens
    local server = Server.start(function(request)
      tokens[request.headers["x-token"]] = true
      return { body = "{}" }
    end)
    finally(function() server:close() end)
    workspace:write("thing.lua", [[
return { Make = { idempotencyToken = "token",
  call = function(input) return require("bide.http").get(input.url, { headers = { ["X-Token"] = input.token } }) end,
  waitable = { Made = { minDelay = 0.01, acceptors = { { state = "success",
    matcher = { lua = function(context) return context.attempt >= 3 end } } } } } } }
    ]])
    local function words(number, resume)
      return { "run", "thing.lua", "url=" .. server.url, "--max-wait", "20s", "--quiet",
        "--journal", number .. ".db", resume }
    end
    local faults = 0
    tokens = {}
    local counted = select(2, allocations.run(workspace, words(0), "libraries", 0)).counted
    assert.is_string(next(tokens))
    for number = counted - 100, counted, 4 do
      tokens = {}
      if allocations.run(workspace, words(number), "libraries", number).code == 70 then
        faults = faults + 1
        workspace:bide(words(number, "--resume")):ends(0)
        local token = assert(next(tokens))
        assert.is_nil(next(tokens, token))
      end
    end
    assert.is_true(faults > 0)
  end)
end)
