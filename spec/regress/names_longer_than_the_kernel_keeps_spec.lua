---ProcessGone succeeded while a script ran whose name has more than 15 bytes, which the kernel cuts; and for a process of a file
---pid_file that ran, since `pid` beside it was the only one that counted.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a process", function()
  local workspace = Workspace.of_each()
  local started

  after_each(function()
    if started then
      started:kill "sigkill"
      started:wait()
    end
    started = nil
  end)

  local function run(waiter, ...)
    return process.run { process.bide, "process", waiter, ... }
  end

  ---Starts a script under a name, and waits until its interpreter runs it.
  local function start(name)
    workspace:write(name, "#!/bin/sh -u\necho up\nread line\n")
    workspace:shell("chmod +x " .. name)
    started = process.start({ "sh", "-c", ("mkfifo lines; exec %s/%s <>lines"):format(workspace.path, name) },
      { tool = true, cwd = workspace.path })
    started:wait_for_output "up"
  end

  it("is found by the whole name of a script that the kernel has cut", function()
    start "a-script-with-a-long-name"
    assert.equal(124, run("ProcessGone", "a-script-with-a-long-name", "--max-wait", "150ms").code)
    assert.equal(0, run("ProcessRuns", "a-script-with-a-long-name", "--max-wait", "20s").code)
    for _, other in ipairs { "a-script-with-a-long-nam", "a-script-with-another-name", "a-script-with-a-long-name-of-its-own" } do
      assert.equal(0, run("ProcessGone", other, "--max-wait", "20s").code, other)
    end
  end)

  it("is named by pid or by pid_file, and not by both", function()
    workspace:write("app.pid", ("%d\n"):format(4194304))
    local done = run("ProcessGone", "pid=4194303", "pid_file=" .. workspace.path .. "/app.pid", "--max-wait", "1s")
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("pid: expected pid or pid_file, found both", done.stderr, 1, true)
  end)
end)
