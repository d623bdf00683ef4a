---UnitActive took the last of several units that a pattern names; RequestsDrained took a page that does not count bide's own
---request, which gives -1 in flight; ImapReady took an answer without a version of IMAP.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"
local uv = require "luv"

describe("a unit", function()
  local workspace = Workspace.of_block()

  local function run(script, ...)
    assert(uv.fs_chmod(workspace:write("systemctl", "#!/bin/sh\n" .. script .. "\n"), tonumber("755", 8)))
    return process.run({ process.bide, "systemd", "--max-wait", "2s", ... },
      { env = { PATH = workspace.path .. ":" .. os.getenv "PATH" } })
  end

  local function show(...)
    local blocks = {}
    for position, state in ipairs { ... } do
      blocks[position] = ("printf 'LoadState=loaded\\nActiveState=%s\\nSubState=x\\nResult=success\\n'"):format(state)
    end
    return table.concat(blocks, "; echo; ")
  end

  for _, waiter in ipairs { "UnitActive", "UnitInactive", "UnitFinished" } do
    it("is one, and no pattern: " .. waiter, function()
      for _, unit in ipairs { "app@*.service", "app?.service", "app[12].service" } do
        local done = run(show("failed", "active"), waiter, unit)
        assert.same({ 2, "" }, { done.code, done.stdout })
        assert.matches(('unit: expected the name of one unit, without * ? [, found "%s"'):format(unit), done.stderr, 1, true)
      end
    end)

    it("is not the last of several: " .. waiter, function()
      local done = run(show("failed", waiter == "UnitActive" and "active" or "inactive"), waiter, "app.service")
      done:says(3, "systemctl has answered for several units, and one is asked for")
    end)
  end

  it("is what it says alone", function()
    assert.equal(0, run(show "active", "UnitActive", "app@1.service").code)
    assert.equal(0, run(show "inactive", "UnitInactive", "app@1.service").code)
  end)
end)

describe("a stub_status page", function()
  local page
  local server = Server.of_block(function() return { status = 200, body = page } end)

  local function run(waiter, active, reading, writing)
    page = ("Active connections: %d \nserver accepts handled requests\n 1 1 1 \nReading: %d Writing: %d Waiting: 0 \n"):format(
      active, reading, writing)
    return process.run { process.bide, "nginx", waiter, server.url .. "/status", "--max-attempts", "2", "--max-wait", "50s" }
  end

  it("counts the request that asks for it", function()
    for _, numbers in ipairs { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 0, 1 } } do
      for _, waiter in ipairs { "RequestsDrained", "NginxServing" } do
        run(waiter, table.unpack(numbers)):says(3, "does not count the request of bide itself")
      end
    end
    assert.equal(0, run("RequestsDrained", 1, 0, 1).code)
    assert.equal(4, run("RequestsDrained", 2, 0, 2).code)
    assert.equal(4, run("RequestsDrained", 2, 1, 1).code)
  end)
end)

---Greets and lists capabilities, as often as it is asked.
local IMAP = [[
import socket, sys
server = socket.socket()
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen()
print("up", flush=True)
while True:
    peer, _ = server.accept()
    peer.sendall(b"* OK ready\r\n")
    tag = peer.recv(999).split()[0]
    peer.sendall(b"* CAPABILITY " + sys.argv[2].encode() + b"\r\n" + tag + b" OK done\r\n")
    peer.recv(999)
    peer.close()
]]

describe("a server that answers as IMAP does", function()
  local function run(capabilities)
    local number = port.free()
    local server = process.start({ "python3", "-c", IMAP, tostring(number), capabilities }, { tool = true })
    server:wait_for_output "up"
    local done = process.run { process.bide, "imap", "127.0.0.1:" .. number, "--max-wait", "2s" }
    server:kill "sigkill"
    server:wait()
    return done
  end

  it("names a version of IMAP", function()
    for _, capabilities in ipairs { "IMAP4rev1", "IDLE imap4rev2 ID", "IMAP4" } do assert.equal(0, run(capabilities).code) end
    for _, capabilities in ipairs { "IDLE", "MIMAP4", "" } do
      run(capabilities):says(3, "IMAP4 is not among the capabilities")
    end
  end)
end)
