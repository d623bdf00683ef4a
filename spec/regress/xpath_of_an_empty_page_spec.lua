---An XPath that a page without anything in it fulfils, as `not(//error)`, was a yes for the page of any other program.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("xpath", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(function()
    return { body = "<jobs><job>done</job></jobs>", headers = { ["content-type"] = "application/xml" } }
  end)

  local function run(words)
    local line = { "http", server.url, "--max-wait", "50s", "--max-attempts", "1", "--quiet" }
    return workspace:bide(table.move(words, 1, #words, #line + 1, line))
  end

  for _, words in ipairs {
    { "xpath=not(//error)" }, { "xpath=count(//error) = 0" }, { "xpath=count(//error)", "expect=0" }, { "xpath=/*" },
    { "xpath=true()" }, { "xpath=string(//error)", "expect:=\"\"" }, { "xpath=not(//error) or //job" },
    { "xpath=not(//error)", "expect=true" }, { "xpath=name(/*) != 'failure'" },
  } do
    it(("is refused: %s"):format(table.concat(words, " ")), function()
      local done = run(words)
      assert.equal(2, done.code, done.stdout .. done.stderr)
      assert.matches("it holds for a page without anything in it; name what a page that is ready has as well, as in "
        .. "//status and not(//error)\n", done.stderr, 1, true)
      assert.same({}, server.requests)
    end)
  end

  for _, words in ipairs {
    { "xpath=//job and not(//error)" }, { "xpath=not(//error)", "matches=<job>" }, { "xpath=count(//job)", "expect=1" },
    { "xpath=count(//job[. != 'done']) = 0", "matches_lua=<job>" },
  } do
    it(("is taken: %s"):format(table.concat(words, " ")), function()
      run(words):ends(0)
      server.requests = {}
    end)
  end
end)
