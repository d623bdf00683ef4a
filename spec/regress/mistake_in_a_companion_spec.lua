---A mistake in the words after --while did not say that it is there: it was read as one of the wait's own words.

local Workspace = require "spec.support.workspace"

describe("a mistake after --while", function()
  local workspace = Workspace.of_block()

  for words, mistake in pairs {
    ["nosuch"] = "nosuch: no bundled recipe",
    ["tcp"] = "host: expected a string, found nothing",
    ["tcp localhost:1 bogus=1"] = 'unknown input "bogus"',
    ["tcp Foo localhost:1"] = "port: expected an integer",
    ["./none.lua"] = "./none.lua: ",
    ["http localhost:1 expect="] = "expect: expected a text that is not empty",
  } do
    it("names it: " .. words, function()
      local given = { "tcp", "localhost:1", "--max-wait", "1s", "--while" }
      for word in words:gmatch "%S+" do given[#given + 1] = word end
      local done = workspace:bide(given)
      assert.equal(2, done.code, done.stderr)
      assert.equal(1, done.stderr:find("bide: --while: " .. mistake, 1, true), done.stderr)
    end)
  end

  it("is not named for a mistake in the other words", function()
    local done = workspace:bide { "tcp", "localhost:1", "bogus=1", "--max-wait", "50s", "--while", "command", "true" }
    assert.equal(1, done.stderr:find('bide: unknown input "bogus"', 1, true), done.stderr)
  end)
end)
