---mongodb PrimaryElected took the primary of another replica set for that of the set that was asked for: a server of the other
---set that was asked after a member without a primary lent it its own.

local Workspace = require "spec.support.workspace"
local bson = require "bide.probe.mongodb.bson"
local conversation = require "spec.support.conversation"
local pong = require("spec.support.mongodb").pong

---Serves a member of a replica set.
---@param set string
---@param primary string? that it names
---@param state string? secondary by default
---@return spec.Server
local function serve(set, primary, state)
  local body = string.pack("<I4B", 0, 0) .. bson.write { { "setName", set }, { state or "secondary", true }, { "me", "db:27017" },
    { "ismaster", false }, { primary and "primary" or "comment", primary or "" }, { "maxWireVersion", 17 }, { "ok", 1 } }
  return (conversation.serve { string.pack("<i4i4i4i4", #body + 16, 7, 1, 2013) .. body, pong })
end

describe("a primary of MongoDB", function()
  local workspace = Workspace.of_block()

  ---@return integer code of waiting for the primary of a set at two servers
  local function ask(first, second, ...)
    local url = ("mongodb://127.0.0.1:%d,127.0.0.1:%d/"):format(first.port, second.port)
    local done = workspace:bide { "mongodb", "PrimaryElected", url, "--max-wait", "400ms", ... }
    first:close()
    second:close()
    return done.code
  end

  it("is one of the set that is asked for", function()
    assert.equal(124, ask(serve "rs0", serve("rs1", "other:27017"), "set=rs0"))
    assert.equal(0, ask(serve "rs0", serve("rs0", "db1:27017"), "set=rs0"))
  end)

  it("is one of the set of the member that answered first", function()
    assert.equal(124, ask(serve "rs0", serve("rs1", "other:27017", "arbiterOnly")))
    assert.equal(0, ask(serve "rs0", serve("rs0", "db1:27017", "arbiterOnly")))
  end)
end)
