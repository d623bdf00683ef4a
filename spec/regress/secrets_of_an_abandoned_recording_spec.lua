---A text that a later answer says is a secret stayed in the earlier lines of a recording whose wait was abandoned.

local Workspace = require "spec.support.workspace"
local acceptor = require "bide.acceptor"
local bide = require "bide"
local recording = require "bide.record.recording"

describe("the recording of a wait that is abandoned", function()
  local workspace = Workspace.of_each()

  it("has no secret that was learnt after its first line", function()
    local count = 0
    local path = workspace.path .. "/rec.jsonl"
    local observer = assert(recording.in_file(path, error))
    local waiter = bide.waiter {
      call = function()
        count = count + 1
        return count == 1 and { note = "use hunter2hunter2" } or { password = "hunter2hunter2" }
      end,
      minDelay = 0.01, maxDelay = 0.01,
      acceptors = { acceptor.output("success", "state", "done") },
    }
    local wait = assert(waiter:prepare({}, { maxWait = 60 })):start(function(record) error(record.message) end, observer)
    for _ = 1, 200 do if count < 3 then bide.sleep(0.01) end end
    assert.is_true(count >= 3)
    wait:abandon()
    assert.is_nil(next(observer.of))
    local text = workspace:read "rec.jsonl"
    assert.is_nil(text:find "hunter2hunter2", text)
    assert.equal("use [redacted]", Workspace.decode_lines(text)[1].output.note)
  end)
end)
