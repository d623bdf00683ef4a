---The members countsAsReady and countsAsGone: a waiter of a Lua recipe says by what it knows that its state is reached.

local Workspace = require "spec.support.workspace"
local bide = require "bide"

local function recipe(members)
  return ([[
return { Check = { call = function() return {} end, waitable = { Up = { %s
  acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]):format(members)
end

describe("what counts as ready or as gone", function()
  local workspace = Workspace.of_each()

  local function run(members, ...)
    workspace:write("service.lua", recipe(members))
    return workspace:bide { ... }
  end

  for member, line in pairs {
    countsAsReady = "Counts as ready: it says 'up | running' of itself.",
    countsAsGone = "Counts as gone: it says 'up | running' of itself.",
  } do
    it("is a line of the help, of show, of the page and of lists: " .. member, function()
      local members = member .. [[ = "it says 'up | running' of itself",]]
      for _, words in ipairs {
        { "run", "./service.lua", "--help" }, { "help", "./service.lua" }, { "show", "./service.lua", "Up" },
        { "list", "./service.lua", "--output", "markdown" },
      } do
        local done = run(members, table.unpack(words))
        assert.equal(0, done.code, done.stderr)
        local _, count = done.stdout:gsub(line:gsub("%p", "%%%0"), "")
        assert.equal(1, count, done.stdout)
      end
      local listed = run(members, "list", "./service.lua", "--output", "json").stdout
      assert.matches(('"%s": ?"it says \'up | running\' of itself"'):format(member), listed)
      local loaded = assert(bide.load(workspace.path .. "/service.lua"))
      assert.equal(line, loaded.Up.witness)
      assert.is_false(loaded.Up.portable)
    end)
  end

  it("is no line where the recipe does not say it", function()
    assert.not_matches("Counts as", run("", "show", "./service.lua", "Up").stdout)
    assert.not_matches("Counts as", run("", "help", "./service.lua").stdout)
    assert.not_matches("Counts as", run("", "list", "./service.lua", "--output", "markdown").stdout)
  end)

  it("ends with one full stop", function()
    assert.matches("Counts as ready: it is.\n", run("countsAsReady = 'it is.',", "show", "./service.lua", "Up").stdout, 1, true)
  end)

  local words = "expected a text of one line: the answer by which the waiter knows it, found "
  for _, row in ipairs {
    { "countsAsReady = true,", "Up: countsAsReady: " .. words .. "true" },
    { "countsAsGone = '',", "Up: countsAsGone: " .. words },
    { "countsAsGone = ' ',", "Up: countsAsGone: " .. words },
    { "countsAsGone = 'one\\ntwo',", "Up: countsAsGone: " .. words },
    { "countAsGone = 'it is',", 'Up: countAsGone: unknown member, did you mean "countsAsGone"?' },
    { "countsAsReady = 'a', countsAsGone = 'b',",
      "Up: countsAsGone: expected one of countsAsReady and countsAsGone, found both: a waiter waits for one thing" },
  } do
    it("is refused: " .. row[1], function()
      run(row[1], "list", "./service.lua"):says(2, row[2])
    end)
  end

  it("is an unknown member of a JSON recipe", function()
    workspace:write("trait.json",
      '{"Up": {"countsAsGone": "it is", "acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    workspace:write("answers.jsonl", '{"output": {}}\n')
    local done = workspace:bide { "replay", "trait.json", "Up", "answers.jsonl", "--max-wait", "1s", "--quiet" }
    done:says(0, "warning: trait.json:1: Up: countsAsGone: unknown member")
  end)
end)
