---Models with random mistakes: reading and checking them finds problems, and never raises an error or takes long.

local check = require "bide.model.check.model"
local core = require "bide.core"
local model = require "bide.model"

local json = core.json

local SEED = tonumber(os.getenv "BIDE_SEED") or os.time()
local CASES = tonumber(os.getenv "BIDE_CASES") or 200

---The longest time of one case, in seconds of the processor.
local BOUND = 1

local IDL = [=[
$version: "2.0"
metadata suppressions = [{ id: "A.B", namespace: "*", reason: """
    why""" }]
namespace a.b
use smithy.waiters#waitable

/// A service.
service S { version: "1", operations: [Get], resources: [R], errors: [Gone], rename: { "a.b#T": "U" } }
resource R { identifiers: { id: String }, properties: { size: Integer }, read: Get, resources: [] }

@mixin
structure Common for R {
  @required
  $id
  when: Timestamp = 0
}

@suppress(["X"])
@waitable(Done: { documentation: "d", minDelay: 1, maxDelay: 9, tags: ["t"], acceptors: [
  { state: "success", matcher: { output: { path: "items[*].name", comparator: "allStringEquals", expected: "x" } } }
  { state: "failure", message: "text", matcher: { inputOutput: { path: "input.id == output.text",
    comparator: "booleanEquals", expected: "true" } } }
  { state: "retry", matcher: { errorType: "Gone" } }
  { state: "retry", matcher: { success: false } } ] })
@readonly
operation Get { input := with [Common] { version: Integer }, output := { items: Items, text: String, map: M, u: U }
  errors: [Gone] }
list Items { member: T }
structure T { name: String, next: T, items: Items }
map M { key: String, value: Document }
union U { a: String, @sensitive b: Blob }
enum E {
  ONE = "one"
  TWO
}
intEnum N {
  ONE = 1
}
@error("client") @httpError(404)
structure Gone { message: String }
apply T$name @length(min: 1, max: 1e2)
apply Gone { @retryable(throttling: true) @title("x\u0041\n") }
]=]

---Bytes and words that mean something somewhere.
local words = { "{", "}", "[", "]", "(", ")", ":", ":=", "=", ",", "@", "$", "#", ".", "\"", "\"\"\"", "\\", "\\u", "//", "///",
  "\n", "\r", "\0", "\xFF", "\xEF\xBB\xBF", "é", "-", "0", "-1", "1e999", "9999999999999999999",
  "null", "true", "a.b#T", "a.b#T$name",
  "apply ", "with [T]", "for R", "structure ", "use a.b#T\n", "@mixin ", "namespace c\n", "metadata x = 1\n", ("[" ):rep(500) }

local function one_of(list) return list[math.random(#list)] end

---A text with a part left out, repeated, or another put in its place.
local function damaged(text)
  for _ = 1, math.random(3) do
    local first = math.random(#text + 1)
    local last = math.min(#text, first + math.random(0, one_of { 0, 1, 8, 60 }) - 1)
    local part = text:sub(first, last)
    local replacement = one_of { "", part .. part, one_of(words), one_of(words) .. part, string.char(math.random(0, 255)) }
    text = text:sub(1, first - 1) .. replacement .. text:sub(last + 1)
  end
  return text
end

local odd = { '""', '"x"', '"a.b#T"', '"a.b#Nothing"', '"a.b#T$name"', '"structure"', '"operation"', '"list"', '"union"',
  "0", "-1", "1.5", "1e300", "true", "false", "null", "[]", "{}", '{"target": "a.b#Get"}', '{"target": "a.b#T"}', '[[["x"]]]',
  '{"": {"": null}}', "[null]" }

---Replaces a random part of a value.
local function change(value, depth)
  if type(value) ~= "table" or next(value) == nil or depth > 1 and math.random(4) == 1 then
    return json.decode(one_of(odd))
  end
  local names = {}
  for name in pairs(value) do names[#names + 1] = name end
  table.sort(names)
  local name = one_of(names)
  value[name] = change(value[name], depth + 1)
  return value
end

---Reads, describes and checks a model, and reads every shape of it.
local function use(text, file)
  local opened = model.of_texts { { file = file, text = text } }
  local said = model.describe_all(opened.problems)
  if #opened.problems > 0 then return #said end
  for _, id in ipairs(opened.operation_ids) do opened:operation(id) end
  check.check(opened)
  return require("bide.model.run.recipe").read(file, text)
end

local function hold(kind, number, text, file)
  local before = os.clock()
  local ok, mistake = xpcall(use, debug.traceback, text, file)
  local said = ("BIDE_SEED=%d, %s %d\n%s\n%s"):format(SEED, kind, number, text, tostring(mistake))
  assert.is_true(ok, said)
  assert.is_true(os.clock() - before < BOUND, said)
end

describe("a model with random mistakes", function()
  before_each(function() math.randomseed(SEED) end)

  it("is read without mistakes before it is damaged", function()
    assert.equal("", model.describe_all(model.of_texts({ { file = "m.smithy", text = IDL } }).problems))
  end)

  it("is refused or taken in the IDL", function()
    for number = 1, CASES do hold("text", number, damaged(IDL), "m.smithy") end
  end)

  it("is refused or taken in the AST", function()
    local document = model.of_texts({ { file = "m.smithy", text = IDL } }).sources[1].document:value()
    for target, traits in pairs(document.applied) do document.shapes[target .. "$"] = { type = "apply", traits = traits } end
    local ast = assert(json.encode(document))
    for number = 1, CASES do
      local value = json.decode(ast)
      for _ = 1, math.random(3) do value = change(value, 0) end
      hold("value", number, assert(json.encode(value)), "m.json")
      hold("text", number, damaged(ast), "m.json")
    end
  end)
end)
