---What all bundled recipes have in common: they declare their inputs.

local bide = require "bide"
local path = require "bide.recipe.file.path"
local process = require "spec.support.process"

local declaration = require "bide.recipe.input.declaration"

---Every operation of a bundled recipe, by one of its waiters.
local waiters = {}
for _, name in ipairs(path.names()) do
  local recipe = assert(bide.load(name))
  for _, waiter in ipairs(recipe.names) do waiters[#waiters + 1] = { name, waiter, recipe.waiters[waiter] } end
end

local function run(...)
  return process.run { process.bide, "run", ... }
end

describe("a bundled recipe", function()
  for _, row in ipairs(waiters) do
    local name, waiter_name, waiter = table.unpack(row)
    it(("documents the inputs of %s %s, and one of them is positional"):format(name, waiter_name), function()
      for input, member in pairs(waiter.inputs) do
        assert.is_true(member.documentation ~= nil, input)
      end
      assert.is_string(declaration.positional(waiter.inputs)[1])
    end)

    it(("refuses what %s %s does not take"):format(name, waiter_name), function()
      local done = run(name, waiter_name, "no-such-input=x", "--max-wait", "1s")
      assert.equal(2, done.code)
      assert.matches('^bide: unknown input "no%-such%-input", ', done.stderr)
      assert.equal("", done.stdout)
    end)

    it(("refuses %s %s without its input"):format(name, waiter_name), function()
      local done = run(name, waiter_name, "--max-wait", "1s")
      assert.equal(2, done.code)
      assert.matches("^bide: .*expected ", done.stderr)
      assert.equal("", done.stdout)
    end)
  end
end)
