---The package had no documentation, and nothing said where it is: nobody could write a recipe with it alone.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local uv = require "luv"

describe("bide help PAGE", function()
  local workspace = Workspace.of_each()

  for _, path in ipairs { "recipes", "tutorial", "models", "when-bide-says-yes", "how-to/test-a-recipe", "reference/journals",
    "explanation/attempts" } do
    local name = path:match "[^/]*$"
    it("prints the page of the documentation: " .. name, function()
      local handle <close> = assert(io.open(("docs/%s.md"):format(path)))
      local done = workspace:bide { "help", name }
      assert.same({ 0, handle:read "a" }, { done.code, done.stdout }, done.stderr)
    end)
  end

  it("explains commands and recipes before pages of their names", function()
    assert.matches("^Usage: bide aws", workspace:bide({ "help", "aws" }).stdout)
    assert.matches("Kubernetes", workspace:bide({ "help", "kubernetes" }).stdout, 1, true)
    workspace:write("recipes.lua", "-- Waits for the recipes.\nreturn { Op = { call = print, waitable = {"
      .. " OpDone = { acceptors = {"
      .. ' { state = "success", matcher = { success = true } } } } } } }')
    local done = workspace:bide({ "help", "recipes" }, { env = { BIDE_PATH = workspace.path } })
    assert.matches("OpDone", done.stdout, 1, true)
  end)

  it("names the nearest page, and all of them", function()
    local done = workspace:bide { "help", "tutroial" }
    done:says(2, 'did you mean "tutorial"?')
    done = workspace:bide { "help", "everything-there-is" }
    done:says(2, "the pages of the documentation are\n  asked-for, attempts, aws, ")
    for _, name in ipairs { "../README", "recipes/http", "", "architecture.md" } do
      assert.equal(2, workspace:bide({ "help", name }).code)
    end
  end)

  it("says where the pages should be if they were left out", function()
    if process.is_static then return pending "a program that is one file has its pages within it" end
    local program = assert(uv.fs_realpath(process.bide))
    local folder = program:match "^(.*)/"
    local done = process.run { "/bin/sh", "-c", ("mkdir '%s/copy' && cp '%s' '%s/copy/' && cd '%s/copy' && ln -s %s/lua %s/lib"
      .. " %s/scripts . && ./bide help recipes"):format(workspace.path, program, workspace.path, workspace.path, folder, folder,
      folder) }
    assert.equal(2, done.code)
    assert.matches("the pages of the documentation are not in .*/copy/docs", done.stderr)
  end)

  it("is named by bide --help, and completed", function()
    assert.matches("bide help recipes", workspace:bide({ "--help" }).stdout, 1, true)
    local done = workspace:bide { "completion", "words", "--", "help", "tutor" }
    assert.equal("tutorial\n", done.stdout)
  end)
end)
