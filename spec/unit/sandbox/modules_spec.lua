---What the sandbox gives out is what a row of the registry says, and nothing else.

local bide = require "bide"
local luv = require "luv"
local modules = require "bide.sandbox.modules"
local registry = require "bide.text.registry"

---The modules of scripts: those right in lua/bide.
local function names_of_modules()
  local names = {}
  local request = assert(luv.fs_scandir "lua/bide")
  for entry in function() return luv.fs_scandir_next(request) end do
    names[#names + 1] = entry:match "^(.*)%.lua$"
  end
  return names
end

local function read(module)
  local handle <close> = assert(io.open(assert(package.searchpath(module, package.path))))
  return handle:read "a"
end

---Reports whether a value is a function, or a module that is called like one.
local function is_callable(value)
  return type(value) == "function" or type(value) == "table" and (debug.getmetatable(value) or {}).__call ~= nil
end

describe("the sandbox", function()
  ---Rows that do not say what it may give out.
  local silent = { {}, { sandbox = "wrapped" }, { sandbox = true }, { sandbox = "given", refused = "it looks around" } }

  for position, row in ipairs(silent) do
    it(("refuses a probe whose row does not say that it is given (%d)"):format(position), function()
      registry.functions.newcomer, package.preload["bide.newcomer"] = row, function() return print end
      finally(function() registry.functions.newcomer, package.preload["bide.newcomer"] = nil, nil end)
      local refusal = "bide.newcomer is not for sandboxed scripts: "
        .. (row.refused or "lua/bide/text/registry.lua does not give it to them")
      assert.same({ nil, refusal }, { modules.open("bide.newcomer", "/folder") })
      local ok, mistake = pcall(function() modules.open("bide", "/folder").newcomer() end)
      assert.is_false(ok)
      assert.truthy(mistake:find(refusal, 1, true), mistake)
      assert.is_nil(package.loaded["bide.newcomer"])
    end)
  end

  it("knows no module of bide that has no row", function()
    for _, name in ipairs(names_of_modules()) do
      if not registry.of_module(name) then
        assert.same({ n = 1 }, table.pack(modules.open("bide." .. name, "/folder")), name)
      end
    end
    assert.same({ n = 1 }, table.pack(modules.open("bide.probe.exec.running", "/folder")))
    assert.is_nil(modules.open("bide", "/folder").install)
  end)

  it("gives out a module as a copy, whose functions are bide's", function()
    local copy, real = modules.open("bide.base64", "/folder"), require "bide.base64"
    assert.not_equal(real, copy)
    assert.equal(real.encode, copy.encode)
  end)

  it("has what its rows say, and refuses the rest with its reason", function()
    local sandboxed = modules.open("bide", "/folder")
    for name, row in pairs(registry.functions) do
      assert.not_equal(row.sandbox == nil, row.refused == nil, name)
      if row.sandbox then
        assert.is_true(is_callable(sandboxed[name]), name)
      else
        local ok, mistake = pcall(sandboxed[name])
        assert.same({ false, true }, { ok, mistake:find(row.refused, 1, true) ~= nil }, name)
      end
    end
  end)
end)

describe("the registry", function()
  it("names functions that are there, each with its annotation beside it", function()
    for name, row in pairs(registry.functions) do
      local text = read(row.module or "bide." .. name)
      local field = text:match("\n%-%-%-@field " .. name .. " ([^\n]*)")
      assert.is_true(is_callable(bide[name]), name)
      assert.truthy(field and (field:find "^fun%(" or text:find("\n---@class " .. field .. "\n---@overload fun(", 1, true)), name)
    end
  end)

  it("names modules that are there", function()
    for name in pairs(registry.modules) do assert.is_not_nil(require("bide." .. name), name) end
  end)
end)

describe("http of the sandbox", function()
  it("takes no function that signs requests", function()
    local http = modules.open("bide.http", "/folder")
    assert.error_matches(function() http.get("http://localhost:1/", { sign = function() return {} end }) end,
      "http.get: sign: not for sandboxed scripts, since it may run outside of their limits$")
  end)
end)
