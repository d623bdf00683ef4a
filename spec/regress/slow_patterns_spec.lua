---Patterns that begin anywhere in a text took a time that grew with the square of its length: a refused address of 200 KB
---held the process for two minutes, as did a line of blanks in a model.

local check = require "bide.model.check.model"
local address = require "bide.address"
local models = require "spec.support.models"
local origin = require "bide.probe.http.origin"

local LONG = 100000

---The processor time that such a text may take, in seconds; it took minutes.
local MOST = 2

---@param f fun()
local function is_fast(f)
  local began = os.clock()
  f()
  return os.clock() - began < MOST
end

describe("a long text takes no time that grows with its square:", function()
  local texts = {
    ["an address without a user"] = function() assert.is_nil((address.read(("a"):rep(LONG), { schemes = { "x" } }))) end,
    ["an authority that ends with a sign"] = function() origin.shown_url("http://" .. ("a"):rep(LONG) .. "@") end,
    ["a line of blanks in a model"] = function()
      local line = (" "):rep(LONG) .. "x"
      local opened = models.of_text('$version: "2.0"\nnamespace a.b\n@documentation("""\n' .. line .. '\n""")\nstructure S {}\n')
      check.check(opened)
    end,
  }
  for name, f in pairs(texts) do
    it(name, function() assert.is_true(is_fast(f)) end)
  end
end)
