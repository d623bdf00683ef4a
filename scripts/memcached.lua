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

local function refuse(expected, line)
  error({ type = "InvalidAnswer", message = ("expected %s, found %s"):format(expected, line:sub(1, 40)) }, 0)
end

---Asks for the version, and then for a key: a program that gives everybody the same lines does not answer both.
local function ask(dialogue)
  dialogue:ask "version\r\n"
  local line = dialogue:read_line()
  local version = line:match "^VERSION (%S+)" or refuse("VERSION", line)
  dialogue:ask "get bide\r\n"
  line = dialogue:read_line()
  return (line == "END" or line:find "^VALUE bide ") and version or refuse("END after get", line)
end

local function prepare(target)
  local request = { host = target.host, port = target.port, timeout = target.timeout, talk = ask }
  return function() return { version = tcp(request).answer } end
end

return { Version = operation {
  prepare = prepare,
  fact = "'the server answers'",
  waitable = {
    MemcachedReady = {
      documentation = "Waits until memcached answers.",
      countsAsReady = "the server answers the command version with its version, and get with a value or with none",
      acceptors = { acceptor.success() },
    },
  },
} }
