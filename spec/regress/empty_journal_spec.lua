---A command that only reads a journal made one of an empty file.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

describe("an empty file", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("empty", "")
    assert(uv.fs_chmod(workspace.path .. "/empty", 384)) -- 0600
  end)

  local function names()
    local found = {}
    for name in uv.fs_scandir_next, assert(uv.fs_scandir(workspace.path)) do found[#found + 1] = name end
    return found
  end

  for _, words in ipairs {
    { "advise", "tcp", "--journal" }, { "journal", "list", "--journal" }, { "journal", "report", "--journal" },
  } do
    it(("is no journal, and stays empty: %s %s"):format(words[1], words[2]), function()
      local done = workspace:bide { words[1], words[2], words[3], "empty" }
      done:says(2, "the journal empty: the file is empty")
      assert.same({ "empty" }, names())
      assert.equal("", workspace:read "empty")
      done = workspace:bide { words[1], words[2], words[3], "missing" }
      done:says(2, "the journal missing: no such file")
      assert.same({ "empty" }, names())
    end)
  end
end)
