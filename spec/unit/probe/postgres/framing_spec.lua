local Framing = require "bide.probe.postgres.framing"
local failure_of = require "spec.support.failure_of"
local message = require "spec.support.postgres_message"

describe("bide.probe.postgres.framing", function()
  ---Cuts what came into messages: their letters and bodies.
  local function cut(pieces, limit)
    local found = {}
    local framing = Framing.new(limit or 1000, function(kind, bytes, first, last)
      found[#found + 1] = string.char(kind) .. bytes:sub(first, last)
    end)
    for _, piece in ipairs(pieces) do
      framing:add(piece)
      while not framing:run(2000000) do end
    end
    return found
  end

  it("cuts messages wherever the pieces end", function()
    local whole = message("R", "\0\0\0\0") .. message("Z", "I") .. message("n", "")
      .. message("D", ("x"):rep(300)) .. message("C", "")
    local expected = { "R\0\0\0\0", "ZI", "n", "D" .. ("x"):rep(300), "C" }
    assert.same(expected, cut { whole })
    for size = 1, 40 do
      local pieces = {}
      for at = 1, #whole, size do pieces[#pieces + 1] = whole:sub(at, at + size - 1) end
      assert.same(expected, cut(pieces))
    end
    for at = 1, #whole - 1 do assert.same(expected, cut { whole:sub(1, at), whole:sub(at + 1) }) end
  end)

  it("takes a message of the limit, and none beyond it", function()
    assert.same({ "D" .. ("x"):rep(96) }, cut({ message("D", ("x"):rep(96)) }, 100))
    assert.matches("at most 100 bytes, found 101", failure_of(cut, { message("D", ("x"):rep(97)) }, 100).message)
    assert.matches("found 4294967295", failure_of(cut, { "D\xFF", "\xFF\xFF\xFF" }).message)
    for length = 0, 3 do
      local failure = failure_of(cut, { "D" .. string.pack(">I4", length) })
      assert.equal("InvalidAnswer", failure.type)
      assert.matches(("a message of %d bytes"):format(length), failure.message)
    end
  end)

  it("gives way after some milliseconds, and goes on where it was", function()
    local count, passed = 0, 0
    local framing = Framing.new(100, function() count = count + 1 end)
    framing:add(message("D", ""):rep(300000))
    while not framing:run(2000000) do passed = passed + 1 end
    assert.equal(300000, count)
    assert.is_true(passed > 0)
  end)

  it("keeps a message that comes in single bytes in little memory", function()
    local size = 200000
    local framing = Framing.new(2 * size, function() end)
    framing:add("D" .. string.pack(">I4", size + 4))
    collectgarbage()
    local before = collectgarbage "count"
    for _ = 1, size - 1 do
      framing:add "x"
      framing:run(2000000)
    end
    collectgarbage()
    assert.is_true(collectgarbage "count" - before < 4 * size / 1024)
  end)
end)
