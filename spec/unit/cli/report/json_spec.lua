---Documents that come in pieces, however they are cut.

local json = require("bide.core").json
local new_documents = require("bide.cli.report.json").documents

---Everything that a stream of such pieces gives, as one text.
local function answer(pieces)
  local given, at = {}, 0
  local stream = new_documents(function()
    at = at + 1
    return pieces[at]
  end)
  while true do
    local document, mistake = stream:next()
    if not document then
      given[#given + 1] = mistake
      return table.concat(given, "\n")
    end
    given[#given + 1] = document:json()
  end
end

local function cut(text, size)
  local pieces = {}
  for at = 1, #text, size do pieces[#pieces + 1] = text:sub(at, at + size - 1) end
  return pieces
end

describe("documents that come in pieces", function()
  local texts = {
    ['{"a":1}\n{"a":2}\n'] = '{"a":1}\n{"a":2}',
    ['{"a":1}{"a":[null,true]}[]"x"'] = '{"a":1}\n{"a":[null,true]}\n[]\n"x"',
    ["12 34\n-5.5e3 true"] = "12\n34\n-5500.0\ntrue",
    ['"caf\u{e9} \\ud83d\\ude00 \\u00e9 \\\\" 1'] = '"caf\u{e9} \u{1f600} \u{e9} \\\\"\n1',
    ["{\n  \"a\": [\n    1\n  ]\n}\n"] = '{"a":[1]}',
    [""] = "",
    [" \n \n"] = "",
    ['{"a":1}\n{"a": }\n{"a":2}'] = '{"a":1}\nfound \'}\' where a value should be, at line 2, column 7',
    ['1\n\n2 {"a":1} [x]'] = "1\n2\n{\"a\":1}\nfound 'x' where a value should be, at line 3, column 12",
    ['[1,\n2'] = "found the end where a comma or a closing bracket should be, at line 2, column 2",
    ['1\n"\\ud83d" 2'] = '1\n"\u{fffd}"\n2',
    ['1\n"\\ud83x"'] = "1\n\\u is not followed by four hexadecimal digits, at line 2, column 2",
    ["tru"] = "found 't' where a value should be, at line 1, column 1",
  }
  for text, wanted in pairs(texts) do
    it(("are the same at any cut: %q"):format(text), function()
      for size = 1, #text + 1 do assert.equal(wanted, answer(cut(text, size)), "pieces of " .. size) end
    end)
  end

  it("are there before the next one has come", function()
    local read = 0
    local stream = new_documents(function()
      read = read + 1
      return ('{"n":%d}\n'):format(read)
    end)
    for n = 1, 100 do assert.equal(('{"n":%d}'):format(n), stream:next():json()) end
    assert.equal(100, read)
    assert.is_true(#stream.text < 100)
  end)

  it("that are large are tried seldom", function()
    local text, read_next, tries = "[" .. ('"0123456789",'):rep(300000) .. "1]", json.read_next, 0
    json.read_next = function(...)
      tries = tries + 1
      return read_next(...)
    end
    finally(function() json.read_next = read_next end)
    assert.equal(text, answer(cut(text, 1 << 16)))
    assert.is_true(tries < 30, tries .. " tries of 60 pieces")
  end)
end)
