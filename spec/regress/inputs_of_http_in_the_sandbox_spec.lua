---In the sandbox, the recipe http succeeded whatever matches and xpath asked for: the copy of http.prepare dropped the
---function that looks at the response.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local workspace = Workspace.of_each()

it("looks at the text of an answer in the sandbox, too", function()
  local server = Server.start(function() return { body = "starting" } end)
  for _, word in ipairs { "matches=^ready", "expect=ready", "xpath=//ready", "matches_lua=^ready" } do
    local done = workspace:bide { "http", server.url, word, "--sandbox", "--max-wait", "200ms" }
    assert.equal(124, done.code, word)
  end
  assert.equal(0, workspace:bide({ "http", server.url, "matches=^start", "--sandbox", "--max-wait", "9s" }).code)
  server:close()
end)
