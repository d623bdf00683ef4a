---Waits until Redis answers and has loaded its data. Or, with KeyExists, until there is a key, or it has a value; with
---KeyGone, until there is none; with ReplicaLinked, until a replica has its master's data.
---Redis is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited. Where the server has keyspace
---notifications for keys (notify-keyspace-events has a K), it says when a key changes, and it is looked at then.
---
---    bide run redis redis://cache --max-wait 30s
---    bide run redis rediss://cache ca=ca.pem --max-wait 30s
---    bide run redis unix:///run/redis/redis.sock --max-wait 30s
---    bide run redis KeyExists redis://cache/3 jobs:import value=done failed=broken --max-wait 5m
---    bide run redis KeyGone redis://cache locks:deploy --max-wait 10m
---    bide run redis ReplicaLinked replica:6380 password=@env:PASSWORD --max-wait 10m
---
---A wrong or missing password is a failure, and so is a master where a replica is expected. The master of a replica may be
---a replica itself, whose link is down: ReplicaLinked asks it, too, with the same user, unless `chain=false`.
---
---KeyGone asks each address of the host, and, unless `chain=false`, believes a replica only while it and the replicas above
---it are linked: one that is still copying says that there is no key. It needs the right to use INFO for that. In a cluster,
---ask the node that has the key; another one answers with MOVED, which names that node.

local acceptor = require "bide.acceptor"
local json = require("bide").json
local redis = require "bide.redis"
local service = require "bide.service"

local operation = service {
  port = 6379,
  schemes = { "redis", "rediss" },
  sockets = true,
  tls = "rediss",
  inputs = {
    key = { type = "string", documentation = "The key of the certificate, a PEM file; in the same file by default. A key in "
      .. "Redis is the input name, of KeyExists." },
  },
  parameters = {},
  harmless = {
    "db", "protocol", "client_name", "socket_timeout", "socket_connect_timeout", "health_check_interval", "max_connections",
    "decode_responses",
  },
  url = {
    example = "redis://cache",
    documentation = "redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS, unix:///PATH?db=N for a unix socket, or HOST:PORT.",
  },
  failures = { "WRONGPASS", "NOAUTH" },
  transient = { "LOADING", "MASTERDOWN", "BUSY", "UnexpectedAnswer", "CLUSTERDOWN", "MasterUnknown" },
}

---Returns a function that sends a command, or several, to a server.
---@param every_address boolean? asks each address of the host
---@param more table? further options of bide.redis
local function asking(target, command, every_address, more)
  local request = {
    host = target.host, unix = target.unix or nil, port = target.port, user = target.user, password = target.password,
    tls = target.tls, timeout = target.timeout, command = command, every_address = every_address,
  }
  for name, value in pairs(more or {}) do request[name] = value end
  return function() return redis(request) end
end

---The errors by which Redis says that it takes commands: this user may not give this one, or another node has the key.
local uses = { NOPERM = true, MOVED = true, ASK = true }

---A sentinel, and a proxy whose Redis is down, answer PING as well; so a key is asked for, too.
local function prepare_ping(target)
  local ping, find = asking(target, { "PING" }), asking(target, { "EXISTS", "bide" })
  return function()
    local answer = ping()
    if answer ~= "PONG" then
      error { type = "InvalidAnswer", message = "expected PONG, found another answer to PING" }
    end
    local ok, found = pcall(find)
    if not ok and (type(found) ~= "table" or not uses[found.type]) then error(found, 0) end
    if ok and math.type(found) ~= "integer" then
      error { type = "InvalidAnswer", message = "expected a number, found another answer to EXISTS" }
    end
    return { answer = answer }
  end
end

---Returns whether a user may not give PING. Redis names the command, so this is an answer to the question, too.
local function may_not_ping(failure)
  return type(failure) == "table" and failure.type == "NOPERM" and failure.message:lower():find("ping", 1, true)
end

---Returns a function that sends PING and then the commands, and returns the answers with the number of those before the first
---command's. PING is answered with its own word, or by a proxy with PONG, which shows that what follows are answers to
---what was sent: another program may send a number to everybody.
---@param commands string[][]
---@param every_address boolean?
---@return fun(): any, integer
local function asking_with_word(target, commands, every_address)
  local word = ("bide-%016x"):format(math.random(0))
  local with_word = asking(target, { { "PING", word }, table.unpack(commands) }, every_address)
  local without = asking(target, commands, every_address)
  return function()
    local ok, answers = pcall(with_word)
    if not ok and may_not_ping(answers) then return without(), 0 end
    if not ok then error(answers, 0) end
    for _, one in ipairs(every_address and answers or { { answer = answers } }) do
      if one.answer[1] ~= word and one.answer[1] ~= "PONG" then
        error { type = "InvalidAnswer", message = "expected the word of PING or PONG, found another answer" }
      end
    end
    return answers, 1
  end
end

local function read_info(text)
  local members = {}
  for line in (type(text) == "string" and text or ""):gmatch "[^\r\n]+" do
    local name, value = line:match "^([%w_]+):(.+)$"
    if name then members[name] = value end
  end
  local found = { role = members.role, link = members.master_link_status, host = members.master_host,
    port = math.tointeger(tonumber(members.master_port)) }
  if not found.role or found.role == "slave" and not (found.link and found.host and found.port) then
    error { type = "InvalidAnswer", message = "this is not an answer to INFO" }
  end
  return found
end

local INFO = { "INFO", "replication" }

---Returns a function that asks a server for its role.
local function inspecting(target)
  local ask = asking_with_word(target, { INFO })
  return function()
    local answers, before = ask()
    return read_info(answers[before + 1])
  end
end

local MOST = 8 -- replicas above one another

---Looks for a replica above this one whose own link is down: then this one has no news of the master.
---@return string? above HOST:PORT
local function find_broken(target, found)
  for _ = 1, MOST do
    if found.role ~= "slave" or found.link ~= "up" then return nil end
    local name = ("%s:%d"):format(found.host, found.port)
    local above = setmetatable({ host = found.host, port = found.port, unix = false }, { __index = target })
    local ok, answer = pcall(inspecting(above))
    if not ok then
      if type(answer) ~= "table" or type(answer.type) ~= "string" then error(answer, 0) end
      error({ type = "MasterUnknown", message = ("the link is up, but its master %s cannot be asked: %s (chain=false asks the "
        .. "replica alone)"):format(name, answer.message or answer.type) }, 0)
    end
    found = answer
    if found.role == "slave" and found.link ~= "up" then return name end
  end
  error({ type = "MasterUnknown", message = ("more than %d replicas stand above one another"):format(MOST) }, 0)
end

local function prepare_inspect(target, input)
  local inspect = inspecting(target)
  return function()
    local found = inspect()
    local broken = input.chain and found.link == "up" and find_broken(target, found) or nil
    return { role = found.role, link = broken and "down" or found.link, broken = broken }
  end
end

-- ---- keys --------------------------------------------------------------------------------------

---Returns the number of the database: the input's, or that of the URL (`redis://cache/3`, `redis://cache?db=3`).
---@return integer?
---@return string? mistake
local function database_of(target, input)
  local text = target.query and target.query.db or target.path or ""
  if input.database or text == "" then return input.database or 0 end
  local number = text:find "^%d+$" and #text <= 9 and math.tointeger(tonumber(text)) or nil
  return number, not number and ("url: expected the number of a database, as in redis://cache/3, found %s")
    :format(json.encode(text)) or nil
end

---Returns a function that asks about a key of the database, as asking_with_word does.
---@return (fun(): any, integer)?
---@return string? mistake
local function asking_database(target, input, commands, every_address)
  local number, mistake = database_of(target, input)
  if not number then return nil, mistake end
  if number == 0 then return asking_with_word(target, commands, every_address) end
  local ask = asking_with_word(target, { { "SELECT", tostring(number) }, table.unpack(commands) }, every_address)
  return function()
    local answers, before = ask()
    return answers, before + 1
  end
end

---Returns whether an answer to EXISTS says that there is the key.
local function does_exist(answer)
  if answer ~= 0 and answer ~= 1 then
    error { type = "InvalidAnswer", message = "expected 0 or 1, found another answer to EXISTS" }
  end
  return answer == 1
end

---Compares the value of the key. A key whose name says secret keeps its value to itself.
local function judge_value(input, value)
  if type(value) ~= "string" then
    error { type = "InvalidAnswer", message = "expected a text, found another answer to GET" }
  end
  local output = { [input.name] = value }
  local problem = value == input.failed and "KeyFailed" or value ~= (input.value or value) and "UnexpectedValue"
  return problem and error { type = problem, message = json.encode(output, { redact = true }) } or output
end

local function prepare_key(target, input)
  local wants_value = input.value or input.failed
  local commands = { { "EXISTS", input.name }, wants_value and { "GET", input.name } or nil }
  local ask, mistake = asking_database(target, input, commands)
  if not ask then return nil, mistake end
  return function()
    local answers, first = ask()
    if not does_exist(answers[first + 1]) then
      error { type = "KeyNotFound", message = "there is no key " .. input.name }
    end
    if not wants_value then return { exists = true } end
    local value = answers[first + 2]
    if value == nil then error { type = "KeyNotFound", message = "the key " .. input.name .. " has just gone" } end
    return judge_value(input, value)
  end
end

---Refuses to believe a replica that may not have the key yet.
local function check_link(target, address, text)
  local found = read_info(text)
  if found.role == "master" then return end
  local broken = found.link ~= "up" and address or find_broken(target, found)
  if not broken then return end
  error { type = "ReplicaUnlinked",
    message = ("there is no such key, but the replica %s has no link to its master"):format(broken) }
end

local function prepare_gone(target, input)
  local commands = { { "EXISTS", input.name }, input.chain and INFO or nil }
  local ask, mistake = asking_database(target, input, commands, true)
  if not ask then return nil, mistake end
  return function()
    local results, first = ask()
    for _, result in ipairs(results) do
      if does_exist(result.answer[first + 1]) then
        error { type = "KeyFound", message = ("there is a key %s at %s"):format(input.name, result.address) }
      end
      if input.chain then check_link(target, result.address, result.answer[first + 2]) end
    end
    return { exists = false }
  end
end

-- ---- notifications ------------------------------------------------------------------------------

local LIFE = 86400 -- seconds of a connection for notifications

---Returns whether a server says that it sends no notifications of keys. It need not allow the question.
local function is_silent(target)
  local ok, answer = pcall(asking(target, { "CONFIG", "GET", "notify-keyspace-events" }))
  if not ok and (type(answer) ~= "table" or not uses[answer.type] and answer.type ~= "ERR") then error(answer, 0) end
  local flags = ok and type(answer) == "table" and answer[2]
  return type(flags) == "string" and not flags:find "K"
end

---Hears of a key. Polls stay as they are: Redis says that a key has expired when it removes it, which may be later.
local function watch(target, input, wake)
  if is_silent(target) then return false end
  local channel = ("__keyspace@%d__:%s"):format(assert(database_of(target, input)), input.name)
  asking(target, { { "SUBSCRIBE", channel } }, nil, { timeout = LIFE, answered = function() wake() end })()
end

local key = {
  type = "string", required = true, positional = 2, example = "jobs:import", documentation = "The name of the key.",
  pattern = "^[^*]*$", expected = "the name of one key, which is no pattern",
}
local database = {
  type = "integer", minimum = 0, documentation = "The number of the database. Default: that of the URL, or 0.",
}

return {
  Ping = operation {
    prepare = prepare_ping,
    fact = "'the server answers'",
    default = "RedisReady",
    waitable = {
      RedisReady = {
        documentation = "Waits until Redis answers.",
        countsAsReady = "Redis answers PING with PONG, and EXISTS with a number, or NOPERM, or the node that has the key",
        acceptors = { acceptor.success() },
      },
    },
  },
  GetKey = operation {
    prepare = prepare_key,
    fact = "'the key is there'",
    watch = watch,
    inputs = {
      name = key, database = database,
      value = { type = "string", asks = true, documentation = "The value to wait for, a text. Default: any, of any type." },
      failed = { type = "string", documentation = "A value that means failure." },
    },
    waitable = {
      KeyExists = {
        documentation = "Waits until there is a key.",
        countsAsReady = "PING is answered with its own word or PONG, EXISTS with 1, and GET with the value that is asked for",
        opposite = "KeyGone",
        acceptors = {
          acceptor.success(),
          acceptor.error("failure", "KeyFailed"),
          acceptor.error("retry", "KeyNotFound"),
          acceptor.error("retry", "UnexpectedValue"),
        },
      },
    },
  },
  FindNoKey = operation {
    prepare = prepare_gone,
    fact = "'the key is not there'",
    watch = watch,
    inputs = {
      name = key, database = database,
      chain = {
        type = "boolean", default = true,
        documentation = "Whether a replica, and the masters above, are asked, too, if they are linked.",
      },
    },
    waitable = {
      KeyGone = {
        documentation = "Waits until there is no such key.",
        countsAsGone = "each address of the host answers PING with its own word or PONG, EXISTS with 0, and is a master, or a "
          .. "replica whose link is up, as are those above it",
        opposite = "KeyExists",
        acceptors = {
          acceptor.success(),
          acceptor.error("retry", "KeyFound"),
          acceptor.error("retry", "ReplicaUnlinked"),
        },
      },
    },
  },
  Inspect = operation {
    prepare = prepare_inspect,
    output = {
      role = { type = "string" },
      link = { type = "string" },
      broken = { type = "string" },
    },
    inputs = {
      chain = {
        type = "boolean", default = true,
        documentation =
          "Whether the masters above are asked, too, as the replica names them: one may itself be a replica without a link.",
      },
    },
    waitable = {
      ReplicaLinked = {
        documentation = "Waits until a replica has its master's data.",
        countsAsReady = "PING is answered with its own word or PONG, and INFO says that the link is up, of the replica and of "
          .. "each replica between it and the master",
        acceptors = {
          acceptor.output("success", "link", "up"),
          acceptor.output("failure", "role", "master", "'this is a master and no replica'"),
        },
      },
    },
  },
}
