local uv = require "luv"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"

require "spec.support.proven"

local configuration = [[
base_dir = FOLDER/run
state_dir = FOLDER/state
log_path = /dev/stderr
protocols = imap
listen = 127.0.0.1
ssl_cert = <FOLDER/server.pem
ssl_key = <FOLDER/server.key
default_internal_user = USER
default_internal_group = GROUP
default_login_user = USER
mail_location = maildir:FOLDER/mail
passdb {
  driver = static
  args = nopassword=y
}
service imap-login {
  chroot =
  inet_listener imap {
    port = PORT
  }
  inet_listener imaps {
    port = SECURE
  }
}
service anvil {
  chroot =
}
]]

describe("the recipe imap, with Dovecot", function()
  local program, missing = service.find("dovecot", "dovecot-imapd")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local dovecot, port, secure

  before_each(function()
    port, secure = free_port(), free_port()
    certificates(workspace)
    service.give(workspace)
  end)

  after_each(function()
    if dovecot then dovecot:stop() end
    dovecot = nil
  end)

  local function serve(settings)
    local is_root, user = uv.getuid() == 0, uv.os_get_passwd()
    local group = io.popen("id -gn"):read "l"
    local values = { FOLDER = workspace.path, PORT = port, SECURE = secure, USER = is_root and "nobody" or user.username,
      GROUP = is_root and "nogroup" or group }
    workspace:write("dovecot.conf", (configuration:gsub("%u%u%u%u+", values)) .. (settings or ""))
    dovecot = service.start { program, "-F", "-c", workspace.path .. "/dovecot.conf" }
  end

  local function start(...)
    return workspace:start { "imap", "--max-wait", "20s", "--min-delay", "50ms", "--max-delay", "50ms", "--output", "json", ... }
  end

  local function run(...) return start(...):wait() end

  it("waits until the server tells its capabilities", function()
    local started = start("localhost:" .. port)
    started:wait_for_output "ConnectionRefused"
    serve()
    started:wait()
    assert.equal(0, started.code, started.stderr .. dovecot.process.stderr)
    assert.matches('"waiter": "ImapReady"', started.stdout)
    assert.matches('"IMAP4rev1"', started.stdout)
  end)

  it("speaks TLS after STARTTLS, and from the first byte", function()
    serve()
    for _, words in ipairs { { "localhost:" .. port, "starttls=true" }, { "imaps://localhost:" .. secure } } do
      local done = run("ca=ca.pem", table.unpack(words))
      assert.equal(0, done.code, done.stderr .. dovecot.process.stderr)
      assert.matches('"subject": "CN=server"', done.stdout)
      done = run(table.unpack(words))
      done:prints(3, "has no authority that is trusted")
    end
  end)

  it("fails at once where STARTTLS is asked for and not offered", function()
    serve "ssl = no\n"
    assert.equal(0, run("127.0.0.1:" .. port).code)
    run("127.0.0.1:" .. port, "starttls=true"):prints(3, "TlsFailure: the server does not offer STARTTLS")
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ConnectionRefused"}}
{"error": {"type": "BYE", "message": "starting"}}
{"error": {"type": "BAD", "message": "what?"}}
]])
    local outcome = workspace:outcome { "replay", "imap", "ImapReady", "answers.jsonl", "mail", "--max-wait", "10m" }
    assert.same({ "failure", "acceptor", 3 }, { outcome.state, outcome.reason, outcome.attempts })
  end)
end)
