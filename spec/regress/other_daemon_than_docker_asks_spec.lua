---Without socket= bide asked the daemon at /var/run/docker.sock, whatever DOCKER_HOST and Docker's context said: a container
---of the daemon that the docker command asks was gone, since another one had never had it.

local digest = require "bide.digest"
local core = require "bide.core"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("the daemon of docker and compose", function()
  local workspace = Workspace.of_block()
  local server, socket

  setup(function()
    socket = workspace.path .. "/other.sock"
    server = Server.start(function()
      return { status = 200, headers = { ["Content-Type"] = "application/json", ["Api-Version"] = "1.41" },
        body = core.json.encode { Id = ("a"):rep(64), Name = "/db", State = { Status = "running", Running = true } } }
    end, { unix_socket = socket })
  end)

  teardown(function() server:close() end)

  local function configure(folder, current, contexts)
    workspace:shell(("mkdir -p %s"):format(folder))
    if current then workspace:write(folder .. "/config.json", current) end
    for name, host in pairs(contexts or {}) do
      local place = ("%s/contexts/meta/%s"):format(folder, core.text.hex(digest.sha256(name)))
      workspace:shell(("mkdir -p %s"):format(place))
      workspace:write(place .. "/meta.json", core.json.encode { Name = name, Endpoints = { docker = { Host = host } } })
    end
  end

  ---Asks whether a container runs.
  local function ask(env, ...)
    env.HOME = env.HOME or workspace.path
    for _, name in ipairs { "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG" } do env[name] = env[name] or "" end
    return workspace:bide({ "docker", "db", "--max-wait", "50s", "--max-attempts", "1", "--quiet", ... }, { env = env })
  end

  it("is that of DOCKER_HOST", function()
    assert.equal(0, ask({ DOCKER_HOST = "unix://" .. socket }).code)
    local gone = workspace:bide({ "docker", "ContainerGone", "db", "--max-wait", "50s", "--max-attempts", "1", "--quiet" },
      { env = { DOCKER_HOST = "unix://" .. socket, DOCKER_CONTEXT = "" } })
    assert.equal(4, gone.code, gone.stdout)
  end)

  it("is that of the context", function()
    configure("own", '{"currentContext":"rootless"}', { rootless = "unix://" .. socket, far = "ssh://ops@far" })
    assert.equal(0, ask({ DOCKER_CONFIG = workspace.path .. "/own" }).code)
    assert.equal(0, ask({ DOCKER_CONFIG = workspace.path .. "/own", DOCKER_CONTEXT = "rootless" }).code)
    configure(".docker", '{"auths":{},"currentContext":"rootless"}', { rootless = "unix://" .. socket })
    assert.equal(0, ask({}).code)
  end)

  it("is that of socket=, whatever else is said", function()
    assert.equal(0, ask({ DOCKER_HOST = "ssh://ops@far", DOCKER_CONTEXT = "far" }, "socket=" .. socket).code)
  end)

  it("has to be at a socket that is known", function()
    configure("own", '{"currentContext":"rootless"}', { rootless = "unix://" .. socket, far = "ssh://ops@far" })
    configure("gone", '{"currentContext":"lost"}')
    configure("broken", '{"currentContext":')
    local own = workspace.path .. "/own"
    for _, case in ipairs {
      { { DOCKER_HOST = "tcp://dind:2376" }, 'DOCKER_HOST says where Docker is: expected unix:///PATH' },
      { { DOCKER_HOST = "unix://" }, "DOCKER_HOST says where Docker is" },
      { { DOCKER_HOST = "unix://" .. socket, DOCKER_CONTEXT = "far" }, "DOCKER_HOST and DOCKER_CONTEXT are set" },
      { { DOCKER_CONFIG = own, DOCKER_CONTEXT = "far" }, 'the context "far" of DOCKER_CONTEXT says where Docker is' },
      { { DOCKER_CONFIG = own, DOCKER_CONTEXT = "nowhere" }, 'the context "nowhere" of DOCKER_CONTEXT is not there' },
      { { DOCKER_CONFIG = workspace.path .. "/gone" }, 'the context "lost" of ' },
      { { DOCKER_CONFIG = workspace.path .. "/broken" }, "config.json: expected an object of JSON" },
    } do
      ask(case[1]):says(2, case[2], "; or give socket=PATH")
    end
    local project = workspace:bide({ "compose", "ProjectGone", "shop", "--max-wait", "1s" },
      { env = { DOCKER_HOST = "tcp://dind:2376", DOCKER_CONTEXT = "" } })
    assert.equal(2, project.code, project.stderr)
  end)

  it("is a part of the question, whose old answer is not for another daemon", function()
    local line = "DOCKER_CONTEXT= DOCKER_HOST=unix://%s $BIDE docker db --max-wait 1s --max-attempts 1 --quiet --journal j.db %s"
    workspace:shell(line:format(socket, ">/dev/full"))
    local other = workspace:shell(line:format(workspace.path .. "/no-such.sock", "--resume"))
    assert.not_equal(0, other.code, other.stdout .. other.stderr)
    workspace:shell(line:format(socket, "--resume")):says(0, "ended before its outcome was reported")
  end)

  it("is the usual one where nothing is said", function()
    configure("plain", '{"auths":{},"currentContext":"default"}')
    for _, folder in ipairs { "plain", "no-such-folder" } do
      local done = ask { DOCKER_CONFIG = workspace.path .. "/" .. folder, HOME = workspace.path .. "/no-home" }
      assert.not_equal(2, done.code, done.stderr)
    end
  end)
end)
