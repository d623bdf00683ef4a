---A container called `db` ran though there was none: Docker takes a name that no container has for the beginning of an id, and
---the id of one container in 256 begins with db. A name counts as an id from 8 characters on.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local ID = "db5e8f1c2a77" .. ("0"):rep(52)

describe("a name with which the id of another container begins", function()
  local workspace = Workspace.of_block()
  local server, state

  setup(function()
    server = Server.start(function(request)
      local name = request.path:match "^/containers/([^/]+)/"
      local is_there = ID:sub(1, #name) == name or name == "cache"
      local body = is_there and { Id = ID, Name = "/cache", State = state, Config = { Tty = false, Labels = {} } }
        or { message = "No such container: " .. name }
      return { status = is_there and 200 or 404, headers = { ["Content-Type"] = "application/json" }, body = json.encode(body) }
    end, { unix_socket = workspace.path .. "/docker.sock" })
  end)

  teardown(function() server:close() end)

  local function run(waiter, name, ...)
    local is_exited = waiter == "ContainerExited"
    state = { Status = is_exited and "exited" or "running", Running = not is_exited, ExitCode = 0, Error = "",
      Health = { Status = "healthy" } }
    return workspace:bide { "docker", waiter, name, "socket=" .. workspace.path .. "/docker.sock", "--no-watch", ... }
  end

  local WORDS = 'OtherContainer: no container is called "%s", but the id of "cache" begins with it: an id needs at least 8 '
    .. "characters"

  for _, waiter in ipairs { "ContainerRunning", "ContainerHealthy" } do
    it("is awaited by " .. waiter, function()
      for _, name in ipairs { "d", "db", "db5e8f1" } do
        run(waiter, name, "--max-attempts", "2", "--max-wait", "50s"):says(4, WORDS:format(name))
      end
    end)
  end

  for _, waiter in ipairs { "ContainerExited", "ContainerGone" } do
    it("is a failure of " .. waiter, function()
      run(waiter, "db", "--max-wait", "50s"):says(3, WORDS:format "db")
    end)
  end

  it("is that of this container where it is long, or its own name", function()
    for _, waiter in ipairs { "ContainerRunning", "ContainerHealthy", "ContainerExited" } do
      for _, name in ipairs { "cache", "db5e8f1c", ID } do run(waiter, name, "--max-wait", "50s"):ends(0) end
    end
    run("ContainerGone", "web", "--max-wait", "50s"):ends(0)
  end)
end)
