---Reading what a person wrote: a member that is given twice is a failure, at its second place, or at the first if
---the reader predicted the second.

local core = require "bide.core"

local json = core.json
local unique = { unique = true }

---An object with members from `from` to `to`, and more behind them.
local function object(from, to, more)
  local members = {}
  for i = from, to do members[#members + 1] = ('"m%d":%d'):format(i, i) end
  return "{" .. table.concat(members, ",") .. (more or "") .. "}"
end

local function failure_of(text, options)
  local document, failure = json.read(text, options or unique)
  local value, same = json.decode(text, options or unique)
  assert.is_nil(document)
  assert.is_nil(value)
  assert.equal(tostring(failure), tostring(same))
  return failure
end

describe("a member that is given twice", function()
  local cases = {
    { '{"state":1,"state":2}', "state", 1, 12 },
    { '{"a":{"b":1,\n "c":2, "b":3}}', "b", 2, 9 },
    { '[{"a":1,"b":2},{"a":1,"b":2,"a":3}]', "a", 1, 29 },
    { '[{"a":1},{"b":1,"b":2}]', "b", 1, 17 },
    { '{"\\u0061":1,"a":2}', "a", 1, 13 },
    { '{"ä":1,"\\u00e4":2}', "ä", 1, 8 },
    { '{"":1,"":2}', "", 1, 7 },
    { object(1, 100, ',"m7":0'), "m7", 1, #object(1, 100) + 1 },
    { object(1, 20, ',"m7":0'), "m7", 1, #object(1, 20) + 1 },
    { "[" .. object(1, 100) .. "," .. object(2, 100, ',"m2":0') .. "]", "m2", 1,
      #object(1, 100) + #object(2, 100) + 3 },
    { "[" .. object(1, 100) .. ',{"m90":1,' .. object(1, 100):sub(2) .. "]", "m90", 1,
      #object(1, 100) + 4 }, -- the second one has no place of its own, since it was predicted
  }

  for _, case in ipairs(cases) do
    local text, name, line, column = table.unpack(case)
    it("is refused with its place: " .. (#text < 40 and text or text:sub(1, 37) .. "…"):gsub("%s", " "), function()
      local failure = failure_of(text)
      assert.equal(('the member "%s" is given twice'):format(name), failure.message)
      assert.same({ "json", line, column }, { failure.kind, failure.line, failure.column })
    end)
  end

  it("is refused in a stream, too", function()
    local document, failure = json.read_next('{"a":1} {"b":1,"b":2}', 8, unique)
    assert.is_nil(document)
    assert.equal(16, failure.column)
  end)

  it("has no more of a long name in its message than whole characters", function()
    local name = "a" .. ("ä"):rep(100)
    local failure = failure_of(('{"%s":1,"%s":2}'):format(name, name))
    assert.equal(('the member "a%s…" is given twice'):format(("ä"):rep(39)), failure.message)
  end)

  it("is refused beside lenient reading", function()
    local failure = failure_of('{"a":"\\ud800","a":1e999}', { lenient = true, unique = true })
    assert.equal('the member "a" is given twice', failure.message)
  end)

  it("counts as its last value where services speak", function()
    assert.equal('{"a":2}', json.read('{"a":1,"a":2}', { lenient = true }):json())
    assert.equal('{"a":2}', json.read('{"a":1,"a":2}', { unique = false }):json())
  end)
end)

describe("members of one name in different objects", function()
  for _, text in ipairs {
    '{"a":{"a":{"a":1}},"b":{"a":2}}', '[{"a":1,"b":2},{"b":2,"a":1},{"a":1,"b":2}]',
    "[" .. object(1, 100) .. "," .. object(50, 150) .. "," .. object(1, 150) .. "]",
  } do
    it("are read: " .. text:sub(1, 40), function()
      assert.equal(text, json.read(text, unique):json())
    end)
  end
end)
