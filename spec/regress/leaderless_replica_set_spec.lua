---Before a replica set has elected a primary, and while it has lost it, its members are secondaries that take no work.

local conversation = require "spec.support.conversation"
local mongodb = require "bide.mongodb"
local pong = require("spec.support.mongodb").pong
local recorded = require("spec.support.recorded").bytes "mongodb/6.0.5"

local function state_of(name)
  local ok, result = conversation.hold(mongodb, { recorded[name], pong })
  return ok and result.state or result.type
end

describe("a secondary of MongoDB", function()
  it("is ready only if it knows a primary", function()
    assert.equal("leaderless", state_of "secondary without a primary")
    assert.equal("secondary", state_of "secondary")
  end)
end)
