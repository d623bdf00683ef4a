---The waiters of S3 that ask by HEAD succeed by a status alone, which any proxy, gateway or login page may send. Nothing said
---so. Answers of S3 have a header x-amz-request-id, and so have those of MinIO.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("a waiter of S3 that succeeds by a status", function()
  local workspace = Workspace.of_each()
  local answer
  local server = Server.of_each(function() return answer end)

  ---@return string? warning of the outcome that is of the header
  local function warning_of(waiter, words)
    local done = workspace:bide({ "aws", "s3", waiter, "Bucket=things", "--endpoint", server.url, "--max-wait", "50s", "--quiet",
      "--output", "json", table.unpack(words or {}) }, { env = { HOME = workspace.path, AWS_ACCESS_KEY_ID = "A",
        AWS_SECRET_ACCESS_KEY = "B", AWS_REGION = "eu-west-1" } })
    assert.equal(0, done.code, done.stderr)
    for _, warning in ipairs(json.decode(done.stdout).warnings or {}) do
      if warning:find("x-amz", 1, true) then return warning end
    end
  end

  for waiter, status in pairs { ["bucket-exists"] = 200, ["bucket-not-exists"] = 404, BucketExists = 403 } do
    it(("warns if the answer may be another program's, %s by %d"):format(waiter, status), function()
      answer = { status = status, headers = { Server = "nginx" } }
      assert.matches("the answer has no header x-amz…, so that any server or proxy may have given its status " .. status,
        warning_of(waiter), 1, true)
      assert.is_string(warning_of(waiter, { "--no-sign-request" }))
      answer.headers = { ["X-Amz-Request-Id"] = "1" }
      assert.is_nil(warning_of(waiter))
    end)
  end
end)
