---The allocation sweep: runs bide again and again, and lets another of its allocations fail each time.
---
---    lua5.4 spec/sweep/sweep.lua BUILD own|libraries|crypto [SECONDS]
---
---BUILD is the folder of the binary. With SECONDS it takes a stride through all allocations that ends in
---time, from an offset that is drawn and printed; SWEEP_SEED gives it, SWEEP_ONLY names one scenario,
---"run" or "run once 1234".
---
---Whatever fails, bide must end in time, with a documented exit code and a word of what happened, and with 0
---only where it did and printed everything. Where bide's own allocations fail (own) the code is 70; where those
---within libcurl, libuv and luv do (libraries) it may be another, and the crashes of these that are
---known are in spec/sweep/crashes.lua. Where those within libssl and libcrypto do (crypto), only the scenarios count that
---use them, and the code is 70: what these say after one is not to be believed.

local allocations = require "spec.support.allocations"
local scenarios = require "spec.sweep.scenarios"
local uv = require "luv"

require("spec.support.process").bide = arg[1] .. "/bide" -- before what looks for it
local Workspace = require "spec.support.workspace"

local LONGEST = 8 -- seconds, where the longest max wait is 2
local JOBS = 2
local MODES = { "once", "twice", "on" }

local build, callers, seconds = arg[1], arg[2], tonumber(arg[3])
local library = allocations.library()
local known_crashes = callers == "libraries" and require "spec.sweep.crashes" or {}
local documented = { [0] = true, true, true, true, true, true, [70] = true, [124] = true }

-- ---- one run ------------------------------------------------------------------------

---@class spec.sweep.Worker
---@field workspace spec.Workspace
---@field scenarios spec.Scenario[]
---@field report string the file that the preloaded library writes to

local function new_worker()
  local workspace = Workspace.make()
  return { workspace = workspace, scenarios = scenarios.make(workspace), report = workspace:write("report", "") }
end

local function environment(worker, scenario, mode, number)
  return {
    LD_PRELOAD = library, SWEEP_REPORT = worker.report, SWEEP_OF = callers, SWEEP_MODE = mode,
    SWEEP_AT = tostring(number), BIDE_JOURNAL = false, BIDE_PATH = false,
    ASAN_OPTIONS = "verify_asan_link_order=0:intercept_tls_get_addr=0:allocator_may_return_null=1:detect_leaks="
      .. (scenario.is_walled and "0" or "1"),
    LSAN_OPTIONS = "print_suppressions=0:suppressions=" .. uv.cwd() .. "/.ci/leaks",
    UBSAN_OPTIONS = "print_stacktrace=1",
  }
end

local function read_report(worker)
  return allocations.read_report(worker.workspace:read "report")
end

local function start(worker, scenario, mode, number)
  worker.workspace:write("report", ("\0"):rep(allocations.REPORT_SIZE))
  if scenario.reset then scenario.reset() end
  return worker.workspace:start(scenario.words, { env = environment(worker, scenario, mode, number), longest = LONGEST })
end

-- ---- what must hold -----------------------------------------------------------------

---The libraries, by the names that their files have. luv is loaded by the name of its module where Lua searches for it.
local libraries = { libcurl = "libcurl", libuv = "libuv", ["liblua5.4-luv"] = "liblua5.4-luv", luv = "liblua5.4-luv" }

---The functions of the libraries at the inner end of a stack, those of the C library left out. Of a function
---that a library does not export the name is unknown.
local function innermost(stack)
  local names = {}
  for module, name in ("\n" .. stack):gmatch "\n(%S-)%.so[%d.]*%+0x%x+ ([%w_?]+)" do
    if libraries[module] then names[#names + 1] = libraries[module] .. " " .. name elseif module ~= "libc" then break end
  end
  return table.concat(names, " < ")
end

---The crash as crashes.lua names it: the signal, its place, and the place of the allocation that had failed.
local function signature_of(report)
  return ("%s: %s after %s"):format(report.crashed_at:match "^[^\n]*", innermost(report.crashed_at),
    innermost(report.failed_at))
end

local function is_known(signature)
  for _, crash in ipairs(known_crashes) do
    if signature == crash.signature then return true end
  end
  return false
end

local function problem_of_end(process, report)
  if process.signal == 9 then return ("it hung for %d s"):format(LONGEST) end
  local sanitizer = process.stderr:match "ERROR: (%w+Sanitizer: [^\n]*)" or process.stderr:match "runtime error: [^\n]*"
  if sanitizer then return sanitizer end
  if process.signal == 0 then return nil end
  local signature = signature_of(report)
  return not is_known(signature) and "it crashed: " .. signature or nil
end

---What is wrong with how a run ended; nil where nothing is.
local function problem_of(scenario, process, report)
  local problem = problem_of_end(process, report)
  if problem or process.signal ~= 0 then return problem end
  if process.code == 0 then
    if not process.stdout:find(scenario.shows) then return "exit code 0 without the result" end
    return scenario.is_whole and not scenario.is_whole() and "exit code 0, and not everything was done" or nil
  end
  if callers ~= "libraries" and process.code ~= 70 then return ("exit code %d, not 70"):format(process.code) end
  if not documented[process.code] then return ("exit code %d, which is not documented"):format(process.code) end
  return process.stderr .. process.stdout == "" and ("exit code %d without a word"):format(process.code) or nil
end

-- ---- all runs -----------------------------------------------------------------------

---How many allocations each scenario makes where none fails.
local function count_all(worker)
  local counts, began = {}, uv.hrtime()
  for position, scenario in ipairs(worker.scenarios) do
    local process = start(worker, scenario, "once", 0):wait()
    local report = read_report(worker)
    local problem = process.code ~= 0 and "exit code " .. process.code or problem_of(scenario, process, report)
    if problem or report.counted == 0 and callers ~= "crypto" then
      error(("%s fails as it is: %s\n%s%s"):format(scenario.name, problem or "nothing was counted", process.stdout,
        process.stderr))
    end
    counts[position] = report.counted
  end
  return counts, (uv.hrtime() - began) / 1e9 / #worker.scenarios
end

---Which runs to make: { position of the scenario, mode, number }, each scenario's in turn.
local function points_of(worker, counts)
  local only, points = os.getenv "SWEEP_ONLY", {}
  local name, one_mode, one_number = (only or ""):match "^(%S+)%s*(%S*)%s*(%d*)$"
  for position, scenario in ipairs(worker.scenarios) do
    for _, mode in ipairs(MODES) do
      for number = 1, counts[position] do
        if not only or name == scenario.name and (one_mode == "" or one_mode == mode)
          and (one_number == "" or tonumber(one_number) == number) then
          points[#points + 1] = { position, mode, number }
        end
      end
    end
  end
  return points
end

---Every so manieth of the points, so that they take about as long as there is.
local function stride_through(points, cost)
  local stride = seconds and math.max(1, math.ceil(#points * cost / JOBS / (seconds * 0.7))) or 1
  local seed = tonumber(os.getenv "SWEEP_SEED") or string.unpack("I4", uv.random(4)) % stride
  local taken = {}
  for place = 1 + seed % stride, #points, stride do taken[#taken + 1] = points[place] end
  print(("  %s, %s: %d of %d allocations, every %d from SWEEP_SEED=%d"):format(build, callers, #taken, #points, stride, seed))
  return taken
end

local problems, problem_count, ends = {}, 0, {}

local function note(worker, point, process)
  local scenario, report = worker.scenarios[point[1]], read_report(worker)
  local how = process.signal ~= 0 and "signal " .. process.signal or process.code
  ends[how] = (ends[how] or 0) + 1
  local problem = problem_of(scenario, process, report)
  if not problem then return end
  problem_count = problem_count + 1
  local key = scenario.name .. ": " .. problem
  problems[key] = problems[key] or {}
  table.insert(problems[key], { point = point, scenario = scenario, report = report,
    stdout = process.stdout, stderr = process.stderr })
end

---Makes the runs, JOBS at a time, until there are none or time is up.
local function run_all(workers, points)
  local deadline, next_point, running = seconds and uv.hrtime() + seconds * 1e9, 1, {}
  repeat
    for place, worker in ipairs(workers) do
      local current = running[place]
      if current and current.process.code and current.process.open == 0 then
        running[place] = nil
        note(worker, current.point, current.process)
        current = nil
      end
      local point = points[next_point]
      if not current and point and (not deadline or uv.hrtime() < deadline) then
        next_point = next_point + 1
        running[place] = { point = point, process = start(worker, worker.scenarios[point[1]], point[2], point[3]) }
      end
    end
    if next(running) then uv.run "once" end
  until not next(running)
  return next_point - 1
end

local function tell(made)
  local codes = {}
  for how, count in pairs(ends) do codes[#codes + 1] = ("%s: %d"):format(how, count) end
  table.sort(codes)
  print(("  %d runs, %d wrong; exit codes %s"):format(made, problem_count, table.concat(codes, ", ")))
  for key, list in pairs(problems) do
    local first = list[1]
    print(("\n%s (%d times)\n  SWEEP_ONLY='%s %s %d' lua5.4 spec/sweep/sweep.lua %s %s"):format(key, #list, first.scenario.name,
      first.point[2], first.point[3], build, callers))
    print("  " .. (first.stdout .. first.stderr):sub(1, 3000):gsub("\n", "\n  "))
    print("  the allocation that failed:\n    " .. first.report.failed_at:gsub("\n", "\n    "))
    if first.report.crashed_at ~= "" then print("  the crash:\n    " .. first.report.crashed_at:gsub("\n", "\n    ")) end
  end
end

local workers = {}
for place = 1, JOBS do workers[place] = new_worker() end
local counts, cost = count_all(workers[1])
local made = run_all(workers, stride_through(points_of(workers[1], counts), cost))
for _, worker in ipairs(workers) do worker.workspace:remove() end
tell(made)
os.exit(problem_count == 0 and 0 or 1)
