---A metamethod of one shape could add members to another while that was read, into room for fewer.

local plain_lua = require "spec.support.plain_lua"

it("a shape is read without its metamethods", function()
  local done = plain_lua [[
    local bide = require "bide"
    local members = {}
    for i = 1, 40 do members["m" .. i] = "string" end
    members.m1 = setmetatable({}, { __index = function(_, name)
      if name ~= "map" then return nil end
      for i = 1, 40 do
        members["m" .. i] = nil
        members["n" .. i] = nil
      end
      for i = 1, 4000 do members[i .. "x"] = "string" end
      return "string"
    end })
    local ok, mistake = pcall(function() return bide.jmespath("a"):analyse { object = members } end)
    print(ok, mistake:match("a shape has .*"))
  ]]
  assert.same({ "false\ta shape has one of array, object and map\n", 0, 0 }, { done.stdout, done.code, done.signal })
end)
