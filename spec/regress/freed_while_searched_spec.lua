---A JMESPath function of a script could free what the search was just reading: a document in the table that is
---searched, from within the sandbox too, and what an earlier function had returned, by a finalizer.

local Workspace = require "spec.support.workspace"
local plain_lua = require "spec.support.plain_lua"

local dropped = [[
  local bide = require "bide"
  local function big(letter)
    local list = {}
    for i = 1, 300 do list[i] = { name = letter:rep(40) .. i } end
    return list
  end
  local input, kept = { a = bide.json.document { list = big "x" } }, {}
  bide.jmespath.register("drop", { "any" }, function()
    input.a = nil
    for i = 1, 300 do kept[i] = { ("y"):rep(2000) .. i } kept[i] = nil end
    collectgarbage() collectgarbage()
    for i = 1, 200000 do local _ = { ("y"):rep(50) .. i } end
    for i = 1, 50 do kept[i] = bide.json.document { list = big "S" } end
    return true
  end)
  local found = bide.jmespath("[drop(`1`), a.list[*].name]"):search(input)
  print(found[2][1])]]

---A finalizer searches between the end of a search and the making of what keeps its result.
local by_finalizer = [[
  local bide = require "bide"
  local json = bide.json
  bide.jmespath.register("fresh", {}, function()
    local list = {}
    for i = 1, 100 do list[i] = ("z"):rep(30) .. i end
    return json.document(list)
  end)
  bide.jmespath.register("nothing", {}, function() return 1 end)
  local inner, stopped = bide.jmespath "nothing()", false
  local function arm()
    setmetatable({}, { __gc = function()
      inner:search {}
      if not stopped then arm() end
    end })
  end
  collectgarbage("incremental", 1, 1000, 1)
  arm()
  local expression, empty = bide.jmespath "fresh()", json.document {}
  for _ = 1, 150 do
    local result = expression:query(empty)
    for j = 1, 20 do local _ = { ("q"):rep(100) .. j } end
    assert(result:json():find '^%["zzz')
  end
  stopped = true
  print "done"]]

describe("what a search reads lives until its end", function()
  local workspace = Workspace.of_each()

  it("in the sandbox, where a function takes it out of the input", function()
    workspace:write("drop.lua", dropped)
    local done = workspace:bide { "exec", "--sandbox", "drop.lua" }
    assert.same({ ("x"):rep(40) .. "1\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)

  it("in plain Lua, where a finalizer searches too", function()
    local done = plain_lua(by_finalizer)
    assert.same({ "done\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
  end)
end)
