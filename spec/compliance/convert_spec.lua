---Waiters from form to form: the same shapes, acceptors, delays and decisions, there and back.

local convert = require "bide.model.convert.conversion"
local core = require "bide.core"
local data = require "spec.support.data"
local model = require "bide.model"
local models = require "spec.support.models"
local upgrade = require "bide.model.convert.upgrade"

local HEAD = '$version: "2.0"\nnamespace a.b\n'

local function read(...)
  return assert(convert.read({ ... }, function() error "no recipe is expected" end))
end

---@return string text
---@return string[] lost
local function write(texts, target, options)
  local text, problems = convert.write(read(table.unpack(texts)), target, options or {})
  return assert(text, problems), problems
end

local function given(name)
  return { file = name, text = data.read(name) }
end

---The texts that a file of the data needs: some refer to shapes of another one.
local function texts_of(name)
  local texts = { given(name) }
  if #model.of_texts(texts).problems > 0 then texts[2] = given "smithy/idl/valid/__shared.json" end
  return texts
end

local endings = { ast = "x.json", idl = "x.smithy" }

---The shapes of one namespace: a file of the IDL has no other.
local function has_one_namespace(texts)
  local found
  for _, id in ipairs(model.of_texts(texts).ids) do
    local namespace = id:match "^(.*)#"
    if found and found ~= namespace then return false end
    found = namespace
  end
  return found ~= nil
end

---A picture of all that a loader of version 2.0 makes of the shapes.
local function pictures(texts)
  local opened = model.of_texts(texts)
  local of_version_2 = setmetatable({ shape = function(_, id) return upgrade(opened, opened:shape(id)) end },
    { __index = opened })
  return models.pictures(of_version_2)
end

describe("bide convert", function()
  local names = data.files("smithy/idl/valid", "%.smithy$")
  table.move(data.files("smithy/waiters", "%.smithy$"), 1, 100, #names + 1, names)
  if #names == 0 then pending("smithy/idl/valid " .. data.unpacked_hint) end

  for _, name in ipairs(names) do
    local texts = data.read(name) and texts_of(name)
    if texts and has_one_namespace(texts) then
      for target, ending in pairs(endings) do
        it(("keeps every shape of %s as %s, and writes the same text again"):format(name, target), function()
          local text = write(texts, target)
          assert.same(pictures(texts), pictures { { file = ending, text = text } })
          assert.equal(text, (write({ { file = ending, text = text } }, target)))
        end)
      end
    end
  end

  for _, name in ipairs(data.files("smithy/models", "%.json$")) do
    it("keeps every shape of " .. name, function()
      local texts = { given(name) }
      for target, ending in pairs(endings) do
        assert.same(pictures(texts), pictures { { file = ending, text = (write(texts, target)) } })
      end
    end)
  end

  it("keeps the waiters of a model as Lua and as a trait value", function()
    local text = HEAD .. '@smithy.waiters#waitable(Done: { minDelay: 3 documentation: "a \\"b\\"\\n\\\\c" tags: ["x"] '
      .. 'acceptors: ['
      .. '{ state: "failure", matcher: { success: false }, message: "why" }'
      .. '{ state: "success", matcher: { inputOutput: { path: "input.a == output.b", '
      .. 'comparator: "booleanEquals", expected: "true" } } }'
      .. '] })\noperation Get {}\n'
    local source = { { file = "x.smithy", text = text } }
    local waiters = model.of_texts(source):shape("a.b#Get").traits["smithy.waiters#waitable"]
    assert.same(waiters, core.json.decode((write(source, "json"))))
    assert.same(waiters, load((write(source, "lua")))().Get.waitable)
  end)

  it("says what the target cannot have, and leaves it out where the caller allows it", function()
    local source = { { file = "waiters-2.json", text = '{"version": 2, "waiters": {"Done": {'
      .. '"operation": "Get", "delay": 5, "maxAttempts": 3,'
      .. ' "acceptors": [{"matcher": "status", "expected": 404, "state": "retry"},'
      .. ' {"matcher": "path", "argument": "a", "expected": "b", "state": "success"}]}}}' } }
    for _, target in ipairs { "ast", "idl" } do
      local text, mistake = convert.write(read(source[1]), target, {})
      assert.is_nil(text)
      assert.equal("Done: acceptors[1].matcher.status: a Smithy model cannot have this", mistake)
      local _, lost = write(source, target, { lossy = true })
      assert.same({ mistake }, lost)
    end
    assert.matches('"status": 404', (write(source, "json")))
    assert.matches("status = 404", (write(source, "lua")))
  end)

  it("takes the waiters of one operation for a trait value", function()
    local text = HEAD
    for _, name in ipairs { "One", "Two" } do
      text = text .. ('@smithy.waiters#waitable(%sDone: { acceptors: [{ state: "success", matcher: { success: true } }] })\n'
        .. "operation %s {}\n"):format(name, name)
    end
    local source = { { file = "x.smithy", text = text } }
    local written, mistake = convert.write(read(source[1]), "json", {})
    assert.is_nil(written)
    assert.matches("choose it by --operation: One, Two", mistake, 1, true)
    assert.matches("TwoDone", (write(source, "json", { operation = "Two" })))
    local _, unknown, is_misuse = convert.write(read(source[1]), "json", { operation = "Tow" })
    assert.same({ '--operation: there is no operation "Tow" with waiters; those are One, Two', true }, { unknown, is_misuse })
  end)
end)
