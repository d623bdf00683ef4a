---Waits until an SSH server greets. With host_key, it must also show that key, for which ssh-keyscan asks it.
---The server is near, and its greeting is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run ssh host --max-wait 1m
---    bide run ssh host:2222 host_key=SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8 --max-wait 1m
---    bide run ssh host host_key=@file:ssh_host_ed25519_key.pub --max-wait 1m
---
---A server with other keys only is a failure. Only ssh itself proves that a server has the private half of its key.
---ssh-keyscan is in Debian's package openssh-client.

local acceptor = require "bide.acceptor"
local service = require "bide.service"
local ssh = require "bide.ssh"

local operation = service {
  port = 22,
  schemes = { "ssh" },
  parameters = {},
  host = { example = "host:2222", documentation = "HOST or HOST:PORT." },
  inputs = {
    port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "The port. Default: 22." },
    host_key = {
      type = "string", example = "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
      documentation = "The fingerprint of a key of the server, or a line of known_hosts or of a file .pub.",
    },
  },
  failures = { "HostKeyMismatch" },
  transient = { "HostKeyNotFound", "UnexpectedAnswer" },
}

return { Greet = operation {
  prepare = function(target, input)
    local request = { host = target.host, port = target.port, host_key = input.host_key, timeout = target.timeout }
    return function() return ssh.ask(request) end
  end,
  fact = "'the server greets'",
  check = function(input) return ssh.mistake(input.host_key) end,
  default = "SshReady",
  waitable = {
    SshReady = {
      documentation = "Waits until an SSH server greets.",
      countsAsReady = "the server greets with SSH-2.0 (or 1.99); with host_key, ssh-keyscan gets that key from it",
      acceptors = { acceptor.success() },
    },
  },
} }
