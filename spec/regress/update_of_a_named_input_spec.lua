---`bide test --update` did not find the `expect` of a case whose input has a member `name`: it took that for the next case.

local Workspace = require "spec.support.workspace"

local recipe = [[
local acceptor = require "bide.acceptor"
return { Get = {
  call = function() return {} end,
  input = { name = { type = "string" } },
  waitable = { Done = { acceptors = { acceptor.output("success", "done") } } },
} }
]]

---In the case, `expect = {` is in a comment, in a text and in the input as well.
local case = [[
return {
  recipe = "./jobs.lua",
  {
    name = "waits for a job",
    waiter = "Done",
    input = { name = "import", --[=[ } expect = { ]=] }, -- expect = { "
    answers = { { output = { done = false, note = "expect = { '" } }, { output = { done = true } } },
    expect = %s,
  },
}
]]

describe("a case whose input has a name", function()
  local workspace = Workspace.of_block { ["jobs.lua"] = recipe }

  it("is updated", function()
    workspace:write("jobs.wait.lua", case:format '{ state = "success", attempts = 1 }')
    local done = workspace:bide { "test", "--update" }
    assert.matches("jobs.wait.lua: updated", done.stderr, 1, true)
    local file <close> = assert(io.open(workspace.path .. "/jobs.wait.lua"))
    assert.equal(case:format '{ state = "success", attempts = 2 }', file:read "a")
  end)
end)
