local base64 = require "bide.base64"

describe("base64", function()
  for bytes, text in pairs { -- RFC 4648, section 10, and bytes that need every digit's bits
    [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", fooba = "Zm9vYmE=", foobar = "Zm9vYmFy",
    ["\0\0\0"] = "AAAA", ["\xff\xff\xfe"] = "///+", ["\xfb"] = "+w==",
  } do
    it(("has %q for %q"):format(text, bytes), function()
      assert.equal(text, base64.encode(bytes))
      assert.equal(bytes, base64.decode(text))
    end)
  end

  it("gives back whatever it took", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local bytes = {}
      for position = 1, math.random(0, 40) do bytes[position] = string.char(math.random(0, 255)) end
      local whole = table.concat(bytes)
      local text = base64.encode(whole)
      assert.equal(whole, base64.decode(text))
      assert.equal(math.ceil(#whole / 3) * 4, #text)
    end
  end)

  for _, text in ipairs { "Z", "Zg", "Zg=", "Zg===", "=Zg=", "Zm9v\n", "Zm9-", "Z===" } do
    it(("takes no %q"):format(text), function() assert.is_nil(base64.decode(text)) end)
  end
end)
