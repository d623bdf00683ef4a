local postgres = require("bide.core").postgres

local NULL = string.pack(">i4", -1)

local function message(...)
  return string.pack(">I2", select("#", ...)) .. table.concat({ ... })
end

local function value(bytes)
  return string.pack(">s4", bytes)
end

describe("bide.core.postgres.rows", function()
  local function decode(bytes, first, last, refuse)
    if last < first then refuse "nothing" end
    return "<" .. bytes:sub(first, last) .. ">"
  end

  local function refuse(text) error(text, 0) end

  ---Reads rows, the first of which is between two places.
  local function read(bytes, first, last, kinds, limit)
    local names, decoders, rows = {}, {}, {}
    for position = 1, #kinds do names[position], decoders[position] = "c" .. position, decode end
    local next, mistake = postgres.rows(bytes, first, last, limit or 1000, rows, names, kinds, decoders, refuse)
    return rows, next, mistake
  end

  ---Reads a row that stands between other bytes.
  local function row(bytes, kinds)
    local rows, next, mistake = read("??" .. bytes .. "?", 3, 2 + #bytes, kinds)
    if not next then return nil, mistake end
    assert.same({ 1, 3 + #bytes }, { #rows, next })
    return rows[1]
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

  it("reads the rows behind it, up to what is no row, or not whole, or too long", function()
    local first = message(value "a")
    local one = "D" .. string.pack(">I4", 4 + #first) .. first
    local function behind(bytes, limit)
      local rows, next = read(first .. bytes, 1, #first, "s", limit)
      for _, found in ipairs(rows) do assert.same({ c1 = "a" }, found) end
      return { #rows, next - #first - 1 }
    end
    assert.same({ 3, 2 * #one }, behind(one .. one .. "C\0\0\0\4"))
    for size = 0, #one - 1 do assert.same({ 2, #one }, behind(one .. one:sub(1, size))) end
    assert.same({ 2, #one }, behind(one, #one - 1))
    assert.same({ 1, 0 }, behind(one, #one - 2))
    assert.same({ 1, 0 }, behind("D\0\0\0\3\0"))
    assert.same({ 1, 0 }, behind("D\255\255\255\255" .. first))
    assert.same({ 32, 31 * #one }, behind(one:rep(100)))
    assert.same({ { { c1 = "a" } }, nil, "a row that is longer than its values" },
      { read(first .. "D" .. string.pack(">I4", 5 + #first) .. first .. "x", 1, #first, "s") })
  end)

  it("raises where its arguments are not what it reads", function()
    local bytes = message(value "a")
    local read_rows = postgres.rows
    local function with(first, last, names, decoders)
      return pcall(read_rows, bytes, first, last, 100, {}, names or { "a" }, "s", decoders or {}, refuse)
    end
    assert.is_true(with(1, #bytes))
    for _, place in ipairs {
      { 0, 3 }, { 5, 3 }, { 1, #bytes + 1 }, { 1, math.maxinteger }, { math.maxinteger, math.maxinteger },
      { math.mininteger, 3 }, { 1, math.mininteger }, { 1.5, 3 }, { "x", 3 },
    } do
      assert.is_false((with(place[1], place[2])))
    end
    assert.is_false((with(1, #bytes, {}))) -- a column without a name
    assert.is_false((pcall(read_rows, bytes, 1, #bytes, 100, {}, { "a" }, "-", {}, refuse))) -- and one without a decoder
    assert.is_false((pcall(read_rows, bytes, 1, #bytes, 100, {}, "a", "s", {}, refuse)))
    assert.is_false((pcall(read_rows, bytes, 1, #bytes, 100, {}, { "a" }, "s", {}, nil)))
    assert.is_false((pcall(read_rows, bytes, 1, #bytes, -1, {}, { "a" }, "s", {}, refuse)))
    assert.is_false((pcall(read_rows, bytes, 1, #bytes, 100, nil, { "a" }, "s", {}, refuse)))
  end)
end)
