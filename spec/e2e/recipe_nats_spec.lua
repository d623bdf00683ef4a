local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local conversation = require "spec.support.conversation"
local free_port = require("spec.support.port").free
local nats = require "bide.nats"
local service = require "spec.support.service"
local with_default = require "spec.support.with_default"

require "spec.support.proven"

describe("the recipe nats, with NATS", function()
  local program, missing = service.find("nats-server", "nats-server")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local services

  before_each(function() services = {} end)

  after_each(function()
    for _, server in ipairs(services) do server:stop "sigkill" end
  end)

  local function serve(port, ...)
    services[#services + 1] = service.start { program, "-a", "127.0.0.1", "-p", tostring(port), ... }
  end

  local function start(...)
    return workspace:start { "run", "nats", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(...) return start(with_default("--max-wait", "5s", ...)):wait() end

  it("waits until it takes connections", function()
    local port = free_port()
    local started = start("127.0.0.1:" .. port, "--max-wait", "20s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve(port)
    started:wait():prints(0, '"answer": "ready"')
    assert.equal(124, run("StreamsReady", "127.0.0.1:" .. port, "--max-wait", "0.2s").code)
  end)

  it("tells a server that wants credentials from one that refuses them", function()
    local port = free_port()
    serve(port, "--user", "app", "--pass", "secret word", "-js", "-sd", workspace.path)
    assert.equal(0, run("127.0.0.1:" .. port, "--max-wait", "20s").code)
    local url = "nats://app@127.0.0.1:" .. port
    local streams = run("StreamsReady", url, "password=secret word", "--output", "json")
    streams:prints(0, '"streams": 0')
    streams = run("StreamsReady", "127.0.0.1:" .. port)
    streams:says(1, "AuthorizationViolation: the server requires credentials, and there are none")
    assert.equal(124, run("StreamsReady", url, "password=secret word", "domain=nowhere", "--max-wait", "0.3s").code)
    local done = run(url, "password=wrong word")
    done:writes(1, "AuthorizationViolation: Authorization Violation")
    assert.not_matches("wrong word", done.stdout .. done.stderr, 1, true)
  end)

  it("waits while the streams have no quorum", function()
    local port, cluster = free_port(), free_port()
    serve(port, "-n", "one", "-js", "-sd", workspace.path, "--cluster_name", "spec", "--cluster",
      "nats://127.0.0.1:" .. cluster, "--routes", ("nats://127.0.0.1:%d,nats://127.0.0.1:%d"):format(free_port(), free_port()))
    assert.equal(0, run("127.0.0.1:" .. port, "--max-wait", "20s").code)
    run("StreamsReady", "127.0.0.1:" .. port, "--max-wait", "2s"):ends(124)
  end)

  it("fails where the user may not ask JetStream", function()
    local port = free_port()
    workspace:write("nats.conf", ([[
jetstream { store_dir: "%s" }
authorization { users: [ { user: app, password: pw, permissions: { publish: "jobs", subscribe: "_INBOX.>" } } ] }
]]):format(workspace.path))
    serve(port, "-c", workspace.path .. "/nats.conf")
    local url = "nats://app:pw@127.0.0.1:" .. port
    assert.equal(0, run(url, "--max-wait", "20s").code)
    run("StreamsReady", url):writes(1, "PermissionsViolation")
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

  it("waits for the end of a server that is shutting down", function()
    assert.equal("LameDuckMode", failure_of('INFO {"ldm":true}\r\n', "PONG\r\n").type)
  end)

  it("believes JetStream itself, and not the greeting", function()
    local account = '{"type":"io.nats.jetstream.api.v1.account_info_response",%s}'
    local function ask(answer)
      local greeting = 'INFO {"jetstream":true,"headers":true}\r\n'
      local ok, result = conversation.hold(nats, { greeting = greeting, function(request)
        return "PONG\r\n" .. (request:find("$JS", 1, true) and answer or "")
      end, function(request)
        return (answer:gsub("_INBOX%.x", request:match "SUB (%S+)" or "%0"))
      end }, { timeout = 0.5, streams = true })
      return ok and result.account.streams or result.type
    end
    local function message(body) return ("MSG _INBOX.x 1 %d\r\n%s\r\n"):format(#body, body) end
    assert.equal(3, ask(message(account:format '"streams":3')))
    assert.equal(3, ask("PING\r\nINFO {}\r\n" .. message(account:format '"streams":3')))
    assert.equal("JetStreamUnavailable", ask(message(account:format '"error":{"code":503,"err_code":10008,"description":"no"}')))
    assert.equal("JetStreamUnavailable", ask "HMSG _INBOX.x 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n")
    assert.equal("PermissionsViolation", ask "-ERR 'Permissions Violation for Publish to \"$JS.API.INFO\"'\r\n")
    for _, answer in ipairs { message "{}", message "hello", message(account:format '"streams":"3"'), "MSG x\r\n",
      "HMSG x 1 20 5\r\n", "MSG x 1 99999999\r\n", ("INFO {}\r\n"):rep(9) } do
      assert.equal("InvalidAnswer", ask(answer))
    end
  end)

  it("refuses anything else", function()
    for _, greeting in ipairs { "HTTP/1.1 400 x\r\n", "INFO\r\n", "INFO 5\r\n", "INFO {\r\n", "\r\n" } do
      local failure = failure_of(greeting, ("INFO {}\r\n"):rep(20))
      assert.is_true(failure.type == "InvalidAnswer", failure.type)
    end
    assert.equal("InvalidAnswer", failure_of("INFO {}\r\n", "+PONG\r\n").type)
    assert.equal("UnexpectedAnswer", failure_of("INFO []\r\nINFO", "").type)
  end)
end)
