---Mistakes of scripts that were taken without a word: a poller with a delay below 0, with a part
---of an attempt, or whose maxAttempts gave a number, which polled for ever; a waiter whose name is
---no text.

local bide = require "bide"

local function refuses(message, f, ...)
  local ok, mistake = pcall(f, ...)
  assert.is_false(ok)
  assert.matches(message, tostring(mistake), 1, true)
end

describe("bide.poller", function()
  local function unmet() return false end

  it("refuses a delay and a number of attempts that cannot be", function()
    refuses("delay: expected a number of seconds", bide.poller, unmet, { delay = -1 })
    refuses("delay: expected a number of seconds", bide.poller, unmet, { delay = 0 / 0 })
    refuses("maxAttempts: expected a whole number", bide.poller, unmet, { maxAttempts = 1.5 })
    assert.equal(math.huge, bide.poller(unmet, { maxAttempts = math.huge }).maxAttempts)
  end)

  it("wants a yes or a no of maxAttempts, where that is a function", function()
    local poller = bide.poller(unmet, { maxAttempts = function() return 3 end, delay = 0 })
    refuses("maxAttempts: expected true or false, found 3", poller.poll, poller)
    assert.is_nil(bide.poller(unmet, { maxAttempts = function() end, delay = 0 }):poll())
  end)
end)

describe("a waiter of a script", function()
  local function definition(name)
    return { name = name, call = function() return {} end, acceptors = { { state = "success", matcher = { success = true } } } }
  end

  it("has a name for messages", function()
    refuses("name: expected a string", bide.waiter, definition(5))
    assert.equal("ThingExists", bide.waiter(definition "ThingExists").name)
  end)
end)
