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
  { '{"' .. HIGH .. '":1,"' .. LOW .. '":2}', '{"' .. REPLACED .. '":2}', "2 lone surrogates were read as U+FFFD" },
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
