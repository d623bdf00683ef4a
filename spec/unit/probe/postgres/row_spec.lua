local read = require("bide.core").postgres.row

local NULL = string.pack(">i4", -1)

local function message(...)
  return string.pack(">I2", select("#", ...)) .. table.concat({ ... })
end

local function value(bytes)
  return string.pack(">s4", bytes)
end

describe("bide.core.postgres.row", function()
  local function decode(bytes, first, last, refuse)
    if last < first then refuse "nothing" end
    return "<" .. bytes:sub(first, last) .. ">"
  end

  local function refuse(text) error(text, 0) end

  ---Reads a row that stands between other bytes.
  local function row(bytes, kinds, count)
    local names, decoders = {}, {}
    for position = 1, count or #kinds do names[position], decoders[position] = "c" .. position, decode end
    return read("??" .. bytes .. "?", 3, 2 + #bytes, names, kinds, decoders, refuse)
  end

  it("reads numbers of each size, texts, what is NULL, and what a decoder reads", function()
    local bytes = message(value(string.pack(">i2", -2)), value(string.pack(">i4", -(1 << 31))),
      value(string.pack(">I4", 4000000000)), value(string.pack(">i8", math.mininteger)), value(string.pack(">d", -0.5)),
      value "a\0b", value "", NULL, value "xy")
    local expected = {
      c1 = -2, c2 = -(1 << 31), c3 = 4000000000, c4 = math.mininteger, c5 = -0.5, c6 = "a\0b", c7 = "", c9 = "<xy>",
    }
    local found = row(bytes, "hiuldsss-")
    assert.same(expected, found)
    for _, name in ipairs { "c1", "c2", "c3", "c4" } do assert.equal("integer", math.type(found[name])) end
  end)

  it("leaves a number of another size to its decoder", function()
    assert.same({ c1 = "<\0\1>" }, row(message(value "\0\1"), "i"))
    assert.has_error(function() row(message(value ""), "l") end, "nothing")
  end)

  it("refuses what is not a row of the columns, wherever it is cut", function()
    local bytes = message(value "ab", NULL, value(string.pack(">i4", 7)))
    assert.same({ c1 = "ab", c3 = 7 }, row(bytes, "ssi"))
    for size = 0, #bytes - 1 do
      local found, mistake = row(bytes:sub(1, size), "ssi")
      assert.is_nil(found)
      assert.is_string(mistake)
    end
    assert.same({ nil, "a row of 3 values for 2 columns" }, { row(bytes, "ss") })
    assert.same({ nil, "a row that is longer than its values" }, { row(bytes .. "x", "ssi") })
    assert.same({ nil, "a value of -2 bytes" }, { row(message(string.pack(">i4", -2)), "s") })
    local longest = message(string.pack(">i4", 2147483647) .. "x")
    assert.same({ nil, "a value of 2147483647 bytes in a row of 7" }, { row(longest, "s") })
  end)

  it("raises where its arguments are not what it reads", function()
    local bytes = message(value "a")
    local function with(first, last, names, decoders)
      return pcall(read, bytes, first, last, names or { "a" }, "s", decoders or {}, refuse)
    end
    assert.is_true(with(1, #bytes))
    for _, place in ipairs {
      { 0, 3 }, { 5, 3 }, { 1, #bytes + 1 }, { 1, math.maxinteger }, { math.maxinteger, math.maxinteger },
      { math.mininteger, 3 }, { 1, math.mininteger }, { 1.5, 3 }, { "x", 3 },
    } do
      assert.is_false((with(place[1], place[2])))
    end
    assert.is_false((with(1, #bytes, {}))) -- a column without a name
    assert.is_false((pcall(read, bytes, 1, #bytes, { "a" }, "-", {}, refuse))) -- and one without a decoder
    assert.is_false((pcall(read, bytes, 1, #bytes, "a", "s", {}, refuse)))
    assert.is_false((pcall(read, bytes, 1, #bytes, { "a" }, "s", {}, nil)))
  end)
end)
