---What bide.exec has started does not outlive bide, however bide ends.

local Workspace = require "spec.support.workspace"
local processes = require "spec.support.processes"
local uv = require "luv"

local recipe = [[
  local exec = require "bide.exec"
  return { Op = { call = function(input) return { said = exec({ input.line, shell = true }).stdout } end,
    waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]

describe("what bide.exec has started", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local function words(line, ...)
    return { "run", "recipe.lua", "line=" .. line, "--max-wait", "60s", "--quiet", ... }
  end

  it("ends where bide is killed", function()
    local mark = processes.mark()
    local line = "sleep 60 & trap '' TERM HUP; : >started; sleep 60; :"
    local running = workspace:start(words(line), { env = mark.env })
    while not io.open(workspace.path .. "/started") do uv.run "nowait" end
    assert.is_true(mark:count() >= 4) -- bide, its supervisor, the shell, one or two of sleep
    running:kill "sigkill"
    running:wait()
    assert.equal(9, running.signal)
    assert.equal(0, mark:count_after(5))
  end)

  it("ends at whatever moment bide is killed", function()
    workspace:write("many.lua", [[
      local bide = require "bide"
      while true do pcall(bide.exec, { "sleep", "30" }, { timeout = 0.002 }) end]])
    processes.assert_gone_when_killed(25, 10, 30, function(env) return workspace:start({ "exec", "many.lua" }, { env = env }) end)
  end)

  it("ends, and its supervisor with it, before bide does", function()
    local mark = processes.mark()
    assert.equal(0, workspace:bide(words "sleep 60 &", { env = mark.env }).code)
    assert.equal(0, mark:count())
  end)

  it("is no child of the COMMAND that runs in place of bide", function()
    local done = workspace:bide(words("true", "--", "sh", "-c", "read -r found </proc/$$/task/$$/children; echo \"[$found]\""))
    assert.equal("[]\n", done.stdout, done.stderr)
  end)

  it("has a supervisor that holds nothing but its pipe", function()
    local look = [[
      for child in $(cat /proc/$PPID/task/$PPID/children); do
        if grep -qx bide-supervisor /proc/$child/comm; then ls -l /proc/$child/fd; fi
      done]]
    local outcome = workspace:outcome(words(look))
    assert.matches("^total 0\n[^\n]* 0 %-> pipe:[^\n]*\n$", outcome.output.said)
  end)
end)
