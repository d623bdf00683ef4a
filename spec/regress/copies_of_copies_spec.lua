---The document of a copy was asked of what it was copied from, and that asked the next: a chain of copies
---wrote beyond the stack of Lua, from within the sandbox too.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local chain = [[
  local http = require "bide.http"
  local copy = http.get(...)
  for _ = 1, 20000 do copy = copy:copy() end
  assert(copy:json().a == 1 and copy:document():type() == "object" and copy.body == '{"a":1}')
  print "done"]]

describe("a copy of a copy of a response", function()
  local workspace = Workspace.of_each()
  local server = Server.of_each(function() return { body = '{"a":1}' } end)
  before_each(function() workspace:write("copies.lua", chain) end)

  it("has the document of the first", function()
    local done = workspace:bide { "exec", "copies.lua", server.url }
    assert.same({ "done\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)

  it("has the document of the first, in the sandbox", function()
    local done = workspace:bide { "exec", "--sandbox", "copies.lua", server.url }
    assert.same({ "done\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)
end)
