---`return http.get(input.ulr)` has left the stack when http.get raises, so that the message had neither file nor line.

local Workspace = require "spec.support.workspace"

local recipe = [[
local http = require "bide.http"
local function fetch(url) return http.get(url) end
return {
  Get = {
    call = function(input)
      %s
    end,
    waitable = { Up = { acceptors = {
      { state = "retry", matcher = { lua = function(context) return error(context.nothing) end } },
      { state = "success", matcher = { success = true } },
    } } },
  },
}
]]

describe("a script error in a tail call", function()
  local workspace = Workspace.of_each()

  local function message_of(body)
    workspace:write("get.lua", recipe:format(body))
    local done = workspace:bide { "run", "get.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(5, done.code)
    return done.stderr:match "[^\n]*\n$"
  end

  it("has the line at which the operation begins", function()
    assert.equal("get.lua:5: http.get: url: expected a string, found nothing\n", message_of "return http.get(input.ulr)")
    assert.equal("get.lua:5: http.get: url: expected a string, found nothing\n", message_of "return fetch(input.ulr)")
  end)

  it("has its own line where the stack has one", function()
    assert.equal("get.lua:6: http.get: url: expected a string, found nothing\n",
      message_of "local response = http.get(input.ulr) return response")
    assert.matches("^get.lua:6: attempt to concatenate a nil value", message_of "return 'x' .. input.ulr")
    assert.equal("mine\n", message_of "error('mine', 0)")
  end)

  it("has the line at which the function of a task begins", function()
    workspace:write("spawn.lua", [[
local bide = require "bide"
local http = require "bide.http"
bide.spawn(function()
  return http.get()
end):join()
]])
    local done = workspace:bide { "exec", "spawn.lua" }
    assert.equal(5, done.code)
    assert.matches("^bide: spawn.lua:3: http.get: url: expected a string, found nothing", done.stderr)
  end)

  it("has the file where the main chunk ends in it", function()
    workspace:write("main.lua", 'return require("bide.http").get()\n')
    assert.matches("^bide: main.lua: http.get: url: ", workspace:bide({ "exec", "main.lua" }).stderr)
  end)
end)
