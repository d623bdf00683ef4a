---A container was healthy while it was paused or had exited, and ran while it was about to restart, or in a moment of a
---crash loop. A project was gone while a container of `docker compose run` was left, and so was one whose name Compose never
---gives.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local NOW, BEFORE, LONG_AGO = "Sun, 22 Nov 2026 17:00:09 GMT", "2026-11-22T17:00:00.5Z", "2026-11-22T16:00:00Z"

---@param state table
---@param more? table further members of the container
---@return string
local function container(state, more)
  local value = { Id = "abc", Name = "/shop-web-1", RestartCount = 0, State = state, Config = { Labels = {
    ["com.docker.compose.project"] = "shop", ["com.docker.compose.service"] = "web" } } }
  state.StartedAt = state.StartedAt or LONG_AGO
  for name, member in pairs(more or {}) do value[name] = member end
  return json.encode(value)
end

local healthy, unhealthy = { Status = "healthy" }, { Status = "unhealthy", Log = { { Output = "no answer" } } }

local function in_loop(state)
  state.StartedAt = state.StartedAt or BEFORE
  return container(state, { RestartCount = 4 })
end

---Waiter, what the API says, the exit code, a part of the sentence.
local rows = {
  { "ContainerHealthy", container { Status = "paused", Paused = true, Running = true, Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "running", Paused = true, Running = true, Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "exited", ExitCode = 0, Health = healthy }, 1, "the exit code is 0" },
  { "ContainerHealthy", container { Status = "exited", ExitCode = 137, Health = healthy }, 1, "the exit code is 137" },
  { "ContainerHealthy", container { Status = "dead", ExitCode = 1, Health = healthy }, 1, "the exit code is 1" },
  { "ContainerHealthy", container { Status = "removing", Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "created", Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "restarting", Running = true, Restarting = true, Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "restarting", Running = true, Restarting = true, Health = unhealthy }, 124, "" },
  { "ContainerHealthy", container { Status = "running", Running = false, Health = healthy }, 124, "" },
  { "ContainerHealthy", container { Status = "running", Running = true, Health = unhealthy }, 1, "no answer" },
  { "ContainerHealthy", container { Status = "running", Running = true, Health = healthy }, 0, "succeeded" },
  { "ContainerHealthy", in_loop { Status = "running", Running = true, Health = healthy }, 0, "succeeded" },
  { "ContainerRunning", container { Status = "running", Running = true, Restarting = true }, 124, '"restarting"' },
  { "ContainerRunning", container { Status = "restarting", Running = true, Restarting = true }, 124, '"restarting"' },
  { "ContainerRunning", container { Status = "exited", ExitCode = 1, Restarting = true }, 124, '"restarting"' },
  { "ContainerRunning", container { Status = "running", Running = true, Paused = true }, 124, '"paused"' },
  { "ContainerRunning", container { Status = "paused", Running = true, Paused = true }, 124, '"paused"' },
  { "ContainerRunning", container { Status = "running", Running = true, Dead = true }, 124, '"dead"' },
  { "ContainerRunning", container { Status = "running", Running = false }, 124, '"not running"' },
  { "ContainerRunning", container { Status = "removing" }, 124, '"removing"' },
  { "ContainerRunning", container { Status = "dead", ExitCode = 1 }, 1, "the exit code is 1" },
  { "ContainerRunning", in_loop { Status = "running", Running = true }, 124, "was restarted less than 10 s ago" },
  { "ContainerRunning", in_loop { Status = "running", StartedAt = "soon" }, 124, "was restarted at an unknown time" },
  { "ContainerRunning", in_loop { Status = "running", Health = { Status = "starting" } }, 124, "less than 10 s ago" },
  { "ContainerRunning", in_loop { Status = "running", Health = healthy }, 0, "succeeded" },
  { "ContainerRunning", in_loop { Status = "running", StartedAt = LONG_AGO }, 0, "succeeded" },
  { "ContainerRunning", container { Status = "running", StartedAt = BEFORE }, 0, "succeeded" },
  { "ContainerExited", container { Status = "exited", ExitCode = 0, Restarting = true }, 124, "" },
  { "ContainerExited", container { Status = "dead", ExitCode = 0 }, 1, "the exit code is 0" },
  { "ContainerExited", container { Status = "exited", ExitCode = 0 }, 0, "succeeded" },
  { "ContainerGone", container { Status = "removing" }, 124, "" },
  { "ContainerGone", container { Status = "dead" }, 124, "" },
}

---What is no name of a container, a project or a service.
local mistakes = {
  { { "docker", "ContainerGone", ".." }, "container: expected a name or an id" },
  { { "docker", "ContainerGone", "." }, "container: expected a name or an id" },
  { { "docker", "ContainerGone", "a/b" }, "container: expected a name or an id" },
  { { "docker", "ContainerGone", "web-*" }, "container: expected a name or an id" },
  { { "docker", "ContainerGone", "we b" }, "container: expected a name or an id" },
  { { "docker", "ContainerGone", "container:=\"\"" }, "container: expected a name or an id" },
  { { "compose", "ProjectGone", "Shop" }, "project: expected a name of lower-case letters" },
  { { "compose", "ProjectGone", "shop*" }, "project: expected a name of lower-case letters" },
  { { "compose", "ProjectGone", "project:=\"\"" }, "project: expected a name of lower-case letters" },
  { { "compose", "shop", "services:=[]" }, "services: expected at least one service" },
  { { "compose", "shop", "services:=[\"\"]" }, "services[1]: expected the name of a service" },
  { { "compose", "shop", "services:=[\"db\",\"we*\"]" }, "services[2]: expected the name of a service" },
}

describe("a container that does not run", function()
  local workspace = Workspace.of_block()
  local socket, server, answers

  setup(function()
    socket = workspace.path .. "/docker.sock"
    server = Server.start(function(request)
      local answer = answers[request.path] or answers.other
      return { status = answer.status, body = answer.body,
        headers = { ["Content-Type"] = "application/json", Date = NOW, ["Api-Version"] = answer.version } }
    end, { unix_socket = socket })
  end)

  teardown(function() server:close() end)

  local function run(words)
    local command = { "run", table.unpack(words) }
    for _, word in ipairs { "socket=" .. socket, "--max-wait", "0.4s", "--quiet" } do command[#command + 1] = word end
    return workspace:bide(command)
  end

  for number, row in ipairs(rows) do
    it(("is not ready for %s: %d"):format(row[1], number), function()
      answers = { other = { body = row[2] } }
      local done = run { "docker", row[1], "shop-web-1" }
      assert.equal(row[3], done.code, row[2] .. done.stdout .. done.stderr)
      assert.matches(row[4], done.stdout .. done.stderr, 1, true)
    end)
  end

  it("is asked for by its name, with the / of docker inspect as well", function()
    local body = container({ Status = "running" }, { Name = "/db" })
    answers = { other = { status = 500 }, ["/containers/db/json"] = { body = body } }
    assert.equal(0, run({ "docker", "/db" }).code)
  end)

  for _, row in ipairs(mistakes) do
    it("is not asked for by " .. table.concat(row[1], " "), function()
      local count = #server.requests
      run(row[1]):says(2, row[2])
      assert.equal(count, #server.requests)
    end)
  end

  it("is gone by the words of Docker or Podman alone", function()
    for _, body in ipairs { '{"message":"page not found"}', '{"message":"No such image: db"}', '{"message":""}',
      '{"cause":"no such container"}', '"No such container: web"', "No such container: web" } do
      answers = { other = { status = 404, body = body } }
      local done = run { "docker", "ContainerGone", "web" }
      assert.equal(3, done.code, body .. done.stdout)
      assert.matches("this is not an answer of Docker", done.stdout .. done.stderr, 1, true)
    end
    for _, body in ipairs { '{"message":"No such container: web"}', '{"cause":"no such container","response":404,'
      .. '"message":"no container with name or ID \\"web\\" found: no such container"}' } do
      answers = { other = { status = 404, body = body } }
      assert.equal(0, run({ "docker", "ContainerGone", "web" }).code)
    end
  end)

  describe("of a project", function()
    local function serve(list, more, state)
      answers = { ["/containers/json"] = { body = list, version = more.version }, other = { version = more.version,
        body = container(state or { Status = "exited", ExitCode = 0 }, more.container) } }
    end

    local LABELS = "com.docker.compose."
    local of_run = { Config = { Labels = { [LABELS .. "project"] = "shop", [LABELS .. "service"] = "web",
      [LABELS .. "oneoff"] = "True" } } }

    it("is left if docker compose run made it", function()
      serve('[{"Id":"abc"}]', { container = of_run, version = "1.41" })
      assert.equal(124, run({ "compose", "ProjectGone", "shop" }).code)
      assert.equal(124, run({ "compose", "ProjectGone", "shop", "services=web" }).code)
      assert.equal(0, run({ "compose", "ProjectGone", "shop", "services=db" }).code)
    end)

    it("is gone if an API that names its version has none", function()
      serve("[]", { version = "1.41" })
      assert.equal(0, run({ "compose", "ProjectGone", "shop" }).code)
      serve("[]", {})
      run({ "compose", "ProjectGone", "shop" }):writes(124, "without the header Api-Version")
    end)

    it("is not ready while it is about to restart, though its status is that it runs", function()
      serve('[{"Id":"abc"}]', {}, { Status = "running", Running = true, Restarting = true, Health = { Status = "healthy" } })
      assert.equal(124, run({ "compose", "shop" }).code)
      serve('[{"Id":"abc"}]', {}, { Status = "running", Running = true, Paused = true, Health = { Status = "healthy" } })
      assert.equal(124, run({ "compose", "shop" }).code)
    end)
  end)
end)
