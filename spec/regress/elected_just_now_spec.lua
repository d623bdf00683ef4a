---A member of MongoDB that was elected just now is a secondary that names itself as the primary, and accepts no writes yet.

local conversation = require "spec.support.conversation"
local mongodb = require "bide.mongodb"
local pong = require("spec.support.mongodb").pong
local recorded = require("spec.support.recorded").bytes "mongodb/6.0.5"

describe("a primary of MongoDB that was elected just now", function()
  it("is ready only when it accepts writes", function()
    local _, result = conversation.hold(mongodb, { recorded["elected just now"], pong })
    assert.same({ "leaderless" }, { result.state, result.primary })
    _, result = conversation.hold(mongodb, { recorded.primary, pong })
    assert.same({ "primary", "127.0.0.1:27111" }, { result.state, result.primary })
  end)
end)
