---A server that does not know the password is not ready, whatever it leaves out of the exchange.

local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"
local postgres = require "bide.postgres"
local message = require "spec.support.postgres_message"

local accepted, ready = message("R", "\0\0\0\0"), message("Z", "I")
local mechanisms = message("R", "\0\0\0\10SCRAM-SHA-256\0\0")

describe("bide.postgres believes no server", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  ---The server answers each message of the client with the next of these; with what the client sent.
  local function ask(password, ...)
    local replies, sent = { ... }, {}
    server = Server.start(nil, { raw = function(peer, bytes)
      sent[#sent + 1] = bytes
      local reply = table.remove(replies, 1)
      if reply then peer:write(type(reply) == "function" and reply(bytes) or reply) end
    end })
    local failure = failure_of(postgres, { host = "127.0.0.1", port = server.port, password = password, timeout = 5 })
    return failure, sent
  end

  local function challenge(count)
    return function(bytes)
      return message("R", ("\0\0\0\11r=%smore,s=QUJD,i=%d"):format(bytes:match "r=([^,]+)$", count))
    end
  end

  it("that skips its own proof", function()
    local failure = ask("hunter2", mechanisms, challenge(4096), accepted .. message("S", "server_version\00015\0") .. ready)
    assert.same({ type = "InvalidAnswer", message = "the server does not know the password itself" }, failure)
  end)

  it("that asks for fewer than 4096 rounds, and sends it no proof that is easily guessed from", function()
    for _, count in ipairs { 1, 4095 } do
      local failure, sent = ask("hunter2", mechanisms, challenge(count), accepted .. ready)
      assert.same({ "InvalidAnswer", 2 }, { failure.type, #sent })
      assert.matches("4096", failure.message)
    end
  end)

  it("that is ready without having said who may connect", function()
    assert.equal("InvalidAnswer", ask(nil, ready).type)
    assert.equal("InvalidAnswer", ask("hunter2", mechanisms, ready).type)
  end)

  it("that asks twice for the proof", function()
    local kept
    local function keep(bytes)
      kept = challenge(4096)(bytes)
      return kept
    end
    for _, second in ipairs { function() return kept end, mechanisms } do
      local failure, sent = ask("hunter2", mechanisms, keep, second, mechanisms)
      assert.same({ type = "InvalidAnswer", message = "the server asks for a second proof" }, failure)
      assert.equal(3, #sent)
    end
  end)
end)
