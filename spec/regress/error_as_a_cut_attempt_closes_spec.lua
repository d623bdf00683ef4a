---What a `__close` raised in a task that was cut or cancelled was lost: no code can catch it. It is a warning of Lua now,
---as an error in `__gc` is.

local Workspace = require "spec.support.workspace"

local recipe = [[
warn "%s"
local bide = require "bide"
local function held()
  local guard <close> = setmetatable({}, { __close = function() error(%s) end })
  bide.sleep(60)
end
return { Get = { call = function() %s end, waitable = { Ready = { acceptors = {
  { state = "success", matcher = { output = { path = "@", comparator = "stringEquals", expected = "yes" } } } } } } } }
]]

local cut = "held()"
local cancelled = "local task = bide.spawn(held) bide.sleep(0.05) task:cancel() bide.sleep(0.05) return 'yes'"

describe("an error in __close of a task that was ended", function()
  local workspace
  before_each(function() workspace = Workspace.make() end)
  after_each(function() workspace:remove() end)

  local function warnings(control, raised, body)
    workspace:write("held.lua", recipe:format(control, raised, body))
    local done = workspace:bide { "run", "held.lua", "--max-wait", "300ms", "--quiet" }
    assert.equal(body == cut and 124 or 0, done.code, done.stderr)
    return (done.stderr:gsub("^Ready exceeded[^\n]*\n$", ""):gsub("\nReady exceeded[^\n]*\n$", "\n"))
  end

  it("is a warning, whether the task was cut or cancelled", function()
    local expected = "Lua warning: error in __close of a task that was ended: held.lua:4: no such session\n"
    assert.equal(expected, warnings("@on", "'no such session'", cut))
    assert.equal(expected, warnings("@on", "'no such session'", cancelled))
  end)

  it("is a warning if it is no text", function()
    assert.equal("Lua warning: error in __close of a task that was ended: its value is not a string\n",
      warnings("@on", "{}", cut))
  end)

  it("is not shown while warnings are off", function()
    assert.equal("", warnings("@off", "'no such session'", cut))
  end)
end)
