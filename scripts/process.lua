---Waits until a process runs. Or, with ProcessGone, until it does not.
---The system says when a process ends. Besides, a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run process postgres --max-wait 30s
---    bide run process app pid_file=/run/app.pid --max-wait 30s
---    bide run process 'python3 worker.py' --max-wait 30s
---    bide run process ProcessGone pid=4711 --max-wait 1h -- echo "the import is over"
---
---A name is what `ps -o comm` shows, or that of the program that was started, without its folder; with blanks it is the
---beginning of the command line. The whole name of a script counts, too, where Linux cuts it to 15 bytes. A process id may
---be reused by another process after the first has ended; give a name as well to exclude that.
---A pid_file that does not exist means that the process does not run.

local acceptor = require "bide.acceptor"
local bide = require "bide"
local ends = require "bide.exec.events"
local file = require "bide.file"
local file_events = require "bide.file.events"
local processes = require "bide.processes"

---The highest number of a process that Linux allows.
local HIGHEST = 4194304

---Returns what is wrong with a name that no process can have.
---@return string? mistake
local function mistake_of_name(name)
  local expected
  if name:find "^%d[%d%s,]*$" then
    expected = ("a name, or pid=%s for the process with this id"):format(name:match "^%d+")
  elseif name:find "^%S*/" then
    expected = "a name without its folder, such as " .. bide.json.encode(name:match "^%S*/(.*)$")
  elseif name:find "^%[.+%]$" then
    expected = "a name without the brackets of ps, such as " .. bide.json.encode(name:sub(2, -2))
  elseif name:find "^%S*%[[^%]%s]+%]" then
    expected = "a name without brackets, such as " .. bide.json.encode((name:gsub("^(%S*)%[([^%]%s]+)%]", "%1%2")))
  elseif name:find "^%S*[*?|]%S*$" or name:find "^%^" or name:find "^%S*%$$" then
    expected = "a name, which is no pattern"
  elseif name:find "^%s" or name:find "%s$" or name:find "%c" then
    expected = "a name without blanks around it, and without tabs and line breaks"
  elseif name:find "^([\"']).*%1$" then
    expected = "a name without quotes"
  end
  return expected and ("name: expected %s, found %s"):format(expected, bide.json.encode(name))
end

---@return string? mistake
local function mistake_of(input)
  if not (input.name or input.pid or input.pid_file) then return "expected name, pid or pid_file, found none of them" end
  if input.pid and input.pid_file then return "pid: expected pid or pid_file, found both" end
  return mistake_of_name(input.name or "")
end

---Returns the number in a file; nil if there is no such file.
local function read_number(path)
  local ok, found = pcall(file, path, { content = true, content_limit = 4096 })
  if not ok and found.type == "NotFound" then return nil end
  if not ok then error(found, 0) end
  local number = tonumber(found.content:match "^%s*(%d+)%s*$")
  if number and number >= 1 and number <= HIGHEST then return math.tointeger(number) end
  error { type = "InvalidPidFile", message = path .. ": found no number of a process" }
end

local function fail(...)
  error { type = "ProcessNotFound", message = table.concat({ ... }, "; ") }
end

---Returns the words for the process that is looked for.
local function describe(input, pid)
  local name = input.name and ("is called %q"):format(input.name)
  local number = pid and ("has the id %d"):format(pid)
  return name and number and ("%s and %s"):format(name, number) or name or number
end

---A file is read for each attempt, since the process writes it.
local function look(input)
  local pid = input.pid or input.pid_file and read_number(input.pid_file)
  local missing = input.pid_file and not pid and ("the pid file %s does not exist"):format(input.pid_file) or nil
  if missing and not input.name then fail(missing) end
  local found = processes.find { name = input.name, pid = pid }
  if #found == 0 then fail("no process " .. describe(input, pid), missing) end
  return { processes = found }
end

---The most processes whose end is watched.
local MOST = 100

---Returns the numbers of the processes that run now.
---@return integer[]
local function running(input)
  local ok, found = pcall(look, input)
  local pids = {}
  for position, process in ipairs(ok and found.processes or {}) do
    if position <= MOST then pids[position] = process.pid end
  end
  return pids
end

---Wakes the wait when a process ends, or the file that names it changes. The system does not say when a process begins.
local function watch(input, wake)
  if input.pid_file then bide.spawn(file_events.watch, input.pid_file, wake) end
  local pids = running(input)
  while #pids > 0 do
    ends.await_end(pids)
    wake()
    pids = running(input)
  end
  wake()
  bide.sleep(math.huge)
end

local function prepare(input)
  local mistake = mistake_of(input)
  if mistake then return nil, mistake end
  return function() return look(input) end
end

return { Look = {
  place = "local",
  prepare = prepare,
  fact = "'the process runs'",
  watch = watch,
  input = {
    name = {
      type = "string", positional = 1, example = "postgres",
      documentation = "The name of the process, without its folder, or the beginning of its command line.",
    },
    pid = { type = "integer", minimum = 1, maximum = HIGHEST, documentation = "Its process id." },
    pid_file = { type = "path", example = "/run/app.pid", documentation = "A file with its process id." },
  },
  default = "ProcessRuns",
  waitable = {
    ProcessRuns = {
      documentation = "Waits until a process runs.",
      countsAsReady = "a process with that name and id that is no zombie",
      opposite = "ProcessGone",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.success(),
        acceptor.error("retry", "ProcessNotFound"),
        acceptor.error("retry", "ProcessesHidden"),
        acceptor.error("retry", "InvalidPidFile"),
      },
    },
    ProcessGone = {
      documentation = "Waits until no such process runs.",
      countsAsGone = "the system shows all processes, none of which has that name and id and a thread that runs; without a "
        .. "name, also that there is no file pid_file",
      opposite = "ProcessRuns",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.success "retry",
        acceptor.error("success", "ProcessNotFound"),
        acceptor.error("failure", "ProcessesHidden"),
        acceptor.error("retry", "InvalidPidFile"),
      },
    },
  },
} }
