---Cases of the recipe ssh. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { host = "host:2222" }

return {
  recipe = "ssh",
  shapes.succeeds("SshReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("SshReady", "HostKeyMismatch", input),
}
