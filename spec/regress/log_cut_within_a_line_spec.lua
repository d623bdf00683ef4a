---The log of a container that has exited was cut within a frame, and the beginning of its last line counted as that line.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

local EXITED = { Id = "a1", Name = "/db", Config = { Tty = false }, State = { Status = "exited", Running = false, ExitCode = 0,
  StartedAt = "2026-01-01T00:00:00Z", FinishedAt = "2026-01-01T00:00:05Z" } }

describe("the log of a container that has exited", function()
  ---@param log string
  local function run(log, ...)
    local directory = Directory.make()
    local socket = directory.path .. "/docker.sock"
    local server = Server.start(function(request)
      if request.path:find "/logs$" then return { body = log, close = true } end
      return { body = json.encode(EXITED), headers = { ["Content-Type"] = "application/json" } }
    end, { unix_socket = socket })
    local done = process.run { process.bide, "docker", "LineFound", "db", "^port 80$", "socket=" .. socket, "--quiet",
      "--max-wait", "50s", "--max-attempts", "1", ... }
    server:close()
    directory:remove()
    return done
  end

  local function frame(length, text) return (">I1I1I1I1I4"):pack(1, 0, 0, 0, length) .. text end

  it("may end without a line break", function()
    assert.equal(0, run(frame(7, "port 80")).code)
    assert.equal(0, run(frame(4, "port") .. frame(3, " 80")).code)
  end)

  for name, log in pairs {
    ["a frame"] = frame(10, "port 80"), ["the header of a frame"] = frame(7, "port 80") .. "\1\0\0\0",
  } do
    it("is asked for again where it was cut within " .. name, function()
      run(log):says(4, "ConnectionReset: the log was cut")
    end)
  end
end)
