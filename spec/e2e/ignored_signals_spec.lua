---A signal that is ignored when bide starts stays ignored: nohup, and background jobs of a shell without job control.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"

local recipe = [[
return { Op = { call = function() print "begun" require("bide").sleep(60) end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

local commands = {
  run = "run recipe.lua --max-wait 700ms --output json=outcome.json --quiet",
  ["run --sandbox, with a COMMAND"] = "run recipe.lua --sandbox --max-wait 700ms --output json=outcome.json --quiet -- true",
}

describe("a signal that is ignored when bide starts", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("recipe.lua", recipe)
    workspace:write("script.lua", 'io.stderr:write("begun\\n") require("bide").sleep(0.7) print "slept"')
    workspace:write("signals.lua", recipe:gsub('require%("bide"%).sleep%(60%)', ""))
  end)

  ---Runs bide with the signals ignored, and sends it one of them.
  local function signalled(command, name)
    local line = ([[trap '' INT QUIT HUP TERM; "$BIDE" %s 2>log & bide=$!
      until grep -q begun log 2>/dev/null; do sleep 0.01; done
      kill -%s $bide; wait $bide]]):format(command, name)
    return workspace:shell("rm -f log; " .. line)
  end

  for _, name in ipairs { "INT", "QUIT", "HUP", "TERM" } do
    for title, command in pairs(commands) do
      it(("does not end a wait: %s, %s"):format(name, title), function()
        signalled(command, name):ends(124)
        assert.equal("maxWait", core.json.decode(workspace:read "outcome.json").reason)
      end)
    end

    it("does not end a script: " .. name, function()
      local done = signalled("exec script.lua", name)
      assert.same({ 0, "slept\n" }, { done.code, done.stdout }, done.stderr)
    end)

    it("is ignored by COMMAND as well: " .. name, function()
      local done = workspace:shell(([[trap '' %s
        exec "$BIDE" run signals.lua --max-wait 50s --quiet -- sh -c 'kill -%s $$; echo alive']]):format(name, name))
      assert.same({ 0, "alive\n" }, { done.code, done.stdout }, done.stderr)
    end)

    it("is ignored by COMMAND beside the program of --start: " .. name, function()
      local done = workspace:shell(([[trap '' %s
        exec "$BIDE" run signals.lua --max-wait 50s --quiet --start 'sleep 50' \
          -- sh -c 'kill -%s $$; echo alive']]):format(name, name))
      assert.same({ 0, "alive\n" }, { done.code, done.stdout }, done.stderr)
    end)
  end

  it("leaves the others as they are", function()
    local done = workspace:shell [[trap '' HUP; "$BIDE" run recipe.lua --max-wait 50s --quiet 2>log & bide=$!
      until grep -q begun log 2>/dev/null; do sleep 0.01; done
      kill -HUP $bide; kill -TERM $bide; wait $bide]]
    assert.equal(143, done.code, done.stdout)
  end)
end)
