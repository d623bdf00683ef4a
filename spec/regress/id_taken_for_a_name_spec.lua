---`bide process ProcessGone 4711` looked for a process that is called "4711", found none, and succeeded at once, while the
---process with that id ran.

local uv = require "luv"
local Workspace = require "spec.support.workspace"

describe("a process id that is given as a name", function()
  local workspace = Workspace.of_block()

  for _, waiter in ipairs { "ProcessGone", "ProcessRuns" } do
    for _, word in ipairs { "%d", "name=%d", 'name:="%d"' } do
      it(("is a mistake: %s %s"):format(waiter, word), function()
        local pid = uv.os_getpid()
        local done = workspace:bide { "process", waiter, word:format(pid), "--max-wait", "300ms", "--quiet" }
        assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
        local says = ('name: expected a name, or pid=%d for the process with this id, found "%d"'):format(pid, pid)
        assert.matches(says, done.stderr, 1, true)
      end)
    end
  end

  it("is taken as pid=", function()
    local pid = ("pid=%d"):format(uv.os_getpid())
    assert.equal(0, workspace:bide({ "process", pid, "--max-wait", "9s", "--quiet" }).code)
    assert.equal(124, workspace:bide({ "process", "ProcessGone", pid, "--max-wait", "300ms", "--quiet" }).code)
  end)
end)
