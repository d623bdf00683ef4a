---bide convert on the command line: exit codes, files that are written whole or not at all, and recipes in Lua.

local Workspace = require "spec.support.workspace"

local trait = '{"Done": {"minDelay": 3, "acceptors": [{"state": "success", "matcher": {"output": '
  .. '{"path": "state", "comparator": "stringEquals", "expected": "done"}}}]}}'

describe("bide convert", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("trait.json", trait)
    workspace:write("recipe.lua", [[
return { Get = { call = print, waitable = { Done = { documentation = "Waits.", minDelay = 0.5, maxDelay = 10, acceptors = {
  { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  { state = "retry", matcher = { lua = function() return true end } },
} } } } }
]])
    workspace:write("broken.smithy", "structur A\n")
  end)

  local function convert(...) return workspace:bide { "convert", ... } end

  it("keeps a matcher that only bide has in a trait value, and not in a model", function()
    workspace:write("expect.json",
      '{"Done": {"acceptors": [{"state": "success", "matcher": {"expect": {"path": "state", "text": "done"}}}]}}')
    assert.matches('"text": "done"', convert("expect.json", "--to", "json").stdout, 1, true)
    convert("expect.json", "--to", "ast"):says(1, "Done: acceptors[1].matcher.expect: a Smithy model cannot have this")
  end)

  it("makes a recipe that decides as the trait does", function()
    assert.equal(0, convert("trait.json", "--to", "lua", "-o", "made.lua").code)
    workspace:write("answers.jsonl", '{"output": {"state": "no"}}\n{"output": {"state": "done"}}\n')
    for _, file in ipairs { "made.lua", "trait.json" } do
      local done = workspace:bide { "replay", file, "Done", "answers.jsonl", "--max-wait", "1m", "--quiet" }
      assert.equal('Done succeeded after 2 attempts in 3 s: state is "done"\n', done.stdout, done.stderr)
    end
  end)

  it("refuses what the form cannot have: exit 1, and nothing is written", function()
    workspace:write("kept.json", "kept")
    local done = convert("recipe.lua", "--to", "json", "-o", "kept.json")
    assert.same({ 1, "" }, { done.code, done.stdout }, done.stderr)
    assert.matches("Done: minDelay: a trait value cannot have this", done.stderr, 1, true)
    assert.matches("Done: acceptors[2].matcher.lua: a trait value cannot have this", done.stderr, 1, true)
    assert.equal("kept", workspace:read "kept.json")
  end)

  it("leaves that out by --lossy, with a warning for each", function()
    local done = convert("recipe.lua", "--to", "ast", "--lossy")
    done:says(0, "warning: Done: minDelay: a Smithy model cannot have this")
    assert.matches('"documentation": "Waits."', done.stdout, 1, true)
    assert.not_matches("minDelay", done.stdout)
  end)

  it("warns of a success that may come earlier without what is left out, and writes no waiter without acceptors", function()
    workspace:write("wider.lua", [[
      return { Get = { call = print, waitable = { Done = { acceptors = {
        { state = "retry", matcher = { lua = function() return true end } },
        { state = "success", matcher = { success = true } } } } } } }]])
    convert("wider.lua", "--to", "idl", "--lossy")
      :says(0, "warning: Done: without acceptors[1] it may succeed where it does not now")
    workspace:write("none.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"status": 404}}]}}')
    local done = convert("none.json", "--to", "idl", "--lossy")
    assert.same({ 1, "", "bide: Done: no acceptor is left, and a waiter needs one\n" }, { done.code, done.stdout, done.stderr })
  end)

  it("refuses functions that the form does not have", function()
    workspace:write("calls.lua", [[
      require("bide").jmespath.register("mine", { "any", returns = "boolean" }, function() return true end)
      return { Get = { call = print, waitable = { Done = { acceptors = {
        { state = "failure", message = "text()", matcher = { output = {
          path = "a == 'done (now)' && length(b) == `1`", comparator = "booleanEquals", expected = "true" } } },
        { state = "failure", matcher = { output = { path = "mine(a)", comparator = "booleanEquals", expected = "true" } } },
        { state = "success", matcher = { inputOutput = {
          path = "header('x') == input.y", comparator = "booleanEquals", expected = "true" } } } } } } } }]])
    local own = "bide: Done: acceptors[1].message: a %s cannot have this\n"
    local last = "Done: acceptors[3].matcher.inputOutput.path: a %s cannot have this\n"
    local of_script = "Done: acceptors[2].matcher.output.path: a %s cannot have this\n"
    for target, row in pairs {
      ast = { "Smithy model", own .. of_script .. last }, idl = { "Smithy model", own .. of_script .. last },
      json = { "trait value", own .. last },
    } do
      local done = convert("calls.lua", "--to", target)
      assert.same({ 1, "", (row[2]:gsub("%%s", row[1])) }, { done.code, done.stdout, done.stderr })
    end
    assert.equal(0, convert("calls.lua", "--to", "lua").code)
  end)

  ---words, exit code, a part of standard error
  local cases = {
    { { "trait.json" }, 2, "--to is missing: expected one of ast, idl, lua, json" },
    { { "trait.json", "--to", "xml" }, 2, '--to: expected "ast", "idl", "lua" or "json", found "xml"' },
    { { "no.json", "--to", "lua" }, 2, "no.json" },
    { { "broken.smithy", "--to", "ast" }, 2, "broken.smithy:1:1: expected a namespace" },
    { { "trait.json", "recipe.lua", "--to", "lua" }, 2, "recipe.lua: only Smithy models are converted together" },
    { { "trait.json", "--to", "lua", "-o", "no/such/folder/x.lua" }, 1, "no/such/folder" },
  }
  for _, case in ipairs(cases) do
    it("answers " .. table.concat(case[1], " "), function()
      local done = convert(table.unpack(case[1]))
      assert.equal(case[2], done.code, done.stderr)
      assert.matches(case[3], done.stderr, 1, true)
    end)
  end
end)
