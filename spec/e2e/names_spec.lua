---Recipes by name: `bide run NAME`, `bide NAME`, and files of the current folder.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

local recipe = [[
return { Look = { call = function() return { here = true } end,
  waitable = { Looked = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
]]

describe("a name", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("file", recipe)
    workspace:write("mine", recipe)
    workspace:write("here.lua", recipe)
    assert(uv.fs_mkdir(workspace.path .. "/path", 493))
    workspace:write("path/plan.lua", recipe)
    workspace:write("path/things.lua", recipe)
    workspace:write("data", "")
  end)

  local function bide(words, env) return workspace:bide(words, { env = env }) end

  local function assert_fails(done, message)
    assert.same({ 2, "", "bide: " .. message .. "\n" }, { done.code, done.stdout, done.stderr })
  end

  it("is never a file of the current folder", function()
    local done = bide { "run", "file", "path=data", "--max-wait", "5s", "--quiet" }
    assert.matches("^FileExists succeeded", done.stdout)
    assert.matches("^bide: warning: file is the recipe .*/file.lua; the file of this folder is %./file\n$", done.stderr)
    done = bide { "run", "./file", "--max-wait", "5s", "--quiet" }
    assert.matches("^Looked succeeded", done.stdout)
    assert.equal("", done.stderr)
    done = bide { "run", "here.lua", "--max-wait", "5s", "--quiet" }
    assert.equal(0, done.code)
  end)

  it("that only a file of the current folder has is refused, with a hint", function()
    local done = bide { "run", "mine", "--max-wait", "5s" }
    assert.equal(2, done.code)
    assert.matches("^bide: mine: no bundled recipe or recipe in BIDE_PATH has that name; .*; "
      .. "the file of this folder is %./mine\n$", done.stderr)
    done = bide { "run", "here", "--max-wait", "5s" }
    assert.equal(2, done.code)
  end)

  it("alone is bide run NAME", function()
    local done = bide({ "things", "--max-wait", "50s", "--quiet" }, { BIDE_PATH = "path" })
    assert.matches("^Looked succeeded", done.stdout)
    done = bide { "file", "path=data", "--max-wait", "50s", "--quiet", "--", "echo", "ready" }
    assert.same({ 0, "ready\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("of a command is that command", function()
    local done = bide({ "plan", "here.lua", "--max-wait", "5s" }, { BIDE_PATH = "path" })
    assert.matches("^Looked: minDelay", done.stdout)
    done = bide({ "run", "plan", "--max-wait", "5s" }, { BIDE_PATH = "path" })
    assert.matches("^Looked succeeded", done.stdout)
  end)

  it("that is neither a command nor a recipe is refused, with the nearest one", function()
    assert_fails(bide { "rnu" }, 'unknown command "rnu", did you mean "run"?')
    assert_fails(bide { "htpp", "url=x" }, 'unknown command "htpp", did you mean "http"?')
    assert_fails(bide { "MariaDB", "db" }, 'unknown command "MariaDB", did you mean "mysql"?')
    assert_fails(bide { "run", "k8s", "--max-wait", "1s" },
      'k8s: no bundled recipe or recipe in BIDE_PATH has that name; did you mean "kubernetes"?')
    local done = bide { "zzzzzzzz" }
    assert.equal('bide: unknown command "zzzzzzzz": bide --help shows the commands, bide list the recipes\n', done.stderr)
    assert.equal(2, done.code)
    assert.matches("^bide: %-%-max%-wait is missing", bide({ "./file" }).stderr)
    assert.matches(": the file of this folder is %./mine\n$", bide({ "mine" }).stderr)
  end)
end)
