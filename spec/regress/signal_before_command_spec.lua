---A signal that came after the last turn of the loop was noted and never looked at: COMMAND ran to its end with 0 although
---the deployment had been cancelled. From the end of the wait on, a signal ends bide, or it is COMMAND's.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

---Signals for each situation. BIDE_SIGNALS=1000 tries more.
local COUNT = tonumber(os.getenv "BIDE_SIGNALS") or 24

---The latest moment of a signal, in seconds. A run takes 10 to 40 ms until COMMAND begins.
local LATEST = 0.05

local situations = {
  { "a plain wait", { "command", "true" } },
  { "a journal", { "command", "true", "--journal", "signals.db" } },
  { "events in a file", { "command", "true", "--events", "events.jsonl" } },
  { "a fleet", { "command", "true", "+", "file", "there" } },
  { "the sandbox", { "file", "there", "--sandbox" } },
}

describe("a signal around the beginning of COMMAND", function()
  local workspace = Workspace.of_block { there = "" }

  for _, situation in ipairs(situations) do
    it("is never swallowed: " .. situation[1], function()
      local swallowed = {}
      for number = 1, COUNT do
        local words = table.move(situation[2], 1, #situation[2], 1, {})
        table.move({ "--max-wait", "5s", "--quiet", "--", "sleep", "5" }, 1, 6, #words + 1, words)
        local moment, signal = LATEST * number / COUNT, number % 3 == 0 and "sighup" or "sigterm"
        local done = workspace:bide(words, { signal = signal, signal_after = moment })
        if done.code == 0 and done.signal == 0 then swallowed[#swallowed + 1] = ("%s after %.3f s"):format(signal, moment) end
      end
      assert.same({}, swallowed)
    end)
  end

  ---Runs bide with a descriptor that is a full pipe, sends SIGTERM while bide writes there, and empties the pipe.
  local function run_with_slow_reader(descriptor, words)
    return workspace:shell(([[
      rm -f pipe ran; mkfifo pipe; exec 7<>pipe
      dd if=/dev/zero bs=65536 count=1 >&7 2>/dev/null
      "$BIDE" %s %s>&7 & running=$!
      sleep 0.4; kill -TERM $running; sleep 0.2
      dd bs=65536 count=1 <&7 >/dev/null 2>&1
      wait $running]]):format(words, descriptor))
  end

  for _, row in ipairs {
    { "2", "command true --max-wait 5s --quiet -- touch ran" },
    { "2", "command true --max-wait 5s --quiet --journal slow.db -- touch ran" },
    { "2", "file there --max-wait 5s --quiet --sandbox -- touch ran" },
    { "1", "command true --max-wait 5s --quiet" },
  } do
    it(("ends bide while it writes to descriptor %s: %s"):format(row[1], row[2]), function()
      assert.equal(143, run_with_slow_reader(row[1], row[2]).code)
      assert.is_nil(uv.fs_stat(workspace.path .. "/ran"))
    end)
  end

  it("leaves a run unreported, so that --resume runs COMMAND", function()
    local line = "command true --max-wait 5s --journal resumed.db %s-- touch ran"
    assert.equal(143, run_with_slow_reader("2", line:format "").code)
    workspace:shell('"$BIDE" ' .. line:format "--resume "):says(0, "ended before its outcome was reported")
    assert.truthy(uv.fs_stat(workspace.path .. "/ran"))
  end)

  it("reaches a COMMAND that has begun", function()
    local running = workspace:start { "command", "true", "--max-wait", "50s", "--", "sh", "-c",
      "trap 'echo caught; exit 7' TERM; echo begun; while :; do sleep 0.05; done" }
    running:wait_for_output "begun"
    running:kill "sigterm"
    running:wait():prints(7, "caught")
  end)

  it("does not end a COMMAND whose caller ignores it", function()
    local done = workspace:shell([[
      trap '' HUP
      "$BIDE" command true --max-wait 50s --quiet -- sh -c 'kill -HUP $$; echo alive']])
    assert.matches("alive", done.stdout)
    assert.equal(0, done.code)
  end)
end)
