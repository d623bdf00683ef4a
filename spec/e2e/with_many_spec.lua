---`--with` many times, and BIDE_PATH: where recipes and files for --with are found by name.

local Directory = require "spec.support.directory"
local Workspace = require "spec.support.workspace"

local recipe = [[
local acceptors = { { state = "success", matcher = { lua = "isThree" } } }
return {
  GetThing = { waitable = { ThingDone = { documentation = "Waits for a thing.", acceptors = acceptors } } },
  GetOther = { waitable = { OtherDone = { acceptors = acceptors } } },
}]]

local files = {
  ["things.lua"] = recipe,
  ["matchers.lua"] = [[require("bide").matcher("isThree", function(context) return context.output.size == 3 end)]],
  ["broken.lua"] = 'require("bide").matcher("isThree", function(context)\n  return context.output.size.unit.name == 3\nend)',
  ["get_thing.lua"] = [[return { GetThing = function(input) return { size = input.size } end }]],
  ["get_other.lua"] = [[return { GetOther = { call = function(input) return { size = input.size } end } }]],
}

describe("--with many times", function()
  local workspace = Workspace.of_block()

  setup(function()
    for name, text in pairs(files) do workspace:write(name, text) end
    workspace:write("again.lua", files["get_thing.lua"])
    workspace:write("matchers_again.lua", files["matchers.lua"])
    workspace:write("with_call.lua", 'return { GetThing = { call = print, waitable = { Done = { acceptors = { '
      .. '{ state = "success", matcher = { success = true } } } } } } }')
    workspace:write("answers.jsonl", '{"output": {"size": 3}}\n')
    workspace:write("functions.lua", 'require("bide").jmespath.register("one", {}, function() return 1 end)')
    workspace:write("more.lua", 'require("bide").jmespath.register("two", {}, function() return 2 end)')
  end)

  local all = { "--with", "matchers.lua", "--with", "get_thing.lua", "--with", "get_other.lua" }

  local commands = {
    { "run", "things.lua", "ThingDone", "size:=3" }, { "run", "things.lua", "OtherDone", "size:=3" },
    { "replay", "things.lua", "OtherDone", "answers.jsonl" }, { "plan", "things.lua", "OtherDone" },
  }

  for _, words in ipairs(commands) do
    it("is for " .. words[1] .. " of " .. words[3], function()
      local given = table.move(all, 1, #all, #words + 1, table.move(words, 1, #words, 1, {}))
      table.move({ "--max-wait", "50s" }, 1, 2, #given + 1, given)
      workspace:bide(given):ends(0)
    end)
  end

  it("is for list and query as well", function()
    assert.matches("OtherDone", workspace:bide({ "list", "things.lua", table.unpack(all) }).stdout, 1, true)
    local done = workspace:bide { "query", "--with", "functions.lua", "--with", "more.lua", "-c", "[one(), two()]",
      "answers.jsonl" }
    assert.equal("[1,2]\n", done.stdout)
  end)

  local twice = {
    { "again.lua", "again.lua: the operation GetThing is defined in get_thing.lua already" },
    { "matchers_again.lua", 'matchers_again.lua:1: the matcher "isThree" is defined in matchers.lua already' },
  }

  for _, case in ipairs(twice) do
    it("refuses what is defined twice, and names both files: " .. case[1], function()
      local done = workspace:bide { "run", "things.lua", "ThingDone", "--max-wait", "1s", "--with", case[1],
        table.unpack(all) }
      assert.equal(2, done.code)
      done = workspace:bide { "run", "things.lua", "ThingDone", "--max-wait", "1s", "--with", "get_thing.lua", "--with",
        "matchers.lua", "--with", case[1] }
      done:says(2, case[2])
    end)
  end

  it("refuses an operation that the recipe itself has", function()
    local done = workspace:bide { "run", "with_call.lua", "--with", "get_thing.lua", "--max-wait", "1s" }
    done:says(2, "get_thing.lua: the operation GetThing is defined in with_call.lua already")
  end)

  it("tells a matcher's error with the file and line of the matcher", function()
    local outcome, done = workspace:outcome { "run", "things.lua", "ThingDone", "size:=3", "--max-wait", "50s",
      "--with", "broken.lua", "--with", "get_thing.lua" }
    assert.equal(5, done.code)
    assert.equal("scriptError", outcome.reason)
    assert.matches("^broken.lua:2: attempt to index a number value", outcome.message)
    assert.matches("broken.lua:2: in ", outcome.traceback, 1, true)
  end)
end)

describe("BIDE_PATH", function()
  local workspace = Workspace.of_block()
  local first = Directory.of_block()
  local second = Directory.of_block()

  setup(function()
    for name, text in pairs(files) do second:write(name, text) end
    first:write("http.lua", (recipe:gsub("ThingDone", "FirstThing"):gsub('lua = "isThree"', "success = true")))
    second:write("http.lua", "this is never read")
    first:write("trait.json", '{"TraitDone": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    second:write("things.lua", (recipe:gsub('lua = "isThree"', "success = true")))
  end)

  local function bide(words, path)
    return workspace:bide(words, { env = { BIDE_PATH = path or ("%s/:%s:/no/such/folder"):format(first.path, second.path) } })
  end

  it("finds recipes and files for --with by name", function()
    local done = bide { "run", "things", "ThingDone", "size:=3", "--with", "get_thing", "--with", "matchers",
      "--max-wait", "50s", "--quiet" }
    assert.equal(0, done.code, done.stderr)
    assert.equal(0, bide({ "run", "trait", "--with", "get_thing", "--max-wait", "50s" }).code)
  end)

  it("comes before the recipes of bide, and its first folder before the second", function()
    assert.matches("FirstThing", bide({ "list", "http" }).stdout, 1, true)
    assert.matches("ServiceHealthy", bide({ "list", "http" }, "").stdout, 1, true)
  end)

  it("comes before a file of the current folder, which has a / or a . in its name", function()
    workspace:write("things", "return 5")
    assert.equal(0, bide({ "list", "things" }).code)
    assert.matches("expected a table of operations by name, found 5", bide({ "list", "./things" }).stderr, 1, true)
    os.remove(workspace.path .. "/things")
  end)

  it("is listed, without what is only for --with", function()
    local done = bide { "list" }
    assert.same({ 0, "" }, { done.code, done.stderr })
    for _, name in ipairs { "\nthings\n", "\ntrait\n", "\nhttp\n", "\ntcp\n", "FirstThing", "TraitDone" } do
      assert.matches(name, done.stdout, 1, true)
    end
    assert.not_matches("get_thing", done.stdout, 1, true)
  end)

  it("does not stand for the current folder where it is empty", function()
    workspace:write("here.lua", files["things.lua"])
    assert.equal(2, bide({ "list", "here" }, ":" .. first.path .. "::").code)
  end)

  it("is named where a recipe is not found, with the nearest name", function()
    bide({ "run", "thinks", "--max-wait", "1s" }):says(2, 'BIDE_PATH has that name; did you mean "things"?')
  end)
end)
