---In `header(x)=done`, x is a member that no answer has: the wait went on until its deadline.

local core = require "bide.core"
local Workspace = require "spec.support.workspace"

describe("the bare name of a header", function()
  for text, column in pairs {
    ["header(x)"] = 8, ["!header(x)"] = 9, ['header("x")'] = 8, ["contains(header(x), 'a')"] = 17, ["header(null)"] = 8,
  } do
    it("is a mistake in " .. text, function()
      local mistake = core.jmespath.compile(text):bare_word()
      assert.equal(column, mistake and mistake.column)
    end)
  end

  for _, text in ipairs { "header('x')", "header(@.x)", "header(names.etag)", "header(names[0])" } do
    it("is none in " .. text, function()
      assert.is_nil((core.jmespath.compile(text):bare_word()))
    end)
  end

  it("is told before anything is sent", function()
    local workspace = Workspace.make()
    local given = { { "--until", "header(x)=done" }, { "--fail", "header(x)=done" }, { "path=header(x)", "expect=done" } }
    for _, words in ipairs(given) do
      local done = workspace:bide { "http", "127.0.0.1:1", "--max-wait", "100ms", table.unpack(words) }
      done:says(2, "x is a member here, not a text: write 'x' for the text, @.x for the member")
    end
    workspace:remove()
  end)
end)
