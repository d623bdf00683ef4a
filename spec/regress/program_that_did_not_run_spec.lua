---A program that may not be run, or whose folder is missing, counted as one that had answered: its error has a type that files
---have, too, so that a waiter with `success = false` succeeded, and COMMAND ran.

local Workspace = require "spec.support.workspace"

local recipe = [[
local exec, file = require "bide.exec", require "bide.file"
local ways = {
  PermissionDenied = function() exec { "./plain" } end,
  NotFound = function() exec({ "true" }, { cwd = "./none" }) end,
  Raised = function()
    local _, failure = pcall(exec, { "./plain" })
    error(failure, 0)
  end,
  Answered = function() error { type = "NotFound" } end,
}
local function waiter(matcher) return { acceptors = { { state = "success", matcher = matcher } } } end
return { Ask = {
  input = { how = { type = "string", required = true } },
  call = function(input) ways[input.how]() end,
  waitable = { Gone = waiter { success = false }, Named = waiter { errorType = "PermissionDenied" } },
} }]]

describe("a program that did not run", function()
  local workspace = Workspace.of_block { ["ask.lua"] = recipe, plain = "no program" }

  local function run(waiter, how)
    return workspace:bide { "run", "./ask.lua", waiter, "how=" .. how, "--max-wait", "50s", "--quiet", "--", "echo", "COMMAND" }
  end

  for _, how in ipairs { "PermissionDenied", "NotFound", "Raised" } do
    it("is no success by success = false: " .. how, function()
      local done = run("Gone", how)
      assert.same({ 3, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("cannot run ", done.stderr, 1, true)
    end)
  end

  it("is one where an acceptor names its type, and so is an answer of that type", function()
    assert.same("COMMAND\n", run("Named", "PermissionDenied").stdout)
    assert.same("COMMAND\n", run("Gone", "Answered").stdout)
  end)
end)
