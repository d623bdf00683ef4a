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
        workspace:shell(('"$BIDE" %s --store s.db --max-wait 5s'):format(way:format(waits))):says(2, "--exit-code")
      end
    end)
  end

  it("are of one wait for bide watch, and each name once", function()
    workspace:shell '"$BIDE" run ./one.lua --store w.db --work --max-wait 50s -q'
    workspace:shell '"$BIDE" run ./one.lua + ./one.lua --store w.db --work --max-wait 50s -q'
    local line = '"$BIDE" watch %d --store w.db -q --exit-code Named=0%s'
    assert.equal(0, workspace:shell(line:format(1, "")).code)
    workspace:shell(line:format(1, " --exit-code Named=3")):says(2, "--exit-code: Named is given twice")
    workspace:shell(line:format(2, "")):says(2, "--exit-code is for a run of one wait, and run 2 is a list of 2")
  end)

  it("are those of a run of one wait", function()
    local line = '"$BIDE" run ./one.lua --exit-code Named=9 --store t.db --work --max-wait 50s -q'
    assert.equal(9, workspace:shell(line).code)
  end)
end)
