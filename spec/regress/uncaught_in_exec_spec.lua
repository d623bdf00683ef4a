---What a script raised was told without care: a metatable that hides itself or
---fails made bide raise in its turn, and an error without a message had "nil" for one.

local Workspace = require "spec.support.workspace"

describe("what nobody caught in bide exec", function()
  local workspace = Workspace.of_block()

  local cases = {
    { 'error { type = "Gone" }', "bide: uncaught operation error Gone\n" },
    { 'error { type = "Gone", message = {} }', "bide: uncaught operation error Gone\n" },
    { 'error { type = "Gone", status = 404, message = "m" }', "bide: uncaught operation error Gone (404): m\n" },
    { 'error(setmetatable({ type = "Gone" }, { __metatable = 5 }))', "bide: uncaught operation error Gone\n" },
    { 'error(setmetatable({ type = "Gone" }, { __tostring = error }))', "bide: uncaught operation error Gone\n" },
    { 'error(setmetatable({ type = "Gone" }, { __tostring = function() return "mine" end }))', "bide: mine\n" },
    { 'error(setmetatable({}, { __index = { type = "Gone" } }))', "bide: uncaught operation error Gone\n" },
  }

  for _, case in ipairs(cases) do
    it("is told as it is: " .. case[1], function()
      workspace:write("script.lua", case[1])
      local done = workspace:bide { "exec", "script.lua" }
      assert.same({ 5, case[2] }, { done.code, done.stderr })
    end)
  end
end)
