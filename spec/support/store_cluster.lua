---A PostgreSQL of a spec's own with the schema of the store, and psql to speak to it as any role.
---
---    local cluster = Cluster.installed()
---    if not cluster then return end
---    assert.equal("1", cluster:sql("ada", "SELECT 1"))

local uv = require "luv"
local Directory = require "spec.support.directory"
local port = require "spec.support.port"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"
local service = require "spec.support.service"
local Session = require "spec.support.psql"

local folder = "/usr/lib/postgresql/*/bin"

---@class spec.StoreCluster
---@field port integer
---@field directory spec.Directory
---@field server spec.Postgres
---@field private sessions table<string, spec.Psql> by role
local Cluster = {}
Cluster.__index = Cluster

---The file that `bide store init` runs.
Cluster.SCHEMA = "lua/bide/record/store/schema.sql"

local function start_in(make_directory, rules, ...)
  local programs, missing = postgres.find()
  if not programs then return nil, missing end
  local self = setmetatable({ directory = make_directory(), sessions = {} }, Cluster)
  self.server = postgres.new(programs, self.directory, rules or "host all all 127.0.0.1/32 trust\n")
  self.port = self.server.port
  self.psql = assert(service.find("psql", "postgresql-client", folder))
  self.pgbench = assert(service.find("pgbench", "postgresql", folder))
  self:begin(...)
  return self
end

---@param rules? string lines of pg_hba.conf
---@param ... string settings of the server
---@return spec.StoreCluster?
---@return string? missing
function Cluster.start(rules, ...) return start_in(Directory.make_in_memory, rules, ...) end

---Starts one whose commits take the time that a disk takes.
---@param rules? string
---@param ... string
---@return spec.StoreCluster?
---@return string? missing
function Cluster.start_on_disk(rules, ...) return start_in(Directory.make, rules, ...) end

local function of_block(cluster, missing)
  local busted = require "busted"
  if cluster then busted.teardown(function() cluster:stop() end) else busted.pending(missing) end
  return cluster
end

---Starts one for a block of specs, at whose end it stops. Without PostgreSQL the block is pending.
---@param rules? string
---@param ... string
---@return spec.StoreCluster?
function Cluster.of_block(rules, ...) return of_block(Cluster.start(rules, ...)) end

---Starts one for a block of specs, with the schema in it before the first of them.
---@param rules? string
---@param ... string
---@return spec.StoreCluster?
function Cluster.installed(rules, ...)
  local cluster = Cluster.of_block(rules, ...)
  if cluster then require("busted").setup(function() cluster:install() end) end
  return cluster
end

---The address of the store for a role.
---@param role string
---@param database? string "postgres" otherwise
---@return string
function Cluster:url(role, database)
  return ("postgres://%s@127.0.0.1:%d/%s"):format(role, self.port, database or "postgres")
end

---Starts the server, as after a stop.
---@param ... string settings
function Cluster:begin(...)
  self.server:start(...)
  port.await(self.server.service.process, self.port, "PostgreSQL")
  self.server:hold():close()
end

---Ends the psql of each role, which holds its database: one that is in use is no template, for example.
function Cluster:close_sessions()
  for _, session in pairs(self.sessions) do session:close() end
  self.sessions = {}
end

function Cluster:stop()
  self:close_sessions()
  self.server:stop()
  self.directory:remove()
end

---@return string[]
function Cluster:client(role, database)
  return { self.psql, "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", tostring(self.port), "-U", role, "-d",
    database or "postgres", "-v", "ON_ERROR_STOP=1" }
end

local function run(self, role, text, more)
  local command = self:client(role)
  table.move(more or {}, 1, #(more or {}), #command + 1, command)
  return process.run(command, { tool = true, stdin = text, cwd = "/" })
end

---Has a role's psql carry out statements. One that has lost the server, which was begun again meanwhile, is replaced.
---@return string? printed
---@return string message
local function ask(self, role, text)
  local kept = self.sessions[role]
  local session = kept or Session.start(self:client(role))
  local printed, message, begun = session:run(text)
  self.sessions[role] = printed and session or nil
  if printed then return printed, message end
  session:close()
  if kept and not begun then return ask(self, role, text) end
  return nil, message
end

---Runs statements, which must succeed. Returns what they print: a line a row, its columns separated by "|".
---@param role string
---@param text string
---@return string
function Cluster:sql(role, text)
  local printed, message = ask(self, role, text)
  if not printed then error(("%s\n%s"):format(text, message), 2) end
  return (printed:gsub("\n$", ""))
end

---Runs statements as the administrator, which must succeed. Returns what they print, as `sql`.
---@param text string a format, if arguments follow
---@param ... any
---@return string
function Cluster:admin(text, ...)
  return self:sql("postgres", select("#", ...) > 0 and text:format(...) or text)
end

---Runs statements in a database, whose settings a psql of its own has from the beginning. Returns what they print, as `sql`.
---@param database string
---@param text string
---@param role? string "postgres" otherwise
---@return string
function Cluster:sql_in(database, text, role)
  local done = process.run(self:client(role or "postgres", database), { tool = true, stdin = text, cwd = "/" })
  if done.code ~= 0 then error(("%s\n%s"):format(text, done.stderr), 2) end
  return (done.stdout:gsub("\n$", ""))
end

---Has the server read its settings again, which what is asked after that sees.
function Cluster:reload()
  local time_of = "SELECT pg_conf_load_time()"
  local before = self:admin(time_of)
  self:admin("SELECT pg_reload_conf()")
  repeat self:close_sessions() until self:admin(time_of) ~= before
end

---Returns the rows of a statement, as lists of integers and texts.
---@param statement string
---@return (integer|string)[][]
function Cluster:rows(statement)
  local list = {}
  for line in self:admin(statement):gmatch "[^\n]+" do
    local row = {}
    for cell in (line .. "|"):gmatch "([^|]*)|" do row[#row + 1] = math.tointeger(tonumber(cell)) or cell end
    list[#list + 1] = row
  end
  return list
end

---Runs statements of which one must fail. Returns the SQLSTATE and the message of it.
---@param role string
---@param text string
---@return string state
---@return string message
function Cluster:failure(role, text)
  local done = run(self, role, text, { "-v", "VERBOSITY=verbose" })
  local state, message = done.stderr:match "ERROR:%s+(%w%w%w%w%w): ([^\n]*)"
  if not state then error(("expected a failure of %s, found\n%s%s"):format(text, done.stdout, done.stderr), 2) end
  return state, message
end

---Keeps a transaction open, and with it its snapshot and its locks, until `release` is called.
---@param statement string the first of the transaction
---@param role? string "postgres" otherwise
---@return fun() release
function Cluster:hold(statement, role)
  local holder = process.start(self:client(role or "postgres"), { tool = true, cwd = "/",
    stdin = ("BEGIN ISOLATION LEVEL REPEATABLE READ; %s; SELECT pg_sleep(50);"):format(statement) })
  holder:hold_loop(false)
  local sleeping = "FROM pg_stat_activity WHERE query LIKE '%pg_sleep(50)%' AND pid <> pg_backend_pid()"
  while self:admin("SELECT count(*) " .. sleeping) == "0" do uv.sleep(20) end
  return function()
    self:admin("SELECT pg_terminate_backend(pid) " .. sleeping)
    holder:wait()
  end
end

---Lets a role that submits work in the queue `default`, too.
---@param role string
function Cluster:let_work(role)
  self:admin(("GRANT bide_worker TO %s"):format(role))
  self:admin(("UPDATE bide.queue_grant SET may_work = true WHERE role = '%s'"):format(role))
end

---Installs the schema, and roles that log in: "ada" and "bob" submit and watch, "wim" and "pia" work in the queue
---`default`, "nobody" has no right.
function Cluster:install()
  local file <close> = assert(io.open(Cluster.SCHEMA))
  local done = run(self, "postgres", file:read "a", { "-1" })
  assert(done.code == 0, done.stderr)
  self:admin([[
CREATE ROLE ada LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE wim LOGIN; CREATE ROLE pia LOGIN; CREATE ROLE nobody LOGIN;
GRANT bide_submit, bide_watch TO ada, bob;
GRANT bide_worker TO wim, pia;
INSERT INTO bide.queue_grant (role, queue, may_submit) VALUES ('ada', 1, true), ('bob', 1, true);
INSERT INTO bide.queue_grant (role, queue, may_work) VALUES ('wim', 1, true), ('pia', 1, true);]])
end

---Forgets all runs and workers. A statement of a worker that was killed may still run: it is the one that ends if each waits for
---the other, since it notices that first.
function Cluster:empty()
  self:admin([[BEGIN; SET LOCAL deadlock_timeout = '1min';
    TRUNCATE bide.run, bide.wait, bide.turn, bide.attempt, bide.worker, bide.told, bide.aside, bide.pace, bide.request,
      bide.staging;
    UPDATE bide.meta SET maintained = 0; COMMIT]])
end

---@class spec.StoreCluster.Run
---@field role? string "ada" otherwise
---@field waits? integer 1 otherwise
---@field rule? string
---@field need? integer
---@field jobs? integer
---@field lane? integer
---@field max_wait? integer microseconds
---@field delay? integer
---@field token? string the submit token
---@field digest? string
---@field queue? string
---@field bundle? string what distinguishes the bundle

local submission = [[
BEGIN;
INSERT INTO bide.staging (position, definition, delay, max_wait, input, token)
  SELECT i, 1, %d, %d, '{"i":' || i || '}', 't' || i FROM generate_series(1, %d) i;
SELECT run, created FROM bide.submit('%s', %d::smallint, '%s', %d, %s, 7, '{}', 2::smallint, %s, '\x%s',
  ARRAY[bide.put_definition(bide.put_bundle('bide-recipe 1 main=a%s.lua' || chr(10), '', NULL), 'Ready', '{}')]);
COMMIT;]]

---The statements that submit a run of waits of 10 minutes.
---@param options? spec.StoreCluster.Run
---@return string
function Cluster.submission(options)
  options = options or {}
  local waits = options.waits or 1
  return submission:format(options.delay or 0, options.max_wait or 600000000, waits, options.queue or "default",
    options.lane or 2, options.rule or "stop", options.need or waits, options.jobs or "NULL",
    options.token and ("'%s'"):format(options.token) or "NULL", options.digest or "00", options.bundle or "")
end

---Submits a run.
---@param options? spec.StoreCluster.Run
---@return string run
---@return boolean created
function Cluster:submit(options)
  local answer = self:sql(options and options.role or "ada", self.submission(options))
  return answer:match "^%d+", answer:match "t$" ~= nil
end

---Enters a worker, and returns its id.
---@param role? string "wim" otherwise
---@return string
function Cluster:enter(role)
  return self:sql(role or "wim",
    "SELECT id FROM bide.enter('w', 'trusted', '1', 'h', 1, '{default}', 10, '{0,1}')")
end

---Claims turns and returns their ids, sorted.
---@param me string
---@param want? integer
---@param more? { lane: integer?, role: string? }
---@return integer[]
function Cluster:claim(me, want, more)
  more = more or {}
  local text = self:sql(more.role or "wim", ("SELECT id FROM bide.claim(%s, 1, %d::smallint, %d, 1000000, %d) ORDER BY id")
    :format(me, more.lane or 2, want or 500, math.maxinteger))
  local ids = {}
  for id in text:gmatch "%d+" do ids[#ids + 1] = math.tointeger(id) end
  return ids
end

return Cluster
