local reader = require "bide.probe.peer.reader"

local Reader = reader.class(reader.refusal "Owls", { uint8 = ">I1", int16 = ">i2" })

---Expects that a call refuses the answer with a text.
local function assert_refuses(text, read, ...)
  local ok, failure = pcall(read, ...)
  assert.is_false(ok)
  assert.same({ type = "InvalidAnswer", message = "this is not the protocol of Owls: " .. text }, failure)
end

describe("a reader of a message", function()
  it("reads values in turn", function()
    local answer = Reader.new "\7\255\254abcdone\0\1\0\0\0"
    assert.equal(7, answer:uint8())
    assert.equal(-2, answer:int16())
    assert.equal("abc", answer:take(3))
    assert.equal("done", answer:terminated())
    assert.equal(4, answer:left())
    assert.equal(1, answer:number "<I4")
    assert.equal(0, answer:left())
  end)

  it("takes nothing at the end", function() assert.equal("", Reader.new "":take(0)) end)

  for what, case in pairs {
    ["a number"] = { "it ends at byte 1, within a value of 2 bytes", Reader.int16, "x" },
    ["bytes"] = { "it ends at byte 2, within a value of 3 bytes", Reader.take, "xy", 3 },
    ["fewer bytes than none"] = { "it ends at byte 2, within a value of -1 bytes", Reader.take, "xy", -1 },
    ["more bytes than there are anywhere"] = { "it ends at byte 0, within a value of 9223372036854775807 bytes",
      Reader.take, "", math.maxinteger },
    ["a text"] = { "a text without an end", Reader.terminated, "abc" },
  } do
    it("refuses " .. what .. " beyond the end", function()
      local answer = Reader.new(case[3])
      assert_refuses(case[1], case[2], answer, case[4])
      assert.equal(1, answer.at)
    end)
  end

  it("ends where it is told to", function()
    local answer = Reader.new "ab\0cd"
    answer.last = 2
    assert_refuses("a text without an end", answer.terminated, answer)
    assert_refuses("it ends at byte 2, within a value of 3 bytes", answer.take, answer, 3)
    assert.equal("ab", answer:take(2))
  end)

  it("refuses in the words of its protocol", function() assert_refuses("two answers", Reader.refuse, "two answers") end)
end)
