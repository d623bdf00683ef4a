local array = require "bide.probe.postgres.array"
local core = require "bide.core"
local failure_of = require "spec.support.failure_of"
local values = require "bide.probe.postgres.values"

local function refuse(text) error({ type = "InvalidAnswer", message = text }, 0) end

local function binary(oid, bytes)
  return values.decoder(oid, 1)(bytes, 1, #bytes, refuse)
end

local function text(oid, bytes)
  return values.decoder(oid, 0)("<" .. bytes .. ">", 2, #bytes + 1, refuse)
end

describe("values of PostgreSQL", function()
  it("are the same by text and by binary", function()
    for _, case in ipairs {
      { 20, "-9223372036854775808", string.pack(">i8", math.mininteger), math.mininteger },
      { 20, "9223372036854775807", string.pack(">i8", math.maxinteger), math.maxinteger },
      { 23, "-7", string.pack(">i4", -7), -7 }, { 21, "300", string.pack(">i2", 300), 300 },
      { 26, "4294967295", string.pack(">I4", 4294967295), 4294967295 },
      { 16, "t", "\1", true }, { 16, "f", "\0", false },
      { 701, "0.1", string.pack(">d", 0.1), 0.1 }, { 701, "-Infinity", string.pack(">d", -math.huge), -math.huge },
      { 17, "\\x00ff0a", "\0\xFF\n", "\0\xFF\n" }, { 17, "\\x", "", "" },
      { 17, "\\xABcdEF", "\xAB\xCD\xEF", "\xAB\xCD\xEF" }, { 17, "a\\\\b\\001\\377", "a\\b\1\xFF", "a\\b\1\xFF" },
    } do
      assert.equal(case[4], text(case[1], case[2]))
      assert.equal(case[4], binary(case[1], case[3]))
    end
    assert.equal("1.50", text(1700, "1.50"))
    assert.is_nil(values.decoder(1700, 1))
    assert.is_nil(values.decoder(20, 2))
    assert.equal("float", math.type(text(701, "3")))
  end)

  it("are refused where they are none", function()
    for _, case in ipairs { { 17, "\\x0" }, { 17, "\\x0g" }, { 17, "\\x00 1" }, { 1016, "{,1}" }, { 1016, "{1,,2}" },
      { 20, "" }, { 20, "7.5" }, { 20, "9223372036854775808" }, { 20, "x" }, { 16, "true" }, { 16, "" },
      { 701, "seven" }, { 1016, "" }, { 1016, "7" }, { 1016, "{" }, { 1016, "{1" }, { 1016, "{1,}" }, { 1016, "{1}x" },
      { 1016, "{{1},{2}}" }, { 1016, "[0:1]={1,2}" }, { 1009, '{"a' }, { 1009, '{"a\\' }, { 1009, '{"a"b}' }, { 1009, "{,}" } } do
      assert.equal("InvalidAnswer", failure_of(text, case[1], case[2]).type)
    end
    for _, case in ipairs { { 20, "1234567" }, { 20, "123456789" }, { 23, "" }, { 16, "" }, { 16, "\0\0" } } do
      assert.equal("InvalidAnswer", failure_of(binary, case[1], case[2]).type)
    end
  end)

  it("of parameters are texts, but for those whose type is said", function()
    local written = assert(values.write(table.pack("a", 7, 0.5, true, nil, math.huge, -math.huge, 0 / 0, nil)))
    assert.same({ "a", "7", "0.5", "t", false, "Infinity", "-Infinity", "NaN", false }, written.values)
    assert.same({}, written.types)
    written = assert(values.write(table.pack(1, values.types.bytea "\0x")))
    assert.same({ { "1", "\0x" }, "\0\0\0\1", { 0, 17 }, "0,17" },
      { written.values, written.formats, written.types, written.signature })
    local _, mistake = values.write(table.pack({}))
    assert.matches("^parameter 1: expected a string, a number, a boolean, nil, or a value of types, found a ", mistake)
  end)
end)

describe("arrays of PostgreSQL", function()
  local decoders = { bigint = 1016, int = 1007, text = 1009, bytea = 1001 }

  it("come back as they were written", function()
    for name, list in pairs { bigint = { 1, math.mininteger, 3, n = 3 }, int = { n = 3, [2] = -2147483648 },
      text = { "a", nil, "", n = 4 }, bytea = { "\0\xFF", n = 1 } } do
      local bytes = assert(array.write(array.elements[name], list))
      assert.same(list, binary(decoders[name], bytes))
    end
    assert.same({ n = 0 }, binary(1016, assert(array.write(array.elements.bigint, {}))))
  end)

  it("have a member of each table in a list", function()
    local list = { { id = 7 }, { name = "a" }, { id = 9.0 } }
    assert.same({ 7, nil, 9, n = 3 }, binary(1016, assert(array.write(array.elements.bigint, list, "id"))))
    assert.same({ n = 3, [2] = "a" }, binary(1009, assert(array.write(array.elements.text, list, "name"))))
    assert.has_error(function() values.types.texts(list, "id") end, "texts[1].id: expected a string, found 7")
    assert.has_error(function() values.types.texts({ { id = "a" }, "b" }, "id") end, 'texts[2]: expected a table, found "b"')
    assert.has_error(function() values.types.bigints({ { id = 0.5 } }, "id") end)
  end)

  it("may be longer than what is written at a time", function()
    local list = {}
    for position = 1, 9000 do list[position] = position % 3 > 0 and position or nil end
    list.n = 9000
    assert.same(list, binary(1016, assert(array.write(array.elements.bigint, list))))
    list[8999] = "x"
    assert.same({ nil, 8999 }, { array.write(array.elements.bigint, list) })
  end)

  it("are the same as text", function()
    assert.same({ 1, nil, 3, n = 3 }, text(1016, "{1,NULL,3}"))
    assert.same({ n = 0 }, text(1016, "{}"))
    assert.same({ "a b", nil, 'q"\\', "NULL", "", "{,}", n = 6 }, text(1009, [[{"a b",NULL,"q\"\\","NULL","","{,}"}]]))
    assert.same({ "\0\xFF", n = 1 }, text(1001, [[{"\\x00ff"}]]))
    assert.same({ true, false, n = 2 }, text(1000, "{t,f}"))
  end)

  it("say which element is wrong", function()
    assert.has_error(function() values.types.bigints { 1, "2" } end,
      'bigints[2]: expected a whole number of 64 bits, found "2"')
    assert.has_error(function() values.types.ints { 2147483648 } end,
      "ints[1]: expected a whole number of 32 bits, found 2147483648")
    assert.has_error(function() values.types.texts "a" end, 'texts: expected a list, found "a"')
    assert.has_error(function() values.types.bytea {} end)
  end)

  it("whose bytes are wrong are refused, whatever is wrong with them", function()
    local bytes = assert(array.write(array.elements.text, { "abc", nil, "d", n = 3 }))
    for length = 0, #bytes - 1 do assert.equal("InvalidAnswer", failure_of(binary, 1009, bytes:sub(1, length)).type) end
    assert.equal("InvalidAnswer", failure_of(binary, 1009, bytes .. "x").type)
    for _, header in ipairs { ">i4i4I4i4i4" } do
      for _, numbers in ipairs { { 2, 0, 25, 1, 1 }, { -1, 0, 25, 1, 1 }, { 1, 0, 25, -1, 1 }, { 1, 0, 25, 2147483647, 1 } } do
        assert.equal("InvalidAnswer", failure_of(binary, 1009, header:pack(table.unpack(numbers))).type)
      end
    end
    assert.equal("InvalidAnswer", failure_of(binary, 1009, string.pack(">i4i4I4i4i4i4", 1, 0, 25, 1, 1, -2)).type)
    math.randomseed(7)
    for _ = 1, 3000 do
      local at = math.random(#bytes)
      local ok, failure = pcall(binary, 1009, bytes:sub(1, at - 1) .. string.char(math.random(0, 255)) .. bytes:sub(at + 1))
      assert.is_true(ok or type(failure) == "table", failure)
    end
  end)

  it("of numbers are read by the core as they are by Lua, whatever is wrong with them", function()
    local function read(oid, bytes)
      local row, rows = string.pack(">i2s4", 1, bytes), {}
      local _, mistake = core.postgres.rows(row, 1, #row, 1 << 20, rows, { "ids" }, values.kind_of(oid, 1),
        { values.decoder(oid, 1) }, refuse)
      assert.is_nil(mistake)
      return rows[1].ids
    end
    math.randomseed(7)
    for oid, list in pairs { [1016] = { 1, math.mininteger, 3, n = 3 }, [1007] = { n = 3, 7, [3] = -2147483648 } } do
      local bytes = assert(array.write(array.elements[oid == 1016 and "bigint" or "int"], list))
      assert.same(list, read(oid, bytes))
      for round = 1, 3000 do
        local at = math.random(#bytes)
        local other = round <= #bytes and bytes:sub(1, round)
          or bytes:sub(1, at - 1) .. string.char(math.random(0, 255)) .. bytes:sub(at + 1)
        assert.same({ pcall(binary, oid, other) }, { pcall(read, oid, other) })
      end
    end
    assert.same({ n = 0 }, read(1016, assert(array.write(array.elements.bigint, {}))))
    assert.same({ -7, 300, n = 2 }, read(1005, string.pack(">i4i4I4i4i4i4i2i4i2", 1, 0, 21, 2, 1, 2, -7, 2, 300)))
  end)
end)
