---bide.load told a sandboxed script which files exist outside of its folder.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

describe("bide.load in the sandbox", function()
  local workspace = Workspace.of_block()
  local elsewhere = Workspace.of_block()

  setup(function()
    elsewhere:write("there.lua", "return {}")
    elsewhere:write("there", "return {}")
    assert(uv.fs_mkdir(workspace.path .. "/parts", 448))
    assert(uv.fs_symlink(elsewhere.path, workspace.path .. "/link"))
    assert(uv.fs_symlink(elsewhere.path .. "/absent", workspace.path .. "/dangling"))
  end)

  ---What bide.load says of a path, without the path.
  local function load(path, options)
    workspace:write("script.lua", ("print(select(2, require 'bide'.load(%q, %s)))"):format(path, options or "nil"))
    local done = workspace:bide { "exec", "--sandbox", workspace.path .. "/script.lua" }
    assert.equal(0, done.code, done.stderr)
    return (done.stdout:gsub("^[^:]*", "", 1))
  end

  local outside = ": it is outside of the folder of the script, which is sandboxed\n"

  it("says one thing of every path outside", function()
    local folder = elsewhere.path
    for _, path in ipairs {
      folder .. "/there.lua", folder .. "/absent.lua", folder, folder .. "/", folder .. "/absent/absent.lua",
      folder .. "/there.lua/absent", "/", "/etc/shadow", "/etc/ssl", "/absent", "../" .. folder:match "[^/]*$",
      "../absent/", "link/there.lua", "link/absent.lua", "link/absent/absent", "./link", "dangling/", "./dangling",
      "dangling/absent", "absent/../../absent", "parts/../../absent", "parts/../link/absent",
    } do
      local absolute = path:sub(1, 1) == "/" and path or workspace.path .. "/" .. path
      assert.equal(outside, load(absolute), path)
      assert.equal(outside, load(path), path)
      assert.equal(outside, load("tcp", ("{ with = %q }"):format(absolute)), path)
    end
  end)

  it("says what is wrong within", function()
    assert.matches("no such file", load "./absent.lua")
    assert.matches("no such file", load "parts/absent/absent.lua")
    assert.matches("is a directory", load "./parts")
  end)

  it("says nothing of what lies in the current folder, which is another", function()
    local function of_name(name)
      workspace:write("script.lua", ("print(select(2, require 'bide'.load(%q)))"):format(name))
      local done = workspace:bide({ "exec", "--sandbox", workspace.path .. "/script.lua" }, { cwd = elsewhere.path })
      return (done.stdout:gsub("^[^:]*", "", 1))
    end
    assert.equal(of_name "absent", of_name "there")
    assert.matches("no bundled recipe or recipe in BIDE_PATH has that name", of_name "there")
  end)
end)
