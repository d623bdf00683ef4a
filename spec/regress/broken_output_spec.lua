---Output that cannot be written was lost without a word, and a closed standard
---file made libuv abort: the next file opened took its number.

local Workspace = require "spec.support.workspace"

describe("output that cannot be written", function()
  local workspace = Workspace.of_block()
  local replay

  setup(function()
    workspace:replay_of('[{"state": "success", "matcher": {"success": true}}]', { '{"output": 1}' })
    replay = '"$BIDE" replay trait.json Waiter answers.jsonl --max-wait 5s --quiet '
  end)

  it("is told, and turns a success into exit code 1", function()
    workspace:shell(replay .. ">/dev/full"):says(1, "the outcome cannot be written: No space left on device")
  end)

  it("leaves other exit codes as they are", function()
    workspace:write("denied.jsonl", '{"error": {"type": "Denied"}}\n')
    assert.equal(3, workspace:shell(replay:gsub("answers", "denied") .. ">/dev/full").code)
  end)

  for _, option in ipairs { "2>/dev/full", "--sandbox 2>/dev/full", "--output json=/dev/full" } do
    it("lets no COMMAND run: " .. option, function()
      workspace:write("with.lua", "return { Op = function() return {} end }")
      local done = workspace:shell(([["$BIDE" run trait.json --with with.lua --max-wait 50s --quiet -- touch ran %s]])
        :format(option))
      assert.equal(1, done.code)
      assert.is_nil(io.open(workspace.path .. "/ran"))
    end)
  end

  for _, events in ipairs { "--events /dev/full", "--events - >/dev/full" } do
    it("is told once for " .. events, function()
      local done = workspace:shell(replay .. events)
      assert.equal(1, done.code)
      local _, times = done.stderr:gsub("the events cannot be written: No space left on device", "")
      assert.equal(1, times)
    end)
  end

  for _, closed in ipairs { "<&-", ">&-", "2>&-", "<&- >&- 2>&-" } do
    it("gets no file of bide's in its place where it is closed: " .. closed, function()
      local code = (closed:find "^>&%-" or closed:find " >&%-") and 1 or 0
      assert.equal(code, workspace:shell(replay .. closed).code)
      assert.equal(code, workspace:shell(replay .. "--events events.jsonl " .. closed).code)
      assert.equal(3, #Workspace.decode_lines(workspace:read "events.jsonl"))
    end)
  end

  it("does not reach the terminal as commands to it", function()
    local words = workspace:replay_of('[{"state": "failure", "message": "m", "matcher": {"success": true}},'
      .. '{"state": "success", "matcher": {"success": false}}]', { '{"output": {"m": "\\u001b[2Jgone\\nnext"}}' },
      "--max-wait", "50s", "--quiet")
    local done = workspace:bide(words)
    assert.equal("Waiter failed after 1 attempt in 0 s: \\x1B[2Jgone\\x0Anext\n", done.stderr)
  end)
end)
