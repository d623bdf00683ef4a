---A file in a folder that does not exist was named by another one: `--state` by its lock. `bide worker` waited for it, and some
---commands began what the system says of a file with a capital letter.

local Workspace = require "spec.support.workspace"

describe("a file in a folder that does not exist", function()
  local workspace = Workspace.of_each()

  for line, words in pairs {
    ["step file x --max-wait 1h --begin --state no/state"] = "--state: no/state: its folder does not exist",
    ["worker --store no/w.db"] = "the store no/w.db: its folder does not exist",
    ["submit file x --max-wait 1h --store no/w.db"] = "the store no/w.db: its folder does not exist",
    ["run file x --max-wait 1h --journal no/j.db"] = "the journal no/j.db: its folder does not exist",
    ["run file x --max-wait 1h --events no/e"] = "--events: no/e: no such file or directory",
    ["run file x --max-wait 1h --output json=no/o"] = "--output: no/o: no such file or directory",
    ["check no/r.lua"] = "no/r.lua: no such file or directory", ["query a no/d.json"] = "no/d.json: no such file or directory",
    ["exec no/s.lua"] = "no/s.lua: no such file or directory",
    ["test no/t.wait.lua"] = "no/t.wait.lua: no such file or directory",
  } do
    it("is named by bide " .. line, function()
      local done = workspace:shell('"$BIDE" ' .. line)
      assert.same({ 2, "", ("bide: %s\n"):format(words) }, { done.code, done.stdout, done.stderr })
    end)
  end
end)
