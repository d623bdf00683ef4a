---Attempts of all kinds without a pause, each cut at random: within a lookup, a connection, a handshake, an answer, a file or
---a program. Run by spec/soak/soak.lua behind `bide exec`:
---
---    bide exec attempts.lua SECONDS SEED HTTP HTTPS CA DNS REDIS FOLDER
---
---Prints a JSON object a line: what the process holds at the start, every ten seconds, and when everything has ended.

local bide = require "bide"
local http = require "bide.http"
local read = require "spec.support.read"
local uv = require "luv"

local seconds, seed = tonumber(arg[1]), tonumber(arg[2])
local plain, encrypted, ca, dns_port, redis_port, folder = arg[3], arg[4], arg[5], tonumber(arg[6]), tonumber(arg[7]), arg[8]
local encrypted_port = tonumber(encrypted:match ":(%d+)$")

---How many attempts are made at once, and how many seconds the first ones take, after which everything is there that stays.
local TASKS, WARMING = 12, math.min(60, seconds / 4)

math.randomseed(seed)

-- ---- attempts ---------------------------------------------------------------------------------

local big = folder .. "/big"

local probes = {
  lookup = function() bide.dns("localhost") end,
  dns = function() bide.dns("a.example", { server = "127.0.0.1", port = dns_port, type = "A" }) end,
  dns_silent = function() bide.dns("silent.example", { server = "127.0.0.1", port = dns_port, type = "A" }) end,
  tcp = function() bide.tcp { host = "localhost", port = redis_port, send = "PING\r\n", expect = "+PONG" } end,
  tcp_refused = function() bide.tcp { host = "127.0.0.1", port = 1 } end,
  udp = function() bide.udp { host = "127.0.0.1", port = dns_port, send = "x", expect = "y" } end,
  redis = function() bide.redis { host = "127.0.0.1", port = redis_port, command = { "PING" } } end,
  tls = function()
    local connection <close> = require("bide.tls").connect({ host = "localhost", port = encrypted_port }, { ca = ca })
    connection:send "GET / HTTP/1.0\r\n\r\n"
    connection:read_line()
  end,
  tls_dropped = function()
    require("bide.tls").connect({ host = "localhost", port = encrypted_port }, { ca = ca }):send "GET / HTTP/1.0\r\n\r\n"
  end,
  tls_refused = function() require("bide.tls").connect({ host = "localhost", port = encrypted_port }, { verify = true }) end,
  http = function() http.get(plain .. "/quick") end,
  http_slow = function() http.get(plain .. "/slow") end,
  http_reset = function() http.get(plain .. "/reset", { retry = "none" }) end,
  http_half = function() http.get(plain .. "/half") end,
  http_redirect = function() http.get(plain .. "/redirect") end,
  https = function() http.get(encrypted .. "/", { ca = ca }) end,
  https_unknown = function() http.get(encrypted .. "/") end,
  file = function() bide.file(big, { content = true, content_limit = 1 << 24 }) end,
  file_missing = function() bide.file(folder .. "/missing", { content = true }) end,
  exec = function() bide.exec { "true" } end,
  exec_long = function() bide.exec { "sleep", "1" } end,
  unix = function() bide.unix { path = folder .. "/no.sock" } end,
}

local names, ends = {}, {}
for name in pairs(probes) do names[#names + 1] = name end
table.sort(names)

local function some_duration()
  local draw = math.random()
  if draw < 0.6 then return math.random() * 0.008 end
  return draw < 0.95 and math.random() * 0.05 or math.random() * 0.3
end

local acceptors = { { state = "success", matcher = { success = true } } }
local waiters = {}
for name, probe in pairs(probes) do
  waiters[name] = bide.waiter { name = "Soak", call = probe, minDelay = 0.001, maxDelay = 0.01, acceptors = acceptors }
end

---The ways in which an attempt is cut. Each returns whether it came to its end.
local ways = {
  function(name) return (waiters[name]:wait({}, { maxWait = some_duration() })) ~= nil end,
  function(name) return (pcall(bide.timeout, some_duration(), probes[name])) end,
  function(name)
    local task = bide.spawn(probes[name])
    bide.sleep(some_duration())
    task:cancel()
    return (pcall(task.join, task))
  end,
}

local total = 0

local function attempt_until(when)
  while uv.hrtime() < when do
    local name = names[math.random(#names)]
    local has_succeeded = ways[math.random(#ways)](name)
    local count = ends[name] or { whole = 0, cut = 0 }
    ends[name] = count
    local word = has_succeeded and "whole" or "cut"
    count[word], total = count[word] + 1, total + 1
  end
end

local function attempt_for(duration)
  local when, tasks = uv.hrtime() + duration * 1e9, {}
  for i = 1, TASKS do tasks[i] = bide.spawn(attempt_until, when) end
  return tasks
end

-- ---- what the process holds -------------------------------------------------------------------

---Returns how many descriptors are open, without the one that looks.
local function count_descriptors()
  local count, scan = -1, uv.fs_scandir "/proc/self/fd"
  for _ in uv.fs_scandir_next, scan do count = count + 1 end
  return count
end

local function read_status()
  local text = read "/proc/self/status"
  return tonumber(text:match "VmRSS:%s+(%d+)"), tonumber(text:match "Threads:%s+(%d+)")
end

local began = uv.hrtime()

local function say(what)
  local resident, threads = read_status()
  print(bide.json.encode { what = what, seconds = (uv.hrtime() - began) // 1e9, attempts = total,
    descriptors = count_descriptors(), threads = threads, resident_kB = resident, lua_kB = math.floor(collectgarbage "count"),
    ends = what == "end" and ends or nil })
  io.stdout:flush()
end

local function settle(tasks)
  for _, task in ipairs(tasks) do task:join() end
  require("bide.transfer").close_idle()
  bide.sleep(2)
  for _ = 1, 3 do
    collectgarbage()
    bide.sleep(0.2)
  end
end

settle(attempt_for(WARMING))
say "start"
local tasks = attempt_for(seconds)
local over = uv.hrtime() + seconds * 1e9
while uv.hrtime() < over do
  bide.sleep(math.min(10, seconds))
  say "running"
end
settle(tasks)
say "end"
