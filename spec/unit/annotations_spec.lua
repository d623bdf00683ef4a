---Editors know the C modules by their annotations alone.

local core = require "bide.core"

describe("the annotations of the C module", function()
  for module, functions in pairs(core) do
    it("name every function of " .. module, function()
      local handle <close> = assert(io.open(("lua/bide/meta/%s.lua"):format(module)))
      local text = handle:read "a"
      for name, value in pairs(functions) do
        local is_there = text:find(("[.:]%s%%f[^%%w_]"):format(name)) or text:find("@field " .. name, 1, true)
        assert.is_true(type(value) ~= "function" or is_there ~= nil, name)
      end
    end)
  end
end)
