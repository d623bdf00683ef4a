---What a wait costs beside what it could cost at the least. Prints one JSON object
---a line; each has its target. Run by `make bench-poll`.
---
---    lua5.4 spec/bench/poll.lua BUILD [PART …]
---
---A part is one of `names` below; without any, all of them are measured.

local core = require "bide.core"
local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local instructions = require "spec.bench.instructions"
local process = require "spec.support.process"
local uv = require "luv"

local build = arg[1]
local attempts = 4000

local bide, usage, reference = build .. "/bide", build .. "/poll/usage", build .. "/poll/reference"

local function report(line)
  for name, value in pairs(line) do
    if math.type(value) == "float" then line[name] = math.floor(value * 1e4 + 0.5) / 1e4 end
  end
  print(core.json.encode(line))
  io.stdout:flush()
end

---Runs a command and returns what it used; its exit code must be the one expected.
local function measure(expected, ...)
  local done = process.run({ usage, ... }, { longest = 600 })
  local used = core.json.decode(done.stdout)
  assert(used.code == expected, table.concat({ ... }, " ") .. ": exit code " .. used.code)
  return used
end

local function median(values)
  table.sort(values)
  return values[(#values + 1) // 2]
end

local function least(values)
  return math.min(table.unpack(values))
end

---One member over runs that take turns, so that both sides meet the same noise:
---of each side what `choose` takes from its runs.
local function compare(runs, member, choose, measures)
  local values = {}
  for _ = 1, runs do
    for i, run in ipairs(measures) do
      values[i] = values[i] or {}
      table.insert(values[i], run()[member])
    end
  end
  local chosen = {}
  for i, list in ipairs(values) do chosen[i] = choose(list) end
  return chosen, values
end

local recipe = [[
local http = require "bide.http"
return { GetThing = {
  prepare = function(input) return http.prepare { url = input.url } end,
  waitable = { ThingExists = { minDelay = 0.001, maxDelay = 0.001, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals",
      expected = "success" } } },
  } } },
} }
]]

local trait = [[
{ "ThingExists": { "minDelay": 2, "acceptors": [
  { "state": "success", "matcher": { "output": { "path": "status", "comparator": "stringEquals",
    "expected": "success" } } } ] } }
]]

local lateness = [[
local uv = require "luv"
local bide, http = require "bide", require "bide.http"
local url, maximum = arg[1], 0.05
local waiter = bide.load(arg[2]).ThingExists
for _ = 1, 200 do
  local began = uv.hrtime()
  local _, outcome = waiter:wait({ url = url }, { maxWait = maximum })
  assert(outcome.reason == "maxWait")
  print((uv.hrtime() - began) / 1e6 - maximum * 1000)
end
]]

---A list of things in JSON, as long as a parameter of nginx may be.
local function things()
  local list = {}
  for position = 1, 30 do
    list[position] = ('{"id":%d,"name":"thing-%d","status":"pending","labels":{"app":"web","tier":"back"},"ready":false,'
      .. '"message":"it is not there yet"}'):format(position, position)
  end
  return table.concat(list, ",")
end

local blocks = ([[
  server {
    listen 127.0.0.1:PORT;
    default_type application/json;
    location = /pending { return 200 '{"status":"pending","name":"foo","size":3,"id":"01234"}'; }
    location = /changing { return 200 '{"status":"pending","name":"foo","size":$connection_requests,"id":"01234"}'; }
    location = /success { return 200 '{"status":"success","name":"foo","size":3,"id":"01234"}'; }
    location = /large {
      set $things 'THINGS';
      return 200 '{"status":"pending","size":$connection_requests,"items":[$things,$things,$things,$things]}';
    }
  }
]]):gsub("THINGS", things)

---The processor time of runs of so many attempts, in turns: of each side its least, and its median.
local function poll_times(url, file, count)
  local cpu, all = compare(15, "cpu", least, {
    function() return measure(0, reference, url .. "/pending", tostring(count), "1") end,
    function()
      return measure(4, bide, "run", file, "url=" .. url .. "/pending", "--max-wait", "10m",
        "--max-attempts", tostring(count), "--quiet")
    end,
  })
  return cpu, { median(all[1]), median(all[2]) }
end

---What else the machine does can only add to a run's processor time, so that of several runs the least says most. The start
---of both programs is in the ratio, and not in that of the attempts alone.
local function bench_poll(url, file)
  local cpu, medians = poll_times(url, file, attempts)
  local start, median_start = poll_times(url, file, 1)
  report { bench = "poll", attempts = attempts, reference = cpu[1], bide = cpu[2],
    ratio = cpu[2] / cpu[1], of_medians = medians[2] / medians[1],
    attempts_alone = (cpu[2] - start[2]) / (cpu[1] - start[1]),
    medians_of_attempts_alone = (medians[2] - median_start[2]) / (medians[1] - median_start[1]), target = 1.2 }
end

local function bench_memory(url, file)
  local kilobytes = compare(5, "kilobytes", median, {
    function() return measure(0, reference, url .. "/success", "1", "1") end,
    function() return measure(0, bide, "run", file, "url=" .. url .. "/success", "--max-wait", "1m") end,
  })
  report { bench = "memory", reference = kilobytes[1] / 1024, bide = kilobytes[2] / 1024,
    above = (kilobytes[2] - kilobytes[1]) / 1024, target = 3 }
end

local function bench_start(directory)
  local file = directory:write("trait.json", trait)
  local answers = directory:write("answers.jsonl", '{"output":{"status":"pending"}}\n')
  local elapsed = compare(41, "elapsed", median, {
    function() return measure(0, "curl", "--version") end,
    function() return measure(0, bide, "--version") end,
    function() return measure(124, bide, "replay", file, "ThingExists", answers, "--max-wait", "1h") end,
  })
  report { bench = "start", curl = elapsed[1], bide = elapsed[2], ratio = elapsed[2] / elapsed[1],
    target = 1.1 }
  report { bench = "replay", curl = elapsed[1], bide = elapsed[3], ratio = elapsed[3] / elapsed[1],
    target = 1.25 }
end

---What `make static` made starts within 1.1 times of what is linked with the distribution's libraries.
local function bench_static(directory)
  local document = directory:write("document.json", '{"a":1}')
  local static = build .. "/static/bide"
  if not uv.fs_stat(static) then return report { bench = "static start", lacks = static } end
  for _, words in ipairs { { "--version" }, { "query", "a", document } } do
    local elapsed = compare(101, "elapsed", median, {
      function() return measure(0, bide, table.unpack(words)) end,
      function() return measure(0, static, table.unpack(words)) end,
    })
    local dynamic, own = instructions.of({ bide, table.unpack(words) }), instructions.of({ static, table.unpack(words) })
    report { bench = "static start", line = words[1], bide = elapsed[1], static = elapsed[2], ratio = elapsed[2] / elapsed[1],
      of_instructions = own and own / dynamic, target = 1.1 }
  end
end

---The instructions of an attempt do not depend on what else the machine does. What
---a run takes apart from its attempts drops out of the difference of two lengths.
local function of_attempt(command, most)
  most = most or 2500
  local short, long = instructions.of({ command(most // 5) }), instructions.of({ command(most) })
  return short and (long - short) / (most - most // 5)
end

---The commands for so many attempts: of libcurl alone, and of bide.
local function of_both(url, file)
  return function(count) return reference, url .. "/pending", tostring(count), "1" end, function(count)
    return bide, "run", file, "url=" .. url .. "/pending", "--max-wait", "10m", "--max-attempts", tostring(count), "--quiet"
  end
end

local function compare_instructions(answer, url, file, most)
  local command_of_reference, command_of_bide = of_both(url, file)
  local bare = of_attempt(command_of_reference, most)
  if not bare then return end
  local own = of_attempt(command_of_bide, most)
  report { bench = "poll instructions", answer = answer, reference = bare, bide = own, ratio = own / bare, target = 1.15 }
end

---Under valgrind nginx has answered before libcurl looks, so that no attempt waits. At full speed each waits for its answer in
---the loop, as it does for one that comes late.
local function bench_instructions(url, file)
  compare_instructions("at once", url, file)
  local late = Server.start(function()
    return { delay = 0.03, headers = { ["Content-Type"] = "application/json" }, body = '{"status":"pending","name":"foo"}' }
  end)
  compare_instructions("late", late.url, file, 500)
  late:close()
end

---How often each instruction of a command was executed, by its object and address; nil without valgrind.
local function executions(directory, ...)
  local file = directory.path .. "/executions"
  process.run({ "sh", "-c", 'exec valgrind --tool=callgrind --dump-instr=yes --compress-pos=no --compress-strings=no '
    .. '--callgrind-out-file="$0" "$@"', file, ... }, { longest = 600 })
  local counts, object, of_callee = {}, nil, false
  for line in uv.fs_stat(file) and io.lines(file) or function() end do
    local address, count = line:match "^0x(%x+) %S+ (%d+)$"
    if address and not of_callee then
      local key = object .. " " .. address
      counts[key] = (counts[key] or 0) + tonumber(count)
    end
    object, of_callee = line:match "^ob=(.*)" or object, line:find "^calls=" ~= nil
  end
  return next(counts) and counts
end

---The lines of 64 bytes and the pages of 4 KB with the code that an attempt executes. They are several times what the first
---cache of instructions holds, so that each attempt fetches them again. To prefetch all of them after the sleep gained
---nothing: read one after another, they took 4 ns a line more than from the second cache.
local function code_of_attempt(directory, command)
  local short, long = executions(directory, command(20)), executions(directory, command(120))
  if not long then return end
  local lines, pages, seen = 0, 0, {}
  local function see(name)
    local is_new = not seen[name]
    seen[name] = true
    return is_new and 1 or 0
  end
  for key, count in pairs(long) do
    if count - (short[key] or 0) >= 95 then
      local object, address = key:match "^(.*) (%x+)$"
      lines = lines + see(object .. " line " .. (tonumber(address, 16) >> 6))
      pages = pages + see(object .. " page " .. (tonumber(address, 16) >> 12))
    end
  end
  return lines, pages
end

local function bench_lines(directory, url, file)
  local command_of_reference, command_of_bide = of_both(url, file)
  local lines, pages = code_of_attempt(directory, command_of_reference)
  if not lines then return end
  local own_lines, own_pages = code_of_attempt(directory, command_of_bide)
  report { bench = "poll lines", reference = lines, bide = own_lines, ratio = own_lines / lines,
    reference_pages = pages, bide_pages = own_pages, target = 1.35 }
end

---What `--record` adds, where the answer stays the same, where it changes, and where one of 15 KB does.
local function bench_record(directory, url, file)
  local recording = { "--record", directory.path .. "/recording.jsonl" }
  local function of_wait(path, words)
    return of_attempt(function(count)
      return bide, "run", file, "url=" .. url .. path, "--max-wait", "10m", "--max-attempts", tostring(count), "--quiet",
        table.unpack(words)
    end)
  end
  for _, path in ipairs { "/pending", "/changing", "/large" } do
    local plain = of_wait(path, {})
    if not plain then return end
    local recorded = of_wait(path, recording)
    report { bench = "record instructions", answer = path, plain = plain, recorded = recorded, ratio = recorded / plain,
      target = 1.1 }
  end
end

local function bench_lateness(directory, file)
  local server = Server.start(function() return { silent = true } end)
  local script = directory:write("lateness.lua", lateness)
  local done = process.run({ bide, "exec", script, server.url, file }, { longest = 600 })
  server:close()
  local late = {}
  for line in done.stdout:gmatch("%S+") do table.insert(late, tonumber(line)) end
  assert(#late == 200, done.stderr)
  table.sort(late)
  report { bench = "lateness", waits = 200, least = late[1], median = late[100], p99 = late[198],
    most = late[200], target = 20 }
end

local directory = Directory.make()
local nginx = Nginx.start(directory, blocks)
local url = "http://127.0.0.1:" .. nginx.port
local file = directory:write("recipe.lua", recipe)

local names = { "start", "static", "memory", "lateness", "instructions", "lines", "record", "poll" }
local parts = {
  start = function() bench_start(directory) end,
  static = function() bench_static(directory) end,
  memory = function() bench_memory(url, file) end,
  lateness = function() bench_lateness(directory, file) end,
  instructions = function() bench_instructions(url, file) end,
  lines = function() bench_lines(directory, url, file) end,
  record = function() bench_record(directory, url, file) end,
  poll = function() bench_poll(url, file) end,
}

local good, failure = pcall(function()
  for _, name in ipairs(arg[2] and { table.unpack(arg, 2) } or names) do
    local part = parts[name] or error(("no part %q, expected one of %s"):format(name, table.concat(names, ", ")), 0)
    part()
  end
end)
nginx:stop()
directory:remove()
if not good then error(failure, 0) end
