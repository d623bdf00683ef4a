---JSON and Lua values, both ways.

local core = require "bide.core"
local cjson = require "cjson"

local json = core.json

describe("decoding", function()
  it("keeps what a value is", function()
    local value = json.decode('{"i":1,"d":1.0,"s":"x","t":true,"n":null,"big":9223372036854775807}')
    assert.equal("integer", math.type(value.i))
    assert.equal("float", math.type(value.d))
    assert.equal("x", value.s)
    assert.is_true(value.t)
    assert.equal(json.null, value.n)
    assert.equal(math.maxinteger, value.big)
  end)

  it("has cjson's null", function()
    assert.equal(cjson.null, json.null)
  end)

  it("keeps an empty array and an empty object apart", function()
    local text = '{"a":[],"o":{},"l":[[],{}]}'
    assert.equal('{"a":[],"l":[[],{}],"o":{}}', json.encode(json.decode(text)))
    assert.is_true(json.is_array(json.decode("[]")))
    assert.is_false(json.is_array(json.decode("{}")))
  end)

  it("fails with nil and an error, and raises on what is no text", function()
    local value, failure = json.decode("[")
    assert.is_nil(value)
    assert.equal("json", failure.kind)
    assert.has_error(function() json.decode({}) end)
    assert.has_error(function() json.decode() end)
  end)
end)

describe("encoding", function()
  local cases = {
    { nil, "null" }, { true, "true" }, { 1, "1" }, { 1.0, "1.0" }, { -0.5, "-0.5" }, { math.mininteger, "-9223372036854775808" },
    { "x\n\"\\\1", [["x\n\"\\\u0001"]] }, { json.null, "null" }, { "\u{e9}", '"\u{e9}"' },
    { { 1, 2, { 3 } }, "[1,2,[3]]" }, { { b = 1, a = 2 }, '{"a":2,"b":1}' },
    { {}, "{}" }, { { {} }, "[[]]" }, { { a = {} }, '{"a":[]}' }, { json.array {}, "[]" }, { json.array { 1 }, "[1]" },
    { "a\xff\xfeb", '"a\u{FFFD}\u{FFFD}b"' }, { { ["\xff"] = 1 }, '{"\u{FFFD}":1}' },
  }
  for _, case in ipairs(cases) do
    it("gives " .. case[2], function()
      assert.equal(case[2], (json.encode(case[1])))
    end)
  end

  it("does not depend on the order in which a table was filled", function()
    local names, text = {}, nil
    for i = 1, 50 do names[i] = "n" .. i end
    for shift = 0, 49 do
      local value = {}
      for i = 1, 50 do value[names[(i + shift) % 50 + 1]] = true end
      text = text or json.encode(value)
      assert.equal(text, json.encode(value))
    end
  end)

  local itself = {}
  itself.itself = itself
  local refused = {
    { print, "the value is a function, which JSON cannot represent" },
    { { a = { print } }, "a[1] is a function, which JSON cannot represent" },
    { { a = { b = 0 / 0 } }, "a.b is not a finite number" },
    { { math.huge }, "[1] is not a finite number" },
    { { 1, nil, 3 }, "the value is an array with holes" },
    { { x = { 1, a = 2 } }, "x mixes names and positions" },
    { { [1.5] = 1 }, "the value has a key that is neither a string nor a position" },
    { { [true] = 1 }, "the value has a key that is neither a string nor a position" },
    { json.array { a = 1 }, "the value is marked as an array and has names" },
    { { io.stdout }, "[1] is a userdata, which JSON cannot represent" },
    { itself, "the value is nested too deeply, beyond 1000 levels; does a table hold itself?", "limit" },
  }
  for _, case in ipairs(refused) do
    it("fails where " .. case[2], function()
      local text, failure = json.encode(case[1])
      assert.is_nil(text)
      assert.equal(case[2], failure.message)
      assert.equal(case[3] or "json", failure.kind)
    end)
  end

  it("indents", function()
    local value = json.decode('{"a":[1,{"b":[]}],"c":{}}')
    assert.equal('{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "c": {}\n}', json.encode(value, { indent = true }))
  end)

  it("leaves secrets out when told to", function()
    local value = json.decode('{"password":"x","user":{"AccessToken":[1],"name":"y"}}')
    assert.equal('{"password":"[redacted]","user":{"AccessToken":"[redacted]","name":"y"}}',
      json.encode(value, { redact = true }))
    assert.equal('{"password":"x","user":{"AccessToken":[1],"name":"y"}}', json.encode(value))
  end)

  it("raises on an option that there is not", function()
    assert.has_error(function() json.encode({}, { pretty = true }) end)
  end)
end)

describe("a document", function()
  it("is read, looked at and written", function()
    local document = json.read('{"a":[1,null]}')
    assert.equal("object", document:type())
    assert.same({ a = { 1, json.null } }, document:value())
    assert.equal('{"a":[1,null]}', document:json())
    assert.equal('{"a":[1,null]}', tostring(document))
    assert.equal('{\n  "a": [\n    1,\n    null\n  ]\n}', document:json { indent = true })
    assert.equal(1, #document)
  end)

  it("keeps the order of members", function()
    assert.equal('{"z":1,"a":2}', json.read('{"z":1,"a":2}'):json())
  end)

  it("gives its parts, and the names of their members in their order", function()
    local document = json.read '{"z": {"y": [1], "x": null}, "": 2}'
    assert.same({ 1 }, document:value("z", "y"))
    assert.equal(json.null, document:value("z", "x"))
    assert.equal(2, document:value "")
    assert.is_nil(document:value("z", "w"))
    assert.is_nil(document:value("z", "y", "v"))
    assert.same({ "z", "" }, document:names())
    assert.same({ "y", "x" }, document:names "z")
    assert.is_nil(document:names("z", "y"))
    assert.is_nil(document:names "a")
    assert.has_error(function() document:value {} end)
    assert.has_error(function() document:names("z", nil) end)
  end)

  it("stands within tables, and outlives the one it came from", function()
    local document = json.document { inner = json.read('{"z":[1.0],"a":"text"}'), n = 1 }
    collectgarbage()
    collectgarbage()
    assert.equal('{"inner":{"z":[1.0],"a":"text"},"n":1}', document:json())
    assert.equal('[{"b":1}]', json.encode { json.read('{"b":1}') })
  end)

  it("is one that is known if the two are the same, to the byte", function()
    for _, value in ipairs { { a = { 1, "x" } }, { a = ("x"):rep(5000) }, "text" } do
      local known = json.document(value)
      assert.is_true(rawequal(known, json.document(value, known)))
      assert.is_false(rawequal(known, json.document({ a = 1 }, known)))
    end
    assert.equal('{"a":1}', json.document({ a = 1 }, json.document { a = 1.0 }):json())
    assert.equal('{"a":1}', json.document({ a = 1 }, "no document"):json())
  end)

  it("takes what cjson decodes", function()
    assert.equal('{"a":[1.0,null,"x"]}', json.document(cjson.decode('{"a":[1,null,"x"]}')):json())
  end)

  it("knows arrays", function()
    assert.is_true(json.is_array(json.read("[]")))
    assert.is_true(json.is_array { 1 })
    assert.is_false(json.is_array {})
    assert.is_false(json.is_array "x")
    assert.is_true(json.is_array(json.array()))
  end)
end)

describe("another reader", function()
  it("reads what is written here as it was", function()
    local value = json.decode('{"a":[1,2.5,"x\\u0000\\n\\u00e9\\ud83d\\ude00/"],"b":{"c":true,"d":null}}')
    assert.same(value, cjson.decode(json.encode(value)))
  end)
end)

describe("reading what was written", function()
  local random = 42
  local function draw(below)
    random = (random * 6364136223846793005 + 1442695040888963407)
    return (random >> 33) % below
  end

  local pieces = { "a", "\"", "\\", "\n", "\u{e9}", "\u{10348}", "\0", "/", "long plain text ", "\x7f" }
  local function text()
    local parts = {}
    for i = 1, draw(6) do parts[i] = pieces[draw(#pieces) + 1] end
    return table.concat(parts)
  end

  local function double()
    local number = string.unpack("<d", string.pack("<i8", random ~ (draw(1 << 30) << 17)))
    return number - number == 0 and number or 0.5
  end

  local function value(depth)
    local kind = draw(depth > 4 and 6 or 9)
    if kind == 0 then return json.null end
    if kind == 1 then return draw(2) == 0 end
    if kind == 2 then return draw(1 << 30) * draw(1 << 30) - (draw(1 << 30) << 20) end
    if kind == 3 then return double() end
    if kind < 6 then return text() end
    local container = {}
    for i = 1, draw(5) do container[kind == 6 and text() or i] = value(depth + 1) end
    return kind == 6 and container or json.array(container)
  end

  it("gives the same, whatever it was", function()
    for _ = 1, 2000 do
      local first = json.encode { top = value(0) }
      local second = json.read(first):json()
      assert.equal(first, second)
      assert.equal(first, json.encode(json.decode(first)))
      assert.equal(first, json.read(json.read(first):json { indent = true }):json())
    end
  end)
end)
