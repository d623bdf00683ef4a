---The waiter LineFound of the recipe docker, with a server that answers as Docker does not.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"
local uv = require "luv"

local RUNNING = { Id = "a1", Name = "/db", Config = { Tty = false, Labels = json.decode "{}" },
  State = { Status = "running", Running = true, StartedAt = "2026-01-01T00:00:00Z", FinishedAt = "0001-01-01T00:00:00Z" } }

local function frame(text) return (">I1I1I1I1I4"):pack(1, 0, 0, 0, #text) .. text end

---The answer to a request for the log, the exit code within three attempts (124: within 4 s), and a part of the sentence.
local rows = {
  ["a log"] = { { body = frame "x\n" }, 0, "x" },
  ["a log whose line has not ended"] = { { body = frame "x" }, 124, "9 bytes of the log read" },
  ["a log with escapes"] = { { body = frame "\27]0;pwned\7\27[2Jx\r\n" }, 0, "\\x1B]0;pwned\\x07\\x1B[2Jx" },
  ["a log that fails with escapes"] = { { body = frame "panic\27[2J\n" }, 1, "FailedLine: panic\\x1B[2J" },
  ["no log"] = { { body = "<html>nothing of a log" }, 3, "InvalidAnswer: the answer is not a log" },
  ["a body in pieces"] = { { body = "x", headers = { ["Transfer-Encoding"] = "chunked" } }, 3, "not an answer of Docker" },
  ["a refusal"] = { { status = 403, body = '{"message":"not for you"}' }, 3, "LogFailure (403): not for you" },
  ["a refusal without words"] = { { status = 403, body = "[" }, 3, "LogFailure (403): the log cannot be read" },
  ["a driver without a log"] = { { status = 501, body = '{"message":"no"}' }, 1, "LogUnreadable (501): no" },
  ["a conflict"] = { { status = 409, body = '{"message":"marked for removal"}' }, 4, "Conflict (409): marked for removal" },
  ["a failure of the server"] = { { status = 500, body = '{"message":"later"}' }, 4, "LogFailure (500): later" },
}

---Runs a wait with a server that has a container with a log.
---@param code integer the one that is expected
---@param log table the answer to a request for the log
---@param listed table[] the containers of the list
local function run(code, log, listed, ...)
  local directory = Directory.make()
  local socket = directory.path .. "/docker.sock"
  local server = Server.start(function(request)
    if request.path:find "/logs$" then return log end
    local id = request.path:match "^/containers/(%w+%d)/json$" or RUNNING.Id
    local one = { Id = id, Name = RUNNING.Name, Config = RUNNING.Config, State = RUNNING.State }
    return { body = json.encode(request.path == "/containers/json" and json.array(listed) or one),
      headers = { ["Content-Type"] = "application/json" } }
  end, { unix_socket = socket })
  local words, longest = table.pack(process.bide, ...), code == 124 and "4s" or "50s"
  table.move({ "socket=" .. socket, "--max-attempts", "3", "--max-wait", longest, "--quiet" }, 1, 6, words.n + 1, words)
  local done = process.run(words)
  server:close()
  directory:remove()
  return done
end

describe("a log that is asked of Docker", function()
  for name, row in pairs(rows) do
    it(("is %s: %d"):format(name, row[2]), function()
      local done = run(row[2], row[1], {}, "docker", "LineFound", "db", "x$", "failed=panic")
      assert.equal(row[2], done.code, done.stdout .. done.stderr)
      assert.is_nil((done.stdout .. done.stderr):find("\27", 1, true))
      assert.matches(row[3], done.stdout .. done.stderr, 1, true)
    end)
  end
end)

local written -- bytes

---Answers as a daemon whose container writes a line for ever, 64 KiB at a time.
---@param peer spec.Peer
---@param bytes string
local function write_endless(peer, bytes)
  if not bytes:find("/logs", 1, true) then
    local body = json.encode(RUNNING)
    return peer:write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(#body, body))
  end
  peer:write "HTTP/1.0 200 OK\r\n\r\n"
  local piece = frame(("y"):rep(65536))
  peer:later(0.002, function()
    if peer.handle:get_write_queue_size() < 4 * #piece then
      peer:write(piece)
      written = written + #piece
    end
  end, true)
end

local directory = Directory.of_each()

it("a log of Docker whose line never ends is read in flat memory", function()
  written = 0
  local server = Server.start(nil, { unix_socket = directory.path .. "/docker.sock", raw = write_endless })
  local running = process.start { process.bide, "docker", "LineFound", "db", "^x$", "socket=" .. directory.path .. "/docker.sock",
    "--max-wait", "5m", "--quiet" }
  local sizes = {}
  for part = 1, 2 do
    while written < part * 10e6 and not running.code do uv.run "once" end
    sizes[part] = running.code or process.memory_of(running.pid)
  end
  running:kill "sigterm"
  running:wait()
  server:close()
  assert.equal(143, running.code, running.stdout .. running.stderr)
  local megabytes = tonumber(running.stderr:match "(%d+) bytes of the log read") // 1000000
  assert.is_true(megabytes > 10, megabytes)
  assert.is_true(sizes[2] - sizes[1] < 4096 or process.is_sanitized, sizes[2] - sizes[1])
end)

describe("a log of a service of Docker Compose", function()
  ---A container as the list has it.
  local function listed(service, number, labels)
    local own = { ["com.docker.compose.project"] = "shop", ["com.docker.compose.service"] = service,
      ["com.docker.compose.container-number"] = tostring(number), ["com.docker.compose.oneoff"] = "False" }
    for name, value in pairs(labels or {}) do own["com.docker.compose." .. name] = value end
    return { Id = service .. number, Names = { ("/shop-%s-%d"):format(service, number) }, Labels = own }
  end

  ---The containers, the words, the exit code, and a part of the sentence.
  local cases = {
    ["has the line"] = { { listed("web", 1), listed("db", 1) }, { "shop", "db", "^x$" }, 0, "x" },
    ["has the line of its second container"] = { { listed("db", 1), listed("db", 2) }, { "shop", "db", "^x$", "index=2" }, 0,
      "x" },
    ["has no such line"] = { { listed("db", 1) }, { "shop", "db", "^y$" }, 124, "no line matches" },
    ["is not there yet"] = { { listed("web", 1) }, { "shop", "db", "^x$" }, 4, "NotFound: db has no container" },
    ["is there once only"] = { { listed("db", 1) }, { "shop", "db", "^x$", "index=2" }, 4, "with the number 2" },
    ["is of docker compose run"] = { { listed("db", 1, { oneoff = "True" }) }, { "shop", "db", "^x$" }, 4, "NotFound" },
    ["has a line that means failure"] = { { listed("db", 1) }, { "shop", "db", "^y$", "failed=x" }, 1, "FailedLine: x" },
    ["is not named"] = { {}, { "shop" }, 2, "service" },
    ["has no line to look for"] = { {}, { "shop", "db" }, 2, "matches: expected a regular expression, found nothing" },
    ["has a name that is none"] = { {}, { "shop", "d b", "^x$" }, 2, "service: expected the name of a service" },
    ["has a number below 1"] = { {}, { "shop", "db", "^x$", "index=0" }, 2, "index: expected" },
  }

  for name, row in pairs(cases) do
    it(("%s: %d"):format(name, row[3]), function()
      local done = run(row[3], { body = frame "x\n" }, row[1], "compose", "LineFound", table.unpack(row[2]))
      assert.equal(row[3], done.code, done.stdout .. done.stderr)
      assert.matches(row[4], done.stdout .. done.stderr, 1, true)
    end)
  end
end)
