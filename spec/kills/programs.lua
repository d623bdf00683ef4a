---Workers as users run them, `bide worker` of two processes, and waits that `bide submit` has written for them.

local core = require "bide.core"
local luv = require "luv"
local process = require "spec.support.process"

local M = {}

---Says which attempt of which wait asks, and which process makes it. Its file is trusted, so it also watches its worker.
local recipe = [[
local core = require "bide.core"
local http = require "bide.http"
local luv = require "luv"
local watch
local function watched()
  package.path = package.path .. ";" .. os.getenv "BIDE_KILLS" .. "/?.lua"
  local inside = require "spec.kills.inside"
  return inside.watch(inside.worker_of_attempt(), { notes = os.getenv "BIDE_NOTES", point = os.getenv "BIDE_POINT",
    number = math.tointeger(os.getenv "BIDE_NUMBER" or "1"), is_whole = os.getenv "BIDE_WHOLE" == "yes" })
end
return { Ask = {
  idempotencyToken = "token",
  call = function(input)
    watch = watch or watched()
    watch:attempt()
    local made = core.task.argument_of_attempt():made()
    return http.get(("%s/%s/%d/%d/%d"):format(input.service, input.token, made, luv.os_getpid(), luv.hrtime()), { timeout = 20 })
  end,
  waitable = { Asked = { minDelay = 0.02, maxDelay = 0.4, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
    { state = "retry", matcher = { success = false } },
  } } },
} }
]]

---@param harness spec.kills.Harness
---@return string
local function store_of(harness) return ("postgres://eve@127.0.0.1:%d/postgres"):format(harness.cluster.port) end

---Submits a run of as many waits, and lets workers trust its recipe.
---@param harness spec.kills.Harness
---@param waits integer
---@return integer run
function M.submit(harness, waits)
  harness.requests = {}
  local file = harness.directory:write("asking.lua", recipe)
  local line = assert(core.json.encode { service = harness.service.url }) .. "\n"
  local list = harness.directory:write("waits.jsonl", line:rep(waits))
  local done = process.run { process.bide, "submit", file, "Asked", "--each", list, "--store", store_of(harness), "--max-wait",
    "10m", "--keep-going", "--quiet" }
  assert(done.code == 0, done.stderr)
  local digests = harness.cluster:admin("SELECT encode(digest, 'hex') FROM bide.bundle"):gsub("%x+", "sha256:%0")
  harness.directory:write("trusted", digests)
  return assert(math.tointeger(tonumber(done.stdout)))
end

---Starts a worker.
---@param harness spec.kills.Harness
---@param options? { point: string?, number: integer?, is_whole: boolean? } where it kills itself
---@return spec.Process
function M.work(harness, options)
  options = options or {}
  local worker = process.start({ process.bide, "worker", "--store", store_of(harness), "--trusted", "--trust",
    harness.directory.path .. "/trusted", "--quiet" }, { longest = 600, env = { BIDE_KILLS = luv.cwd(),
      BIDE_NOTES = harness.notes, BIDE_POINT = options.point or false, BIDE_NUMBER = tostring(options.number or 1),
      BIDE_WHOLE = options.is_whole and "yes" or false } })
  table.insert(harness.workers, worker)
  return worker
end

---Returns the process that runs the recipes of a worker; nil before its supervisor has begun it.
---@param worker spec.Process
---@return integer?
function M.child_of(worker)
  local file = io.open(("/proc/%d/task/%d/children"):format(worker.pid, worker.pid))
  if not file then return nil end
  local pid <const> = file:read "n"
  file:close()
  return math.tointeger(pid)
end

---Returns how long it took until the turns that a process had when it was killed were another one's.
---@param history spec.kills.History
---@param killed { pid: integer, at: integer }[]
---@return integer[] microseconds ascending
function M.pauses(history, killed)
  local pauses = {}
  for _, victim in ipairs(killed) do
    for place, one in ipairs(history.owned) do
      if one.worker == victim.pid and one.from <= victim.at and one.to >= victim.at then
        for later = place + 1, #history.owned do
          local other = history.owned[later]
          if other.wait == one.wait then
            pauses[#pauses + 1] = other.from - victim.at
            break
          end
        end
      end
    end
  end
  table.sort(pauses)
  return pauses
end

return M
