local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

---A container as the API of Docker inspects it: the members that count, with those beside them.
local function container(name, state, labels)
  labels = labels or {}
  labels["com.docker.compose.project"] = "shop"
  labels["com.docker.compose.service"] = labels["com.docker.compose.service"] or name
  labels["com.docker.compose.oneoff"] = labels["com.docker.compose.oneoff"] or "False"
  state.ExitCode, state.Error = state.ExitCode or 0, state.Error or ""
  return { Id = name .. "1234", Name = "/shop-" .. name .. "-1", State = state, Config = { Image = name, Labels = labels } }
end

local function running(health)
  return { Status = "running", Running = true, Health = health and { Status = health, FailingStreak = 0,
    Log = { { ExitCode = 1, Output = "no response\n" } } } }
end

local web = container("web", running())
local healthy, starting = container("db", running "healthy"), container("db", running "starting")
local migrated = container("migrate", { Status = "exited" })

---What a project has at each poll, further inputs, the exit code, and a part of what is printed.
local cases = {
  ["all run or have exited with 0"] = { { { web, healthy, migrated } }, {}, 0, "after 1 attempt " },
  ["one becomes healthy"] = { { { web, starting }, { web, starting }, { web, healthy } }, {}, 0, "after 3 attempts" },
  ["one is created only later"] = { { {}, { container("web", { Status = "created" }) }, { web } }, {}, 0, "after 3 attempts" },
  ["one restarts"] = { { { container("web", { Status = "restarting", ExitCode = 1 }) }, { web } }, {}, 0, "after 2 attempts" },
  ["one has failed"] = { { { web, container("migrate", { Status = "exited", ExitCode = 3 }) } }, {}, 1,
    "shop-migrate-1 has exited with 3" },
  ["one was not started"] = { { { web, container("bad", { Status = "exited", ExitCode = 127, Error = "no such program" }) } },
    {}, 1, "shop-bad-1 has exited with 127 no such program" },
  ["one is unhealthy"] = { { { web, container("db", running "unhealthy") } }, {}, 1, "shop-db-1 is unhealthy no response" },
  ["a failed one is of a service that does not count"] = {
    { { web, container("migrate", { Status = "exited", ExitCode = 3 }) } }, { "services=web" }, 0, "after 1 attempt " },
  ["a service has no container yet"] = { { { web }, { web, healthy } }, { "services=web,db" }, 0, "after 2 attempts" },
  ["one was started by docker compose run"] = { { { web, container("task", { Status = "exited", ExitCode = 9 },
    { ["com.docker.compose.oneoff"] = "True" }) } }, {}, 0, "after 1 attempt " },
  ["one is unhealthy while it is not waited for"] = { { { web, container("db", running "unhealthy") } }, { "services=web" }, 0,
    "after 1 attempt " },
  ["there are none"] = { { { web }, {} }, { "ProjectGone" }, 0, "after 2 attempts" },
  ["there is none for long"] = { { {} }, { "--max-attempts", "3" }, 4, 'state is "there is no container"' },
}

describe("the recipe compose, with answers of the API", function()
  local workspace, server

  before_each(function() workspace = Workspace.make() end)

  after_each(function()
    if server then server:close() end
    server = nil
    workspace:remove()
  end)

  ---Serves what the project has at each poll; the last holds for all later ones.
  local function serve(polls)
    local count, now = 0, {}
    local function list()
      count = math.min(count + 1, #polls)
      now = {}
      local found = json.array {}
      for number, each in ipairs(polls[count]) do
        now["/containers/" .. each.Id .. "/json"] = each
        found[number] = { Id = each.Id, Names = { each.Name }, State = each.State.Status, Labels = each.Config.Labels }
      end
      return found
    end
    server = Server.start(function(request)
      local value = request.path == "/containers/json" and list() or now[request.path]
      return { status = value and 200 or 404, headers = { ["Content-Type"] = "application/json" },
        body = json.encode(value or { message = "no such container" }) }
    end, { unix_socket = workspace.path .. "/docker.sock" })
  end

  local function start(...)
    return workspace:start { "run", "compose", "shop", "socket=" .. workspace.path .. "/docker.sock", "--min-delay", "20ms",
      "--max-delay", "20ms", "--max-wait", "10s", ... }
  end

  for name, case in pairs(cases) do
    it("waits or fails where " .. name, function()
      local polls, words, code, text = table.unpack(case)
      serve(polls)
      local started = start(table.unpack(words))
      assert.equal(code, started:wait().code, started.stdout .. started.stderr)
      assert.matches(text, started.stdout, 1, true)
    end)
  end

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
    for _, state in ipairs { {}, { Status = 5 }, { Status = "running", Health = { Status = { 1 } } } } do
      serve { { container("web", state) } }
      local done = start("--max-attempts", "2"):wait()
      assert.equal(4, done.code, done.stdout .. done.stderr)
      server:close()
    end
    server = nil
  end)
end)
