---A wait that is resumed sends the token that its journal has, also if its operation prepares attempts: these were
---prepared with a new token, and the request would have been made twice.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Create = { idempotencyToken = "token",
  prepare = function(input)
    return function()
      local file = assert(io.open("tokens", "a"))
      file:write(input.token, "\n")
      file:close()
      return { done = io.open("ready") ~= nil }
    end
  end,
  waitable = { Created = { minDelay = 0.05, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "done", comparator = "booleanEquals", expected = "true" } } } } } } } }
]]

describe("the token of a wait that is resumed", function()
  local workspace = Workspace.of_each()

  it("is given to what its operation prepares", function()
    workspace:write("create.lua", recipe)
    local words = { "run", "create.lua", "--max-wait", "10s", "--journal", "waits.db" }
    local process = workspace:start(words)
    process:wait_for_output "attempt 1,"
    process:kill "sigkill"
    process:wait()
    workspace:write("ready", "")
    words[#words + 1] = "--resume"
    assert.equal(0, workspace:bide(words).code)
    local tokens, count = {}, 0
    for line in io.lines(workspace.path .. "/tokens") do
      count = tokens[line] and count or count + 1
      tokens[line] = true
    end
    assert.equal(1, count)
  end)
end)
