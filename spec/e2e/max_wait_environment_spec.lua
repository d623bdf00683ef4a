---BIDE_MAX_WAIT: the max wait of a command line without `--max-wait`, as an image sets it once for all of its waits.

local Workspace = require "spec.support.workspace"

describe("BIDE_MAX_WAIT", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("never.lua", [[
      return { Ask = { call = function() return { state = "queued" } end, waitable = { Done = { minDelay = 0.01,
        maxDelay = 0.01, acceptors = { require("bide.acceptor").output("success", "state", "done") } } } } }]])
  end)

  ---Runs a line of shell with the variable; B is bide.
  local function shell(value, line)
    return workspace:shell(("export BIDE_MAX_WAIT=%s; %s"):format(value, (line:gsub("%f[%w]B%f[%W]", '"$BIDE"'))))
  end

  local function max_wait_of(value, line)
    return shell(value, line .. ' --quiet --output json | "$BIDE" query maxWait').stdout:match "^[%d.]+"
  end

  for _, line in ipairs { "B run ./never.lua", "B ./never.lua", "B ./never.lua + ./never.lua", "B tcp 127.0.0.1:1" } do
    it("bounds: " .. line, function()
      shell("30ms", line .. " --quiet"):writes(124, "--max-wait 30ms")
    end)
  end

  it("is that of a list of waits, of plan, of replay and of step", function()
    workspace:write("waits.json", '[{"recipe": "./never.lua"}]')
    workspace:write("answers.jsonl", '{"output": {}}\n')
    assert.equal(124, shell("30ms", "B run waits.json --quiet").code)
    assert.matches("max wait 3 s;", shell("3s", "B plan ./never.lua").stdout, 1, true)
    assert.equal(124, shell("3s", "B replay ./never.lua Done answers.jsonl --quiet").code)
    assert.equal(75, shell("3s", "B step ./never.lua --state state --begin --quiet").code)
  end)

  it("gives way to --max-wait, and is not read then", function()
    assert.equal("0.02", max_wait_of("5m", "B ./never.lua --max-wait 20ms"))
    assert.equal("0.02", max_wait_of("soon", "B ./never.lua --max-wait 20ms"))
    assert.equal("0.03", max_wait_of("30ms", "B ./never.lua"))
  end)

  for value, words in pairs {
    ["''"] = 'expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found ""',
    soon = 'expected a duration such as 300, 300s, 5m, 1h30m or 250ms, found "soon"',
    ["0"] = "expected a number of seconds above 0, found 0",
  } do
    it("is a mistake that names it: " .. value, function()
      local done = shell(value, "B ./never.lua")
      assert.same({ 2, "bide: BIDE_MAX_WAIT: " .. words .. "\n" }, { done.code, done.stderr })
    end)
  end

  it("is recorded in the journal as if it were on the line", function()
    local begun = workspace:start({ "./never.lua", "--journal", "j.db" }, { env = { BIDE_MAX_WAIT = "20s" } })
    begun:wait_for_output "attempt 1"
    begun:kill "sigkill"
    begun:wait()
    shell("30ms", "B ./never.lua --journal j.db --resume --quiet"):says(2, "--max-wait 0.03 s: run 1 began with 20 s")
    local resumed = workspace:start({ "./never.lua", "--journal", "j.db", "--resume" }, { env = { BIDE_MAX_WAIT = "20s" } })
    resumed:wait_for_output "of 20 s"
    resumed:kill "sigterm"
    resumed:wait()
    assert.equal(143, resumed.code, resumed.stderr)
  end)

  it("does not stand in the way of the help", function()
    assert.equal(0, shell("soon", "B tcp --help").code)
  end)
end)
