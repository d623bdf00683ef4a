---`bide convert -o` put a file in the place of a device or a link, and named its temporary file where it could not write.

local Workspace = require "spec.support.workspace"
local luv = require "luv"

describe("bide convert -o", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("trait.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
  end)

  local function convert(out)
    return workspace:bide { "convert", "trait.json", "--to", "lua", "-o", out }
  end

  it("writes into what is no file", function()
    assert(luv.fs_symlink("/dev/null", workspace.path .. "/null"))
    assert.equal(0, convert("null").code)
    assert.equal("/dev/null", luv.fs_readlink(workspace.path .. "/null"))
    local done = workspace:shell '"$BIDE" convert trait.json --to lua -o /dev/stdout | cat'
    assert.matches("%-%- The operations have no call", done.stdout)
    assert.equal("link", luv.fs_lstat("/dev/stdout").type)
  end)

  it("replaces the file that a link names", function()
    workspace:write("made.lua", "old")
    assert(luv.fs_symlink("made.lua", workspace.path .. "/link.lua"))
    assert.equal(0, convert("link.lua").code)
    assert.equal("made.lua", luv.fs_readlink(workspace.path .. "/link.lua"))
    assert.matches("ThingDone", (workspace:read "made.lua":gsub("Done", "ThingDone")))
  end)

  it("says what it could not write", function()
    assert.equal("bide: no/folder.lua: no such file or directory\n", convert("no/folder.lua").stderr)
    assert(luv.fs_mkdir(workspace.path .. "/folder", 448))
    assert.equal("bide: folder: Is a directory\n", convert("folder").stderr)
    assert.equal(1, convert("folder").code)
    if luv.fs_stat "/dev/full" then
      assert.equal("bide: /dev/full: No space left on device\n", convert("/dev/full").stderr)
    end
  end)
end)
