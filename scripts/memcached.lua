---Waits until memcached answers.
---memcached is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run memcached localhost:11211 --max-wait 30s

local acceptor = require "bide.acceptor"
local service = require "bide.service"
local tcp = require "bide.tcp"

local operation = service {
  port = 11211,
  schemes = { "memcached" },
  parameters = {},
  url = { example = "localhost:11211", documentation = "HOST:PORT, or memcached://." },
  transient = { "UnexpectedAnswer" },
}

local function ask_version(dialogue)
  dialogue:send "version\r\n"
  return dialogue:read_line()
end

local function prepare(target)
  local request = { host = target.host, port = target.port, timeout = target.timeout, talk = ask_version }
  return function()
    local line = tcp(request).answer
    local version = line:match "^VERSION (%S+)"
    if version then return { version = version } end
    error { type = "InvalidAnswer", message = "expected VERSION, found " .. line:sub(1, 40) }
  end
end

return { Version = operation {
  prepare = prepare,
  fact = "'the server answers'",
  waitable = {
    MemcachedReady = {
      documentation = "Waits until memcached answers.",
      countsAsReady = "the server answers the command version with its version",
      acceptors = { acceptor.success() },
    },
  },
} }
