---`acceptor.passing` of 0.1.0 is called `acceptor.transient`; the old name works, and warns once.

local Workspace = require "spec.support.workspace"

describe("acceptor.passing", function()
  local workspace = Workspace.of_each()

  local recipe = [[
    local acceptor = require "bide.acceptor"
    return { Get = { call = print, waitable = { Up = { minDelay = 1, acceptors = {
      acceptor.success(), acceptor.%s "Odd", acceptor.%s() } } } } }
  ]]

  local function replay(name)
    workspace:write("recipe.lua", recipe:format(name, name))
    workspace:write("answers.jsonl", '{"error":{"type":"Odd"}}\n{"error":{"type":"Timeout"}}\n{"output":{}}\n')
    return workspace:bide { "replay", "recipe.lua", "Up", "answers.jsonl", "--max-wait", "1m", "--quiet" }
  end

  it("does what it did, and names the new name once", function()
    local done = replay "passing"
    assert.same({ 0, "bide: warning: acceptor.passing is now called acceptor.transient;"
      .. " the old name goes with the next release\n" }, { done.code, done.stderr })
    assert.matches("^Up succeeded after 3 attempts", done.stdout)
  end)

  it("is acceptor.transient, which says nothing", function()
    local done = replay "transient"
    assert.same({ 0, "" }, { done.code, done.stderr })
  end)
end)
