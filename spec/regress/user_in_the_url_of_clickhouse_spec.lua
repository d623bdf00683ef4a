---ClickhouseReady succeeded although ClickHouse had refused the user: one in the URL counted as none.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("a wait for ClickHouse", function()
  local workspace = Workspace.of_each()
  local server

  before_each(function()
    server = Server.start(function(request)
      if request.path == "/ping" then return { body = "Ok.\n" } end
      return { status = 403, body = "Code: 516. DB::Exception: app: Authentication failed. (AUTHENTICATION_FAILED)\n" }
    end)
  end)

  after_each(function() server:close() end)

  it("fails where the user of the URL is refused, and takes a refusal for ready where there is none", function()
    for user, code in pairs { [""] = 0, ["app:wrong@"] = 1, ["app@"] = 1 } do
      local url = server.url:gsub("//", "//" .. user, 1)
      local done = workspace:bide { "clickhouse", url, "--max-wait", "5s" }
      assert.equal(code, done.code, user .. done.stdout .. done.stderr)
    end
  end)
end)
