---A mask sought at most 64 values, and those of an answer came first: a service whose answer had 64 secrets of its own made
---a secret of the user visible.

local json = require("bide.core").json
local secret = require "bide.text.secret"

describe("a secret of the user", function()
  it("is hidden beside an answer with a hundred secrets", function()
    secret.remember "my-own-hush-value"
    local output = {}
    for number = 1, 100 do output[("k%d_token"):format(number)] = ("service-secret-%d"):format(number) end
    local mask = secret.of_wait { waiter = {}, input = json.document {}, output = json.document(output) }
    assert.equal("it is [redacted]", mask:text "it is my-own-hush-value")
  end)
end)
