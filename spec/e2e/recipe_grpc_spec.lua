local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local python = require "spec.support.python"
local service = require "spec.support.service"

require "spec.support.proven"

describe("the recipe grpc, with gRPC's own server", function()
  local found = python.that_runs "import grpc_health.v1.health"
  if not found then return pending "grpcio is missing: run .ci/deps test" end

  local workspace = Workspace.of_each()
  local server, port

  before_each(function() port = free_port() end)

  after_each(function()
    if server then server:stop "sigkill" end
    server = nil
  end)

  local function serve(...)
    server = service.start { found, "spec/support/grpc_server.py", tostring(port), ... }
  end

  local function start(...)
    return workspace:start { "run", "grpc", "--min-delay", "50ms", "--max-delay", "50ms", "--max-wait", "50s", ... }
  end

  local function run(...) return start(...):wait() end

  it("waits until the server is serving", function()
    local started = start("127.0.0.1:" .. port, "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve "=SERVING"
    started:wait():prints(0, '"status": "SERVING"')
  end)

  it("waits until a service is serving", function()
    serve "=SERVING,shop.Orders=NOT_SERVING"
    local started = start("grpc://127.0.0.1:" .. port, "service=shop.Orders")
    started:wait_for_output 'status is "NOT_SERVING"'
    server.process:kill "sigusr1"
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("waits for a service that is not known yet", function()
    serve "=SERVING"
    assert.equal(0, run("127.0.0.1:" .. port).code)
    run("127.0.0.1:" .. port, "service=shop.Orders", "--max-attempts", "1"):says(4, "NOT_FOUND")
  end)

  it("fails where there is no health service", function()
    serve()
    run("127.0.0.1:" .. port):says(1, "UNIMPLEMENTED: Method not found!")
  end)

  it("speaks TLS", function()
    certificates(workspace)
    serve("=SERVING", workspace.path .. "/server.key", workspace.path .. "/server.pem")
    assert.equal(0, run("127.0.0.1:" .. port, "ca=ca.pem").code)
    assert.equal(0, run("https://localhost:" .. port, "insecure=true").code)
    run("https://localhost:" .. port):says(3, "TlsFailure")
  end)
end)

describe("the recipe grpc", function()
  local workspace = Workspace.of_each()

  it("names what is wrong with its input", function()
    workspace:bide({ "run", "grpc", "ftp://x", "--max-wait", "1s" }):says(2, "url: expected HOST:PORT or a grpc:// URL")
    assert.equal(2, workspace:bide({ "run", "grpc", "x", "ca=missing.pem", "--max-wait", "1s" }).code)
  end)

  it("waits while something else than gRPC answers", function()
    local server = Server.start(function() return { body = "{}" } end)
    local started = workspace:start { "run", "grpc", "127.0.0.1:" .. server.port, "--max-attempts", "2", "--max-wait", "50s" }
    assert.equal(4, started:wait().code, started.stdout)
    server:close()
  end)
end)
