local read_size = require("bide.task.script_limits").read_size

describe("a size", function()
  local sizes = { ["1"] = 1, ["500K"] = 512000, ["64M"] = 67108864, ["1G"] = 1073741824, ["1048576"] = 1048576 }

  for text, bytes in pairs(sizes) do
    it(("of %s is %d bytes"):format(text, bytes), function()
      assert.equal(bytes, read_size(text))
      assert.equal("integer", math.type(read_size(text)))
    end)
  end

  for _, text in ipairs { "", "0", "0M", "M", "-1", "1.5M", "1m", "64MB", "64 M", "1e9", "0x10", "nan", "inf",
    "99999999999999999999", "9999999G", "1M1" } do
    it(("is not %q"):format(text), function()
      local bytes, mistake = read_size(text)
      assert.is_nil(bytes)
      assert.equal(("expected a size such as 64M, 1G, 500K or a number of bytes, found %q"):format(text), mistake)
    end)
  end
end)
