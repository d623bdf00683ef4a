---Waits until the sentinels of Redis know the master of a name, and it is up and has the role of a master.
---The sentinels are near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run redis_sentinel sentinel1,sentinel2,sentinel3 mymaster --max-wait 1m
---    bide run redis_sentinel sentinel:26379 cache password=@env:PASSWORD --max-wait 1m
---
---The first sentinel that answers is believed. A wrong password is a failure.

local acceptor, address, redis = require "bide.acceptor", require "bide.address", require "bide.redis"
local tls = require "bide.tls"
local port, forms = 26379, { schemes = { "redis-sentinel", "redis", "rediss" }, parameters = {} }

local function ask(input, target, user, password, command)
  return redis { host = target.host, port = target.port, user = password and user, password = password,
    tls = tls.options(input, target.scheme == "rediss"), timeout = input.timeout, command = command }
end
local function find(input)
  local list = address.read_list(input.sentinels, port, forms)
  local answer = address.ask_each(list, function(sentinel)
    return ask(input, sentinel, nil, input.sentinel_password, { "SENTINEL", "MASTER", input.name })
  end)
  local known = {}
  for at = 1, type(answer) == "table" and #answer - 1 or 0, 2 do known[tostring(answer[at])] = answer[at + 1] end
  if type(known.ip) ~= "string" or not address.read(("master:%s"):format(known.port)) then
    error({ type = "InvalidAnswer", message = "the sentinel did not name the master's address" }, 0)
  end
  local master = { host = known.ip, port = known.port, scheme = list[1].scheme }
  local role = ask(input, master, input.user, input.password, { "ROLE" })
  return { host = known.ip, port = known.port, flags = known.flags, role = type(role) == "table" and role[1] or nil }
end
return { FindMaster = { call = find, check = tls.check(address.check_list("sentinels", port, forms)),
  input = tls.inputs(address.list_inputs { sentinels = { type = "string", required = true, positional = 1,
    example = "sentinel1,sentinel2:26379", documentation = "The sentinels, HOST or HOST:PORT, with commas between them." },
    name = { type = "string", default = "mymaster", positional = 2, documentation = "The master's name." },
    sentinel_password = { type = "string", secret = true, documentation = "The password of the sentinels." } }),
  default = "MasterReady", waitable = { MasterReady = { documentation = "Waits until a master is up.",
    countsAsReady = "the first sentinel that answers names the master without a doubt, and the master says its ROLE is that",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
      acceptor.output("success", "flags == 'master' && role == 'master'"), acceptor.error("failure", "WRONGPASS"),
      acceptor.error("failure", "NOAUTH"), -- ERR: no sentinel knows the name yet
      acceptor.transient("ERR", "LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer") } } } } }
