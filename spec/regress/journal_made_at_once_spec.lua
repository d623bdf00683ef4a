---A command that opened a new journal while another one made it took it for a database of something else: it had looked for
---the mark before there was any, and for tables after there were some.

local Workspace = require "spec.support.workspace"

describe("a journal that several commands make at once", function()
  local workspace = Workspace.of_each()

  it("is one for each of them", function()
    workspace:write("get.lua", [[
return { Get = { call = function() return { state = "done" } end, waitable = {
  Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    for round = 1, 15 do
      local started = {}
      for number = 1, 6 do
        started[number] = workspace:start { "submit", "get.lua", "--max-wait", "1m", "--quiet", "--store",
          ("waits-%d.db"):format(round) }
      end
      for _, one in ipairs(started) do
        one:wait()
        assert.same({ 0, "" }, { one.code, one.stderr })
      end
    end
  end)
end)
