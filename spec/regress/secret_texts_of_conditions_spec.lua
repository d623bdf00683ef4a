---A condition by the text of a token was shown with that text: only names all of whose values are secret were looked at.

local own_matcher = require "bide.text.own_matcher"
local Workspace = require "spec.support.workspace"
local expect = require "bide.expect"

describe("a condition by a secret text", function()
  local workspace = Workspace.of_block()

  for _, path in ipairs { "password", "login.token", "login.tokens[0].signature" } do
    it("is shown without the text: " .. path, function()
      local done = workspace:bide { "plan", "http", "url=http://127.0.0.1:1/", "--max-wait", "10s",
        "--until", path .. "=hunter2" }
      assert.equal(0, done.code, done.stderr)
      assert.matches(("--until %q"):format(path .. "=[redacted]"), done.stdout, 1, true)
      assert.not_matches("hunter2", done.stdout .. done.stderr)
    end)
  end

  it("shows a number of tokens, and no token", function()
    local notice = own_matcher.of(expect.success().matcher.lua).notice
    assert.equal("expected 5", notice { path = "tokens", expect = 5 })
    assert.is_nil(notice { path = "token", expect = "hunter2" })
    assert.is_nil(notice { path = "password", expect = 5 })
  end)
end)
