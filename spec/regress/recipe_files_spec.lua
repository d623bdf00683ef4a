---Files that are not what they seem: a folder with the name of a recipe, a pipe
---that can be opened once, a byte order mark, text without a line's end, names
---given twice in JSON, more mistakes than anybody reads.

local Workspace = require "spec.support.workspace"

local waiter = [[{ acceptors = { { state = "success", matcher = { success = true } } } }]]
local recipe = "return { Op = { call = function() return {} end, waitable = { Done = " .. waiter .. " } } }"
local trait = '{"acceptors": [{"state": "success", "matcher": {"success": true}}]}'

describe("the file of a recipe", function()
  local workspace = Workspace.of_each()

  local function assert_fails(done, ...)
    assert.equal(2, done.code)
    for _, text in ipairs { ... } do assert.matches(text, done.stderr, 1, true) end
    assert.not_matches("stack traceback", done.stderr, 1, true)
    return done.stderr
  end

  it("is no folder, which hides no recipe that comes with bide", function()
    assert(require("luv").fs_mkdir(workspace.path .. "/http", 448))
    assert.equal(0, workspace:bide({ "plan", "http", "--max-wait", "1m" }).code)
    assert_fails(workspace:bide { "list", "./http" }, "./http: is a directory")
    assert_fails(workspace:bide { "run", "http", "--with", "./http", "--max-wait", "50s" }, "./http: is a directory")
  end)

  it("may be a pipe", function()
    workspace:write("recipe.lua", recipe)
    workspace:shell([[mkfifo pipe && (cat recipe.lua >pipe &) ; "$BIDE" run ./pipe --max-wait 5s]]):ends(0)
  end)

  it("may begin with a byte order mark and a line for the shell", function()
    workspace:write("recipe.lua", "\xEF\xBB\xBF#!/usr/bin/env bide\n" .. recipe)
    assert.equal(0, workspace:bide({ "list", "recipe.lua" }).code)
  end)

  it("is JSON where its name says so", function()
    workspace:write("recipe.json", "nonsense")
    assert_fails(workspace:bide { "list", "recipe.json" }, "recipe.json:1:1: found 'n'")
  end)

  for _, second in ipairs { "Done", "DONE" } do
    it("in JSON does not give a name twice, as Done and " .. second, function()
      workspace:write("recipe.json", ('{"Done": %s,\n"%s": %s}'):format(trait, second, trait))
      assert_fails(workspace:bide { "list", "recipe.json" }, second == "Done"
        and 'recipe.json:2:1: the member "Done" is given twice' or "recipe.json:2: DONE: the name is taken")
    end)
  end

  it("is refused where it is nested too deeply", function()
    workspace:write("recipe.lua", "return " .. ("{"):rep(10000) .. ("}"):rep(10000))
    assert_fails(workspace:bide { "list", "recipe.lua" }, "recipe.lua: ")
    workspace:write("recipe.json", '{"Done": ' .. ("["):rep(10000) .. ("]"):rep(10000) .. "}")
    assert_fails(workspace:bide { "list", "recipe.json" }, "recipe.json:1:", "nested too deeply")
  end)

  it("may be a single line of ten megabytes", function()
    workspace:write("recipe.json", ('{"Done": {"acceptrs": [], "documentation": "%s"}}'):format(("a"):rep(10000000)))
    local done = workspace:bide { "list", "recipe.json" }
    assert_fails(done, "recipe.json:1: Done: acceptors: expected a list of acceptors, found nothing",
      "acceptrs: unknown member, did you mean \"acceptors\"?")
    assert.is_true(done.elapsed < 5, done.elapsed)
  end)

  it("with very many mistakes is told some of them", function()
    local waiters = {}
    for i = 1, 10000 do waiters[i] = ('"W%d": {"acceptors": 5}'):format(i) end
    workspace:write("recipe.json", "{" .. table.concat(waiters, ",\n") .. "}")
    local done = workspace:bide { "list", "recipe.json" }
    local told = assert_fails(done, "recipe.json:1: W1: acceptors: expected a list of acceptors, found 5", "and more like these")
    assert.is_true(#told < 4000)
    assert.is_true(done.elapsed < 5, done.elapsed)
  end)
end)
