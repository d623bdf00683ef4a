---A server of MongoDB without a replica set was ready for a connection string that names one, which drivers refuse.

local conversation = require "spec.support.conversation"
local process = require "spec.support.process"
local pong = require("spec.support.mongodb").pong
local recorded = require("spec.support.recorded").bytes "mongodb/6.0.5"

local function run(name, ...)
  local server = conversation.serve { recorded[name], pong }
  local url = ("mongodb://127.0.0.1:%d/?replicaset=rs0"):format(server.port)
  local done = process.run { process.bide, "run", "mongodb", url, "--interval", "20ms", "--max-wait", "0.2s", ... }
  server:close()
  return done
end

describe("the replica set of a connection string", function()
  it("is not that of a server of its own, which is a failure", function()
    run("standalone"):writes(1, "the server is a standalone, and not of the replica set rs0")
  end)

  it("may be that of a server that was not initiated yet", function()
    assert.equal(124, run("not initiated").code)
    assert.equal(0, run("primary").code)
    assert.equal(1, run("primary", "set=rs1").code)
  end)
end)
