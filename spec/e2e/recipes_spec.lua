---Every recipe that comes with bide is told of in the same way: by itself, by `bide list` and by docs/recipes.md.

local bide = require "bide"
local names = require("bide.recipe.file.path").names()
local process = require "spec.support.process"
local read = require "spec.support.read"

---Returns the waiters of a recipe that do not say in one line by what they know that their state is reached.
local function silent_waiters(loaded)
  local silent = {}
  for _, name in ipairs(loaded.names) do
    if not (loaded.waiters[name].witness or ""):find "^Counts as %l+: .*[^%s.]%.$" then silent[#silent + 1] = name end
  end
  return silent
end

---The waiters in a row of the table: | [`tcp`](recipes/tcp.md) | `PortOpen`, `PortClosed` | …
local function waiters_of_row(name)
  local row, waiters = read("docs/recipes.md"):match("\n| %[`" .. name .. "`%]%b() | ([^|]*) |"), {}
  for waiter in (row or ""):gmatch("`(%w+)`") do waiters[#waiters + 1] = waiter end
  return waiters
end

---Returns the inputs of a recipe that take the texts of a Lua pattern and do not say in words which these are.
local function wordless_inputs(loaded)
  local wordless = {}
  for _, waiter in pairs(loaded.waiters) do
    for name, member in pairs(waiter.inputs) do
      local element = member.of or member
      if element.pattern and not element.expected then wordless[#wordless + 1] = name end
    end
  end
  return wordless
end

describe("a recipe that comes with bide", function()
  it("is one of at least twelve", function() assert.is_true(#names >= 12) end)

  for _, name in ipairs(names) do
    describe(name .. ":", function()
      local loaded = assert(bide.load(name))

      it("says first what it waits for, and how to call it", function()
        local text = read(("scripts/%s.lua"):format(name))
        assert.matches("^%-%-%-Waits until ", text)
        assert.matches("\n%-%-%-    bide run " .. name .. " ", text)
      end)

      it("has a waiter that is meant where none is named, and is in docs/recipes.md with all of them", function()
        local waiters = waiters_of_row(name)
        assert.equal(assert(loaded:find()).name, waiters[1])
        table.sort(waiters)
        assert.same(loaded.names, waiters)
      end)

      it("reads its input once, before its attempts", function()
        for _, waiter in ipairs(loaded.names) do
          assert.is_nil(loaded.waiters[waiter].call, waiter)
          assert.is_function(loaded.waiters[waiter].new_call, waiter)
        end
      end)

      it("says what each waiter waits for", function()
        for _, waiter in ipairs(loaded.names) do
          assert.matches("^Waits until .*%.$", loaded.waiters[waiter].documentation)
        end
      end)

      it("says by what each waiter knows that its state is reached", function()
        local silent = table.concat(silent_waiters(loaded), ", ")
        assert.equal("", silent, "countsAsReady or countsAsGone is missing")
      end)

      it("says in words what an input takes, and not by a pattern", function()
        assert.same({}, wordless_inputs(loaded))
      end)

      it("is named by bide list", function()
        local done = process.run { process.bide, "list" }
        for _, waiter in ipairs(loaded.names) do assert.matches("\n  " .. waiter .. " ", done.stdout) end
      end)
    end)
  end
end)
