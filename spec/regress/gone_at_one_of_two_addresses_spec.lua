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
  local workspace = Workspace.of_each()
  local server, number

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  local function start(first, second)
    number = port.free()
    server = process.start { "python3", "-c", DIRECTORY, tostring(number), first, second }
    server:wait_for_output "ready"
  end

  local function run(waiter)
    return workspace:bide { "ldap", waiter, "localhost:" .. number, "base=o=app,dc=shop", "--max-attempts", "2", "--max-wait",
      "50s" }
  end

  for _, row in ipairs {
    { "gone", "gone", gone = 0, exists = 4 },
    { "gone", "none", gone = 0, exists = 4 },
    { "gone", "has", gone = 4, exists = 0 },
    { "has", "gone", gone = 4, exists = 0 },
    { "gone", "hidden", gone = 4, exists = 4 },
    { "hidden", "gone", gone = 4, exists = 4 },
    { "gone", "closes", gone = 4, exists = 4 },
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

---A server at 127.0.0.1 and ::1 that says what was recorded: its first words, and one text for each request.
local RECORDED = [[
import socket, sys, threading
def serve(peer, answers):
    for position, answer in enumerate(answers):
        if position > 0 and not peer.recv(9999): break
        peer.sendall(bytes.fromhex(answer))
    peer.recv(9999)
    peer.close()
def accept(server, answers):
    while True: threading.Thread(target=serve, args=(server.accept()[0], answers), daemon=True).start()
for family, host, answers in (socket.AF_INET, "127.0.0.1", sys.argv[2]), (socket.AF_INET6, "::1", sys.argv[3]):
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((host, int(sys.argv[1])))
    server.listen(9)
    threading.Thread(target=accept, args=(server, answers.split(",")), daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
]]

local MYSQL = "640000000a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753100280500006e7b3f655e2c5c6d00feff080200ff"
  .. "81150000000000001d000000314b622e5b5f4d444b2b366c006d7973716c5f6e61746976655f70617373776f726400,0700000200000002000000,"
  .. "010000010117000002036465660000000131000c3f000100000003810000000005000003fe00000200"
local POSTGRES = ",52000000080000000053000000167365727665725f76657273696f6e003135004b0000000c000015a572d497675a0000000549,"
  .. "540000002100013f636f6c756d6e3f00000000000000000000170004ffffffff0000"

describe("a row that one of two addresses gives", function()
  local server

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  for name, row in pairs {
    mysql = { url = "mysql://root@localhost:%d", full = MYSQL .. "02000004013105000005fe00000200", empty = MYSQL
      .. "05000004fe00000200" },
    postgres = { url = "postgres://postgres@localhost:%d/d?sslmode=disable",
      full = POSTGRES .. "440000000b00010000000131430000000d53454c4543542031005a0000000549",
      empty = POSTGRES .. "430000000d53454c4543542030005a0000000549" },
  } do
    for first, second in pairs { full = "empty", empty = "full" } do
      it(("is not gone: %s, %s %s"):format(name, first, second), function()
        local number = port.free()
        server = process.start { "python3", "-c", RECORDED, tostring(number), row[first], row[second] }
        server:wait_for_output "ready"
        local where = row.url:format(number)
        local done = process.run { process.bide, name, "RowGone", where, "SELECT 1", "--max-attempts", "2", "--max-wait", "50s" }
        assert.equal(4, done.code, done.stdout .. done.stderr)
        done = process.run { process.bide, name, "RowFound", where, "SELECT 1", "--max-attempts", "2", "--max-wait", "50s" }
        assert.equal(0, done.code, done.stdout .. done.stderr)
      end)
    end

    it("is gone if neither gives one: " .. name, function()
      local number = port.free()
      server = process.start { "python3", "-c", RECORDED, tostring(number), row.empty, row.empty }
      server:wait_for_output "ready"
      process.run({ process.bide, name, "RowGone", row.url:format(number), "SELECT 1", "--max-wait", "50s" }):ends(0)
    end)
  end
end)
