---A store in PostgreSQL, a service that logs what it is asked, and workers that are killed.

local Cluster = require "spec.support.store_cluster"
local Proxy = require "spec.support.proxy"
local Server = require "spec.support.server"
local Directory = require "spec.support.directory"
local core = require "bide.core"
local digest = require "bide.digest"
local luv = require "luv"
local ports = require "spec.support.port"
local process = require "spec.support.process"
local service = require "spec.support.service"
local stores = require "bide.record.store.open"

local M = {}

---@class spec.kills.Harness
---@field cluster spec.StoreCluster
---@field proxy spec.Proxy
---@field workers spec.Process[]
---@field requests table[]
---@field causes spec.kills.Cause[] what has disturbed the present run
---@field notes string the file to which workers append theirs
---@field answer? fun(): table what the service answers, in place of what the token and the attempt say
local Harness = {}
Harness.__index = Harness

---The clock of the machine, which is that of the store.
function M.clock()
  local seconds, microseconds = luv.gettimeofday()
  return seconds * 1000000 + microseconds
end

---Returns the time of the machine's monotonic clock on that clock.
---@param nanoseconds integer
function M.time_of(nanoseconds) return M.clock() - (luv.hrtime() - nanoseconds) // 1000 end

---The answers depend on the token and the number of the attempt alone.
local function number_of(text)
  local bytes = digest.sha256(text)
  return bytes:byte(1) * 256 + bytes:byte(2)
end

---@param token string
---@return integer
function M.attempts_of(token) return 2 + number_of(token) % 6 end

---Lets the store note who has which turn, when, and which process a worker is.
M.log = [[
CREATE TABLE owner_log (place bigserial PRIMARY KEY, wait bigint, worker bigint, at bigint);
CREATE FUNCTION log_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  IF TG_OP = 'DELETE' THEN INSERT INTO public.owner_log (wait, worker, at) VALUES (OLD.id, NULL, bide.clock());
  ELSIF NEW.worker IS DISTINCT FROM OLD.worker THEN
    INSERT INTO public.owner_log (wait, worker, at) VALUES (NEW.id, NEW.worker, bide.clock()); END IF;
  RETURN NULL; END $$;
CREATE TRIGGER log_owner AFTER UPDATE OR DELETE ON bide.turn FOR EACH ROW EXECUTE FUNCTION log_owner();
CREATE TABLE worker_log (id bigint, pid bigint);
CREATE FUNCTION log_worker() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  INSERT INTO public.worker_log VALUES (NEW.id, NEW.pid); RETURN NULL; END $$;
CREATE TRIGGER log_worker AFTER INSERT ON bide.worker FOR EACH ROW EXECUTE FUNCTION log_worker();]]

---A short time in which turns are kept lets them be kept before some attempts, and not before others.
local setup = [[
CREATE ROLE eve LOGIN; GRANT bide_submit, bide_worker, bide_watch TO eve;
INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) VALUES ('eve', 1, true, true);
UPDATE bide.setting SET value = %d WHERE name = 'lease';
UPDATE bide.setting SET value = 150000 WHERE name = 'ahead';]]

---Returns whose turns were whose, as the store has noted it.
---@param rows (integer|string)[][] of owner_log: wait, worker, at
---@param name_of fun(worker: integer): integer
---@return { wait: integer, worker: integer, from: integer, to: integer }[]
function M.owned(rows, name_of)
  local open, owned = {}, {}
  for _, row in ipairs(rows) do
    local wait, worker, at = table.unpack(row)
    if open[wait] then open[wait].to = at end
    open[wait] = worker ~= "" and { wait = wait, worker = name_of(worker), from = at, to = math.maxinteger } or nil
    table.insert(owned, open[wait])
  end
  return owned
end

---@param lease integer milliseconds
---@return spec.kills.Harness?
---@return string? missing
function M.start(lease)
  local rules = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"
  local cluster, missing = Cluster.start_on_disk(rules, "fsync=on")
  if not cluster then return nil, missing end
  cluster:install()
  cluster:admin(setup:format(lease * 1000) .. M.log)
  local self = setmetatable({ cluster = cluster, lease = lease, workers = {}, requests = {} }, Harness)
  self.directory = Directory.make()
  self.recipe = self.directory:write("recipe.lua", "return {}")
  self.notes, self.causes = self.directory:write("notes", ""), {}
  self.proxy = Proxy.start(cluster.port)
  self.service = Server.start(function(request)
    local token, attempt, worker, sent = request.path:match "^/([^/]+)/(%d+)/(%d+)/(%d+)$"
    attempt, worker = math.tointeger(attempt), math.tointeger(worker)
    local begin, delay = M.clock(), number_of(token .. attempt) % 4 / 100
    table.insert(self.requests, { token = token, attempt = attempt, worker = worker, begin = begin,
      sent = M.time_of(math.tointeger(sent)),
      stop = begin + math.max(math.tointeger(delay * 1000000) - 1000, 0) }) -- a timer may be a millisecond early
    if self.answer then return self.answer() end
    local state = attempt >= M.attempts_of(token) and "done" or "waiting"
    return { headers = { ["Content-Type"] = "application/json" }, body = ('{"state":"%s"}'):format(state),
      delay = delay }
  end)
  return self
end

---Turns the loop for a time, or until something holds.
---@param seconds number
---@param holds? fun(): boolean asked every 50 ms
---@return boolean held
function M.turn(seconds, holds)
  local deadline, asked = luv.hrtime() + seconds * 1e9, 0
  local timer = luv.new_timer()
  timer:start(10, 10, function() end)
  local held = false
  while not held and luv.hrtime() < deadline do
    luv.run "once"
    if holds and luv.hrtime() - asked > 50e6 then
      held = holds()
      asked = luv.hrtime()
    end
  end
  timer:close()
  return held
end

---Returns the environment of a worker whose wall clock `move_clock` sets.
---@return table<string, string>
function Harness:moved_clock()
  if not self.clock_library then
    self.clock_library = self.directory.path .. "/moved_clock.so"
    local compiled = process.run({ os.getenv "CC" or "cc", "-shared", "-fPIC", "-o", self.clock_library,
      "spec/support/moved_clock.c" }, { tool = true })
    assert(compiled.code == 0, compiled.stderr)
    self:move_clock(3600)
  end
  local others = os.getenv "LD_PRELOAD"
  return { LD_PRELOAD = others and others .. " " .. self.clock_library or self.clock_library,
    MOVED_CLOCK = self.directory.path .. "/moved" }
end

---Sets the wall clock of such workers.
---@param seconds integer by which it is wrong
function Harness:move_clock(seconds) self.directory:write("moved", tostring(seconds)) end

---Starts a worker.
---@param options? { point: string?, number: integer?, by_proxy: boolean?, hosts: string?, env: table? }
---@return spec.Process
function Harness:work(options)
  options = options or {}
  local env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }
  for name, value in pairs(options.env or {}) do env[name] = value end
  local port = options.by_proxy and self.proxy.port or self.cluster.port
  local worker = process.start({ process.lua, "spec/support/store_worker.lua",
    ("postgres://eve@%s/postgres?target_session_attrs=read-write"):format(options.hosts or "127.0.0.1:" .. port),
    self.service.url, "40", self.notes, options.point,
    options.point and tostring(options.number or 1) }, { env = env, longest = 600 })
  self.workers[#self.workers + 1] = worker
  return worker
end

---Calls f in a task, and turns the loop until it has ended.
local function in_task(f)
  local how, result
  core.task.start(f, function(_, ...) how, result = ... end)
  while not how do core.loop.turn() end
  assert(how == "returned", result)
  return result
end

---Submits a run of as many waits.
---@param waits integer
---@return integer run
function Harness:submit(waits)
  local text = assert(io.open(self.recipe)):read "a"
  local hex = digest.sha256(text):gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)
  local manifest = ("bide-recipe 1 main=%s\n%s %d %s\n"):format(self.recipe, hex, #text, self.recipe)
  local bundle = { digest = digest.sha256(manifest), manifest = manifest, files = "" }
  local definition = { bundle = bundle, waiter = "Asked", body = "{}" }
  self.requests = {}
  return in_task(function()
    local store = assert(stores.open(("postgres://eve@127.0.0.1:%d/postgres"):format(self.cluster.port)))
    local made = assert(store:submit { queue = "default", lane = 2, need = waits, keeps_going = true, seed = 7, about = "{}",
      submit_digest = ("d"):rep(32), history = "some", each = function(add)
        for position = 1, waits do
          local token = ("t%d-%d"):format(position, M.clock())
          add { definition = definition, input = ('{"token":"%s"}'):format(token), token = token, delay = 0,
            max_wait = 600000000 }
        end
      end })
    store:close()
    return made.run
  end)
end

---Reports whether a run has ended.
---@param run integer
function Harness:has_ended(run)
  return self.cluster:admin("SELECT ended IS NOT NULL FROM bide.run WHERE id = " .. run) == "t"
end

local ends = "SELECT id, token, attempts, outcome::json ->> 'state', ended FROM bide.wait WHERE run = "

---Adds what the workers have noted to a history: the ends that were confirmed, and what disturbed them. Returns how often
---they have killed themselves at each point.
---@param history spec.kills.History
---@return table<string, integer>
function Harness:add_notes(history)
  local deaths = {}
  local function time_of(text) return M.time_of(math.tointeger(text)) end
  for line in io.lines(self.notes) do
    local what, pid, a, b = line:match "^(%a+) (%d+) (%S+) (%d+)$"
    pid = math.tointeger(pid)
    if what == "end" then
      table.insert(history.said, { wait = math.tointeger(a), at = time_of(b) })
    elseif what == "cut" then
      table.insert(history.causes, { worker = pid, from = time_of(a), to = time_of(b) })
    else
      deaths[a] = (deaths[a] or 0) + 1
      table.insert(history.causes, { worker = pid, from = time_of(b), to = time_of(b) })
    end
  end
  return deaths
end

---Returns what became of a run. Workers are named by their processes.
---@param run integer
---@return spec.kills.History
---@return table<string, integer> deaths of workers at each point
function Harness:history(run)
  local history = { waits = {}, recorded = {}, owned = {}, requests = self.requests, attempts_of = M.attempts_of, said = {},
    causes = self.causes, lease = self.lease * 1000 }
  local deaths = self:add_notes(history)
  for _, row in ipairs(self.cluster:rows(ends .. run)) do
    local state = row[4] ~= "" and row[4] or nil
    table.insert(history.waits, { id = row[1], token = row[2], state = state, attempts = state and row[3],
      ended = state and row[5] })
  end
  local of_run = " WHERE wait IN (SELECT id FROM bide.wait WHERE run = " .. run .. ")"
  for _, row in ipairs(self.cluster:rows("SELECT wait, attempt FROM bide.attempt" .. of_run)) do
    table.insert(history.recorded, { wait = row[1], attempt = row[2] })
  end
  local pids = {}
  for _, row in ipairs(self.cluster:rows("SELECT id, pid FROM worker_log")) do pids[row[1]] = row[2] end
  history.owned = M.owned(self.cluster:rows("SELECT wait, worker, at FROM owner_log" .. of_run .. " ORDER BY place"),
    function(id) return pids[id] or 0 end)
  return history, deaths
end

---Notes what disturbs the present run.
---@param cause spec.kills.Cause
function Harness:note(cause) table.insert(self.causes, cause) end

---Starts a standby of the server, beside it.
---@param is_synchronous boolean whether commits wait for it
---@return spec.Postgres
function Harness:add_standby(is_synchronous)
  local server = self.cluster.server
  self.standbys = (self.standbys or 0) + 1
  local standby = setmetatable({ programs = server.programs, folder = server.folder, port = ports.free(),
    data = ("%s/standby-%d"):format(self.cluster.directory.path, self.standbys) }, getmetatable(server))
  local copier = assert(service.find("pg_basebackup", "postgresql", "/usr/lib/postgresql/*/bin"))
  local copied = process.run(service.dress({ copier, "-h", "127.0.0.1", "-p", tostring(server.port), "-U", "postgres",
    "-D", standby.data, "-R", "-X", "stream", "--checkpoint=fast" }, true), { tool = true, cwd = "/" })
  assert(copied.code == 0, copied.stderr)
  standby:start("fsync=on")
  M.turn(30, function() return self.cluster:admin("SELECT count(*) FROM pg_stat_replication") == "1" end)
  if is_synchronous then
    self.cluster:admin("ALTER SYSTEM SET synchronous_standby_names = '*'")
    self.cluster:reload()
  end
  return standby
end

---Kills the server.
---@param recover fun() lets it, or another one, take connections again
function Harness:lose_server(recover)
  local at = M.clock()
  self.cluster.server:stop "sigkill"
  recover()
  self:note { from = at, to = M.clock() + self.lease * 1000, is_loss = true }
end

---Kills the server, and lets its standby take its place.
---@param standby spec.Postgres
function Harness:promote(standby)
  self:lose_server(function()
    self.cluster.server, self.cluster.port = standby, standby.port
    self.cluster:admin("SELECT pg_promote()")
  end)
end

---Kills the workers that are left.
function Harness:kill_all()
  for _, worker in ipairs(self.workers) do
    if not worker.code then
      worker:kill "sigcont"
      worker:kill "sigkill"
    end
    worker:wait()
  end
  M.turn(2, function() return self.service:open_connections() == 0 end) -- what they have asked is read
end

---Forgets the workers, what they have noted, and what disturbed them.
function Harness:forget()
  self:kill_all()
  self.workers, self.causes = {}, {}
  self.directory:write("notes", "")
end

function Harness:stop()
  self:forget()
  self.service:close()
  self.proxy:close()
  self.cluster:stop()
  self.directory:remove()
end

M.Harness = Harness
return M
