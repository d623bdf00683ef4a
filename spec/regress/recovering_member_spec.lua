---A replica set takes work while the first member of its connection string recovers, or is an arbiter: bide believed the
---first server that answered, and waited in vain.

local conversation = require "spec.support.conversation"
local process = require "spec.support.process"
local pong = require("spec.support.mongodb").pong
local recorded = require("spec.support.recorded").bytes "mongodb/6.0.5"

local function run(waiter, first, second)
  local one, two = conversation.serve { recorded[first], pong }, conversation.serve { recorded[second], pong }
  local url = ("mongodb://127.0.0.1:%d,127.0.0.1:%d/?replicaSet=rs0"):format(one.port, two.port)
  local done = process.run { process.bide, "run", "mongodb", waiter, url, "--interval", "20ms", "--max-wait", "0.2s" }
  one:close()
  two:close()
  return done.code
end

describe("a replica set of MongoDB", function()
  it("is ready whichever member is", function()
    assert.equal(0, run("MongodbReady", "recovering", "primary"))
    assert.equal(0, run("MongodbReady", "arbiter", "secondary"))
    assert.equal(124, run("MongodbReady", "recovering", "arbiter"))
  end)

  it("has a primary if any member names it", function()
    assert.equal(0, run("PrimaryElected", "starting up", "arbiter"))
    assert.equal(124, run("PrimaryElected", "starting up", "arbiter without a primary"))
  end)
end)
