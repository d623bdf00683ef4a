---Of a fleet on the command line the first failure cancelled the others, so that the exit
---code was that of whoever failed first, not that of the worst; and a script that
---went beyond its limits ended the waits of the others.

local Workspace = require "spec.support.workspace"

local recipe = [[
local bide = require "bide"
return {
  GetThing = {
    call = function(input)
      if input.after then bide.sleep(input.after) end
      while input.endless do end
      if input.raise then error { type = input.raise } end
      return { status = input.status }
    end,
    waitable = {
      ThingExists = {
        minDelay = 0.01, maxDelay = 0.01,
        acceptors = {
          { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
          { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } } },
        },
      },
    },
  },
}
]]

describe("a fleet of bide run --each", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  local done, failed, late, unmatched =
    '{"status": "done"}', '{"status": "failed"}', '{"status": "done", "after": 0.05}', '{"raise": "AccessDenied", "after": 0.05}'

  local function reasons(lines, ...)
    workspace:write("lines.jsonl", table.concat(lines, "\n") .. "\n")
    local fleet, process = workspace:outcome { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "2s", ... }
    local list = {}
    for position, outcome in ipairs(fleet.outcomes) do list[position] = outcome.reason end
    return list, process.code
  end

  it("ends with the worst cause, whoever failed first", function()
    local list, code = reasons { failed, unmatched, late }
    assert.same({ { "acceptor", "unmatchedError", "acceptor" }, 3 }, { list, code })
    list, code = reasons({ failed, failed, unmatched, done }, "--some", "3", "--keep-going")
    assert.same({ { "acceptor", "acceptor", "unmatchedError", "acceptor" }, 3 }, { list, code })
  end)

  it("ends with the first failure that decides it, where --some or --fail-fast say so", function()
    local list, code = reasons({ failed, failed, unmatched, late }, "--some", "3")
    assert.same({ { "acceptor", "acceptor", "cancelled", "cancelled" }, 1 }, { list, code })
    list, code = reasons({ failed, unmatched, late }, "--fail-fast")
    assert.same({ { "acceptor", "cancelled", "cancelled" }, 1 }, { list, code })
  end)

  it("goes on where the script of one went beyond its limits", function()
    local list, code = reasons({ '{"endless": true}', late }, "--sandbox")
    assert.same({ { "scriptError", "acceptor" }, 5 }, { list, code })
  end)

  it("ends as soon as enough have succeeded", function()
    local list, code = reasons({ done, '{"after": 60}' }, "--any")
    assert.same({ { "acceptor", "cancelled" }, 0 }, { list, code })
  end)
end)
