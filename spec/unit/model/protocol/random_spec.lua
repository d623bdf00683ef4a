---Random values by every protocol: what a request says is what an answer of the same words says; hostile inputs are a
---mistake, and spoilt answers the operation error InvalidResponse, and nothing else.

local base64 = require "bide.base64"
local core = require "bide.core"
local model = require "bide.model"
local check = require "spec.support.check"
local protocols = require "spec.support.protocols"

-- busted looks up a global at each use
local ipairs, math, next, pairs, pcall, string, table, type = ipairs, math, next, pairs, pcall, string, table, type

local json = core.json

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restJson1
service Service { version: "1" operations: [Echo, Bound] }
@http(method: "POST", uri: "/")
operation Echo { input := with [Parts] {}, output := with [Parts] {} }
@http(method: "POST", uri: "/{label}/{rest+}")
@endpoint(hostPrefix: "{label}.")
operation Bound {
    input := {
        @required @httpLabel @hostLabel label: String
        @required @httpLabel rest: Timestamp
        @httpQuery("size") size: Integer
        @httpQuery("names") names: Names
        @httpQueryParams params: Params
        @httpHeader("X-Names") headers: Names
        @httpHeader("X-At") at: Timestamp
        @httpPrefixHeaders("x-p-") prefixed: Params
        @httpPayload payload: Blob
    }
    output := {
        @httpHeader("X-Names") headers: Names
        @httpHeader("X-At") at: Timestamp
        @httpHeader("X-Ratio") ratio: Double
        @httpPrefixHeaders("x-p-") prefixed: Params
        @httpPayload payload: Node
    }
}
@mixin
structure Parts {
    text: String
    size: Long
    ratio: Double
    isOpen: Boolean
    at: Timestamp
    @timestampFormat("http-date") date: Timestamp
    data: Blob
    names: Names
    @xmlFlattened flat: Nodes
    map: Map
    node: Node
    choice: Choice
    anything: Document
}
structure Node with [Parts] {}
union Choice { number: Integer, node: Node, list: Nodes }
list Names { member: String }
list Nodes { member: Node }
map Map { key: String, value: Node }
map Params { key: String, value: String }
]] } }
assert.equal("", model.describe_all(opened.problems))

local IDS = { "aws.protocols#awsJson1_0", "aws.protocols#awsJson1_1", "aws.protocols#restJson1", "alloy#simpleRestJson",
  "aws.protocols#restXml", "smithy.protocols#rpcv2Json", "smithy.protocols#rpcv2Cbor", "aws.protocols#awsQuery",
  "aws.protocols#ec2Query" }

-- ---- inputs ---------------------------------------------------------------------------------

local function one_of(list) return list[math.random(#list)] end

local letters = { "a", "Z", " ", "é", "😀", "<", ">", "&", '"', "'", "]]>", "\\", "%", "/", "=", "+", "\t" }

local function random_text()
  local parts = {}
  for position = 1, math.random(0, 6) do parts[position] = one_of(letters) end
  return table.concat(parts)
end

local make

---Whether the protocol has documents.
local has_documents

local function make_structure(shape, depth)
  local value = {}
  for _, member in ipairs(shape.members) do
    local is_possible = member.name ~= "anything" or has_documents
    if is_possible and math.random() < 0.8 / depth then value[member.name] = make(member.target, depth + 1) end
  end
  return value
end

local makers = {
  string = random_text,
  long = function() return one_of { 0, -1, math.maxinteger, math.mininteger, 9007199254740993, math.random(0) } end,
  integer = function() return math.random(-9, 9) end,
  double = function() return one_of { 0.5, -2.25, 1e300, 3.0, "NaN", "Infinity", "-Infinity", math.random() } end,
  boolean = function() return math.random(2) == 1 end,
  timestamp = function() return one_of { 0, 1.5, 1398796238.25, 951782400, -5 } end,
  document = function() return one_of { 1, "x", true, json.array { 1, { a = "b" } }, { a = { b = 0.5 } } } end,
  blob = function() return base64.encode(random_text()) end,
  structure = make_structure,
  union = function(shape, depth)
    local member = one_of(shape.members)
    return { [member.name] = make(member.target, depth + 1) }
  end,
  list = function(shape, depth)
    local list = json.array {}
    for index = 1, math.random(0, 2) do list[index] = make(shape.members[1].target, depth + 1) end
    return list
  end,
  map = function(shape, depth)
    local map = {}
    for _ = 1, math.random(0, 2) do map[one_of { "k", "b c", "é" }] = make(shape.members[2].target, depth + 1) end
    return map
  end,
}

function make(id, depth)
  local shape = opened:shape(id)
  return makers[shape.type](shape, depth)
end

---An empty flattened list has no element in XML.
local function without_empty_lists(value)
  if type(value) ~= "table" then return value end
  local kept = json.is_array(value) and json.array {} or {}
  for key, one in pairs(value) do
    if key ~= "flat" or next(one) ~= nil then kept[key] = without_empty_lists(one) end
  end
  return kept
end

local SEEDS = tonumber(os.getenv "BIDE_CASES") or 150

describe("random values", function()
  for position = 1, 7 do
    it("come back from " .. IDS[position], function()
      local echo = assert(opened:operation("Echo", { protocol = IDS[position] }))
      has_documents = IDS[position]:find "[jJ]son" ~= nil
      for seed = 1, SEEDS do
        math.randomseed(seed)
        local input = make_structure(echo.input, 1)
        if IDS[position]:find "Xml" then input = without_empty_lists(input) end
        local request = assert(echo:request(input))
        local output = assert(echo:answer { status = 200, headers = protocols.headers_of(IDS[position]), body = request.body })
        check.equal(protocols.canonical(input), protocols.canonical(output), "seed " .. seed)
        check.equal(request.body, echo:request(json.decode(json.encode(input))).body, "seed " .. seed)
      end
    end)
  end
end)

-- ---- hostile values -------------------------------------------------------------------------

local endless = {}
endless.node = endless

local function strange(depth)
  return one_of { function() return {} end, function() return json.null end, function() return 1e308 * 10 end,
    function() return 0 / 0 end, function() return "\xFF\xFE" end, function() return -1 end, function() return 2 ^ 70 end,
    function() return print end, function() return coroutine.create(print) end, function() return true end,
    function() return 1e17 end, function() return { 1, nil, 3 } end, function() return { [2.5] = 1, [true] = "x" } end,
    function() return setmetatable({}, { __metatable = 5 }) end, function() return endless end,
    function() return setmetatable({}, { __name = 7, is_scalar = true }) end, function() return io.stdout end,
    function() return depth < 4 and { text = strange(depth + 1), names = strange(depth + 1), node = strange(depth + 1) } end,
    function() return json.array { strange(5), strange(5) } end, function() return { flat = strange(5), map = strange(5) } end,
    function() return { k = strange(5), [1] = strange(5), number = strange(5) } end,
  }()
end

---Calls a function, which may return nil and a text, but not raise.
local function expect_mistake(f, ...)
  local ok, value, mistake = pcall(f, ...)
  check.is_true(ok, value)
  if value == nil then assert.equal("string", type(mistake), tostring(mistake)) end
end

describe("hostile inputs", function()
  for _, id in ipairs(IDS) do
    it("are a mistake for " .. id, function()
      for _, name in ipairs { "Echo", "Bound" } do
        local operation = assert(opened:operation(name, { protocol = id }))
        for seed = 1, SEEDS do
          math.randomseed(seed)
          local input = { label = "a", rest = 0 }
          for _, member in ipairs(operation.input.members) do
            if math.random(4) == 1 then input[member.name] = strange(1) end
          end
          expect_mistake(operation.request, operation, input)
        end
      end
    end)
  end
end)

local insertions = { "<", "{", "[", '"', "&", "\xFF", "\x9F", "null", "1e999" }

---Changes some bytes, repeats a part, or cuts the text.
local function spoil(text)
  for _ = 1, math.random(3) do
    local at, choice = math.random(#text + 1), math.random(4)
    if choice == 1 then text = text:sub(1, at - 1) .. string.char(math.random(0, 255)) .. text:sub(at + 1) end
    if choice == 2 then text = text:sub(1, at) end
    if choice == 3 then text = text:sub(1, at) .. one_of(insertions) .. text:sub(at + 1) end
    if choice == 4 then text = text:sub(1, at) .. text:sub(math.random(at), at) .. text:sub(at + 1) end
  end
  return text
end

local wrappers = { ["aws.protocols#awsQuery"] = "<EchoResponse><EchoResult>%s</EchoResult></EchoResponse>" }

describe("spoilt answers", function()
  for _, id in ipairs(IDS) do
    it("are InvalidResponse for " .. id, function()
      has_documents = id:find "[jJ]son" ~= nil
      local source = id:find "Query" and "aws.protocols#restXml" or id
      local writer = assert(opened:operation("Echo", { protocol = source }))
      local echo = assert(opened:operation("Echo", { protocol = id }))
      local refused = 0
      for seed = 1, SEEDS do
        math.randomseed(seed)
        local body = writer:request(make_structure(writer.input, 1)).body
        if wrappers[id] then body = wrappers[id]:gsub("%%s", (body:gsub("%%", "%%%%"))) end
        for _, status in ipairs { 200, 400 } do
          local ok, output, failure = pcall(echo.answer, echo, { status = status, headers = {}, body = spoil(body) })
          check.is_true(ok, output)
          check.is_true(output ~= nil or type(failure.type) == "string" and type(failure.message) == "string")
          if failure and status == 200 then
            check.equal("InvalidResponse", failure.type)
            refused = refused + 1
          end
        end
      end
      assert.is_true(refused > SEEDS / 4, refused .. " were refused")
    end)
  end

  it("in headers are InvalidResponse", function()
    local bound = assert(opened:operation "Bound")
    for seed = 1, SEEDS do
      math.randomseed(seed)
      local headers = { ["X-Names"] = spoil 'a, "b,\\"c", d', ["X-At"] = spoil "Thu, 01 Jan 1970 00:00:05 GMT",
        ["X-Ratio"] = spoil "1.5", ["x-p-"] = spoil "x", ["X-P-y"] = "" }
      local ok, output, failure = pcall(bound.answer, bound, { status = 200, headers = headers, body = "" })
      check.is_true(ok, output)
      check.is_true(output ~= nil or failure.type == "InvalidResponse")
    end
  end)
end)
