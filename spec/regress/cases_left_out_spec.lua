---`bide test` was a success though it had left out cases: those of folders below the 32nd, of a path without any beside one
---with some, and of a file that made fewer of them in another process. An empty list fitted a list with elements.

local Workspace = require "spec.support.workspace"

local recipe = [[return { Get = { call = function() return {} end,
  waitable = { Got = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]]

local passes = [[return { recipe = "/%s/r.lua", { name = "a", answers = { { output = { items = { 1, 2 } } } },
  expect = { state = "success", attempts = 1, output = { %s } } } }]]

describe("bide test", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("r.lua", recipe)
    workspace:write("a.wait.lua", passes:format(workspace.path, ""))
    workspace:shell("mkdir none; mkdir -p deep/" .. ("x/"):rep(33) .. "; cp a.wait.lua deep/" .. ("x/"):rep(33))
  end)

  local function check(code, words, ...)
    workspace:bide({ "test", ... }):writes(code, words)
  end

  it("refuses a folder that is too deep to be searched", function()
    check(2, "/x/x: expected at most 32 folders in each other, found more", "deep")
  end)

  it("refuses each path without test files", function()
    check(2, "none: expected files *.wait.lua, found none", "a.wait.lua", "none")
    check(0, "1 case, 0 failed", "a.wait.lua")
  end)

  it("misses cases that another process does not make", function()
    workspace:write("b.wait.lua", ([[
      local log = io.open("%s/log", "a+")
      log:seek "set"
      local is_first = log:read "a" == ""
      log:write "x"
      log:close()
      local cases = { recipe = "/%s/r.lua" }
      for number = 1, is_first and 4 or 1 do
        cases[number] = { name = "case " .. number, answers = { { output = {} } },
          expect = { state = number == 4 and "failure" or "success", attempts = 1 } }
      end
      return cases]]):format(workspace.path, workspace.path))
    check(2, "expected the results of 4 cases, found those of 1", "b.wait.lua", "--jobs", "2")
  end)

  it("compares an empty list with one that is not", function()
    workspace:write("a.wait.lua", passes:format(workspace.path, "items = {}"))
    check(1, "output.items: expected 0 elements, found 2", "a.wait.lua")
    workspace:write("a.wait.lua", passes:format(workspace.path, "items = { 1, 2 }"))
    check(0, "1 case, 0 failed", "a.wait.lua")
  end)
end)
