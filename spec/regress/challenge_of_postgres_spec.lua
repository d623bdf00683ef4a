---A program that writes a request for SCRAM once it has read something, or a moment after the connection is made, was a
---PostgreSQL that wants a password. The challenge of a server begins with a nonce that it has to read.

local conversation = require "spec.support.conversation"
local message = require "spec.support.postgres_message"
local postgres = require "bide.postgres"

local request = message("R", "\0\0\0\10SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0")

local function challenge(nonce)
  return message("R", ("\0\0\0\11r=%sserver,s=QSXCR+Q6sek8bf92,i=4096"):format(nonce))
end

describe("PostgreSQL that asks for SCRAM", function()
  local function ask(...) return conversation.hold(postgres, { ... }, { timeout = 0.5 }) end

  it("has answered once its challenge has the nonce of the connection", function()
    local ok, result, requests = ask(request, function(bytes) return challenge(bytes:match "r=([^,]+)$") end, "")
    assert.same({ true, { answer = "passwordWanted" } }, { ok, result })
    assert.equal("pSCRAM-SHA-256", requests[2]:gsub("^p....", "p"):match "^[^%z]*")
  end)

  for name, answers in pairs {
    ["says nothing more"] = { request, "", "" }, ["has another nonce"] = { request, challenge "another", "" },
    ["has said it before"] = { request .. challenge "another", "", "" },
    ["accepts the user"] = { request, message("R", "\0\0\0\0") .. message("Z", "I"), "" },
    ["asks again"] = { request, request, "" }, ["ends"] = { request, "" },
  } do
    it("is not ready if it " .. name, function()
      assert.is_false((ask(table.unpack(answers))))
    end)
  end

  it("may still say that it does not run yet", function()
    local failure = conversation.failure(postgres, { request, message("E", "SFATAL\0C57P03\0Mstarting up\0\0"), "" })
    assert.same({ "57P03", "starting up" }, { failure.type, failure.message })
  end)
end)
