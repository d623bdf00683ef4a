---SocketClosed succeeded for a file that is no socket, and for a folder, as Docker makes one where a socket is to be mounted:
---both refuse a connection as a socket does on which nothing listens.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a path that is no socket", function()
  local workspace

  before_each(function() workspace = Workspace.make() end)
  after_each(function() workspace:remove() end)

  for name, command in pairs { file = "touch app.sock", directory = "mkdir app.sock" } do
    it("is a failure: " .. name, function()
      workspace:shell(command)
      for _, waiter in ipairs { "SocketClosed", "SocketOpen" } do
        local done = workspace:bide { "unix", waiter, workspace.path .. "/app.sock", "--max-wait", "200ms" }
        assert.equal(3, done.code, done.stdout .. done.stderr)
        assert.matches("ENOTSOCK: it is a " .. name, done.stderr, 1, true)
      end
      workspace:shell "rm -r app.sock"
    end)
  end

  it("is closed once a socket is left there, or nothing", function()
    workspace:write("bind.py", "import socket\nsocket.socket(socket.AF_UNIX).bind('app.sock')\n")
    assert.equal(0, process.run({ "python3", "bind.py" }, { tool = true, cwd = workspace.path }).code)
    for _ = 1, 2 do
      assert.equal(0, workspace:bide({ "unix", "SocketClosed", workspace.path .. "/app.sock", "--max-wait", "5s" }).code)
      workspace:shell "rm -f app.sock"
    end
  end)
end)
