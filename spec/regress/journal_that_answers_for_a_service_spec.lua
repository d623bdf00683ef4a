---Where an operation made its request by `bide.once`, and the journal was missing or unusable, JournalFailed counted as the
---service's answer: a waiter with `success = false` succeeded, and COMMAND ran.

local Workspace = require "spec.support.workspace"

local recipe = [[
local bide = require "bide"
local function once(input) return bide.once("token", {}, function() return { asked = true } end) end
return { Ask = {
  input = { how = { type = "string" } },
  call = function(input)
    if input.how == "plain" then return once() end
    if input.how == "task" then return bide.spawn(once):join() end
    if input.how == "unjoined" then bide.spawn(once) bide.sleep(0.01) return {} end
    if input.how == "again" then local ok, failure = pcall(once) error(failure) end
    return { caught = select(2, pcall(once)).type }
  end,
  waitable = {
    Gone = { minDelay = 0.01, acceptors = {
      { state = "success", matcher = { success = false } }, { state = "success", matcher = { errorType = "JournalFailed" } },
    } },
    Caught = { acceptors = { { state = "success", matcher = { expect = { path = "caught", text = "JournalFailed" } } } } },
  },
} }]]

describe("a journal that cannot be used", function()
  local workspace = Workspace.of_block { ["ask.lua"] = recipe }

  for _, how in ipairs { "plain", "task", "unjoined", "again" } do
    it("is no answer of a service: " .. how, function()
      local done = workspace:bide { "run", "./ask.lua", "Gone", "how=" .. how, "--max-wait", "50s", "--", "echo", "COMMAND" }
      assert.same({ 5, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("JournalFailed: no journal is given", done.stderr, 1, true)
    end)
  end

  it("may be caught by the operation", function()
    assert.equal(0, workspace:bide({ "run", "./ask.lua", "Caught", "how=caught", "--max-wait", "50s" }).code)
  end)
end)
