---The tags of IMAP were a1 and a2, so that lines of a program which reads nothing were the answers of a ready server.

local conversation = require "spec.support.conversation"
local imap = require "bide.imap"

describe("a program that says lines of IMAP by itself", function()
  it("answers no command", function()
    local lines = "* OK ready\r\n* CAPABILITY IMAP4rev1\r\na1 OK done\r\n"
    assert.equal("InvalidAnswer", conversation.failure(imap, { greeting = lines, "" }).type)
    assert.equal("InvalidAnswer", conversation.failure(imap, { greeting = "* OK ready\r\n", "a1 OK done\r\n" }).type)
  end)

  it("cannot know the tag of a command by that of another", function()
    local tags = {}
    for number = 1, 2 do
      local _, _, sent = conversation.hold(imap, { greeting = "* OK\r\n", function(request)
        return request:match "^%S+" .. " OK\r\n"
      end })
      tags[number] = sent[1]:match "^(%S+) CAPABILITY\r\n$"
    end
    assert.not_equal(tags[1], assert(tags[2]))
  end)
end)
