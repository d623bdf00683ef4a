---Administers a store in PostgreSQL: makes and migrates its schema, grants rights, changes settings, and checks it.

local cells = require "bide.record.store.cell"
local failures = require "bide.probe.postgres.failure"
local own_files = require "bide.text.own_files"
local option = require "bide.text.option"
local server = require "bide.record.store.postgres.server"
local states = require "bide.record.store.state"
local verbs = require "bide.record.store.verbs"
local web_address = require "bide.text.web_address"

local M = {}

-- ---- the schema --------------------------------------------------------------------------------

---Returns the statements that make the schema, in one text.
---@param cell? integer the number of the cell; 0 if it is nil
---@return string
function M.schema(cell)
  local text = own_files.beside("bide.record.store.verbs", "schema.sql")
  if not cell then return text end
  return ("%sSET LOCAL ROLE bide_owner;\nUPDATE bide.meta SET cell = %d;\nRESET ROLE;\n"):format(text, cell)
end

---Cuts the text of the schema into statements. One ends with a semicolon at the end of a line, outside of a body.
---@param text string
---@return string[]
local function statements_of(text)
  local statements, lines, tag = {}, {}, nil
  for line in text:gmatch "[^\n]+" do
    for found in line:gmatch "%$%l*%$" do
      if not tag then tag = found elseif tag == found then tag = nil end
    end
    local is_comment = #lines == 0 and line:find "^%s*%-%-"
    if not is_comment then lines[#lines + 1] = line end
    if #lines > 0 and not tag and line:find ";$" then
      statements[#statements + 1], lines = table.concat(lines, "\n"), {}
    end
  end
  assert(#lines == 0 and not tag)
  return statements
end

---@param failure bide.postgres.session.Failure
---@return bide.record.Failure
local function explain(failure)
  if failure.sqlstate ~= "42501" then return server.failure(failure) end
  return verbs.failure("refused", "%s: run it as an administrator of the database, for whom bide store init --print prints what "
    .. "init does", failure.message)
end

---Runs f within a transaction. An administrator calls no functions but those of the system and of the store: others may make
---some of the same names, in a schema that is searched, which would then run with all rights.
---@generic T
---@param session bide.postgres.session.Session
---@param f fun(query: fun(sql: string, ...): table[]): T?, string? returns its result, or nil and a mistake
---@return T?
---@return bide.record.Failure? failure
local function transact(session, f)
  local raised, result, mistake = {}, nil, nil
  local ok, done, failure = pcall(session.transaction, session, function(within)
    local function query(sql, ...)
      local rows, failure = within:query(sql, ...)
      if rows then return rows end
      raised.failure = failure
      error(raised, 0)
    end
    query "SET LOCAL search_path = pg_catalog, pg_temp"
    result, mistake = f(query)
    return true
  end)
  if not ok and done ~= raised then error(done, 0) end
  failure = failures.without_effect(raised.failure) or failure
  if failure then return nil, explain(failure) end
  return result, mistake and verbs.failure("refused", "%s", mistake)
end

---Returns the version of the schema, 0 if there is none.
---@param query fun(sql: string, ...): table[]
---@return integer? version
---@return string? mistake
local function version_of(query)
  local found = query [[SELECT to_regnamespace('bide') IS NOT NULL AS has_schema,
    to_regclass('bide.meta') IS NOT NULL AND to_regprocedure('bide.about()') IS NOT NULL AS has_store]][1]
  if found.has_store then
    local about = query("SELECT version, reads_from FROM bide.about()")[1]
    local mistake = not about and "the store is broken: bide.meta has no row" or server.mistake_in_version(about)
    return not mistake and about.version or nil, mistake
  end
  if found.has_schema then return nil, "the database has another schema bide: make the store in a database of its own" end
  return 0
end

---Runs f within a transaction, with the version of the schema, which must be there.
---@generic T
---@param session bide.postgres.session.Session
---@param f fun(query: (fun(sql: string, ...): table[]), version: integer): T?, string?
---@return T?
---@return bide.record.Failure? failure
local function transact_in_store(session, f)
  return transact(session, function(query)
    local version, mistake = version_of(query)
    if version == 0 then return nil, "there is no store: run bide store init --store URL" end
    if not version then return nil, mistake end
    return f(query, version)
  end)
end

---The statements that make each version of the schema into the next one. They add, and take a constant time. The second
---version, of programs that are built to be ahead, differs by its number alone.
---@type table<integer, string>
M.upgrades = { "COMMENT ON SCHEMA bide IS 'waits of bide';" }

---Makes a schema of a version into that of this bide.
---@param query fun(sql: string, ...): table[]
---@param version integer
local function upgrade(query, version)
  for from = version, server.VERSION - 1 do
    for _, statement in ipairs(statements_of(M.upgrades[from])) do query(statement) end
  end
  query("UPDATE bide.meta SET version = $1", server.VERSION)
end

---Makes the schema, its functions and its roles.
---@param session bide.postgres.session.Session
---@param cell? integer the number of the cell; 0 if it is nil
---@return string? done a sentence
---@return bide.record.Failure? failure
function M.init(session, cell)
  local function say_if_there(query)
    local version, mistake = version_of(query)
    if not version then return nil, mistake end
    return version > 0 and ("the store is there already, in version %d"):format(version) or ""
  end
  local done, failure = transact(session, function(query)
    local found, mistake = say_if_there(query)
    if found ~= "" then return found, mistake end
    for _, statement in ipairs(statements_of(M.schema(cell))) do query(statement) end
    query "SET LOCAL ROLE bide_owner"
    upgrade(query, 1)
    return ("the store is ready, in version %d, with the queue default"):format(server.VERSION)
  end)
  if done then return done end
  local found = transact(session, say_if_there) -- another one may have been faster
  if found and found ~= "" then return found end
  return nil, failure
end

---Upgrades the schema to the version of this bide.
---@param session bide.postgres.session.Session
---@return string? done
---@return bide.record.Failure? failure
function M.migrate(session)
  return transact_in_store(session, function(query, version)
    if version >= server.VERSION then return ("version %d: nothing to do"):format(version) end
    query "SET LOCAL lock_timeout = '2s'"
    query "SET LOCAL ROLE bide_owner"
    upgrade(query, query("SELECT version FROM bide.meta FOR UPDATE")[1].version)
    return ("version %d, before %d"):format(server.VERSION, version)
  end)
end

local behind = [[
SELECT w.id, w.name, w.host, w.version FROM bide.worker w WHERE w.lease > bide.clock() AND NOT w.formats @> ARRAY[$1::int]
  ORDER BY w.began LIMIT 1]]

---Lets states be written in the newest form that this bide knows, once every living worker reads it. Workers learn of it within
---a minute.
---@param session bide.postgres.session.Session
---@return string? done
---@return bide.record.Failure? failure
function M.finish(session)
  return transact_in_store(session, function(query, version)
    if version < server.VERSION then return nil, "the schema is of an older bide: run bide store migrate --store URL first" end
    query "SET LOCAL lock_timeout = '2s'"
    query "SET LOCAL ROLE bide_owner"
    local writes = query("SELECT writes_format FROM bide.meta FOR UPDATE")[1].writes_format
    if writes >= states.NEWEST then return ("states are written in form %d: nothing to do"):format(writes) end
    local worker = query(behind, states.NEWEST)[1]
    if worker then
      return nil, ("the worker %s on %s (%d) is of bide %s, which does not read states of form %d: end it, or upgrade it, first")
        :format(worker.name, worker.host, worker.id, worker.version, states.NEWEST)
    end
    query("UPDATE bide.meta SET writes_format = $1", states.NEWEST)
    return ("states are written in form %d, before %d"):format(states.NEWEST, writes)
  end)
end

-- ---- rights ------------------------------------------------------------------------------------

---The rights of a role on a queue. What is not set, it does not have.
---@class bide.record.Grant
---@field role string
---@field queue string which is made if there is none
---@field submit boolean
---@field work boolean
---@field most_open? integer
---@field submits_a_minute? integer
---@field most_kept? integer bytes of its recipes

---The settings of a role in the database of the store: of one that works, of one that submits, whose copies of waits may
---take long, and of one that does neither. A copy whose client is stopped is not idle; one whose host is gone ends after two
---minutes.
---@param rights { submits: boolean?, works: boolean? } on all queues together
---@return table<string, string|false> settings by their names; false: as those of others
local function settings_of(rights)
  local has_any = rights.submits or rights.works or false
  return {
    statement_timeout = rights.submits and "0" or has_any and "10s",
    idle_in_transaction_session_timeout = has_any and "1min",
    default_transaction_isolation = has_any and "read committed",
    tcp_keepalives_idle = has_any and "60", tcp_keepalives_interval = has_any and "10", tcp_keepalives_count = has_any and "6",
  }
end

local rights_of = [[
SELECT bool_or(may_submit) AS submits, bool_or(may_work) AS works FROM bide.queue_grant WHERE role = $1::name]]

---Gives a role the rights on a queue that are named, and takes the others. A role that is gone can only lose them.
---@param session bide.postgres.session.Session
---@param grant bide.record.Grant
---@return true? done
---@return bide.record.Failure? failure
function M.grant(session, grant)
  return transact_in_store(session, function(query)
    query "SET LOCAL ROLE bide_owner"
    query "SELECT FROM bide.meta FOR UPDATE" -- the settings of a role are written by one at a time
    query "RESET ROLE"
    local role = query("SELECT rolcanlogin AS logs_in FROM pg_roles WHERE rolname = $1::name", grant.role)[1]
    local is_known = role or not (grant.submit or grant.work)
      and #query("SELECT FROM bide.queue_grant WHERE role = $1::name LIMIT 1", grant.role) > 0
    if not is_known then
      return nil, ('role "%s" does not exist: make it first, such as by createuser --pwprompt'):format(grant.role)
    elseif role and not role.logs_in and (grant.submit or grant.work) then
      return nil, ("the role %s cannot log in: rights are those of the role that logs in; grant them to each member")
        :format(grant.role)
    end
    local function of_role(form, value)
      query(query("SELECT format($1::text, $2::text, current_database(), $3::text) AS text", form, grant.role, value)[1].text)
    end
    if grant.submit then of_role "GRANT bide_submit, bide_watch TO %I" end
    if grant.work then of_role "GRANT bide_worker TO %I" end
    query "SET LOCAL ROLE bide_owner"
    query("INSERT INTO bide.queue (name) SELECT $1::text WHERE NOT EXISTS (SELECT FROM bide.queue WHERE name = $1)", grant.queue)
    query([[INSERT INTO bide.queue_grant (role, queue, may_submit, may_work, most_open, submits_a_minute, most_kept)
      SELECT $1::name, q.id, $3::boolean, $4::boolean, $5::bigint, $6::int, $7::bigint FROM bide.queue q WHERE q.name = $2
      ON CONFLICT (role, queue) DO UPDATE SET may_submit = excluded.may_submit, may_work = excluded.may_work,
        most_open = excluded.most_open, submits_a_minute = excluded.submits_a_minute, most_kept = excluded.most_kept]],
      grant.role, grant.queue, grant.submit, grant.work, grant.most_open, grant.submits_a_minute, grant.most_kept)
    query "DELETE FROM bide.queue_grant WHERE NOT may_submit AND NOT may_work"
    local rights = query(rights_of, grant.role)[1]
    query "RESET ROLE"
    for name, value in pairs(role and settings_of(rights) or {}) do
      of_role("ALTER ROLE %I IN DATABASE %I " .. (value and "SET %s = %%L" or "RESET %s"):format(name), value or nil)
    end
    return true
  end)
end

-- ---- settings ----------------------------------------------------------------------------------

---The settings, with their bounds in microseconds, as counts, or in bytes.
---@type table<string, { least: integer, most: integer, is_count: boolean?, is_size: boolean? }>
M.settings = {
  lease = { least = 1000000, most = 3600 * 1000000 },
  ahead = { least = 1000, most = 60 * 1000000 },
  history = { least = 3600 * 1000000, most = 366 * 86400 * 1000000 },
  retain = { least = 60 * 1000000, most = 3660 * 86400 * 1000000 },
  most_open = { least = 1, most = 1 << 53, is_count = true },
  most_kept = { least = 1 << 20, most = 1 << 50, is_size = true },
  cell = { least = 0, most = cells.MOST, is_count = true },
}

---Gives a store another number, as a cell. Its runs would not be found by their ids any more: there may be none.
---@param query fun(sql: string, ...): table[]
---@return true? done
---@return string? mistake
local function set_cell(query, value)
  query "SET LOCAL lock_timeout = '2s'"
  query "LOCK TABLE bide.run IN SHARE MODE"
  local found = query("SELECT cell FROM bide.meta")[1].cell
  if found ~= value and #query "SELECT FROM bide.run LIMIT 1" > 0 then
    return nil, ("cell: the store has runs, whose numbers say that they are in cell %d: only a store without runs gets another "
      .. "number"):format(found)
  end
  query("UPDATE bide.meta SET cell = $1", value)
  return true
end

---@param session bide.postgres.session.Session
---@param name string of M.settings
---@param value integer
---@return true? done
---@return bide.record.Failure? failure
function M.set(session, name, value)
  return transact_in_store(session, function(query)
    query "SET LOCAL ROLE bide_owner"
    if name == "cell" then return set_cell(query, value) end
    query("UPDATE bide.setting SET value = $2 WHERE name = $1", name, value)
    return true
  end)
end

---@param session bide.postgres.session.Session
---@return { name: string, value: integer }[]?
---@return bide.record.Failure? failure
function M.get(session)
  return transact_in_store(session, function(query)
    return query [[SELECT name, value FROM bide.setting UNION ALL SELECT 'cell', cell FROM bide.meta ORDER BY name]]
  end)
end

-- ---- checks ------------------------------------------------------------------------------------

---A look at the server: a statement that gives a row for each finding, and the words for a row.
---@class bide.record.Check
---@field sql string
---@field words string with $NAME for columns

---@type bide.record.Check[]
M.checks = {
  { sql = "SELECT setting FROM pg_settings WHERE name = 'autovacuum' AND setting <> 'on'",
    words = "autovacuum is off: dead rows of turns are never removed" },
  { sql = "SELECT setting FROM pg_settings WHERE name = 'autovacuum_naptime' AND setting::int > 15",
    words = "autovacuum_naptime is $setting s: expected 15 s or less; ALTER SYSTEM SET autovacuum_naptime = '15s'; "
      .. "SELECT pg_reload_conf()" },
  { sql = [[SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting <> 'on']],
    words = "$name is off: a loss of power may destroy the database" },
  { sql = [[SELECT 1 AS one WHERE NOT pg_has_role('pg_read_all_stats', 'MEMBER')]],
    words = "the sessions of others cannot be seen: run the check as a member of pg_monitor" },
  { sql = [[SELECT pid, usename AS role, coalesce(nullif(application_name, ''), '?') AS application,
      extract(epoch FROM clock_timestamp() - xact_start)::bigint AS age
    FROM pg_stat_activity WHERE coalesce(backend_xid, backend_xmin) IS NOT NULL
      AND xact_start < clock_timestamp() - interval '1 minute' AND backend_type = 'client backend']],
    words = "a transaction of $role ($application, process $pid) has lasted for $age s: dead rows stay" },
  { sql = [[SELECT gid FROM pg_prepared_xacts WHERE prepared < clock_timestamp() - interval '1 minute']],
    words = "the prepared transaction $gid keeps its snapshot: dead rows stay" },
  { sql = [[SELECT slot_name, active::text AS active FROM pg_replication_slots WHERE NOT active]],
    words = "the replication slot $slot_name is not used: its log and dead rows stay" },
  { sql = [[SELECT session_user::text AS role, $1::text AS wanted WHERE session_user::text <> $1::text]],
    words = "the connection is that of $role in place of $wanted: a pooler must let each role log in as itself" },
  { sql = [[SELECT p.proname AS name FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
    WHERE p.pronamespace = 'bide'::regnamespace AND a.grantee = 0]],
    words = "everybody may call the function $name: REVOKE EXECUTE ON FUNCTION bide.$name FROM PUBLIC" },
  { sql = [[SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'bide'::regnamespace
      AND c.relkind IN ('r', 'p') AND c.relname <> 'staging' AND NOT c.relrowsecurity]],
    words = "the table $name has no row security" },
  { sql = [[SELECT o.rolname AS role FROM pg_roles o WHERE o.rolname = 'bide_owner'
      AND (o.rolsuper OR o.rolbypassrls OR o.rolcanlogin)]],
    words = "the role $role may log in, is a superuser, or ignores row security" },
  { sql = [[SELECT g.role, q.name FROM bide.queue_grant g JOIN bide.queue q ON q.id = g.queue
      WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = g.role) ORDER BY 1, 2]],
    words = "the role $role is gone, and the next one of its name gets its rights on the queue $name: bide store grant $role "
      .. "--queue $name takes them" },
  { sql = [[SELECT day FROM generate_series(0, 1) day
    WHERE to_regclass('bide.attempt_' || (bide.clock() / 86400000000 + day)) IS NULL]],
    words = "the partition for the attempts of today + $day d is missing: no worker has entered for a week, or the log of the "
      .. "server says why it was not made" },
  { sql = [[SELECT q.name FROM bide.queue q WHERE (EXISTS (SELECT FROM bide.turn t WHERE t.queue = q.id AND t.lane IN (1, 2, 3)
        AND t.worker IS NULL AND t.due <= (SELECT bide.clock() - 60000000))
      OR EXISTS (SELECT FROM bide.turn t WHERE t.queue = q.id AND t.lane > 4 AND t.next <= (SELECT bide.clock() - 60000000)))
    AND NOT EXISTS (SELECT FROM bide.worker w WHERE q.id = ANY (w.queues) AND w.lease > (SELECT bide.clock()))]],
    words = "no worker serves the queue $name, which has waits that are overdue" },
}

---The forms of states that a store writes and that its workers read.
local forms = [[
SELECT m.writes_format AS writes, w.id, w.name, w.version FROM bide.meta m
  LEFT JOIN bide.worker w ON w.lease > bide.clock() AND NOT w.formats @> (ARRAY[m.writes_format::int])]]

---Adds what an upgrade has left behind.
local function check_forms(query, findings)
  local rows = query(forms)
  if rows[1].writes < states.NEWEST then
    findings[#findings + 1] = ("states are written in form %d, and this bide knows %d: once no older worker is left, run bide "
      .. "store migrate --finish"):format(rows[1].writes, states.NEWEST)
  end
  for _, row in ipairs(rows) do
    if row.id then
      findings[#findings + 1] = ("the worker %s (%d) of bide %s does not read states of form %d, which the store has"):format(
        row.name, row.id, row.version, row.writes)
    end
  end
end

---The difference of the clocks that is a finding, in microseconds.
local CLOCK = 5 * 1000000

---Checks the store.
---@param session bide.postgres.session.Session
---@param role string? that the URL names
---@param now integer of this machine, in microseconds
---@return string[]? findings
---@return bide.record.Failure? failure
function M.check(session, role, now)
  return transact_in_store(session, function(query, version)
    local findings = {}
    if version ~= server.VERSION then
      findings[1] = ("the schema has version %d, this bide knows %d: run %s"):format(version, server.VERSION,
        version < server.VERSION and "bide store migrate" or "a newer bide")
    end
    local difference = math.abs(query("SELECT bide.clock() AS clock")[1].clock - now)
    for _, check in ipairs(M.checks) do
      local rows = check.sql:find("$1", 1, true) and query(check.sql, role) or query(check.sql)
      for _, row in ipairs(rows) do
        findings[#findings + 1] = check.words:gsub("%$([%l_]+)", function(name) return tostring(row[name]) end)
      end
    end
    check_forms(query, findings)
    if difference > CLOCK then
      findings[#findings + 1] = ("the store's clock and that of this machine differ by %d s"):format(difference // 1000000)
    end
    return findings
  end)
end

---Returns the role that a URL names; nil if it names none.
---@param url string
---@return string? role
function M.role_of(url)
  local user = url:match "^%a+://([^/@:]+)[^/@]*@"
  return user and web_address.unescape(user)
end

---Opens a session for an administrator. A store that is there already is the cell that the URL says.
---@param url string
---@return bide.postgres.session.Session?
---@return string|integer|nil cell the number that the URL has; or the mistake
function M.open(url)
  if not url:find "^[Pp][Oo][Ss][Tt][Gg][Rr][Ee][Ss]" then
    return nil, option.expected("postgres://HOST/DATABASE, since a file needs no preparation", url)
  end
  local session, cell = server.connect(url)
  if not session or not cell then return session, cell end
  local done, failure = transact(session, function(query)
    local version, mistake = version_of(query)
    mistake = mistake or version > 0 and server.mistake_in_cell(query("SELECT cell FROM bide.about()")[1].cell, cell)
    return not mistake and "" or nil, mistake or nil
  end)
  if done then return session, cell end
  session:close()
  return nil, failure.message
end

return M
