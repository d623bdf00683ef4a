local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local conversation = require "spec.support.conversation"
local free_port = require("spec.support.port").free
local nats = require "bide.nats"
local service = require "spec.support.service"

describe("the recipe nats, with NATS", function()
  local program, missing = service.find("nats-server", "nats-server")
  if not program then return pending(missing) end

  local workspace, services

  before_each(function() workspace, services = Workspace.make(), {} end)

  after_each(function()
    for _, server in ipairs(services) do server:stop "sigkill" end
    workspace:remove()
  end)

  local function serve(port, ...)
    services[#services + 1] = service.start { program, "-a", "127.0.0.1", "-p", tostring(port), ... }
  end

  local function start(...)
    return workspace:start { "run", "nats", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(...) return start("--max-wait", "5s", ...):wait() end

  it("waits until it takes connections", function()
    local port = free_port()
    local started = start("127.0.0.1:" .. port, "--max-wait", "20s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve(port)
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches('"answer": "ready"', started.stdout, 1, true)
    assert.equal(124, run("StreamsReady", "127.0.0.1:" .. port, "--max-wait", "0.2s").code)
  end)

  it("tells a server that wants credentials from one that refuses them", function()
    local port = free_port()
    serve(port, "--user", "app", "--pass", "secret word", "-js", "-sd", workspace.path)
    assert.equal(0, run("127.0.0.1:" .. port, "--max-wait", "20s").code)
    local url = "nats://app@127.0.0.1:" .. port
    assert.equal(0, run("StreamsReady", url, "password=secret word").code)
    local done = run(url, "password=wrong word")
    assert.equal(1, done.code)
    assert.matches("AuthorizationViolation: Authorization Violation", done.stdout, 1, true)
    assert.not_matches("wrong word", done.stdout .. done.stderr, 1, true)
  end)

  it("speaks TLS where the server requires it", function()
    certificates(workspace)
    local port, path = free_port(), workspace.path
    serve(port, "--tls", "--tlscert", path .. "/server.pem", "--tlskey", path .. "/server.key")
    assert.equal(0, run("127.0.0.1:" .. port, "ca=" .. path .. "/ca.pem", "--max-wait", "20s").code)
    assert.equal(3, run("127.0.0.1:" .. port).code)
    assert.equal(0, run("tls://127.0.0.1:" .. port, "insecure=true").code)
  end)
end)

describe("bide.nats", function()
  local function failure_of(greeting, answer)
    local ok, failure = conversation.hold(nats, { greeting = greeting, answer }, { timeout = 0.5 })
    return not ok and failure or nil
  end

  it("reads what a server may say", function()
    assert.is_nil(failure_of("INFO {}\r\n", "INFO {}\r\nPING\r\nPONG\r\n"))
    assert.equal("ServerError", failure_of "-ERR 'Maximum Connections Exceeded'\r\n".type)
    assert.equal("Maximum Connections Exceeded", failure_of "-ERR 'Maximum Connections Exceeded'\r\n".message)
    assert.equal("AuthorizationViolation", failure_of("INFO {}\r\n", "-ERR 'Authorization Violation'\r\n").type)
  end)

  it("refuses anything else", function()
    for _, greeting in ipairs { "HTTP/1.1 400 x\r\n", "INFO\r\n", "INFO 5\r\n", "INFO {\r\n", "\r\n", "INFO []\r\nINFO" } do
      local failure = failure_of(greeting, ("INFO {}\r\n"):rep(20))
      assert.is_true(failure.type == "InvalidAnswer", failure.type)
    end
    assert.equal("InvalidAnswer", failure_of("INFO {}\r\n", "+PONG\r\n").type)
  end)
end)
