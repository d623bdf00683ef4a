---Waits until memcached answers.
---memcached is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run memcached localhost:11211 --max-wait 30s

local acceptor, address, tcp = require "bide.acceptor", require "bide.address", require "bide.tcp"
local port, forms = 11211, { schemes = { "memcached" }, parameters = {} }

local function ask_version(input)
  local target = assert(address.of(input, port, forms))
  local line = tcp({ host = target.host, port = target.port, timeout = input.timeout, talk = function(dialogue)
    dialogue:send "version\r\n"
    return dialogue:read_line()
  end }).answer
  local version = line:match "^VERSION (%S+)"
  return version and { version = version }
    or error { type = "InvalidAnswer", message = "expected VERSION, found " .. line:sub(1, 40) }
end

return { Version = { call = ask_version, check = address.check(port, forms), input = address.url_inputs({
  url = { type = "string", positional = 1, example = "localhost:11211", documentation = "HOST:PORT, or memcached://." },
}, port), waitable = { MemcachedReady = { documentation = "Waits until memcached answers.",
  countsAsReady = "the server answers the command version with its version",
  minDelay = 0.05, maxDelay = 5, lateness = 0.05,
  acceptors = { acceptor.success(), acceptor.transient "UnexpectedAnswer" } } } } }
