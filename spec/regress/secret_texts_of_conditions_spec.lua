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
      done:prints(0, ("--until %q"):format(path .. "=[redacted]"))
      assert.not_matches("hunter2", done.stdout .. done.stderr)
    end)
  end

  it("is in no report of a wait whose input has that text", function()
    workspace:write("inputs.lua", [[return { Get = { input = { key = { type = "string", secret = true } },
      call = function(input) return { state = input.key } end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    local words = { "run", "./inputs.lua", "key=hunter2hunter2", "--until", "state=hunter2hunter2", "--max-wait", "50s" }
    for _, format in ipairs { "html", "junit", "tap", "github", "otlp", "json" } do
      table.move({ "--output", ("%s=report.%s"):format(format, format) }, 1, 2, #words + 1, words)
    end
    assert.equal(0, workspace:bide(words).code)
    for _, format in ipairs { "html", "junit", "tap", "github", "otlp", "json" } do
      assert.not_matches("hunter2", workspace:read("report." .. format), format)
    end
    assert.matches("state=[redacted]", workspace:read "report.html", 1, true)
  end)

  it("shows a number of tokens, and no token", function()
    local notice = own_matcher.of(expect.success().matcher.lua).notice
    assert.equal("expected 5", notice { path = "tokens", expect = 5 })
    assert.is_nil(notice { path = "token", expect = "hunter2" })
    assert.is_nil(notice { path = "password", expect = 5 })
  end)
end)
