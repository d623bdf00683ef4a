local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"

require "spec.support.proven"

describe("the recipe smtp, with aiosmtpd", function()
  local program, missing = service.find("aiosmtpd", "python3-aiosmtpd")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local mail, port

  before_each(function()
    port = free_port()
    certificates(workspace)
  end)

  after_each(function()
    if mail then mail:stop() end
    mail = nil
  end)

  local function serve(...)
    mail = service.start({ program, "--nosetuid", "--listen", "127.0.0.1:" .. port, ... }, { cwd = workspace.path })
  end

  local function start(...)
    return workspace:start { "smtp", "--max-wait", "20s", "--min-delay", "50ms", "--max-delay", "50ms", "--output", "json", ... }
  end

  local function run(...) return start(...):wait() end

  it("waits until the server answers EHLO", function()
    local started = start("localhost:" .. port)
    started:wait_for_output "ConnectionRefused"
    serve()
    started:wait()
    started:prints(0, '"waiter": "SmtpReady"')
    assert.matches('"greeting": "%S+ Python SMTP', started.stdout)
  end)

  it("speaks TLS after STARTTLS", function()
    serve("--tlscert", "server.pem", "--tlskey", "server.key")
    local done = run("localhost:" .. port, "starttls=true", "ca=ca.pem")
    done:prints(0, '"subject": "CN=server"')
    assert.equal(0, run("localhost", tostring(port), "ca=ca.pem").code)
    done = run("smtp://localhost:" .. port, "starttls=true")
    done:prints(3, "has no authority that is trusted")
  end)

  it("speaks TLS from the first byte", function()
    serve("--smtpscert", "server.pem", "--smtpskey", "server.key")
    run("smtps://localhost:" .. port, "ca=ca.pem"):prints(0, '"version": "TLSv1.3"')
    assert.equal(3, run("smtps://localhost:" .. port, "ca=ca.pem", "server_name=elsewhere").code)
    assert.equal(0, run("smtps://localhost:" .. port, "insecure=true").code)
  end)

  it("fails at once where STARTTLS is asked for and not offered", function()
    serve()
    assert.equal(0, run("127.0.0.1:" .. port).code)
    run("127.0.0.1:" .. port, "starttls=true"):prints(3, "TlsFailure: the server does not offer STARTTLS")
  end)

  it("refuses inputs that are none", function()
    assert.matches('host: expected HOST:PORT or a smtp:// URL, found "http://mail"', run("http://mail").stderr)
    assert.matches("ca: nowhere.pem: no such file", run("mail", "ca=nowhere.pem").stderr)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ConnectionRefused"}}
{"error": {"type": "421", "message": "starting"}}
{"error": {"type": "554", "message": "no SMTP service here"}}
]])
    local outcome = workspace:outcome { "replay", "smtp", "SmtpReady", "answers.jsonl", "mail", "--max-wait", "10m" }
    assert.same({ "failure", "acceptor", 3 }, { outcome.state, outcome.reason, outcome.attempts })
  end)
end)
