---The waiter LineFound of the recipe docker, with a server that answers as Docker does not.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

local RUNNING = { Id = "a1", Name = "/db", Config = { Tty = false, Labels = json.decode "{}" },
  State = { Status = "running", Running = true, StartedAt = "2026-01-01T00:00:00Z", FinishedAt = "0001-01-01T00:00:00Z" } }

local function frame(text) return (">I1I1I1I1I4"):pack(1, 0, 0, 0, #text) .. text end

---The answer to a request for the log, the exit code within a second, and a part of the sentence.
local rows = {
  ["a log"] = { { body = frame "x\n" }, 0, "x" },
  ["a log whose line has not ended"] = { { body = frame "x" }, 124, "9 bytes of the log read" },
  ["no log"] = { { body = "<html>nothing of a log" }, 3, "InvalidAnswer: the answer is not a log" },
  ["a body in pieces"] = { { body = "x", headers = { ["Transfer-Encoding"] = "chunked" } }, 3, "not an answer of Docker" },
  ["a refusal"] = { { status = 403, body = '{"message":"not for you"}' }, 3, "LogFailure (403): not for you" },
  ["a refusal without words"] = { { status = 403, body = "[" }, 3, "LogFailure (403): the log cannot be read" },
  ["a driver without a log"] = { { status = 501, body = '{"message":"no"}' }, 1, "LogUnreadable (501): no" },
  ["a conflict"] = { { status = 409, body = '{"message":"marked for removal"}' }, 124, "Conflict (409): marked for removal" },
  ["a failure of the server"] = { { status = 500, body = '{"message":"later"}' }, 124, "LogFailure (500): later" },
}

describe("a log that is asked of Docker", function()
  for name, row in pairs(rows) do
    it(("is %s: %d"):format(name, row[2]), function()
      local directory = Directory.make()
      local socket = directory.path .. "/docker.sock"
      local server = Server.start(function(request)
        if request.path:find "/logs$" then return row[1] end
        return { body = json.encode(RUNNING), headers = { ["Content-Type"] = "application/json" } }
      end, { unix_socket = socket })
      local done = process.run { process.bide, "docker", "LineFound", "db", "^x$", "socket=" .. socket, "--max-wait", "1s",
        "--quiet" }
      server:close()
      directory:remove()
      assert.equal(row[2], done.code, done.stdout .. done.stderr)
      assert.matches(row[3], done.stdout .. done.stderr, 1, true)
    end)
  end
end)
