---Containers as Docker 20.10.24 described them, in each of their states. The recipe was tried on projects of docker-compose
---1.29.2 and of Docker Compose 2.29.7 as well.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local docker = require "spec.support.docker"
local json = require("bide.core").json
local recorded = require("spec.support.recorded").rows "compose/docker-20.10.24"

require "spec.support.proven"

---A recorded container, as that of a service of the project shop.
---@param service string
---@param name string of the recording
---@param labels? table<string, string>
local function container(service, name, labels)
  local row = json.decode(json.encode(recorded[name]))
  row.container.Id, row.container.Name = service .. "1234", "/shop-" .. service .. "-1"
  row.container.Config.Labels = labels or {}
  row.container.Config.Labels["com.docker.compose.project"] = "shop"
  row.container.Config.Labels["com.docker.compose.service"] = service
  return row
end

local web, migrated = container("web", "running"), container("migrate", "exited with 0")
local starting, healthy = container("db", "starting"), container("db", "healthy")
local failed = container("migrate", "exited with 1")
local unstartable = [[shop-bad-1 cannot be started: failed to create shim task: OCI runtime create failed: runc create failed: \
unable to start container process: exec: "nosuchprogram": executable file not found in $PATH]]

---What a project has at each poll, further inputs, the exit code, and a part of what is printed.
local cases = {
  ["all run or have exited with 0"] = { { { web, healthy, migrated } }, {}, 0, "after 1 attempt " },
  ["one becomes healthy"] = { { { web, starting }, { web, starting }, { web, healthy } }, {}, 0, "after 3 attempts" },
  ["one is created only later"] = { { {}, { container("web", "created") }, { web } }, {}, 0, "after 3 attempts" },
  ["one is paused"] = { { { container("web", "paused") }, { web } }, {}, 0, "after 2 attempts" },
  ["one restarts"] = { { { container("web", "restarting") }, { container("web", "restarted for good") } }, {}, 0,
    "after 2 attempts" },
  ["one restarts again and again"] = { { { container("web", "restarting") } }, { "--max-attempts", "2" }, 4,
    "shop-web-1 is restarting after the exit code 3" },
  ["one was restarted just now"] = { { { container("web", "restarted just now") } }, { "--max-attempts", "2" }, 4,
    "shop-web-1 was restarted less than 10 s ago" },
  ["one is out of restarts"] = { { { container("web", "out of restarts") } }, {}, 1, "shop-web-1 has exited with 4" },
  ["one has failed"] = { { { web, failed } }, {}, 1, "shop-migrate-1 has exited with 1" },
  ["one was killed"] = { { { container("web", "killed") } }, {}, 1, "shop-web-1 has exited with 137" },
  ["one cannot be started"] = { { { web, container("bad", "not startable") } }, {}, 1, (unstartable:gsub("\\\n", "")) },
  ["one is unhealthy"] = { { { web, container("db", "unhealthy") } }, {}, 1, "shop-db-1 is unhealthy no answer" },
  ["a failed one is of a service that does not count"] = { { { web, failed } }, { "services=web" }, 0, "after 1 attempt " },
  ["a service has no container yet"] = { { { web }, { web, healthy } }, { "services=web,db" }, 0, "after 2 attempts" },
  ["one was started by docker-compose run"] = { { { web, container("task", "exited with 1",
    recorded["of docker-compose run"].container.Config.Labels) } }, {}, 0, "after 1 attempt " },
  ["one is unhealthy while it is not waited for"] = { { { web, container("db", "unhealthy") } }, { "services=web" }, 0,
    "after 1 attempt " },
  ["there are none"] = { { { web }, {} }, { "ProjectGone" }, 0, "after 2 attempts" },
  ["there is none for long"] = { { {} }, { "--max-attempts", "3" }, 4, 'state is "there is no container"' },
}

describe("the recipe compose, with answers of Docker", function()
  local workspace = Workspace.of_each()
  local server

  Server.close_after_each()

  local function serve(polls)
    server = docker.serve(workspace.path .. "/docker.sock", polls)
  end

  local function start(...)
    return workspace:start { "run", "compose", "shop", "socket=" .. workspace.path .. "/docker.sock", "--min-delay", "20ms",
      "--max-delay", "20ms", "--max-wait", "50s", ... }
  end

  for name, case in pairs(cases) do
    it("waits or fails where " .. name, function()
      local polls, words, code, text = table.unpack(case)
      serve(polls)
      start(table.unpack(words)):wait():writes(code, text)
    end)
  end

  it("warns of a service that had no container while others have one", function()
    local warning = "warning: ProjectGone: the project had no container of the service dbx, but one of web"
    for services, is_warned in pairs { dbx = true, ["db,dbx"] = true, db = false } do
      serve { { web, healthy }, { web } }
      local started = start("ProjectGone", "services=" .. services, "--quiet")
      assert.equal(0, started:wait().code, started.stdout .. started.stderr)
      assert.equal(is_warned, started.stderr:find(warning, 1, true) ~= nil, started.stderr)
      server:close()
    end
  end)

  it("asks for the project by its label", function()
    serve { { web } }
    assert.equal(0, start():wait().code)
    local filters = server.requests[1].query:match "filters=([^&]*)":gsub("%%(%x%x)", function(hex)
      return string.char(tonumber(hex, 16))
    end)
    assert.same({ label = { "com.docker.compose.project=shop" } }, json.decode(filters))
    assert.matches("all=true", server.requests[1].query, 1, true)
  end)

  it("waits for a daemon that is about to start", function()
    local started = start()
    started:wait_for_output "ConnectionFailed"
    serve { { web } }
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("survives answers of other types", function()
    for _, state in ipairs { { Status = "running", Health = { Status = { 1 } } }, { Status = "created", Error = {} },
      { Status = "restarting", ExitCode = {} } } do
      local row = container("web", "running")
      row.container.State = state
      serve { { row } }
      start("--max-attempts", "2"):wait():ends(4)
      server:close()
    end
  end)
end)
