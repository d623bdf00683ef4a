---Editors know the C modules by their annotations alone.

local core = require "bide.core"
local read = require "spec.support.read"

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

describe("the annotations for editors", function()

  it("name every module of bide.core, with its class", function()
    local text = read "lua/bide/meta/core.lua"
    assert.matches("^%-%-%-@meta bide%.core\n", text)
    for module in pairs(core) do
      assert.matches(("\n---@field %s bide.core.%s\n"):format(module, module), text, 1, true)
      assert.matches(("\n---@class bide.core.%s\n"):format(module), read(("lua/bide/meta/%s.lua"):format(module)), 1, true)
    end
    for module in text:gmatch "@field (%w+)" do assert.is_table(core[module], module) end
  end)

  -- A language server sees no member of what setmetatable returns, unless its type is said.
  it("say the type of what the module bide returns", function()
    assert.matches("\n%-%-%-@type bide\nlocal (%w+) = setmetatable%(bide, .*\nreturn %1\n$", read "lua/bide/init.lua")
  end)
end)
