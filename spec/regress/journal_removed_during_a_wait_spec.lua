---A journal that was removed or replaced while it was open was written to as before, without a warning: `--resume` then began
---the wait anew, and bide.once made a request again.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { Look = {
  call = function()
    local file = assert(io.open "state")
    local text = file:read "l"
    file:close()
    return { state = text }
  end,
  waitable = { Seen = { minDelay = 0.1, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } },
} }
]]

local script = [[
local bide = require "bide"
local function ask() return { asked = true } end
bide.once("first", {}, ask)
os.rename("j", "moved")
local done, failure = pcall(bide.once, "second", {}, ask)
print(done, failure.type, failure.message)
]]

describe("a journal that is removed while it is open", function()
  local workspace = Workspace.of_each()

  for _, command in ipairs { "rm j", "mv j moved; touch j; chmod 600 j" } do
    it("is reported once, and the wait continues: " .. command, function()
      workspace:write("look.lua", recipe)
      workspace:write("state", "pending\n")
      local process = workspace:start { "run", "look.lua", "--max-wait", "30s", "--journal", "j" }
      process:wait_for_output "attempt 1,"
      workspace:shell(command)
      process:wait_for_output "was removed"
      workspace:write("state", "there\n")
      local done = process:wait()
      assert.equal(0, done.code, done.stderr)
      local _, count = done.stderr:gsub("bide: warning: the journal j: it was removed, or replaced by another file; "
        .. "the wait continues, and cannot be resumed as it is now\n", "")
      assert.equal(1, count, done.stderr)
    end)
  end

  it("is no journal of further requests", function()
    workspace:write("once.lua", script)
    local done = workspace:bide { "exec", "--journal", "j", "once.lua" }
    assert.matches("^false\tJournalFailed\tthe journal j: it was removed, or replaced by another file", done.stdout)
  end)
end)
