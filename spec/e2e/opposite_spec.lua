---Opposites: a waiter of a Lua recipe names the one that waits for the contrary, and --invert runs that one.

local Workspace = require "spec.support.workspace"
local bide = require "bide"

local function recipe(up, down)
  return ([[
return {
  Check = {
    call = function(input) return { up = input.up == "yes" } end,
    waitable = {
      Up = { %s minDelay = 0.01, acceptors = {
        { state = "success", matcher = { output = { path = "up", comparator = "booleanEquals", expected = "true" } } } } },
      Down = { %s minDelay = 0.01, acceptors = {
        { state = "success", matcher = { output = { path = "up", comparator = "booleanEquals", expected = "false" } } } } },
      Seen = { acceptors = { { state = "success", matcher = { success = true } } } },
    },
  },
}]]):format(up, down)
end

describe("the opposite of a waiter", function()
  local workspace = Workspace.of_each()

  it("runs with --invert, in run, replay and plan", function()
    workspace:write("service.lua", recipe('opposite = "Down",', 'opposite = "Up",'))
    workspace:write("answers.jsonl", '{"output": {"up": true}}\n{"output": {"up": false}}\n')
    local outcome, done = workspace:outcome { "run", "service.lua", "Up", "up=no", "--max-wait", "50s", "--invert" }
    assert.same({ "Down", "success", 0 }, { outcome.waiter, outcome.state, done.code })
    assert.equal("Up", workspace:outcome({ "run", "service.lua", "Down", "up=yes", "--max-wait", "50s", "--invert" }).waiter)
    outcome = workspace:outcome { "replay", "service.lua", "Up", "answers.jsonl", "--max-wait", "1m", "--invert" }
    assert.same({ "Down", 2 }, { outcome.waiter, outcome.attempts })
    assert.matches("^Down: ", workspace:bide({ "plan", "service.lua", "Up", "--max-wait", "1s", "--invert" }).stdout)
  end)

  it("is shown by list", function()
    workspace:write("service.lua", recipe('opposite = "Down",', 'opposite = "Up",'))
    local text = workspace:bide({ "list", "service.lua" }).stdout
    assert.matches("\n  Down [^\n]* %(%-%-invert: Up%)\n", text)
    assert.not_matches("Seen [^\n]*invert", text)
  end)

  it("is named by the bundled recipes, and understood of them", function()
    for name, pair in pairs {
      tcp = "PortOpen PortClosed", unix = "SocketOpen SocketClosed", dns = "NameKnown NameGone", file = "FileExists FileGone",
      process = "ProcessRuns ProcessGone", systemd = "UnitActive UnitInactive", git_ref = "RefExists RefGone",
      etcd = "KeyExists KeyDeleted", prometheus = "ResultFound ResultEmpty", http = "ServiceHealthy ServiceDown",
    } do
      local one, other = pair:match "(%S+) (%S+)"
      assert.equal(other, assert(bide.load(name))[one].opposite)
    end
    local outcome = workspace:outcome { "run", "file", workspace.path .. "/none", "--invert", "--max-wait", "50s" }
    assert.same({ "FileGone", "success" }, { outcome.waiter, outcome.state })
  end)

  it("is known to scripts", function()
    workspace:write("service.lua", recipe('opposite = "Down",', 'opposite = "Up",'))
    local loaded = assert(bide.load(workspace.path .. "/service.lua"))
    assert.same({ "Down", "Up", nil }, { loaded.Up.opposite, loaded.Down.opposite, loaded.Seen.opposite })
    assert.is_false(loaded.Up.portable)
  end)

  it("is missed with the names of the waiters that have one", function()
    workspace:write("service.lua", recipe('opposite = "Down",', 'opposite = "Up",'))
    local done = workspace:bide { "run", "service.lua", "Seen", "--max-wait", "1s", "--invert" }
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("--invert: Seen has no opposite; waiters that have one: Down, Up", done.stderr, 1, true)
  end)

  local mistakes = {
    { 'opposite = "Downs",', "", 'Up: opposite: expected a waiter of this recipe, found "Downs", did you mean "Down"?' },
    { 'opposite = "Elsewhere",', "", 'Up: opposite: expected a waiter of this recipe, found "Elsewhere"' },
    { 'opposite = "Down",', "",
      'Up: opposite: expected a waiter whose opposite is "Up", found "Down", whose opposite is missing' },
    { 'opposite = "Down",', 'opposite = "Seen",',
      'Down: opposite: expected a waiter whose opposite is "Down", found "Seen", whose opposite is missing' },
    { 'opposite = "Up",', "", 'Up: opposite: expected another waiter, found "Up"' },
    { "opposite = true,", "", "Up: opposite: expected a waiter of this recipe, found true" },
  }
  for _, row in ipairs(mistakes) do
    it("is refused: " .. row[3], function()
      workspace:write("service.lua", recipe(row[1], row[2]))
      workspace:bide({ "list", "service.lua" }):says(2, row[3])
    end)
  end

  it("is an unknown member of a JSON recipe, and of a waiter without a recipe", function()
    workspace:write("trait.json",
      '{"Up": {"opposite": "Down", "acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
    workspace:write("answers.jsonl", '{"output": {}}\n')
    local done = workspace:bide { "replay", "trait.json", "Up", "answers.jsonl", "--max-wait", "1s", "--quiet" }
    done:says(0, "warning: trait.json:1: Up: opposite: unknown member")
    assert.error_matches(function()
      bide.waiter { opposite = "Down", call = print, acceptors = { { state = "success", matcher = { success = true } } } }
    end, "bide.waiter: opposite: only a waiter of a recipe has one")
  end)
end)
