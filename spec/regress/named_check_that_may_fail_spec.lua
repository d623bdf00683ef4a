---commit_checks took a check of GitLab that had failed for passed though it was one of names, if its job may fail
---(allow_failure); and it waited to its end for a job that a person may start, and need not.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json

---The names, the job beside build with its state and whether it may fail, and the exit code.
local rows = {
  { "build,test", "test", "failed", true, 1 },
  { "build,test", "test", "manual", true, 124 },
  { "build", "test", "failed", true, 0 },
  { "build", "test", "canceled", true, 0 },
  { "build", "test", "manual", true, 0 },
  { "build", "test", "running", true, 124 },
  { "build", "test", "failed", false, 1 },
  { "build", "test", "manual", false, 124 },
}

describe("a job of GitLab", function()
  local workspace = Workspace.of_block()

  for _, row in ipairs(rows) do
    local names, name, state, may_fail, code = table.unpack(row)
    it(("that is %s%s decides for names=%s: %d"):format(state, may_fail and ", and may fail," or "", names, code), function()
      local server = Server.start(function()
        return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(json.array {
          { id = 1, name = "build", status = "success", sha = "3f1c2ab", allow_failure = false },
          { id = 2, name = name, status = state, sha = "3f1c2ab", allow_failure = may_fail },
        }) }
      end)
      local done = workspace:bide { "commit_checks", "acme/shop", "3f1c2ab", names, "provider=gitlab", "url=" .. server.url,
        "--interval", "50ms", "--quiet", "--max-wait", code == 124 and "400ms" or "9s" }
      server:close()
      assert.equal(code, done.code, done.stdout .. done.stderr)
    end)
  end
end)
