---The PostgreSQL of the bench, with databases that have the schema of the store. It writes without fsync, which is the same
---for every side; its other settings are those that are advised for a store.

local Cluster = require "spec.support.store_cluster"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"

---@class bench.Place
---@field cluster spec.StoreCluster
local Place = {}
Place.__index = Place

---@param ... string further settings
---@return bench.Place
function Place.start(...)
  local cluster, missing = Cluster.start_on_disk(nil, "shared_buffers=512MB", "max_wal_size=4GB", "autovacuum_naptime=5s", ...)
  if not cluster then error(missing, 0) end
  cluster:install()
  cluster:admin([[CREATE ROLE eve LOGIN; GRANT bide_submit, bide_worker, bide_watch TO eve;
    INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) VALUES ('eve', 1, true, true)]])
  cluster:close_sessions()
  return setmetatable({ cluster = cluster, databases = {} }, Place)
end

---Runs statements in a database as the administrator; they must succeed.
---@return string
function Place:sql(database, text)
  local done = process.run(self.cluster:client("postgres", database), { tool = true, stdin = text, cwd = "/", longest = 600 })
  if done.code ~= 0 then error(("%s\n%s"):format(text, done.stderr), 2) end
  return (done.stdout:gsub("\n$", ""))
end

---Makes a database with an empty store, in the place of an earlier one.
---@param name string
---@return string name
function Place:make(name)
  self:sql("postgres", ("DROP DATABASE IF EXISTS %s (FORCE)"):format(name))
  self:sql("postgres", ("CREATE DATABASE %s TEMPLATE postgres"):format(name))
  self.databases[name] = true
  return name
end

---@return string
function Place:url(name)
  return self.cluster:url("eve", name)
end

---@return string of libpq
function Place:conninfo(name, role)
  return ("host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable"):format(self.cluster.port, role or "eve", name)
end

---Adds waits past the functions, with inputs of 180 bytes, whose attempts leave no history.
---@param name string
---@param count integer
---@param delay number seconds until they are due; below 0: since when they are overdue
---@param bundle? integer
function Place:fill(name, count, delay, bundle)
  self:sql(name, ([[
INSERT INTO bide.bundle (owner, digest, manifest, files, made, bytes) VALUES ('eve', decode(md5('%d'), 'hex'), 'm', '', 0, 257)
  ON CONFLICT DO NOTHING;
INSERT INTO bide.definition (bundle, waiter, body, digest, used) SELECT id, 'W', '{}', digest, 1::bigint << 60 FROM bide.bundle
  ON CONFLICT DO NOTHING;
WITH d AS (SELECT d.id, d.bundle FROM bide.definition d WHERE d.digest = decode(md5('%d'), 'hex')),
r AS (INSERT INTO bide.run (id, owner, queue, lane, rule, need, opened, seed, about, history, waits, open, began, deadline)
    SELECT nextval('bide.run_id'), 'eve', 1, 2, 'go', 1, %d, 7, '{}', 0, %d, %d, bide.clock(), 1::bigint << 60 RETURNING id),
w AS (INSERT INTO bide.wait (id, run, position, definition, deadline, input, token)
    SELECT nextval('bide.wait_id'), r.id, i, d.id, 1::bigint << 60, '{"name":"' || lpad(i::text, 169, 'x') || '"}', 'token-' || i
    FROM r, d, generate_series(1, %d) i RETURNING id)
INSERT INTO bide.turn (id, due, deadline, queue, bundle, definition, lane, format, state)
  SELECT w.id, bide.clock() + %d, 1::bigint << 60, 1, d.bundle, d.id, 2, 0, '' FROM w, d;]]):format(bundle or 1,
    bundle or 1, count, count, count, count, math.floor(delay * 1e6)))
  self:sql(name, "VACUUM ANALYZE")
end

---Holds a snapshot until `release` is called.
---@return fun() release
function Place:hold(name, statement)
  local holder = process.start(self.cluster:client("postgres", name), { tool = true, cwd = "/", longest = 1800,
    stdin = ("BEGIN ISOLATION LEVEL REPEATABLE READ; %s; SELECT 'held'; SELECT pg_sleep(1800);"):format(statement) })
  holder:wait_for_output "held"
  holder:hold_loop(false)
  return function()
    self:sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1800)%' "
      .. "AND pid <> pg_backend_pid()")
    holder:wait()
  end
end

---Returns the processor time of all processes of the server so far, in seconds.
function Place:time()
  return measure.time_of_family(self.cluster.server.service.process.pid)
end

function Place:stop()
  self.cluster:stop()
end

return Place
