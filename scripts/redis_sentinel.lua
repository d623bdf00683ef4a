---Waits until the sentinels of Redis know the master of a name, and it is up and has the role of a master.
---The sentinels are near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run redis_sentinel sentinel1,sentinel2,sentinel3 mymaster --max-wait 1m
---    bide run redis_sentinel sentinel:26379 cache password=@env:PASSWORD --max-wait 1m
---
---The first sentinel that answers is believed. A wrong password is a failure, and so is a Redis in place of a sentinel.

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local redis = require "bide.redis"
local tls = require "bide.tls"

local PORT = 26379

local forms = { schemes = { "redis-sentinel", "redis", "rediss" }, parameters = {} }

---Reads the members of a list in which each value follows its name.
local function members_of(answer)
  local members = {}
  for position = 1, type(answer) == "table" and #answer - 1 or 0, 2 do
    members[tostring(answer[position])] = answer[position + 1]
  end
  return members
end

---The master is asked too: a sentinel may know of a change only seconds later.
local function prepare(input)
  local sentinels, mistake = address.read_list(input.sentinels, PORT, forms)
  if not sentinels then return nil, mistake end
  local options = tls.options(input, sentinels[1].scheme == "rediss")
  local user = input.password and input.user

  local function ask_sentinel(sentinel)
    local ok, answer = pcall(redis, {
      host = sentinel.host, port = sentinel.port, password = input.sentinel_password, tls = options,
      timeout = input.timeout, command = { "SENTINEL", "MASTER", input.name },
    })
    if ok then return answer end
    if type(answer) == "table" and answer.type == "ERR" and answer.message:find "^ERR unknown command" then
      answer = { type = "InvalidAnswer", message = ("%s:%d is no sentinel, but a Redis: it does not know SENTINEL"):format(
        sentinel.host, sentinel.port) }
    end
    error(answer, 0)
  end

  return function()
    local master = members_of(address.ask_each(sentinels, ask_sentinel))
    if type(master.ip) ~= "string" or not address.read(("master:%s"):format(master.port)) then
      error({ type = "InvalidAnswer", message = "the sentinel did not name the master's address" }, 0)
    end
    if master.name ~= input.name then
      error({ type = "InvalidAnswer", message = "the sentinel was asked for another master than it named" }, 0)
    end
    local role = redis {
      host = master.ip, port = master.port, user = user, password = input.password, tls = options,
      timeout = input.timeout, command = { "ROLE" },
    }
    return { host = master.ip, port = master.port, flags = master.flags, role = type(role) == "table" and role[1] or nil }
  end
end

return { FindMaster = {
  prepare = prepare,
  output = {
    host = { type = "string" },
    port = { type = "string" },
    flags = { type = "string" },
    role = { type = "string" },
  },
  check = tls.check(address.check_list("sentinels", PORT, forms)),
  input = tls.inputs(address.list_inputs {
    sentinels = {
      type = "string", required = true, positional = 1, example = "sentinel1,sentinel2:26379",
      documentation = "The sentinels, HOST or HOST:PORT, with commas between them.",
    },
    name = { type = "string", default = "mymaster", positional = 2, documentation = "The master's name." },
    sentinel_password = { type = "string", secret = true, documentation = "The password of the sentinels." },
  }),
  default = "MasterReady",
  waitable = {
    MasterReady = {
      documentation = "Waits until a master is up.",
      countsAsReady = "the first sentinel that answers names the master without a doubt, and the master says its ROLE is that",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.output("success", "flags == 'master' && role == 'master'"),
        acceptor.error("failure", "WRONGPASS"),
        acceptor.error("failure", "NOAUTH"),
        -- ERR: no sentinel knows the name yet
        acceptor.transient("ERR", "LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer"),
      },
    },
  },
} }
