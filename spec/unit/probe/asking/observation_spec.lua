---Observations of outputs, which are used again once nothing needs them.

local core = require "bide.core"
local operation = require "bide.probe.asking.operation"

local function seen_of(body)
  local response = core.response.make(200, "http://service/", "Content-Type: application/json\r\n", body)
  return operation.call(function() return response end, false)
end

describe("an observation of an output", function()
  it("is another one while the last is needed", function()
    local first, second = seen_of '{"n":1}', seen_of '{"n":2}'
    assert.is_false(rawequal(first, second))
    assert.same({ 1, 2 }, { first.output:value().n, second.output:value().n })
  end)

  it("is the same table once its input is false, and has nothing of before", function()
    local first = seen_of '{"n":1}'
    first.output, first.input = false, false
    local second = seen_of '{"n":2}'
    assert.is_true(rawequal(first, second))
    assert.same({ 2, 200 }, { second.output:value().n, second.status })
    second.output, second.status, second.input = nil, nil, nil
    assert.same({ is_plain = true }, second)
  end)

  it("has the reason of an empty body, and leaves none to the next", function()
    local empty = seen_of ""
    assert.equal(operation.EMPTY_BODY, empty.unread)
    empty.output, empty.input = false, false
    local after = seen_of '{"n":3}'
    assert.is_nil(after.unread)
    assert.equal(3, after.output:value().n)
  end)
end)
