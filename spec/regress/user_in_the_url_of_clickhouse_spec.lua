---ClickhouseReady succeeded although ClickHouse had refused the user: one in the URL counted as none.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("a wait for ClickHouse", function()
  local workspace = Workspace.of_each()
  local server, asked

  before_each(function()
    asked = {}
    server = Server.start(function(request)
      asked[#asked + 1] = request.target
      if request.path == "/ping" then return { body = "Ok.\n" } end
      return { status = 403, body = "Code: 516. DB::Exception: app: Authentication failed. (AUTHENTICATION_FAILED)\n" }
    end)
  end)

  after_each(function() server:close() end)

  it("fails where the user of the URL is refused, and takes a refusal for ready where there is none", function()
    for user, code in pairs { [""] = 0, ["app:wrong@"] = 1, ["app@"] = 1 } do
      local url = server.url:gsub("//", "//" .. user, 1)
      local done = workspace:bide { "clickhouse", url, "--max-wait", "50s" }
      assert.equal(code, done.code, user .. done.stdout .. done.stderr)
    end
  end)

  it("asks for paths before the query of the URL, which may have the user, too", function()
    local done = workspace:bide { "clickhouse", server.url .. "/?user=app&password=wrong", "--max-wait", "50s" }
    assert.equal(1, done.code, done.stdout .. done.stderr)
    assert.same({ "/ping?user=app&password=wrong", "/?user=app&password=wrong&default_format=JSON&query=SELECT%201" }, asked)
  end)
end)
