---A connection counted as refused if the last address refused it, though another one did not answer: PortClosed succeeded
---while the server was up with a full queue, or dropped packets. All addresses have to refuse.

local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"
local failure_of = require "spec.support.failure_of"
local tcp = require "bide.tcp"

---A server that accepts nothing, with a queue that is full: the system then drops what comes.
local FULL_QUEUE = [[
import socket, sys, time
server = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
server.bind((sys.argv[1], 0))
port = server.getsockname()[1]
server.listen(0)
clients = []
for _ in range(3):
    client = socket.socket(server.family)
    client.setblocking(False)
    clients.append(client)
    client.connect_ex((sys.argv[1], port))
time.sleep(0.1)
print("full", port, flush=True)
time.sleep(60)
]]

describe("a refusal by one of two addresses", function()
  local server, number

  local function fill(address)
    server = process.start { "python3", "-c", FULL_QUEUE, address }
    server:wait_for_output "full %d+\n"
    number = math.tointeger(tonumber(server.stdout:match "full (%d+)"))
  end

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  for _, address in ipairs { "127.0.0.1", "::1" } do
    it("is none of the host while the other one is silent: " .. address, function()
      fill(address)
      local failure = failure_of(tcp, { host = "localhost", port = number, timeout = 0.4 })
      assert.equal("RequestTimeout", failure.type)
      local form = address == "::1" and "[::1]:%d: no answer in time" or "127.0.0.1:%d: no answer in time"
      assert.matches(form:format(number), failure.message, 1, true)
      assert.matches("ECONNREFUSED", failure.message, 1, true)
      assert.equal(form:format(number):match "^(.*): ", failure.address)
    end)

    for _, line in ipairs { "tcp PortClosed localhost:%d timeout=0.4", "http ServiceDown http://localhost:%d timeout=0.4" } do
      it("does not close it: " .. line .. ", silent: " .. address, function()
        fill(address)
        local words = { process.bide }
        for word in line:format(number):gmatch "%S+" do words[#words + 1] = word end
        words[#words + 1] = "--max-wait=1s"
        process.run(words):ends(124)
      end)
    end
  end

  it("is one of both where both refuse, and where the machine has no ::1", function()
    number = port.free()
    assert.equal("ConnectionRefused", failure_of(tcp, { host = "localhost", port = number }).type)
    local script = ([[ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6 || exit 99
      %s tcp PortClosed localhost:%d --max-wait 50s && %s http ServiceDown localhost:%d --max-wait 1s]]):format(
      process.bide, number, process.bide, number)
    local done = process.run({ "unshare", "-rn", "sh", "-c", script }, { tool = true })
    if done.code == 99 or done.stderr:find "unshare" then return pending "there are no namespaces of networks here" end
    assert.equal(0, done.code, done.stdout .. done.stderr)
  end)
end)

describe("a Unix socket", function()
  local workspace = Workspace.of_each()
  local server

  local function serve(script)
    server = process.start({ "python3", "-c", "import socket, time\n" .. script .. "\nprint('up', flush=True)\ntime.sleep(60)" },
      { cwd = workspace.path })
    server:wait_for_output "up"
  end

  local function run(...)
    return process.run { process.bide, "unix", "SocketClosed", workspace.path .. "/s", "--max-wait", "500ms", ... }
  end

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  it("with a full queue is not closed", function()
    serve [[
s = socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(0); c = socket.socket(socket.AF_UNIX); c.connect("s")]]
    run():writes(124, "EAGAIN: the queue of its server is full")
  end)

  for _, kind in ipairs { "SOCK_DGRAM", "SOCK_SEQPACKET" } do
    it("of another type is a failure, for both waiters: " .. kind, function()
      serve(([[
s = socket.socket(socket.AF_UNIX, socket.%s); s.bind("s")
if s.type != socket.SOCK_DGRAM: s.listen()]]):format(kind))
      run():writes(3, "it is a socket of another type, for datagrams or packets")
      assert.equal(3, run("--invert").code)
    end)
  end

  it("is closed where there is no file, and where nothing listens, but not where the file is no socket", function()
    assert.equal(0, run().code)
    serve [[s = socket.socket(socket.AF_UNIX); s.bind("s")]]
    assert.equal(0, run().code)
    process.run { "rm", workspace.path .. "/s" }
    workspace:write("s", "text")
    assert.equal(3, run().code)
  end)
end)
