---The message of a script error was on standard error, and then on standard output as the outcome.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local recipe = [[
return { Op = { call = function(input)
  local function deep() return input.nothing.at.all end
  local value = deep()
  return value
end, waitable = { Up = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("a script error", function()
  local workspace = Workspace.of_each { ["broken.lua"] = recipe }

  it("is the outcome, and standard error has where it was raised", function()
    local done = workspace:bide { "run", "broken.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(5, done.code)
    assert.matches("\nbroken.lua:2: attempt to index a nil value %(field 'nothing'%)\n$", done.stderr)
    assert.matches("^bide: a script error ended the wait\nstack traceback:\n.*\tbroken.lua:3: in ", done.stderr)
    assert.equal(1, select(2, done.stderr:gsub("attempt to index", "")))
  end)

  it("has no frame below the script's, where a tail call has lost that one", function()
    workspace:write("tail.lua", "local http = require 'bide.http'\n"
      .. "return { Op = { call = function(input) return http.get(input.url) end,\n"
      .. "waitable = { Up = { acceptors = { { state = 'success', matcher = { success = true } } } } } } }\n")
    local done = workspace:bide { "run", "tail.lua", "--max-wait", "50s", "--quiet" }
    assert.equal(5, done.code)
    assert.not_matches("xpcall", done.stderr)
    assert.not_matches("wait.lua", done.stderr, 1, true)
  end)

  it("has the frames of the script alone", function()
    local done = workspace:bide { "run", "broken.lua", "--max-wait", "50s", "--quiet", "--output", "json" }
    local outcome = core.json.decode(done.stdout)
    assert.matches("^broken.lua:2: attempt to index a nil value", outcome.message)
    assert.not_matches("%[bide%]", outcome.traceback)
    workspace:write("unloadable.lua", "local x = nil\nx.y = 1\n")
    local listed = workspace:bide { "list", "unloadable.lua" }
    assert.equal("bide: unloadable.lua:2: attempt to index a nil value (local 'x')\nstack traceback:\n"
      .. "\tunloadable.lua:2: in main chunk\n", listed.stderr)
  end)
end)
