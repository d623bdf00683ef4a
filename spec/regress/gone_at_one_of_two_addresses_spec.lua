---A queue, an entry or a row counted as gone by the word of the first address that answered, while another address of the
---name still had it. Each address has to say so.

local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"
local process = require "spec.support.process"

---A directory at 127.0.0.1 and ::1, each with ("has") or without ("gone", "hidden") the entry, or which closes ("closes").
local DIRECTORY = [[
import socket, sys, threading
def element(tag, content): return bytes([tag, len(content)]) + content
def answer(number, content): return element(0x30, element(2, bytes([number])) + content)
ATTRIBUTE = element(0x30, element(4, b"o") + element(0x31, element(4, b"app")))
def result(tag, code, matched=b""): return element(tag, element(10, bytes([code])) + element(4, matched) + element(4, b""))
def serve(peer, word):
    peer.recv(999)
    peer.sendall(answer(2, result(0x61, 0)))
    peer.recv(999)
    if word == "has": peer.sendall(answer(3, element(0x64, element(4, b"o=app,dc=shop") + element(0x30, ATTRIBUTE))))
    if word != "closes": peer.sendall(answer(3, result(0x65, 0 if word == "has" else 32, b"dc=shop" if word == "gone" else b"")))
    peer.close()
def accept(server, word):
    while True: threading.Thread(target=serve, args=(server.accept()[0], word), daemon=True).start()
def listen(family, host, word):
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, int(sys.argv[1])))
    server.listen(9)
    threading.Thread(target=accept, args=(server, word), daemon=True).start()
for family, host, word in (socket.AF_INET, "127.0.0.1", sys.argv[2]), (socket.AF_INET6, "::1", sys.argv[3]):
    if word != "none": listen(family, host, word)
print("ready", flush=True)
threading.Event().wait()
]]

describe("what is gone at one of two addresses", function()
  local workspace, server, number

  before_each(function() workspace = Workspace.make() end)

  after_each(function()
    if server then server:kill() end
    server = nil
    workspace:remove()
  end)

  local function start(first, second)
    number = port.free()
    server = process.start { "python3", "-c", DIRECTORY, tostring(number), first, second }
    server:wait_for_output "ready"
  end

  local function run(waiter)
    return workspace:bide { "ldap", waiter, "localhost:" .. number, "base=o=app,dc=shop", "--max-wait", "200ms" }
  end

  for _, row in ipairs {
    { "gone", "gone", gone = 0, exists = 124 },
    { "gone", "none", gone = 0, exists = 124 },
    { "gone", "has", gone = 124, exists = 0 },
    { "has", "gone", gone = 124, exists = 0 },
    { "gone", "hidden", gone = 124, exists = 124 },
    { "hidden", "gone", gone = 124, exists = 124 },
    { "gone", "closes", gone = 124, exists = 124 },
  } do
    it(("is gone if each says so: %s, %s"):format(row[1], row[2]), function()
      start(row[1], row[2])
      local done = run "EntryGone"
      assert.equal(row.gone, done.code, done.stdout .. done.stderr)
      done = run "EntryExists"
      assert.equal(row.exists, done.code, done.stdout .. done.stderr)
    end)
  end
end)
