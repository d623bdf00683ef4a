---``header('x') == `null` `` was a yes where there was no answer of HTTP: for an open port, for what a command prints.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("a condition that a part of an answer is null", function()
  local workspace = Workspace.of_block()

  local server = Server.of_block(function() return { status = 200, body = '{"a":true}' } end)

  local function run(words, condition, ...)
    local all = { "--max-wait", "30s", "--max-attempts", "1", "--quiet", "--until", condition, ... }
    return workspace:bide(table.move(all, 1, #all, #words + 1, words))
  end

  for _, condition in ipairs { "header('x') == `null`", "`null` == header('x')", "status() == `null`", "text() == `null`",
    "(header('x') | @ == `null`) || header('x') == `null`" } do
    it("is no yes without an answer: " .. condition, function()
      for _, words in ipairs { { "tcp", (server.url:match "//([^/]+)") }, { "command", [[echo '{"a":true}']] } } do
        run(words, condition):says(4, "does not count: no answer has had the ")
      end
    end)
  end

  it("is no yes of the input's path either", function()
    for _, path in ipairs { "header('x')", "status()" } do
      local words = { "command", "echo '{}'", "path=" .. path, "expect:=null", "--max-wait", "30s", "--max-attempts", "1" }
      workspace:bide(words):says(4, "expected null; there is no answer of HTTP")
    end
    assert.equal(0, workspace:bide({ "http", server.url, "path=header('x')", "expect:=null", "--max-wait", "30s" }).code)
  end)

  it("is one beside another that holds, where it is accepted, and of an answer without that header", function()
    assert.equal(0, run({ "command", [[echo '{"a":true}']] }, "header('x') == `null` || a").code)
    assert.equal(0, run({ "command", "echo 1" }, "header('x') == `null`", "--allow-missing").code)
    assert.equal(0, run({ "http", server.url }, "header('x') == `null`").code)
  end)
end)
