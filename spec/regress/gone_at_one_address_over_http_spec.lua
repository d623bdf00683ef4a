---A row, a result or a request in flight was gone by the word of the first address that answered over HTTP or DNS, while
---another address of the name still had it. Each address has to say so.

local port = require "spec.support.port"
local process = require "spec.support.process"

---A server at 127.0.0.1 and ::1, each with the answers of a table "PATH STATUS BODY" of lines, or none ("-").
local SERVER = [[
import http.server, socket, sys, threading
def handler(lines):
    answers = [line.split(" ", 2) for line in lines.split("\n")]
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            for path, status, body in answers:
                if not self.path.startswith(path): continue
                body = body.replace("\\n", "\n").encode()
                self.send_response(int(status))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return
            self.send_error(404)
        def log_message(self, *_): pass
    return Handler
class Server6(http.server.ThreadingHTTPServer): address_family = socket.AF_INET6
for of, host, lines in (http.server.ThreadingHTTPServer, "127.0.0.1", sys.argv[2]), (Server6, "::1", sys.argv[3]):
    if lines != "-": threading.Thread(target=of((host, int(sys.argv[1])), handler(lines)).serve_forever, daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
]]

local ROWS = '/?default_format=JSON&query=SELECT%%201 200 {"meta":[{"name":"a","type":"Int8"}],"data":[{"a":1}],"rows":1}\n'
  .. '/ 200 {"meta":[{"name":"a","type":"Int8"}],"data":[%s],"rows":%d}'
local RESULT = '/api/v1/query?query=vector 200 {"status":"success","data":{"resultType":"vector","result":[{"metric":{},'
  .. '"value":[1,"1"]}]}}\n/api 200 {"status":"success","data":{"resultType":"vector","result":[%s]}}'
local PAGE = "/ 200 Active connections: 3 \\nserver accepts handled requests\\n 9 9 9\\nReading: 0 Writing: %d Waiting: 1"
local HEALTH = '/v1/sys/seal-status 200 {"type":"shamir","initialized":true,"sealed":true,"t":3,"n":5}\n'
  .. '/ %d {"initialized":true,"sealed":%s,"standby":false,"server_time_utc":1,"version":"1.15.2"}'

local rows = {
  clickhouse = { waiter = "RowGone", "SELECT a FROM t", gone = ROWS:format("", 0), here = ROWS:format('{"a":1}', 1) },
  prometheus = { waiter = "ResultEmpty", "up", gone = RESULT:format "", here = RESULT:format '{"metric":{},"value":[1,"1"]}' },
  nginx = { waiter = "RequestsDrained", gone = PAGE:format(1), here = PAGE:format(4) },
  vault = { waiter = "VaultSealed", gone = HEALTH:format(503, "true"), here = HEALTH:format(200, "false") },
  http = { waiter = "ServiceDown", "down=503", gone = "/ 503 down", here = "/ 200 up" },
}

describe("what is gone at one of two addresses over HTTP", function()
  local server

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  local function code_of(name, row, first, second, host)
    local number = port.free()
    server = process.start { "python3", "-c", SERVER, tostring(number), first, second }
    server:wait_for_output "ready"
    local where = ("%s:%d"):format(host or "localhost", number)
    local done = process.run { process.bide, name, row.waiter, where, row[1] or "timeout=1s", "--max-wait", "300ms" }
    return done.code, done.stdout .. done.stderr
  end

  for name, row in pairs(rows) do
    for order, pair in pairs { first = { row.here, row.gone }, second = { row.gone, row.here } } do
      it(("is not gone: %s, there at the %s"):format(name, order), function()
        local code, text = code_of(name, row, pair[1], pair[2])
        assert.equal(124, code, text)
      end)
    end

    it("is gone if both say so: " .. name, function()
      local code, text = code_of(name, row, row.gone, row.gone)
      assert.equal(0, code, text)
    end)

    it("is gone if the only server of localhost says so: " .. name, function()
      local code, text = code_of(name, row, row.gone, "-")
      assert.equal(0, code, text)
      server:kill()
      code, text = code_of(name, row, row.gone, row.here, "127.0.0.1")
      assert.equal(0, code, text)
    end)
  end

  it("is not gone at an address that does not say", function()
    local code, text = code_of("clickhouse", rows.clickhouse, rows.clickhouse.gone, "/ 500 broken")
    assert.equal(124, code, text)
  end)
end)

---Name servers at 127.0.0.1 and ::1 that know the name ("10.0.0.1") or do not ("-"), or none ("none").
local NAMES = [[
import socket, sys, threading
def serve(server, word):
    while True:
        question, peer = server.recvfrom(512)
        end = question.index(b"\0", 12) + 5
        known = word != "-" and question[end - 4:end - 2] == b"\0\1"
        flags = b"\x84\0" if word != "-" else b"\x84\3"
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x09\0\4" + socket.inet_aton(word) if known else b""
        server.sendto(question[:2] + flags + b"\0\1\0" + bytes([known]) + b"\0\0\0\0" + question[12:end] + record, peer)
for family, host, word in (socket.AF_INET, "127.0.0.1", sys.argv[2]), (socket.AF_INET6, "::1", sys.argv[3]):
    if word == "none": continue
    server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((host, int(sys.argv[1])))
    threading.Thread(target=serve, args=(server, word), daemon=True).start()
print("ready", flush=True)
threading.Event().wait()
]]

describe("a name that one of two addresses of the server knows", function()
  local server

  after_each(function()
    if server then server:kill() end
    server = nil
  end)

  for _, row in ipairs {
    { "-", "-", gone = 0, known = 124 },
    { "-", "none", gone = 0, known = 124 },
    { "-", "10.0.0.1", gone = 124, known = 0 },
    { "10.0.0.1", "-", gone = 124, known = 0 },
    { "10.0.0.2", "10.0.0.1", "expect=10.0.0.1", gone = 124, known = 0 },
    { "10.0.0.2", "10.0.0.2", "expect=10.0.0.1", gone = 0, known = 124 },
  } do
    it(("is known: %s, %s, %s"):format(row[1], row[2], row[3] or "any address"), function()
      local number = port.free()
      server = process.start { "python3", "-c", NAMES, tostring(number), row[1], row[2] }
      server:wait_for_output "ready"
      for waiter, code in pairs { NameGone = row.gone, NameKnown = row.known } do
        local done = process.run { process.bide, "dns", waiter, "a.example", "server=localhost:" .. number,
          row[3] or "timeout=1s", "--max-wait", "300ms" }
        assert.equal(code, done.code, waiter .. done.stdout .. done.stderr)
      end
    end)
  end
end)
