---`advise --output json --write` ended its JSON with a sentence, so that no program could read it.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local uv = require "luv"

describe("bide advise --output json --write", function()
  local workspace = Workspace.of_each()

  it("prints one JSON document, and says on standard error what was written", function()
    workspace:write("poll.lua", [[
return { Poll = {
  call = function() return {} end,
  waitable = { Done = { minDelay = 3, maxDelay = 20, initialDelay = 0, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]])
    uv.fs_mkdir(workspace.path .. "/runs", 448)
    for number = 1, 120 do
      local lines = { '{"at": 0, "output": {"state": "queued"}, "wait": {"format": 1, "recipe": "poll.lua", "waiter": "Done", '
        .. '"input": {}, "maxWait": 600}}\n' }
      for at = 2, 20 + number % 40, 2 do lines[#lines + 1] = ('{"at": %d, "output": {"state": "queued"}}\n'):format(at) end
      lines[#lines + 1] = ('{"at": %d, "output": {"state": "done"}}\n'):format(21 + number % 40)
      workspace:write(("runs/%03d.jsonl"):format(number), table.concat(lines))
    end
    local done = workspace:bide { "advise", "./poll.lua", "Done", "--recordings", "runs", "--output", "json", "--write" }
    assert.equal(0, done.code, done.stderr)
    assert.equal("Done", assert(core.json.decode(done.stdout)).waiter)
    assert.equal("./poll.lua has the schedule of sooner now\n", done.stderr)
  end)
end)
