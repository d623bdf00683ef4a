---The rock: `luarocks make` into an empty tree gives the program, and modules that plain Lua can require.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"

if process.bide ~= "build/bide" then return end -- the rock is what the plain build makes

local function is_there(program)
  return process.run({ "/bin/sh", "-c", "command -v " .. program }, { tool = true }).code == 0
end

describe("the rock", function()
  local version = require "bide.version"
  local rockspec = ("src/release/bide-%s-1.rockspec"):format(version)
  local elsewhere = Directory.of_block()
  local tree

  setup(function()
    if not is_there "luarocks" then return end
    tree = Directory.make_in_memory()
    local words = { "luarocks", "--lua-version", "5.4", "--tree", tree.path, "make", "--deps-mode=none", rockspec }
    process.run(words, { tool = true, longest = 300 }):ends(0)
  end)

  teardown(function()
    if not tree then return end
    tree:remove()
  end)

  local function with_rock(words)
    if not tree then pending "luarocks is missing: install the package luarocks" end
    words[1] = words[1]:gsub("^TREE", tree.path)
    local path = ("%s/share/lua/5.4/?.lua;%s/share/lua/5.4/?/init.lua;;"):format(tree.path, tree.path)
    return process.run(words, { tool = true, cwd = elsewhere.path,
      env = { LUA_PATH = path, LUA_CPATH = tree.path .. "/lib/lua/5.4/?.so;;", BIDE_PATH = false } })
  end

  it("is of this version", function()
    if not is_there "luarocks" then pending "luarocks is missing: install the package luarocks" end
    process.run({ "luarocks", "--lua-version", "5.4", "lint", rockspec }, { tool = true }):ends(0)
  end)

  it("has the program, its recipes, data and pages", function()
    local done = with_rock { "TREE/bin/bide", "--version" }
    assert.equal("bide " .. version, done.stdout:match "^[^\n]*")
    done = with_rock { "TREE/bin/bide", "tcp", "127.0.0.1:1", "--invert", "--max-wait", "50s" }
    assert.equal(0, done.code, done.stderr)
    assert.matches("CertificateValidated", with_rock({ "TREE/bin/bide", "aws", "acm" }).stdout)
    assert.matches("^# Journals", with_rock({ "TREE/bin/bide", "help", "journals" }).stdout)
  end)

  it("gives plain Lua the modules", function()
    local program = [[
      local bide = require "bide"
      print(bide.VERSION)
      print(bide.load("http").file)
    ]]
    local done = with_rock { process.lua, "-e", program }
    assert.equal(("%s\n%s/share/lua/5.4/bide/scripts/http.lua\n"):format(version, tree.path), done.stdout, done.stderr)
    assert.equal(0, done.code)
  end)
end)
