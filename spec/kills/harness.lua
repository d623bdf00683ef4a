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
---@field answer? fun(): table what the service answers, in place of what the token and the attempt say
local Harness = {}
Harness.__index = Harness

---The clock of the machine, which is that of the store.
function M.clock()
  local seconds, microseconds = luv.gettimeofday()
  return seconds * 1000000 + microseconds
end

---The answers depend on the token and the number of the attempt alone.
local function number_of(text)
  local bytes = digest.sha256(text)
  return bytes:byte(1) * 256 + bytes:byte(2)
end

---@param token string
---@return integer
function M.attempts_of(token) return 2 + number_of(token) % 6 end

local setup = [[
CREATE ROLE eve LOGIN; GRANT bide_submit, bide_worker, bide_watch TO eve;
INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) VALUES ('eve', 1, true, true);
UPDATE bide.setting SET value = %d WHERE name = 'lease';
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

---@param lease integer milliseconds
---@return spec.kills.Harness?
---@return string? missing
function M.start(lease)
  local rules = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"
  local cluster, missing = Cluster.start(rules, "fsync=on")
  if not cluster then return nil, missing end
  cluster:install()
  cluster:sql("postgres", setup:format(lease * 1000))
  local self = setmetatable({ cluster = cluster, lease = lease, workers = {}, requests = {} }, Harness)
  self.directory = Directory.make()
  self.recipe = self.directory:write("recipe.lua", "return {}")
  self.proxy = Proxy.start(cluster.port)
  self.service = Server.start(function(request)
    local token, attempt, worker, begin = request.path:match "^/([^/]+)/(%d+)/(%d+)/(%d+)$"
    attempt, worker, begin = math.tointeger(attempt), math.tointeger(worker), math.tointeger(begin)
    local delay = number_of(token .. attempt) % 4 / 100
    table.insert(self.requests, { token = token, attempt = attempt, worker = worker, begin = begin,
      stop = begin + math.tointeger(delay * 1000000) })
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

---Starts a worker.
---@param options? { point: string?, number: integer?, by_proxy: boolean?, env: table? }
---@return spec.Process
function Harness:work(options)
  options = options or {}
  local env = { LUA_PATH = "./lua/?.lua;./lua/?/init.lua;;", LUA_CPATH = package.cpath }
  for name, value in pairs(options.env or {}) do env[name] = value end
  local port = options.by_proxy and self.proxy.port or self.cluster.port
  local worker = process.start({ process.lua, "spec/support/store_worker.lua",
    ("postgres://eve@%s/postgres?target_session_attrs=read-write"):format(options.hosts or "127.0.0.1:" .. port),
    self.service.url, "40", options.point,
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

---Returns the rows of a statement, as lists of integers and texts.
local function rows(self, statement)
  local list = {}
  for line in self.cluster:sql("postgres", statement):gmatch "[^\n]+" do
    local row = {}
    for cell in (line .. "|"):gmatch "([^|]*)|" do row[#row + 1] = math.tointeger(tonumber(cell)) or cell end
    list[#list + 1] = row
  end
  return list
end

---Reports whether a run has ended.
---@param run integer
function Harness:has_ended(run)
  return self.cluster:sql("postgres", "SELECT ended IS NOT NULL FROM bide.run WHERE id = " .. run) == "t"
end

local ends = "SELECT id, token, attempts, outcome::json ->> 'state', ended FROM bide.wait WHERE run = "

---Returns the name by which the requests of a worker name it: its id; its process, where that is the program.
---@param by_process boolean
---@return fun(id: integer): integer
local function namer(self, by_process)
  local pids = {}
  if by_process then
    for _, row in ipairs(rows(self, "SELECT id, pid FROM worker_log")) do pids[row[1]] = row[2] end
  end
  return function(id) return pids[id] or id end
end

---@param run integer
---@param by_process? boolean whether the requests name the process of their worker
---@return spec.kills.History
function Harness:history(run, by_process)
  local history = { waits = {}, recorded = {}, owned = {}, requests = self.requests, attempts_of = M.attempts_of, said = {} }
  for _, worker in ipairs(self.workers) do
    for id, at in worker.stdout:gmatch "(%d+) (%d+)\n" do
      table.insert(history.said, { wait = math.tointeger(id), at = math.tointeger(at) })
    end
  end
  for _, row in ipairs(rows(self, ends .. run)) do
    local state = row[4] ~= "" and row[4] or nil
    table.insert(history.waits, { id = row[1], token = row[2], state = state, attempts = state and row[3],
      ended = state and row[5] })
  end
  local of_run = " WHERE wait IN (SELECT id FROM bide.wait WHERE run = " .. run .. ")"
  for _, row in ipairs(rows(self, "SELECT wait, attempt FROM bide.attempt" .. of_run)) do
    table.insert(history.recorded, { wait = row[1], attempt = row[2] })
  end
  local open, name_of = {}, namer(self, by_process == true)
  for _, row in ipairs(rows(self, "SELECT wait, worker, at FROM owner_log" .. of_run .. " ORDER BY place")) do
    if open[row[1]] then open[row[1]].to = row[3] end
    open[row[1]] = row[2] ~= "" and { wait = row[1], worker = name_of(row[2]), from = row[3], to = math.maxinteger } or nil
    table.insert(history.owned, open[row[1]])
  end
  return history
end

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
  M.turn(30, function() return self.cluster:sql("postgres", "SELECT count(*) FROM pg_stat_replication") == "1" end)
  if is_synchronous then
    self.cluster:sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
    self.cluster:sql("postgres", "SELECT pg_reload_conf()")
  end
  return standby
end

---Kills the server, and lets its standby take its place.
---@param standby spec.Postgres
function Harness:promote(standby)
  self.cluster.server:stop "sigkill"
  self.cluster.server, self.cluster.port = standby, standby.port
  self.cluster:sql("postgres", "SELECT pg_promote()")
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
end

---Forgets the workers that have ended.
function Harness:forget()
  self:kill_all()
  self.workers = {}
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
