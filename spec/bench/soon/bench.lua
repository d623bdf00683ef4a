---Measures how late a tool finds a service that comes up after one to five seconds, and what looking for it costs: bide,
---two peers that poll as well, and a loop of curl. Prints one JSON object for each. Run by `make bench-soon`.
---
---    lua5.4 spec/bench/soon/bench.lua BUILD [STARTS]
---
---Each tool gets the same starts. Several tools wait at a time, in random order, so that the whole takes a few minutes.
---The peers are fetched from npm into BUILD/soon. BIDE_SEED repeats the starts of an earlier run.

local core = require "bide.core"
local port = require "spec.support.port"
local process = require "spec.support.process"
local uv = require "luv"

local build, starts = arg[1], math.tointeger(tonumber(arg[2] or 30))
local folder, usage = build .. "/soon", build .. "/soon/usage"

local FIRST, LAST = 1000, 5000 -- milliseconds after which a service comes up
local TOGETHER = 4

-- ---- the tools --------------------------------------------------------------------------

local function is_there(program)
  return os.execute(("command -v %s >/dev/null"):format(program))
end

---Fetches a package of npm once. Returns the path of a file in it; nil if that fails.
local function fetch(package, file)
  local path = ("%s/node_modules/%s/%s"):format(folder, package, file)
  if not uv.fs_stat(path) and is_there "npm" then
    os.execute(("npm install --silent --no-fund --no-audit --prefix %s %s >/dev/null 2>&1"):format(folder, package))
  end
  return uv.fs_stat(path) and path
end

local bide = build .. "/bide"
local wait_on = is_there "node" and fetch("wait-on", "bin/wait-on")
local wait_for_it = is_there "bash" and fetch("wait-for-it.sh", "bin/wait-for-it")

---The command of each tool for a port; nil if the tool is missing. wait-on also waits for 750 ms without a change, which
---the others do not; its window is 0 here.
local tools = {
  { "bide http", function(at) return { bide, "http", ("url=http://127.0.0.1:%d/"):format(at), "--max-wait", "30s" } end },
  { "bide tcp", function(at) return { bide, "tcp", "host=127.0.0.1", "port=" .. at, "--max-wait", "30s" } end },
  { "wait-on http", wait_on and function(at)
    return { "node", wait_on, "--window", "0", ("http-get://127.0.0.1:%d/"):format(at) }
  end },
  { "wait-on tcp", wait_on and function(at) return { "node", wait_on, "--window", "0", "tcp:127.0.0.1:" .. at } end },
  { "wait-for-it", wait_for_it and function(at) return { "bash", wait_for_it, "127.0.0.1:" .. at, "-t", "30", "-q" } end },
  { "curl loop", is_there "curl" and function(at)
    return { "sh", "-c", ("until curl -sf -o /dev/null http://127.0.0.1:%d/; do sleep 0.25; done"):format(at) }
  end },
}

-- ---- one start --------------------------------------------------------------------------

local ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

local function answer(listener)
  local peer = uv.new_tcp()
  listener:accept(peer)
  peer:read_start(function(_, bytes)
    if bytes then return peer:write(ANSWER, function() if not peer:is_closing() then peer:close() end end) end
    if not peer:is_closing() then peer:close() end
  end)
end

---Opens the port after a while, and notes when.
local function open_later(run)
  local timer = uv.new_timer()
  timer:start(run.delay, 0, function()
    timer:close()
    run.listener = uv.new_tcp()
    assert(run.listener:bind("127.0.0.1", run.port))
    assert(run.listener:listen(16, function() answer(run.listener) end))
    run.opened_at = uv.hrtime()
  end)
end

local function begin(run)
  local command = run.tool[2](run.port)
  run.process = process.start({ usage, table.unpack(command) }, { tool = true })
  open_later(run)
end

---@return boolean whether it has ended
local function finish(run)
  if not run.process.code then return false end
  local used = core.json.decode(run.process.stdout)
  assert(run.opened_at and used.code == 0, run.tool[1] .. " ended without the service: " .. run.process.stderr)
  run.listener:close()
  run.late = run.process.elapsed - (run.opened_at - run.process.began) / 1e9
  run.cpu, run.kilobytes = used.cpu, used.kilobytes
  return true
end

-- ---- all of them ------------------------------------------------------------------------

local function list_runs()
  local runs = {}
  for _ = 1, starts do
    local delay = math.random(FIRST, LAST)
    for _, tool in ipairs(tools) do
      if tool[2] then table.insert(runs, math.random(#runs + 1), { tool = tool, delay = delay }) end
    end
  end
  return runs
end

local function run_all(runs)
  local next_one, under_way = 1, {}
  while next_one <= #runs or #under_way > 0 do
    while #under_way < TOGETHER and next_one <= #runs do
      local run = runs[next_one]
      run.port, next_one = port.free(), next_one + 1
      begin(run)
      under_way[#under_way + 1] = run
    end
    uv.run "once"
    for place = #under_way, 1, -1 do
      if finish(under_way[place]) then table.remove(under_way, place) end
    end
  end
end

local function summarize(runs, tool)
  local sums, list = { late = 0, cpu = 0, kilobytes = 0 }, {}
  for _, run in ipairs(runs) do
    if run.tool == tool then
      for name, sum in pairs(sums) do sums[name] = sum + run[name] end
      list[#list + 1] = run.late
    end
  end
  local count = #list
  table.sort(list)
  return { late = sums.late / count, median = list[(count + 1) // 2], latest = list[count], cpu = sums.cpu / count,
    megabytes = sums.kilobytes / count / 1024 }
end

local function round(number)
  return math.floor(number * 1000 + 0.5) / 1000
end

---@param of_peer table? the means of the peer, than which the tool must not be later, at a tenth of its processor time
local function report(name, means, of_peer)
  local line = { bench = "soon", tool = name, starts = means and starts, skipped = not means and "it cannot be fetched" or nil }
  for member, mean in pairs(means or {}) do line[member] = round(mean) end
  if means and of_peer then line.late_target, line.cpu_target = round(of_peer.late), round(of_peer.cpu / 10) end
  print(core.json.encode(line))
end

local peers = { ["bide http"] = "wait-on http", ["bide tcp"] = "wait-on tcp" }

math.randomseed(tonumber(os.getenv "BIDE_SEED") or os.time())
local runs, means = list_runs(), {}
run_all(runs)
for _, tool in ipairs(tools) do means[tool[1]] = tool[2] and summarize(runs, tool) end
for _, tool in ipairs(tools) do report(tool[1], means[tool[1]], means[peers[tool[1]]]) end
while uv.run "nowait" do uv.sleep(1) end -- the listeners close
