---Waits until a process runs. Or, with ProcessGone, until it does not.
---A process is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run process postgres --max-wait 30s
---    bide run process app pid_file=/run/app.pid --max-wait 30s
---    bide run process ProcessGone pid=4711 --max-wait 1h -- echo "the import is over"
---
---A process id may be reused by another process after the first has ended; give a name as well to exclude that.

local acceptor, file = require "bide.acceptor", require "bide.file"
local processes = require "bide.processes"

local function check(input)
  if not (input.name or input.pid or input.pid_file) then return "expected name, pid or pid_file, found none of them" end
end

local function read_number(path)
  local number = file(path, { content = true, content_limit = 4096 }).content:match("^%s*(%d+)%s*$")
  return tonumber(number) or error { type = "InvalidPidFile", message = path .. ": found no number of a process" }
end

local function look(input)
  local pid = input.pid or input.pid_file and read_number(input.pid_file)
  local found = processes.find { name = input.name, pid = pid }
  if #found == 0 then error { type = "ProcessNotFound", message = "no such process runs" } end
  return { processes = found }
end

local function waiter(documentation, opposite, there, missing)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    acceptor.success(there), acceptor.error(missing, "ProcessNotFound"), acceptor.error(missing, "NotFound"),
    acceptor.error("retry", "InvalidPidFile") } }
end

return { Look = { call = look, check = check, input = {
  name = { type = "string", positional = 1, example = "postgres", documentation = "The name of the process." },
  pid = { type = "integer", minimum = 1, documentation = "Its process id." },
  pid_file = { type = "string", example = "/run/app.pid", documentation = "A file with its process id." },
}, default = "ProcessRuns", waitable = { ProcessRuns = waiter("Waits until a process runs.", "ProcessGone", "success", "retry"),
  ProcessGone = waiter("Waits until no such process runs.", "ProcessRuns", "retry", "success") } } }
