---`exitCode` of a list, and --exit-code behind a +, were ignored where the waits went to a store: the run ended with another
---code than without the store. `bide watch` ignored them, too, and took the last one of two for one name.

local Workspace = require "spec.support.workspace"

local codes = "--exit-code Named=0"

describe("exit codes of named outcomes", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("one.lua", [[return { Get = { call = function() return {} end, waitable = { Done = { acceptors = {
      { state = "failure", name = "Named", matcher = { success = true } },
      { state = "success", matcher = { success = false } } } } } } }]])
    local entry = '{"recipe": "./one.lua", "exitCode": {"Named": 0}}'
    workspace:write("list.json", "[" .. entry .. "]")
    workspace:write("list.jsonl", entry .. "\n" .. entry .. "\n")
  end)

  for _, waits in ipairs {
    "list.json", "--each list.jsonl", "./one.lua + ./one.lua " .. codes, codes .. " ./one.lua + ./one.lua",
  } do
    it("are refused for several waits of a store: " .. waits, function()
      for _, way in ipairs { "run %s --work", "submit %s" } do
        local done = workspace:shell(('"$BIDE" %s --store s.db --max-wait 5s'):format(way:format(waits)))
        assert.equal(2, done.code, done.stdout .. done.stderr)
        assert.matches("%-%-exit%-code", done.stderr)
      end
    end)
  end

  it("are of one wait for bide watch, and each name once", function()
    workspace:shell '"$BIDE" run ./one.lua --store w.db --work --max-wait 5s -q'
    workspace:shell '"$BIDE" run ./one.lua + ./one.lua --store w.db --work --max-wait 5s -q'
    local line = '"$BIDE" watch %d --store w.db -q --exit-code Named=0%s'
    assert.equal(0, workspace:shell(line:format(1, "")).code)
    local twice = workspace:shell(line:format(1, " --exit-code Named=3"))
    assert.equal(2, twice.code)
    assert.matches("--exit-code: Named is given twice", twice.stderr, 1, true)
    local fleet = workspace:shell(line:format(2, ""))
    assert.equal(2, fleet.code, fleet.stdout)
    assert.matches("--exit-code is for a run of one wait, and run 2 is a list of 2", fleet.stderr, 1, true)
  end)

  it("are those of a run of one wait", function()
    local line = '"$BIDE" run ./one.lua --exit-code Named=9 --store t.db --work --max-wait 5s -q'
    assert.equal(9, workspace:shell(line).code)
  end)
end)
