---CBOR: examples of RFC 8949 (appendix A), hostile bytes, and random values.

local cbor = require "bide.model.protocol.cbor"
local check = require "spec.support.check"
local core = require "bide.core"

local json = core.json

-- busted looks up a global at each use
local math, pcall, string, table, tonumber, type = math, pcall, string, table, tonumber, type

local function bytes_of(digits)
  return (digits:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
end

---Reads bytes, and returns the value or nil and the mistake. Any other error is one of bide.
local function decode(bytes)
  local ok, value = pcall(cbor.decode, bytes)
  if ok then return value end
  check.equal("table", type(value), value)
  return nil, value[1]
end

describe("CBOR", function()
  it("has numbers of every size", function()
    local cases = {
      ["00"] = 0, ["17"] = 23, ["1818"] = 24, ["18ff"] = 255, ["190100"] = 256, ["1a000f4240"] = 1000000,
      ["1b000000e8d4a51000"] = 1000000000000, ["1bffffffffffffffff"] = 18446744073709551615.0, ["20"] = -1, ["3863"] = -100,
      ["3903e7"] = -1000, ["3b7fffffffffffffff"] = math.mininteger, ["3bffffffffffffffff"] = -18446744073709551616.0,
      ["c249010000000000000000"] = 18446744073709551616.0, ["c349010000000000000000"] = -18446744073709551617.0,
      ["c482211a00016ab3"] = 928.51, ["c48221196ab3"] = 273.15, ["c240"] = 0, ["c24101"] = 1,
      ["f90000"] = 0.0, ["f93c00"] = 1.0, ["f93e00"] = 1.5, ["f97bff"] = 65504.0, ["f90001"] = 5.960464477539063e-8,
      ["f90400"] = 0.00006103515625, ["f9c400"] = -4.0, ["fa47c35000"] = 100000.0, ["fb3ff199999999999a"] = 1.1,
      ["fa7f7fffff"] = 3.4028234663852886e+38, ["f97c00"] = math.huge, ["faff800000"] = -math.huge,
    }
    for digits, number in pairs(cases) do
      local value = assert(decode(bytes_of(digits)))
      assert.equal(number, value)
      assert.equal(math.type(number), math.type(value), digits)
    end
    for _, digits in ipairs { "f97e00", "f97c01", "fa7fc00000", "fb7ff8000000000000" } do
      local value = decode(bytes_of(digits))
      assert.is_true(value ~= value)
    end
  end)

  it("has texts, lists and maps, with and without a length", function()
    local cases = {
      ["60"] = '""', ["6161"] = '"a"', ["62c3bc"] = '"ü"', ["80"] = "[]", ["83010203"] = "[1,2,3]",
      ["8301820203820405"] = "[1,[2,3],[4,5]]", ["a26161016162820203"] = '{"a":1,"b":[2,3]}', ["f4"] = "false",
      ["7f657374726561646d696e67ff"] = '"streaming"', ["9fff"] = "[]", ["9f018202039f0405ffff"] = "[1,[2,3],[4,5]]",
      ["bf61610161629f0203ffff"] = '{"a":1,"b":[2,3]}', ["d818f5"] = "true", ["f6"] = "null", ["f7"] = "null", ["7fff"] = '""',
      ["c074323031332d30332d32315432303a30343a30305a"] = '"2013-03-21T20:04:00Z"', ["82f6f7"] = "[null,null]",
    }
    for digits, text in pairs(cases) do assert.equal(text, json.encode((decode(bytes_of(digits))))) end
  end)

  it("has what a tag says only for values that can have it", function()
    local cases = { ["c16161"] = '"a"', ["c201"] = "1", ["c48101"] = "[1]", ["c1f4"] = "false" }
    for digits, text in pairs(cases) do assert.equal(text, json.encode((decode(bytes_of(digits))))) end
    local large = ("\xFF"):rep(255)
    assert.equal(large, cbor.bytes_of((decode("\xC2\x58\xFF" .. large))))
  end)

  it("has byte strings and times", function()
    assert.equal("\1\2\3\4", cbor.bytes_of(decode(bytes_of "4401020304")))
    assert.equal("\1\2\3\4\5", cbor.bytes_of(decode(bytes_of "5f42010243030405ff")))
    assert.is_nil(cbor.bytes_of "a")
    assert.equal(1363896240, cbor.untagged(decode(bytes_of "c11a514b67b0"), 1))
    assert.equal(1363896240.5, cbor.untagged(decode(bytes_of "c1fb41d452d9ec200000"), 1))
  end)

  it("is written in the shortest form", function()
    local cases = {
      { 0, "00" }, { 23, "17" }, { 24, "1818" }, { 256, "190100" }, { 1 << 32, "1b0000000100000000" }, { -1, "20" },
      { math.maxinteger, "1b7fffffffffffffff" }, { math.mininteger, "3b7fffffffffffffff" }, { 1.5, "fb3ff8000000000000" },
      { cbor.single(1.5), "fa3fc00000" }, { cbor.whole(2.0 ^ 64), "c249010000000000000000" },
      { cbor.whole(-2.0 ^ 64), "c349010000000000000000" }, { cbor.whole(5.0), "05" }, { cbor.decimal(273.15), "c48221196ab3" },
      { cbor.decimal(2e30), "c482181e02" }, { json.array {}, "80" }, { {}, "a0" }, { { b = 1, a = "x" }, "a261616178616201" },
      { json.null, "f6" }, { true, "f5" }, { cbor.bytes "\1", "4101" }, { cbor.tagged(1, 0), "c100" },
      { ("x"):rep(24), "7818" .. ("78"):rep(24) },
    }
    for _, case in ipairs(cases) do assert.equal(case[2], core.text.hex(cbor.encode(case[1]))) end
  end)

  it("refuses bytes that are none, and says where", function()
    local cases = {
      [""] = "byte 1: expected 1 more bytes, found 0", ["18"] = "byte 2: expected 1 more bytes, found 0",
      ["62c3"] = "byte 2: expected 2 more bytes, found 1", ["61ff"] = "byte 3: expected a text in UTF-8",
      ["63eda080"] = "expected a text in UTF-8", ["0000"] = "byte 2: expected the end, found more bytes",
      ["1c"] = "the reserved form 28", ["1f"] = "the reserved form 31",
      ["ff"] = "the simple value 31", ["f8ff"] = "simple value 24",
      ["e0"] = "simple value 0", ["a10102"] = "expected a text as the key", ["7f4101ff"] = "expected a piece of the string",
      ["7f7f6161ffff"] = "expected a piece of the string", ["9f01"] = "byte 3", ["bf616101"] = "byte 5",
      ["9bffffffffffffffff"] = "expected 18446744073709551616 values", ["bb7fffffffffffffff00"] = "found fewer bytes",
      ["5bffffffffffffffff"] = "expected 18446744073709551616 more bytes", ["7a7fffffff61"] = "found 1",
    }
    for digits, message in pairs(cases) do
      local value, mistake = decode(bytes_of(digits))
      assert.is_nil(value)
      assert.is_truthy(mistake:find(message, 1, true), digits .. ": " .. mistake)
    end
  end)

  it("refuses values that are nested without end", function()
    for _, opening in ipairs { "\x81", "\x9F", "\xA1\x61a", "\xBF\x61a", "\xD8\x18" } do
      assert.matches("at most 512 levels", select(2, decode(opening:rep(100000))))
    end
  end)
end)

-- ---- random values --------------------------------------------------------------------------

local alphabet = { "a", "Z", " ", "é", "€", "😀", "\0", '"' }

local function random_text()
  local parts = {}
  for position = 1, math.random(0, 30) do parts[position] = alphabet[math.random(#alphabet)] end
  return table.concat(parts)
end

local random_value

local makers = {
  function() return math.random(0) end, function() return math.random(-300, 300) end,
  function() return (math.random() - 0.5) * 10.0 ^ math.random(-20, 20) end, random_text,
  function() return math.random(2) == 1 end, function() return json.null end,
  function() return cbor.tagged(1, math.random(0, 1 << 33)) end, function() return cbor.bytes(random_text()) end,
  function(depth)
    local list = json.array {}
    for index = 1, math.random(0, 5) do list[index] = random_value(depth + 1) end
    return list
  end,
  function(depth)
    local map = {}
    for _ = 1, math.random(0, 5) do map[random_text()] = random_value(depth + 1) end
    return map
  end,
}

function random_value(depth)
  return makers[math.random(depth < 6 and #makers or #makers - 2)](depth)
end

---Changes some bytes, or cuts the text.
local function spoil(text)
  for _ = 1, math.random(3) do
    local at = math.random(#text)
    local choice = math.random(3)
    if choice == 1 then text = text:sub(1, at - 1) .. string.char(math.random(0, 255)) .. text:sub(at + 1) end
    if choice == 2 then text = text:sub(1, at) end
    if choice == 3 then text = text:sub(1, at) .. string.char(math.random(0, 255)) .. text:sub(at + 1) end
  end
  return text
end

describe("CBOR of random values", function()
  it("is read as it was written, and broken bytes are a mistake and nothing else", function()
    for seed = 1, 3000 do
      math.randomseed(seed)
      local value = random_value(0)
      local text = cbor.encode(value)
      check.equal(core.text.hex(text), core.text.hex(cbor.encode(cbor.decode(text))), "seed " .. seed)
      for _ = 1, 5 do decode(spoil(text)) end
    end
  end)
end)
