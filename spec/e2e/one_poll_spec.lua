---A wait that can ask only once, although its limits do not say so, says it before it asks.

local Workspace = require "spec.support.workspace"

---Options of a wait for a closed port, and the warning; false if there is none.
local rows = {
  { "--interval 100 --max-wait 30s", "PortOpen polls only once: --interval 1m40s is not below --max-wait 30s" },
  { "--interval 1s --max-wait 1s", "PortOpen polls only once: --interval 1s is not below --max-wait 1s" },
  { "--min-delay 5m --max-wait 1m", "PortOpen polls only once: --min-delay 5m is not below --max-wait 1m" },
  { "--interval 100 --max-wait 30s --max-attempts 1", false },
  { "--interval 10ms --max-wait 30ms", false }, { "--max-wait 20ms", false },
}

describe("a wait that polls only once", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    it((row[2] and "says so: " or "is meant: ") .. row[1], function()
      local words = { "tcp", "127.0.0.1:1", "--quiet" }
      for word in row[1]:gmatch "%S+" do words[#words + 1] = word end
      local done = workspace:bide(words)
      assert.is_true(done.code == 124 or done.code == 4)
      assert.equal(row[2] and ("bide: warning: %s\n"):format(row[2]) or nil, done.stderr:match "bide: warning: [^\n]*\n")
    end)
  end
end)
