---Where the watchdog ended bide, the lines of progress that were drawn stayed, and its message was written over the first
---of them.

local Screen = require "spec.support.screen"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local recipe = [[
local bide = require "bide"
return { Op = {
  call = function(input)
    bide.sleep(0.5)
    if input.stuck then string.find(("a"):rep(64), ("a*"):rep(64) .. "b") end
    return { status = ("a long text "):rep(6) }
  end,
  waitable = { Done = { minDelay = 0.1, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } },
  } } },
} }]]

local workspace = Workspace.of_each()

it("the watchdog's message takes the place of the drawn lines", function()
  workspace:write("recipe.lua", recipe)
  local line = [[stty cols 300 rows 30; "$BIDE" run recipe.lua + recipe.lua stuck:=true + recipe.lua --max-wait 800ms]]
  local done = process.run({ "script", "-qec", line, "/dev/null" }, { cwd = workspace.path, tool = true,
    env = { BIDE = require("luv").fs_realpath(process.bide), TERM = "xterm", GITHUB_ACTIONS = false } })
  done:prints(124, "recipe#3: ")
  local screen = Screen.new(300)
  screen:feed(done.stdout)
  local lines = screen:lines()
  assert.equal(1, #lines, table.concat(lines, "\n"))
  assert.matches("^bide: .*give that call less to do$", lines[1])
end)
