---Runs hostile scripts, one process a seed, until the time is over or one of them breaks bide:
---
---    lua5.4 spec/fuzz/script.lua --seconds 60 --build build-asan [--tree .] [--seed N] [--keep-going]
---
---A process that a signal ends, or a sanitizer, or that hangs, is a finding: its seed is printed with the
---last lines of what it did, and the exit code is 1. `--seed N` runs that seed alone. Half of the seeds run in plain
---lua5.4, half in the sandbox: as a script of `bide exec`, or as two recipes that register the same names, whose waits
---never succeed.

local process = require "spec.support.process"
local Server = require "spec.support.server"
local uv = require "luv"

local LONGEST = 60 -- seconds for one seed; under a sanitizer, on a busy machine

local options = { seconds = 60, build = "build-asan", tree = ".", first = 1 }
do
  local i = 1
  while arg[i] do
    local name = arg[i]:match "^%-%-(.*)$" or error("unknown argument " .. arg[i])
    if name == "keep-going" then
      options.keep_going, i = true, i + 1
    else
      options[name], i = tonumber(arg[i + 1]) or arg[i + 1], i + 2
    end
  end
end

local root = uv.cwd()
local scripts = root .. "/spec/fuzz/script"
local tree = assert(uv.fs_realpath(options.tree))
local build = tree .. "/" .. options.build

local function first_line(command)
  local pipe = assert(io.popen(command))
  local line = pipe:read "l"
  pipe:close()
  return line
end

local sanitizer = first_line "gcc -print-file-name=libasan.so"

local environment = {
  LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;%s/?.lua;;"):format(tree, tree, scripts),
  LUA_CPATH = build .. "/lib/?.so;;",
  UBSAN_OPTIONS = "print_stacktrace=1:halt_on_error=1:exitcode=99",
  LD_PRELOAD = sanitizer, LSAN_OPTIONS = "suppressions=" .. root .. "/.ci/leaks",
}

local server = Server.start(function(request)
  if request.path == "/slow" then return { body = "{}", delay = 0.2 } end
  if request.path == "/broken" then return { close = true, body = "{" } end
  return { headers = { ["Content-Type"] = "application/json" }, body = '{"a":{"b":[1,2,{"c":null}]},"status":"success"}' }
end)

---Leaks are looked for by ptrace, which the walls of the sandbox forbid.
local function leaks(are_looked_for)
  environment.ASAN_OPTIONS = "exitcode=99:intercept_tls_get_addr=0:allocator_may_return_null=1:detect_leaks="
    .. (are_looked_for and "1" or "0")
end

local function has_neighbours(seed) return seed % 8 == 6 end

---The command of two recipes in one sandbox.
local function command_of_neighbours(seed)
  local words = { build .. "/bide", "run", "--sandbox", "--any", "--max-wait", "500ms", "--quiet" }
  for place, name in ipairs { "first", "second" } do
    if place > 1 then words[#words + 1] = "+" end
    table.move({ ("%s/%s.lua"):format(scripts, name), "Looked", "seed:=" .. seed }, 1, 3, #words + 1, words)
  end
  return words
end

local function command_of(seed)
  local script = { scripts .. "/hostile.lua", tostring(seed), server.url, tostring(options.steps or 40) }
  local in_sandbox, for_leaks = seed % 2 == 0, seed % 4 == 1
  leaks(for_leaks)
  if for_leaks then table.insert(script, "leaks") end
  if has_neighbours(seed) then return command_of_neighbours(seed) end
  if not in_sandbox then return { "lua5.4", table.unpack(script) } end
  return { build .. "/bide", "exec", "--sandbox", table.unpack(script) }
end

local function is_finding(done, seed)
  if done.code == 99 or done.signal ~= 0 or done.code > 128 then return true end
  if has_neighbours(seed) and done.code ~= 124 then return true end
  local text = done.stdout .. done.stderr
  return text:find("AddressSanitizer", 1, true) or text:find("runtime error:", 1, true)
    or text:find("what was freed is read", 1, true) or text:find("finding: ", 1, true)
end

---What a script printed, without what came long before its end.
local function tail(text)
  local at = text:find("ERROR: AddressSanitizer", 1, true) or text:find("runtime error:", 1, true)
  if at then return text:sub(math.max(1, at - 600), at + 3000) end
  return text:sub(-2000)
end

local function run(seed)
  local directory = os.getenv "TMPDIR" or "/tmp"
  local done = process.run(command_of(seed), { env = environment, cwd = directory, longest = LONGEST })
  if not is_finding(done, seed) then return true end
  print(("seed %d: exit code %d, signal %d, after %.1f s"):format(seed, done.code, done.signal, done.elapsed))
  print(tail(done.stdout .. done.stderr))
  print(("again: lua5.4 spec/fuzz/script.lua --build %s --tree %s --seed %d"):format(options.build, options.tree, seed))
  return false
end

local began, seed, found = uv.hrtime(), options.seed or options.first, 0
repeat
  if not run(seed) then
    found = found + 1
    if not options.keep_going then break end
  end
  seed = seed + 1
until options.seed or (uv.hrtime() - began) / 1e9 > options.seconds
server:close()
print(("hostile scripts: %d seeds, %d findings"):format(seed - (options.seed or options.first), found))
os.exit(found == 0)
