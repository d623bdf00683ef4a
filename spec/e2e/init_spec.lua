---`bide init`: a recipe to begin with, whose cases pass and notice every change of it.

local Workspace = require "spec.support.workspace"

describe("bide init", function()
  local workspace = Workspace.of_each()

  it("writes a recipe without a mistake, and cases that notice every mutation", function()
    local done = workspace:bide { "init", "deploy" }
    assert.equal(0, done.code, done.stderr)
    assert.equal("wrote deploy.lua and deploy.wait.lua\n  bide test deploy.wait.lua\n"
      .. "  bide run ./deploy.lua 42 --max-wait 10m\n", done.stdout)
    assert.is_nil((workspace:read "deploy.lua" .. workspace:read "deploy.wait.lua"):find("NAME", 1, true))
    assert.equal(0, workspace:bide({ "check", "./deploy.lua", "--severity", "NOTE" }).code)
    workspace:bide({ "test", "deploy.wait.lua", "--mutate", "--min-coverage", "100" }):prints(0, " 0 that no case notices")
  end)

  it("takes a folder, and a name with its ending", function()
    workspace:shell "mkdir 'a folder'"
    workspace:bide({ "init", "a folder/job.lua" }):prints(0, "bide run 'a folder/job.lua' 42")
    assert.equal(0, workspace:bide({ "test", "a folder/job.wait.lua" }).code)
  end)

  it("has a name of its own", function()
    assert.equal(0, workspace:bide({ "init" }).code)
    assert.equal(0, workspace:bide({ "test", "recipe.wait.lua" }).code)
  end)

  for _, file in ipairs { "deploy.lua", "deploy.wait.lua" } do
    it(("writes nothing where %s is there"):format(file), function()
      workspace:write(file, "mine")
      local done = workspace:bide { "init", "deploy" }
      assert.equal(2, done.code)
      assert.equal(("bide: %s is there already; nothing was written\n"):format(file), done.stderr)
      assert.equal("mine\n", workspace:shell("cat deploy*; echo").stdout)
    end)
  end

  it("does not write through a link, even one to nothing", function()
    workspace:shell "ln -s elsewhere deploy.lua"
    assert.equal(2, workspace:bide({ "init", "deploy" }).code)
    assert.equal("deploy.lua\n", workspace:shell("ls").stdout)
  end)

  it("refuses what is no name, and a folder that is not there", function()
    for _, name in ipairs { "a b", "x/", ".lua", "--deploy", "naïve", "a\nb" } do
      assert.equal(2, workspace:bide({ "init", name }).code, name)
    end
    local done = workspace:bide { "init", "nowhere/deploy" }
    assert.same({ 2, "bide: nowhere/deploy.lua: no such file or directory\n" }, { done.code, done.stderr })
    assert.equal("", workspace:shell("ls").stdout)
  end)
end)
