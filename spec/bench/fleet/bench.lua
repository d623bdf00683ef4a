---What a fleet of waits takes. Prints one JSON object a line; each has its target.
---Run by `make bench-fleet`.
---
---    lua5.4 spec/bench/fleet/bench.lua BUILD [sleep|goroutines|attempts]

local core = require "bide.core"
local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local process = require "spec.support.process"

local build = arg[1]
local bide, here = build .. "/bide", "spec/bench/fleet/"

local MOST_BYTES, MOST_START, MOST_LATE = 1280, 2, 50

local function report(line)
  for name, value in pairs(line) do
    if math.type(value) == "float" then line[name] = math.floor(value * 1e3 + 0.5) / 1e3 end
  end
  print(core.json.encode(line))
  io.stdout:flush()
end

local function measure(...)
  local done = process.run({ ... }, { longest = 600 })
  assert(done.code == 0, table.concat({ ... }, " ") .. ": " .. done.stderr)
  return core.json.decode(done.stdout)
end

local blocks = [[
  server {
    listen 127.0.0.1:PORT;
    default_type application/json;
    location / { return 200 '{"status":"pending","name":"foo","size":3,"id":"01234"}'; }
    location = /requests { stub_status; }
  }
]]

---Waits of the recipe http, whose service answers.
local function over_nginx(count)
  local directory = Directory.make()
  local nginx = Nginx.start(directory, blocks)
  local ok, made = pcall(measure, bide, "exec", here .. "sleep.lua", tostring(count), "http",
    "http://127.0.0.1:" .. nginx.port)
  nginx:stop()
  directory:remove()
  if not ok then error(made, 0) end
  return made
end

---The curve: what one wait takes must not depend on how many there are.
local function bench_sleep(count)
  local after_output = measure(bide, "exec", here .. "sleep.lua", tostring(count), "output")
  local after_error = measure(bide, "exec", here .. "sleep.lua", tostring(count), "error")
  local over_http = over_nginx(count)
  report {
    bench = "fleet-sleep", waits = count, start_seconds = after_output.start, start_target = MOST_START,
    bytes_before_attempt = after_output.asleep, bytes_after_output = after_output.attempted,
    bytes_after_error = after_error.attempted, bytes_over_http = over_http.asleep,
    bytes_after_http = over_http.attempted, target = MOST_BYTES,
    attempt_microseconds = after_output.attempt,
  }
end

local function find_go()
  for _, go in ipairs { "go", "/usr/local/go/bin/go" } do
    if os.execute(("command -v %s >/dev/null"):format(go)) then return go end
  end
end

local function bench_goroutines(count)
  local go, program = find_go(), build .. "/fleet/goroutines"
  if not go then return report { bench = "fleet-goroutines", skipped = "Go is not installed" } end
  assert(os.execute(("%s build -o %s %sgoroutines.go"):format(go, program, here)))
  local asleep = measure(program, tostring(count))
  report { bench = "fleet-goroutines", goroutines = count, start_seconds = asleep.start, bytes = asleep.asleep }
end

---How many requests nginx has had, this one left out.
local function requests(url)
  local status = process.run({ "curl", "--silent", "--fail", url .. "/requests" })
  return tonumber(status.stdout:match("requests%s+%d+%s+%d+%s+(%d+)")) - 1
end

local function bench_attempts(waits, attempts)
  local directory = Directory.make()
  local nginx = Nginx.start(directory, blocks)
  local url = "http://127.0.0.1:" .. nginx.port
  os.execute(("taskset -cp 1 %d >/dev/null"):format(nginx.service.process.pid))
  local before = requests(url)
  local ok, made = pcall(measure, "taskset", "-c", "0", bide, "exec", here .. "attempts.lua", url .. "/pending",
    tostring(waits), tostring(attempts))
  local served = ok and requests(url) - before - 1
  nginx:stop()
  directory:remove()
  if not ok then error(made, 0) end
  report {
    bench = "fleet-attempts", waits = waits, attempts = made.attempts, served = served, seconds = made.seconds,
    cpu_share = made.cpu, late_p50 = made.p50, late_p99 = made.p99, late_most = made.most, target = MOST_LATE,
  }
end

local parts = {
  sleep = function()
    for _, count in ipairs { 1000, 10000, 100000 } do bench_sleep(count) end
  end,
  goroutines = function() bench_goroutines(100000) end,
  attempts = function() bench_attempts(5000, 30) end,
}

for _, name in ipairs(arg[2] and { arg[2] } or { "sleep", "goroutines", "attempts" }) do parts[name]() end
