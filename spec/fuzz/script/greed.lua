---Takes more than its share: loops whose single instructions are long, patterns and texts without end, and more
---descriptors than there are. Each is ended by a deadline, by a limit of the sandbox, or by its own count.

---@type table<string, fuzz.Opening>
local greed = {}

-- ---- processor time ---------------------------------------------------------------------------

---Each returns what is done again and again; `size` is that of its text or table.
local works = {}

local function two_texts(size)
  local text = ("a"):rep(size)
  return text .. "b", text .. "b"
end

function works.equal(size)
  local one, other = two_texts(size)
  return function() return one == other end
end

function works.less(size)
  local one, other = two_texts(size)
  return function() return one < other or one <= other end
end

function works.join(size)
  local text = ("a"):rep(size)
  return function() return text .. "b" .. text end
end

function works.next(size)
  local emptied = {}
  for i = 1, size // 32 do emptied[i] = i end
  for i = 1, size // 32 do emptied[i] = nil end
  return function() return next(emptied) end
end

function works.select(size)
  local list = {}
  for i = 1, math.min(size, 100000) do list[i] = i end
  return function() return (select("#", table.unpack(list))) end
end

function works.rep(size) return function() return ("ab"):rep(size, ",") end end
function works.gsub(size)
  local text = ("a"):rep(size // 16)
  return function() return (text:gsub(".", "%0%0")) end
end

function works.pattern(size)
  -- Lua's own patterns may take for ever, which no deadline of plain Lua ends; the sandbox has patterns of its own.
  local text, pattern = ("a"):rep(math.min(size, debug and 300 or 3000)), ("a*"):rep(debug and 2 or 40) .. "b"
  return function() return text:find(pattern) end
end

function works.sort(size)
  local list = {}
  return function()
    for i = 1, size // 64 do list[i] = i * 7919 % 4096 end
    table.sort(list, function(one, other) return one > other end)
  end
end

function works.length(size)
  local text = ("a"):rep(size)
  return function() return #text, text:byte(-1), text:upper(), text:reverse() end
end

local work_names = {}
for name in pairs(works) do work_names[#work_names + 1] = name end
table.sort(work_names)

local sizes = { 16, 1 << 12, 1 << 16, 1 << 20, 1 << 22 }

---Works until something ends it, sometimes within a pcall that takes the end for an error of its own.
local function without_end(work, catches)
  while true do
    if catches then pcall(work) else work() end
  end
end

---Work without end, within a deadline, an attempt, a task, and a wait beside innocent ones.
function greed.works(fuzz)
  local bide, random, pool = fuzz.bide, fuzz.random, fuzz.pool
  local name = random:of(work_names)
  local size, catches = random:of(sizes), random:once_in(3)
  fuzz.log("work", name, size)
  local work = works[name](size)
  local function greedy() without_end(work, catches) end
  local waiter = bide.waiter { name = "Greedy", call = random:once_in(2) and greedy or function() return { work() } end,
    minDelay = 0.001, maxDelay = 0.002, acceptors = { { state = "success", matcher = { success = false } } } }
  local ways = {
    function() bide.timeout(0.03, greedy) end,
    function() waiter:wait({}, { maxWait = 0.03 }) end,
    function()
      local task = bide.spawn(bide.timeout, 0.03, greedy)
      pcall(bide.timeout, 0.01, bide.sleep, 1)
      task:cancel()
      pool:add(task, pcall(task.join, task))
    end,
    function()
      local innocent = bide.spawn(bide.sleep, 0.005)
      pcall(bide.timeout, 0.03, greedy)
      pool:add(innocent:join())
    end,
    function()
      local register = fuzz.name()
      bide.jmespath.register(register, { "any" }, function() return work() and true end)
      bide.timeout(0.03, function()
        local expression = bide.jmespath(("map(&%s(@), [@, @, @, @])"):format(register))
        while true do expression:search(1) end
      end)
    end,
  }
  pool:add(pcall(random:of(ways)))
end

-- ---- descriptors ------------------------------------------------------------------------------

---Probes that hold a descriptor while they last.
local function probes_of(fuzz)
  local bide, http, url = fuzz.bide, fuzz.http, fuzz.url
  local port = tonumber(url:match ":(%d+)$")
  local probes = {
    tcp = function() return bide.tcp { host = "127.0.0.1", port = port, talk = function(peer) return peer:read(1) end,
      timeout = 0.2 } end,
    dns = function() return bide.dns("a.example", { server = "127.0.0.1", port = 9, type = "A", timeout = 0.2 }) end,
    udp = function() return bide.udp { host = "127.0.0.1", port = 9, send = "x", timeout = 0.2 } end,
    http = function() return http.get(url .. "/slow", { timeout = 0.3 }) end,
    redis = function() return bide.redis { host = "127.0.0.1", port = port, timeout = 0.2 } end,
    tls = function() return require("bide.tls").connect({ host = "127.0.0.1", port = port }, { timeout = 0.2 }) end,
  }
  if debug then
    probes.file = function() return bide.file("/proc/self/status", { content = true }) end
    probes.unix = function() return bide.unix { path = "no.sock", timeout = 0.2 } end
    probes.exec = function() return bide.exec { "true" } end
  end
  return probes
end

---Thousands of probes at once; some are cut, some cancelled, and some are forgotten.
function greed.descriptors(fuzz)
  local bide, random, pool = fuzz.bide, fuzz.random, fuzz.pool
  local probes, names = probes_of(fuzz), {}
  for name in pairs(probes) do names[#names + 1] = name end
  table.sort(names)
  local name = random:of(names)
  fuzz.log("probes", name)
  local count = name == "exec" and random:of { 1, 20, 80 } or random:of { 1, 60, 70, 500, 3000 }
  local tasks = {}
  for i = 1, count do tasks[i] = bide.spawn(pcall, probes[name]) end
  local within = random:of { 0, 0.001, 0.02, 0.1 }
  pcall(bide.timeout, within, function()
    for _, task in ipairs(tasks) do task:join() end
  end)
  for i = 1, #tasks do
    if random:once_in(2) then tasks[i]:cancel() end
  end
  pool:add(tasks[1], tasks[#tasks])
  if random:once_in(2) then tasks = {} end
  collectgarbage()
  for _, task in ipairs(tasks) do pcall(task.join, task) end
end

return greed
