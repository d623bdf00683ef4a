---Small things that a recipe said and nobody saw: tags were dropped, a deprecated waiter ran without a word, a name
---that is not ASCII, or empty, lost the line of the message, and bide.waiter took any name.

local Workspace = require "spec.support.workspace"

local acceptors = '{ { state = "success", matcher = { success = true } } }'
local recipe = ([[
return { Get = { call = function() return {} end, waitable = {
  ThingExists = { tags = { "slow", "fleet\nwide" }, deprecated = true, acceptors = %s },
  ThingGone = { tags = {}, acceptors = %s },
} } }
]]):format(acceptors, acceptors)

describe("a waiter", function()
  local workspace = Workspace.of_each { ["things.lua"] = recipe, ["answers.jsonl"] = '{"output": {}}\n' }

  it("keeps its tags, and shows them", function()
    local listed = workspace:bide { "list", "things.lua" }
    assert.equal(0, listed.code)
    assert.matches("ThingExists .* %[slow, fleet\\x0Awide%] %(deprecated%)\n", listed.stdout)
    assert.matches("ThingGone [^%[]*$", listed.stdout)
    workspace:write("tags.lua", [[
      local things = assert(require("bide").load("things.lua"))
      print(#things.ThingExists.tags, things.ThingExists.tags[1], #things.ThingGone.tags)]])
    assert.equal("2\tslow\t0\n", workspace:bide({ "exec", "tags.lua" }).stdout)
  end)

  it("that is deprecated says so when it runs", function()
    for _, words in ipairs {
      { "run", "things.lua", "ThingExists", "--max-wait", "50s", "--quiet" },
      { "replay", "things.lua", "ThingExists", "answers.jsonl", "--max-wait", "1s", "--quiet" },
    } do
      local done = workspace:bide(words)
      assert.same({ 0, "bide: warning: the waiter ThingExists is deprecated\n" }, { done.code, done.stderr })
    end
    local done = workspace:bide { "run", "things.lua", "ThingGone", "--max-wait", "50s", "--quiet" }
    assert.equal("", done.stderr)
  end)

  local lists = {
    ["names.json"] = '{\n"\\u00c9": {"acceptors": []},\n"": {"acceptors": []}, "A": {"": 1},\n"\u{e9}\\"": {"acceptors": []}}\n',
    ["names.lua"] = 'return { Op = { call = print, waitable = {\n["\u{c9}"] = { acceptors = {} },\n[""] = { acceptors = {} },\n'
      .. '["\u{e9}\'"] = { acceptors = {} },\n} } }',
  }
  for file, text in pairs(lists) do
    it("is named with its line, whatever it is called: " .. file, function()
      workspace:write(file, text)
      local done = workspace:bide { "list", file }
      assert.equal(2, done.code)
      for line, name in pairs { [2] = "\u{c9}", [3] = "", [4] = "\u{e9}" } do
        local wanted = ("%s:%d: %s"):format(file, line, name)
        assert.truthy(done.stderr:find(wanted, 1, true), wanted .. " is missing in " .. done.stderr)
      end
    end)
  end

  it("is missing from a Smithy file that defines none", function()
    workspace:write("things.smithy", '$version: "2"\nnamespace example\n')
    local done = workspace:bide { "list", "things.smithy" }
    assert.same({ 2, "bide: things.smithy: expected at least one waiter, found none\n" }, { done.code, done.stderr })
  end)

  it("that a script makes has a name of the specification, or there is a warning", function()
    workspace:write("names.lua", ([[
      local bide = require "bide"
      for _, name in ipairs { "thing", "", "a b", "\u{c9}", "1X", "X_y", "thing", "ThingExists", "X1" } do
        local waiter = bide.waiter { name = name, call = function() return {} end, acceptors = %s }
        assert(waiter:wait({}, { maxWait = 1 }))
      end
      bide.waiter { call = print, acceptors = %s }]]):format(acceptors, acceptors))
    local done = workspace:bide { "exec", "--quiet", "names.lua" }
    local expected = {}
    for position, name in ipairs { "thing", "", "a b", "\u{c9}", "1X", "X_y" } do
      expected[position] = ("bide: warning: bide.waiter: name: expected a name in UpperCamelCase, of letters and digits, "
        .. 'found "%s"; the next release refuses it\n'):format(name)
    end
    assert.same({ 0, table.concat(expected) }, { done.code, done.stderr })
  end)

  it("whose wait is begun twice sends two tokens", function()
    workspace:write("twice.lua", ([[
      local bide = require "bide"
      local tokens = {}
      local waiter = bide.waiter { name = "Run", idempotencyToken = "id", acceptors = %s,
        call = function(input) tokens[#tokens + 1] = input.id return {} end }
      local prepared, given = waiter:prepare({}, { maxWait = 1 }), waiter:prepare({ id = "mine" }, { maxWait = 1 })
      bide.all { prepared, prepared, given, given }
      bide.all { prepared }
      assert(tokens[1] ~= tokens[2] and tokens[2] ~= tokens[5] and tokens[1] ~= tokens[5])
      assert(tokens[3] == "mine" and tokens[4] == "mine")
      print "two"]]):format(acceptors))
    local done = workspace:bide { "exec", "twice.lua" }
    assert.same({ 0, "two\n" }, { done.code, done.stdout }, done.stderr)
  end)
end)
