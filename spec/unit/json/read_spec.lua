---The reader: what it takes, what it refuses and where, and what it predicts.

local core = require "bide.core"
local texts = require "spec.unit.json.texts"

local json = core.json

local function round(text)
  local document, failure = json.read(text)
  return document and document:json() or failure.kind .. ": " .. tostring(failure)
end

local function titled(text)
  return (#text < 60 and text or text:sub(1, 30) .. "…"):gsub("%c", "·")
end

describe("the reader", function()
  for _, case in ipairs(texts.taken) do
    it("takes " .. titled(case[1]), function()
      assert.equal(case[2], round(case[1]))
    end)
  end

  for _, case in ipairs(texts.refused) do
    it("refuses " .. titled(case[1]), function()
      assert.equal(case[2], round(case[1]))
    end)
  end

  it("takes 1,000 levels", function()
    assert.truthy(json.read(("["):rep(1000) .. ("]"):rep(1000)))
    assert.falsy(json.read(("["):rep(1001) .. ("]"):rep(1001)))
  end)

  it("gives errors their place as fields", function()
    local document, failure = json.read('{"a":\n  x}')
    assert.is_nil(document)
    assert.same({ "json", 2, 3, 8 }, { failure.kind, failure.line, failure.column, failure.offset })
  end)
end)

describe("the reader's prediction", function()
  for _, case in ipairs(texts.predictions) do
    it("does not change " .. case[1], function()
      assert.equal(case[2] or case[1], round(case[1]))
    end)
  end

  it("does not take a name for the predicted one because its bytes go on so", function()
    assert.falsy(json.read('[{"a\\"b":1},{"a"b":2}]'))
    assert.falsy(json.read('[{"a\\"":1},{"a"":2}]'))
    assert.falsy(json.read('[{"a\\"b":1},{"a"b\0":2}]'))
    assert.falsy(json.read('[{"a":1},{"a\0:2}]'))
  end)
end)

describe("many names in one object", function()
  local function object(count, name)
    local members = {}
    for i = 1, count do members[i] = ('"%s":%d'):format(name(i), i) end
    return "{" .. table.concat(members, ",") .. "}"
  end

  for _, count in ipairs { 10, 16, 17, 40, 1000, 100000 } do
    it("are unique, " .. count .. " of them", function()
      local text = object(count, function(i) return "n" .. i end)
      assert.equal(text, round(text))
      local halves = json.decode(object(count, function(i) return "n" .. i % (count // 2) end))
      local left = 0
      for _ in pairs(halves) do left = left + 1 end
      assert.equal(count // 2, left)
      assert.equal(count - 1, halves["n" .. (count - 1) % (count // 2)])
    end)
  end

  ---Names of eight bytes whose hashes (bide_name_hash) end in the same twelve bits.
  local function colliding(count)
    local FACTOR <const> = 0x9E3779B97F4A7C15
    local names, number = {}, 0
    while #names < count do
      number = number + 1
      local name = ("%08d"):format(number)
      if ((9 * FACTOR ~ ("<i8"):unpack(name)) * FACTOR >> 32) & 0xFFF == 0 then names[#names + 1] = name end
    end
    return names
  end

  it("are unique where their hashes collide", function()
    local names = colliding(100)
    local decoded = json.decode(object(600, function(i) return names[i % 100 + 1] end))
    local left = 0
    for _ in pairs(decoded) do left = left + 1 end
    assert.equal(100, left)
    for i = 501, 600 do assert.equal(i, decoded[names[i % 100 + 1]]) end
  end)

  it("take no time that grows with their square, after an object of others", function()
    local before = os.clock()
    local function text(prefix) return object(60000, function(i) return prefix .. i end) end
    local first = text "a"
    assert.truthy(json.read("[" .. first .. "," .. text "b" .. "," .. first .. "]"))
    assert.is_true(os.clock() - before < 2)
  end)
end)

describe("a stream", function()
  local function read_all(text)
    local documents, position = {}, 1
    while true do
      local document, next_position = json.read_next(text, position)
      if not document then return documents, next_position end
      documents[#documents + 1] = document:json()
      position = next_position
    end
  end

  it("is read document by document", function()
    assert.same({ '{"a":1}', "[2]", "3", '"x y"', "null" }, (read_all('{"a":1}\n[2]\n3 "x y"\r\n\n null\n')))
    assert.same({ "{}", "[]", "[[]]" }, (read_all("{}[][[]]")))
    assert.same({ '"]"', '["\\"["]' }, (read_all([["]" ["\"["] ]])))
    assert.same({}, (read_all("")))
    assert.same({}, (read_all(" \n ")))
  end)

  it("has its error at the place in the whole text", function()
    local documents, failure = read_all('{"a":1}\n{"b":x}\n')
    assert.same({ '{"a":1}' }, documents)
    assert.equal("found 'x' where a value should be, at line 2, column 6", tostring(failure))
  end)

  it("ends in an error where the last document is cut", function()
    local documents, failure = read_all('[1]\n{"b":')
    assert.same({ "[1]" }, documents)
    assert.equal("json", failure.kind)
  end)

  it("takes time that grows with its length, not with its square", function()
    local before = os.clock()
    assert.equal(20000, #read_all(('{"a":[1,2,3],"b":"text"}\n'):rep(20000)))
    assert.is_true(os.clock() - before < 2)
  end)
end)
