---Hexadecimal digits, written and read by the core.

local text = require("bide.core").text

describe("hexadecimal digits", function()
  it("are two of each byte, in small letters", function()
    assert.equal("", text.hex "")
    assert.equal("00097f80abff", text.hex "\0\t\x7f\x80\xab\xff")
    assert.has_error(function() text.hex {} end)
  end)

  it("are read back as the bytes that they were", function()
    local bytes = {}
    for byte = 0, 255 do bytes[#bytes + 1] = string.char(byte) end
    local all = table.concat(bytes)
    assert.equal(512, #text.hex(all))
    assert.equal(all, text.unhex(text.hex(all), 1))
    assert.equal(all:rep(100), text.unhex(text.hex(all:rep(100)), 1))
  end)
end)
