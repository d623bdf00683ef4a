---The lenient reader: what services send and a value cannot hold.

local json = require("bide.core").json

local lenient = { lenient = true }

local HIGH, LOW, PAIR = "\\ud83d", "\\ude00", "\\ud83d\\ude00"
local FACE, REPLACED = "😀", "\u{FFFD}"
local LARGEST = "1.7976931348623157e308"

local one_surrogate = "1 lone surrogate was read as U+FFFD"
local one_number = "1 number beyond a double was read as the largest double of its sign"

---The text, what it is written as again, and the note.
local rows = {
  { '"' .. HIGH .. '"', '"' .. REPLACED .. '"', one_surrogate },
  { '"' .. LOW .. '"', '"' .. REPLACED .. '"', one_surrogate },
  { '"a' .. HIGH .. 'b"', '"a' .. REPLACED .. 'b"', one_surrogate },
  { '"' .. HIGH .. PAIR .. '"', '"' .. REPLACED .. FACE .. '"', one_surrogate },
  { '"' .. PAIR .. LOW .. '"', '"' .. FACE .. REPLACED .. '"', one_surrogate },
  { '"' .. HIGH .. "\\u0041" .. '"', '"' .. REPLACED .. 'A"', one_surrogate },
  { '"' .. LOW .. HIGH .. '"', '"' .. REPLACED .. REPLACED .. '"', "2 lone surrogates were read as U+FFFD" },
  { '{"' .. HIGH .. '":1}', '{"' .. REPLACED .. '":1}', one_surrogate },
  { '{"' .. HIGH .. '":1,"' .. LOW .. '":1}', '{"' .. REPLACED .. '":1}', "2 lone surrogates were read as U+FFFD" },
  { "[1e999]", "[" .. LARGEST .. "]", one_number },
  { "[-1e999]", "[-" .. LARGEST .. "]", one_number },
  { "1" .. ("0"):rep(400), LARGEST, one_number },
  { '["' .. HIGH .. '",1e999,-1e999]', ('["%s",%s,-%s]'):format(REPLACED, LARGEST, LARGEST),
    one_surrogate .. ", 2 numbers beyond a double were read as the largest double of its sign" },
  { "[1e-999]", "[0.0]" },
  { '["' .. PAIR .. '",' .. LARGEST .. "]", '["' .. FACE .. '",' .. LARGEST .. "]" },
}

local refused = {
  "\u{FEFF}{}", "[NaN]", '"\xFF"', '"\xED\xA0\x80"', '"\\ud83"', '"\\uZZZZ"', "[1e]", "[1", '{"a":1', "",
}

describe("the lenient reader", function()
  for _, row in ipairs(rows) do
    local text, written, note = table.unpack(row)

    it("reads " .. text:sub(1, 40), function()
      local document, failure, said = json.read(text, lenient)
      assert.is_nil(failure)
      assert.same({ written, note }, { document:json(), said })
      local value
      value, failure, said = json.decode(text, lenient)
      assert.is_nil(failure)
      assert.same({ document:value(), note }, { value, said })
    end)

    it(("is needed for %s: %s"):format(text:sub(1, 40), tostring(note ~= nil)), function()
      assert.equal(note ~= nil, json.read(text) == nil)
      assert.equal(note ~= nil, json.decode(text) == nil)
    end)
  end

  for _, text in ipairs(refused) do
    it("refuses " .. text:gsub("[^\x20-\x7E]", "?"), function()
      assert.is_nil((json.read(text, lenient)))
    end)
  end

  it("notes the members that are there twice with different values", function()
    local function twice(names, count)
      local words = count and ("%d members that are there twice were"):format(count) or "1 member that is there twice was"
      return words .. " read as the last value" .. (names and ": " .. names or "")
    end
    local long = ("n"):rep(120)
    for _, row in ipairs {
      { '{"a":1,"a":2}', twice "a", "a\0" },
      { '{"a":1,"a":1.0}' },
      { '{"a":{"b":1,"c":[2]},"a":{"c":[2],"b":1}}' },
      { '{"a":1,"a":2,"a":1}' }, -- readers take the first or the last
      { '[{"a":1,"a":2},{"b":0,"a":2},{"a":true,"b":null,"a":false,"b":0}]', twice("a, b", 3), "a\0b\0" },
      { '{"a":{"b":1,"b":2},"a":0}', twice("b, a", 2), "b\0a\0" },
      { '{"a":1,"b":2}' },
      { '{"é":1,"\\u00e9":2}', twice "é", "é\0" },
      { '{"\\u0000":1,"\\u0000":2}', twice(), true },
      { ('{"%s":1,"%s":2}'):format(long, long), twice(), true },
      { ('{"%s":1,"%s":2}'):format(long:sub(2), long:sub(2)), twice(long:sub(2)), long:sub(2) .. "\0" },
      { '{"a":"\\ud800","a":2}', one_surrogate .. ", " .. twice "a", "a\0" },
    } do
      for _, read in ipairs { json.read, json.decode } do
        local value, _, note, repeated = read(row[1], lenient)
        assert.is_not_nil(value)
        assert.same({ row[2], row[3] }, { note, repeated }, row[1])
        local _, _, silent = read(row[1]:gsub("\\ud800", "d"), {})
        assert.is_nil(silent)
      end
    end
  end)

  it("notes them among very many members, and at little cost", function()
    local parts = {}
    for number = 1, 100000 do parts[number] = ('"n%d":%d'):format(number, number) end
    local names = table.concat(parts, ",")
    local _, _, note, repeated = json.decode("{" .. names .. "," .. names .. ',"n7":0}', lenient)
    assert.same({ "1 member that is there twice was read as the last value: n7", "n7\0" }, { note, repeated })
    local back = {}
    for number = 1, #parts do back[number] = parts[#parts + 1 - number] end
    local text = ('{"o":{%s},"o":{%s}}'):format(names, table.concat(back, ","))
    local begun = os.clock()
    note, repeated = select(3, json.decode(text, lenient))
    assert.same({ "1 member that is there twice was read as the last value: o", "o\0" }, { note, repeated })
    assert.is_true(os.clock() - begun < 5)
  end)

  it("counts for each document of a stream anew", function()
    local text = '["' .. HIGH .. '"] [1]'
    local first, following, note = json.read_next(text, 1, lenient)
    assert.same({ one_surrogate, 1 }, { note, #first })
    local second
    second, following, note = json.read_next(text, following, lenient)
    assert.same({ 1, #text + 1 }, { second:value()[1], following })
    assert.is_nil(note)
  end)

  it("knows no other option", function()
    assert.has_error(function() json.read("1", { lax = true }) end, "unknown option 'lax' (the options are lenient and unique)")
  end)
end)
