local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

require "spec.support.proven"

local configuration = [[
Port PORT
ListenAddress 127.0.0.1
HostKey FOLDER/host_key
PidFile none
UsePAM no
]]

describe("the recipe ssh, with OpenSSH", function()
  local program, missing = service.find("sshd", "openssh-server")
  if not program then return pending(missing) end

  local workspace = Workspace.of_each()
  local sshd, port

  local function make_key(name)
    local command = { "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "me@here", "-f", workspace.path .. "/" .. name }
    local done = process.run(command, { tool = true })
    assert(done.code == 0, done.stderr)
    if uv.getuid() == 0 then assert(uv.fs_chown(workspace.path .. "/" .. name, 65534, 65534)) end
    return process.run({ "ssh-keygen", "-lf", workspace.path .. "/" .. name }, { tool = true }).stdout:match "SHA256:%S+"
  end

  before_each(function() port = free_port() end)

  after_each(function()
    if sshd then sshd:stop() end
    sshd = nil
  end)

  local function serve()
    workspace:write("sshd_config", (configuration:gsub("%u%u%u%u+", { PORT = port, FOLDER = workspace.path })))
    service.give(workspace)
    sshd = service.start({ program, "-D", "-e", "-f", workspace.path .. "/sshd_config" }, { unprivileged = true })
  end

  local function start(...)
    return workspace:start { "ssh", "127.0.0.1:" .. port, "--max-wait", "20s", "--interval", "50ms", "--output", "json", ... }
  end

  it("waits until it greets, and knows its key", function()
    local fingerprint = make_key "host_key"
    local started = start()
    started:wait_for_output "ConnectionRefused"
    serve()
    started:wait():prints(0, '"banner": "SSH-2.0-OpenSSH')
    for _, key in ipairs { fingerprint, "@file:host_key.pub" } do
      start("host_key=" .. key):wait():prints(0, '"fingerprint": "' .. fingerprint .. '"')
    end
  end)

  it("fails where it has another key", function()
    local fingerprint, other = make_key "host_key", make_key "other_key"
    serve()
    start("host_key=" .. other):wait():writes(1, ("HostKeyMismatch: expected %s, found %s"):format(other, fingerprint))
  end)
end)

describe("the recipe ssh", function()
  local workspace = Workspace.of_each()

  it("says what is wrong with a key, or with this machine", function()
    local key = "host_key=SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8"
    local done = workspace:bide { "ssh", "x", "host_key=MD5:00", "--max-wait", "1s" }
    done:says(2, "host_key: expected SHA256:… or a line of a public key")
    done = workspace:bide({ "ssh", "x", key, "--max-wait", "1s" }, { env = { PATH = workspace.path } })
    done:says(2, "ssh-keyscan is missing: install the package openssh-client")
  end)

  it("skips the lines before the greeting, and refuses other protocols", function()
    local greeting = "welcome\r\nSSH-2.0-x\r\n"
    local server = Server.start(nil, { connected = function(peer) peer:write(greeting) end, raw = function() end })
    local function run() return workspace:bide { "ssh", "127.0.0.1:" .. server.port, "--max-wait", "50s" } end
    assert.equal(0, run().code)
    greeting = ("220 mail\r\n"):rep(40)
    assert.equal(3, run().code)
    server:close()
  end)
end)
