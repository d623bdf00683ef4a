---Runs files of specs over all cores, each in a busted of its own, and reports them as one. Specs mostly wait, so that there
---are three times as many at once as cores, and up to twice as many of these while a core idles.
---
---    lua5.4 spec/spread.lua [--jobs N] [--times] [--preload LIBRARY] [--cpath=PATH] [FILE|FOLDER …]
---
---With --times the files that took longest follow the report.

local uv = require "luv"

---@class spec.Spread
---@field jobs integer?
---@field times boolean?
---@field preload string? what busted loads before all else
---@field words string[] options of busted
---@field places string[] files and folders

---@return spec.Spread
local function read_line(words)
  local given = { words = {}, places = {} }
  local at = 1
  while words[at] do
    local word = words[at]
    if word == "--jobs" or word == "--preload" then
      at = at + 1
      given[word:sub(3)] = word == "--jobs" and math.tointeger(tonumber(words[at])) or words[at]
    elseif word == "--times" then
      given.times = true
    else
      table.insert(word:find "^%-" and given.words or given.places, word)
    end
    at = at + 1
  end
  if #given.places == 0 then given.places = { "spec" } end
  return given
end

-- ---- the files ------------------------------------------------------------------------------

local function add_files(files, place)
  local found = assert(uv.fs_stat(place))
  if found.type ~= "directory" then
    files[#files + 1] = { name = place, size = found.size }
    return
  end
  for name, kind in uv.fs_scandir_next, assert(uv.fs_scandir(place)) do
    if kind == "directory" or name:find "_spec%.lua$" then add_files(files, place .. "/" .. name) end
  end
end

---The files that take longest, the longest first: one that began last would be waited for alone.
local longest = {}
for position, name in ipairs { "e2e/store_faults", "e2e/hostile_watch", "e2e/store_submit", "e2e/docker", "e2e/install",
  "e2e/start", "e2e/store_postgres", "unit/record/advice", "e2e/store_fences", "e2e/store_database", "e2e/recipe_rabbitmq",
  "e2e/recipe_redis", "e2e/store_bundles", "e2e/store_trust", "e2e/worker_metrics", "e2e/limits", "e2e/store_pace",
  "regress/deadline_of_a_large_fleet", "regress/scripts_that_take_all_time", "e2e/store_locks", "e2e/store_named_secrets",
  "compliance/packed", "e2e/rock", "e2e/aws_call", "e2e/recipe_cases", "e2e/gates", "e2e/aws_gates", "e2e/store_command",
  "regress/retired_connections", "regress/c_calls_in_the_sandbox", "regress/descriptors_of_cut_attempts", "e2e/asked_for",
  "regress/answers_that_are_cut", "e2e/postgres_session", "e2e/service_watch", "regress/answers_of_no_kubernetes",
  "e2e/store_schema", "regress/answers_of_other_programs", "unit/wait/schedule", "unit/jmespath/judge_oracle" } do
  longest["spec/" .. name .. "_spec.lua"] = 3e9 - position
end

---Returns a rank by which the long files begin first, and unit specs last.
local function rank(file)
  return longest[file.name] or file.size + (file.name:find "^spec/unit/" and 0 or 1e9)
end

---@return { name: string, size: integer }[]
local function files_of(places)
  local files = {}
  for _, place in ipairs(places) do add_files(files, place) end
  table.sort(files, function(one, other)
    local first, second = rank(one), rank(other)
    return first > second or first == second and one.name < other.name
  end)
  return files
end

-- ---- running --------------------------------------------------------------------------------

local running = {}

---Kills what runs, with the programs that it has begun, and ends.
local function stop(number)
  for handle in pairs(running) do handle:kill(number) end
  os.exit(128 + (number == "sigint" and 2 or 15))
end

---@return string[]? environment nil for this process's own
local function environment_of(given)
  if not given.preload then return nil end
  local list = { "LD_PRELOAD=" .. given.preload }
  for name, value in pairs(uv.os_environ()) do list[#list + 1] = name .. "=" .. value end
  return list
end

---Starts a busted for a file.
---@param ended fun(printed: string, status: integer)
local function start(given, environment, file, ended)
  local words = { "-c", 'exec busted "$@" 2>&1', "busted", table.unpack(given.words) }
  words[#words + 1] = file.name
  local pipe, printed, status, open = uv.new_pipe(), {}, nil, true
  local function finish()
    if status and not open then ended(table.concat(printed), status) end
  end
  local handle, mistake
  handle, mistake = uv.spawn("sh", { args = words, stdio = { nil, pipe }, env = environment }, function(code, signal)
    status, running[handle] = signal ~= 0 and 128 + signal or code, nil
    handle:close()
    finish()
  end)
  assert(handle, mistake)
  running[handle] = true
  pipe:read_start(function(_, bytes)
    printed[#printed + 1] = bytes
    if bytes then return end
    pipe:close()
    open = false
    finish()
  end)
end

-- ---- the report -----------------------------------------------------------------------------

local NUMBERS = "(%d+) success%a* / (%d+) failures? / (%d+) errors? / (%d+) pending"

---Adds the result of a file. A busted that counts nothing, or that fails with nothing to show for it, is an error.
local function add(report, file, printed, status, seconds)
  local before, numbers = printed:match("^(.-)([^\n]*" .. NUMBERS .. "[^\n]*\n?)")
  local counted = numbers and table.pack(numbers:match(NUMBERS)) or { 0, 0, 0, 0 }
  for position, number in ipairs(counted) do report[position] = report[position] + tonumber(number) end
  if not numbers or status ~= 0 and tonumber(counted[2]) + tonumber(counted[3]) == 0 then
    report[3] = report[3] + 1
    table.insert(report.texts, ("\nError -> %s @ 1\nbusted ended with %d:\n%s"):format(file.name, status, printed))
  else
    local rest = printed:sub(#before + #numbers + 1)
    if rest:find "%S" then table.insert(report.texts, rest) end
  end
  io.write(status == 0 and "+" or ("-\n%s failed\n"):format(file.name))
  io.flush()
  report.times[#report.times + 1] = { seconds, file.name }
end

---The time that the cores of this machine have passed, and the part of it in which they idled.
local function time_of_cores()
  local all, idle = 0, 0
  for _, core in ipairs(uv.cpu_info()) do
    for _, part in pairs(core.times) do all = all + part end
    idle = idle + core.times.idle
  end
  return all, idle
end

---Calls a function twice a second if a quarter of the cores' time since the last call was idle.
---@return uv_timer_t
local function on_idle(act)
  local timer, all_before, idle_before = uv.new_timer(), time_of_cores()
  timer:start(500, 500, function()
    local all, idle = time_of_cores()
    if idle - idle_before > (all - all_before) / 4 then act() end
    all_before, idle_before = all, idle
  end)
  return timer
end

---Runs files, some at once.
local function run(given, files, report)
  local next_file, left, environment = 1, 0, environment_of(given)
  local jobs = given.jobs or 3 * uv.available_parallelism()
  local fill

  local function start_next()
    local file, began = files[next_file], uv.hrtime()
    next_file, left = next_file + 1, left + 1
    start(given, environment, file, function(printed, status)
      left = left - 1
      add(report, file, printed, status, (uv.hrtime() - began) / 1e9)
      fill()
    end)
  end

  function fill()
    while left < jobs and files[next_file] do start_next() end
  end

  local timer = not given.jobs and on_idle(function()
    if left < 2 * jobs and files[next_file] then start_next() end
  end)
  fill()
  while left > 0 do uv.run "once" end
  if timer then timer:close() end
end

local given, began = read_line(arg), uv.hrtime()
local report = { 0, 0, 0, 0, texts = {}, times = {} }
for _, name in ipairs { "sigint", "sigterm" } do
  local signal = uv.new_signal()
  signal:start(name, stop)
  signal:unref()
end
run(given, files_of(given.places), report)
print(("\n%d successes / %d failures / %d errors / %d pending : %.0f seconds"):format(report[1], report[2], report[3], report[4],
  (uv.hrtime() - began) / 1e9))
io.write(table.concat(report.texts))
if given.times then
  table.sort(report.times, function(one, other) return one[1] > other[1] end)
  for position = 1, math.min(40, #report.times) do print(("%7.1f s  %s"):format(table.unpack(report.times[position]))) end
end
os.exit(report[2] + report[3] == 0)
