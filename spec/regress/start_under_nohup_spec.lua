---The program of --start got no signal ignored: under nohup, the end of the terminal ended it.

local Workspace = require "spec.support.workspace"

describe("the program of --start", function()
  local workspace = Workspace.of_block()

  for _, name in ipairs { "HUP", "INT", "QUIT" } do
    it("ignores what bide ignores: " .. name, function()
      local done = workspace:shell(([[trap '' %s; rm -f alive
        exec "$BIDE" file ./alive --max-wait 50s --quiet --start 'kill -%s $$; touch alive; exec sleep 50' -- true]])
        :format(name, name))
      assert.equal(0, done.code, done.stderr)
    end)
  end

  it("ignores nothing else", function()
    local done = workspace:shell [[trap '' HUP; rm -f alive
      exec "$BIDE" file ./alive --max-wait 50s --quiet --start 'kill -INT $$; touch alive; exec sleep 50' -- true]]
    done:says(1, "was ended by signal 2")
  end)
end)
