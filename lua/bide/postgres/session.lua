---A connection to PostgreSQL that stays, for scripts that ask more than once.
---
---    local sessions = require "bide.postgres.session"
---    local session <close> = assert(sessions.open "postgres://app@db/shop")
---    local rows = assert(session:query("SELECT id, note FROM jobs WHERE queue = $1", "mail"))
---    print(rows[1].id, rows[1].note, #rows)
---
---    local first = session:send("UPDATE jobs SET due = $2 WHERE id = ANY($1)", sessions.types.bigints { 7, 9 }, now)
---    local second = session:send "SELECT count(*) FROM jobs"      -- leaves before the first is answered
---    print(first:await().affected, second:await()[1].count)
---
---A value of a row is an integer, a number, a boolean, a list, or a string, as its type is; NULL is nil. Parameters are
---always bound, never written into the statement: strings, numbers, booleans, nil, and what `types` makes, which are
---`bytea(string)` and the arrays `bigints {…}`, `ints {…}`, `texts {…}` and `byteas {…}`; `bigints(list, "id")` has that
---member of each table in a list. A list with NULLs has its number in `n`, as table.pack gives it. A failure is nil and a
---bide.postgres.session.Failure: no function raises for what a server does. Tasks may share a session: the answers come in
---the order of the statements, and a task that is cut while it waits for one leaves the session in step.
---
---The connection is by TLS, verified in full, unless the host is this machine or sslmode says otherwise. The password is
---proved by SCRAM-SHA-256, bound to TLS if the server can; a server that wants it in clear or by MD5 is refused, as is one
---that wants no proof, unless its certificate was verified or require_auth=none is given. Several hosts are tried in their
---order, until one takes writes. What is not given is taken from the environment (PGHOST, PGPASSWORD …) and from ~/.pgpass,
---as libpq does.

local answers = require "bide.probe.postgres.answer"
local await = require "bide.task.await"
local dropped = require "bide.probe.peer.dropped"
local failures = require "bide.probe.postgres.failure"
local loop = require("bide.core").loop
local messages = require "bide.probe.postgres.messages"
local opening = require "bide.probe.postgres.opening"
local option = require "bide.text.option"
local own = require "bide.probe.postgres.own_sessions"
local targets = require "bide.probe.postgres.target"
local values = require "bide.probe.postgres.values"

local M = {}

---The options: parameters by the names of libpq, which go before those of the URL, and others. An unknown one is a mistake.
---@class bide.postgres.session.Options
---@field url? string `postgres://user:password@host:port,host:port/database?parameters`
---@field host? string a name, an address, or a folder with a socket, "/run/postgresql"; several with commas
---@field port? integer|string one, or one for each host
---@field dbname? string named as the user by default
---@field user? string that of this process by default
---@field password? string
---@field passfile? string ~/.pgpass by default; it is not read if others may read it
---@field sslmode? "disable"|"prefer"|"require"|"verify-ca"|"verify-full" the last one by default; to this machine "prefer"
---@field sslrootcert? string a PEM file with authorities; the system's by default
---@field sslcert? string
---@field sslkey? string
---@field sslpassword? string
---@field require_auth? string the proof that the server must ask for: "scram-sha-256", "none"
---@field channel_binding? "disable"|"prefer"|"require"
---@field connect_timeout? number|string seconds for each host, 5 by default
---@field application_name? string
---@field options? string for the server's command line
---@field target_session_attrs? "any"|"read-write" by default the latter, if there are several hosts
---@field prepare? boolean|"on"|"off" whether statements are prepared, true by default; a pooler in transaction mode needs
---"off", with which a statement leaves only when the one before is answered
---@field timeout? number seconds for each answer, 30 by default; after it the session is closed
---@field message_limit? integer bytes of a message, and so of a row: 4 MiB by default
---@field result_limit? integer bytes of the rows of an answer in memory: 64 MiB by default
---@field notify? fun(channel: string, payload: string) called with each notification after LISTEN; may not wait

---Makes parameters whose types Lua's values do not show.
---@type bide.postgres.session.Types
M.types = values.types

-- ---- places -------------------------------------------------------------------------------------

---The place of a server, as `prepare` returns it.
---@class bide.postgres.session.Place: userdata

local target_of = setmetatable({}, { __mode = "k" })

---Reads where sessions go: the options, the environment, and the files with passwords. Nothing is read again when one is
---opened with it.
---@param where string|bide.postgres.session.Options a URL, or options
---@return bide.postgres.session.Place?
---@return string? mistake
function M.prepare(where)
  if type(where) == "string" then where = { url = where } end
  local target, mistake = targets.read(where)
  if not target then return nil, mistake end
  local place = setmetatable({}, { __metatable = "bide.postgres.place" })
  target_of[place] = target
  return place
end

---A server that sessions try.
---@class bide.postgres.session.Host
---@field name string "db:5432", or the path of a socket
---@field host? string a name or an address
---@field port integer
---@field path? string of a socket of this machine
---@field user string as whom a session is opened

---Returns the servers of a place, in the order in which they are tried.
---@param place bide.postgres.session.Place
---@return bide.postgres.session.Host[]
function M.hosts(place)
  local target, list = target_of[place], {}
  if not target then error("hosts: " .. option.expected("what prepare returned", place), 2) end
  for position, host in ipairs(target.hosts) do
    list[position] = { name = host.name, host = host.host, port = host.port, path = host.path, user = target.user }
  end
  return list
end

-- ---- answers ------------------------------------------------------------------------------------

---An answer that is on its way.
---@class bide.postgres.session.Pending
---@field private exchange bide.postgres.Exchange
---@field private answer bide.postgres.Answer
local Pending = {}

local answer_of = setmetatable({}, { __mode = "k" })

---Waits for an answer, and returns its rows, or nil and the failure.
local function rows_of(answer)
  answers.await(answer)
  if answer.failure then return nil, answer.failure end
  return answer.rows
end

---Waits for the answer, and returns it; again, if it is called again.
---@return bide.postgres.session.Rows?
---@return bide.postgres.session.Failure?
function Pending:await()
  local pending = answer_of[self]
  if pending.failure then return nil, pending.failure end
  return rows_of(pending.answer)
end

local of_pending = { __index = function(_, name) return Pending[name] end, __metatable = "bide.postgres.pending" }

-- ---- sessions -----------------------------------------------------------------------------------

---A session, or what the function of a transaction is called with.
---@class bide.postgres.session.Session
local Session = {}

---@type table<bide.postgres.session.Session, { exchange: bide.postgres.Exchange, owner: bide.postgres.Ownership? }>
local behind = setmetatable({}, { __mode = "k" })

local of_session = { __metatable = "bide.postgres.session", __index = function(_, name) return Session[name] end }

---@param owner? bide.postgres.Ownership
---@param is_whole boolean whether the connection ends with it
---@return bide.postgres.session.Session
local function show(exchange, owner, is_whole)
  local session = setmetatable({}, of_session)
  behind[session] = { exchange = exchange, owner = owner, is_whole = is_whole }
  return session
end

local function inner_of(session, name)
  return behind[session] or error(("%s: %s"):format(name, option.expected("a session", session)), 3)
end

---Checks the statement of a method, and writes its parameters.
local function read_statement(name, sql, ...)
  if type(sql) ~= "string" or sql:find("\0", 1, true) then
    error(("%s: %s"):format(name, option.expected("a statement without NUL bytes", sql)), 3)
  end
  local parameters, mistake = values.write(table.pack(...))
  if not parameters then error(("%s: %s"):format(name, mistake), 3) end
  return parameters
end

---Sends a statement with its parameters.
---@param consumer? fun(row: table<string, any>)
---@return bide.postgres.Answer?
---@return bide.postgres.session.Failure?
local function ask(inner, sql, parameters, consumer)
  local exchange, answer = inner.exchange, nil
  local sent, failure = exchange:in_turn(inner.owner, function()
    answer = exchange:ask(sql, parameters, inner.owner ~= nil, consumer)
  end)
  if not sent then return nil, failure end
  exchange:drain()
  return answer
end

---Sends one statement, and waits for its rows. More than some 20,000 rows are better taken by `each`: Lua's collector looks
---at a table of rows in one go, which holds the other waits.
---@param sql string with $1, $2 … for parameters
---@param ... any the parameters: strings, numbers, booleans, nil, and values of `types`
---@return bide.postgres.session.Rows?
---@return bide.postgres.session.Failure?
function Session:query(sql, ...)
  local answer, failure = ask(inner_of(self, "query"), sql, read_statement("query", sql, ...))
  if not answer then return nil, failure end
  return rows_of(answer)
end

---Takes rows as long as it is not closed.
local of_taker = { __close = function(taker) taker.is_closed = true end }

---Sends one statement, and calls consumer(row) with each of its rows as they come, until all have come. If the statement
---fails, some may have come before. The consumer may not wait; what it raises is raised at the end.
---@param consumer fun(row: table<string, any>)
---@param sql string with $1, $2 … for parameters
---@param ... any the parameters, as `query` takes them
---@return integer? count of the rows
---@return bide.postgres.session.Failure?
function Session:each(consumer, sql, ...)
  local inner = inner_of(self, "each")
  if type(consumer) ~= "function" then error("each: " .. option.expected("a function", consumer), 2) end
  local parameters = read_statement("each", sql, ...)
  local taker <close> = setmetatable({}, of_taker)
  local answer, failure = ask(inner, sql, parameters, function(row)
    if not taker.is_closed then consumer(row) end
  end)
  if not answer then return nil, failure end
  answers.await(answer)
  if answer.fault then error(answer.fault[1], 0) end
  if answer.failure then return nil, answer.failure end
  return answer.rows.affected or 0
end

---Sends one statement as `query` does, and does not wait for its answer. Statements that are sent together need one way to
---the server and back; each is a transaction of its own.
---@param sql string
---@param ... any
---@return bide.postgres.session.Pending
function Session:send(sql, ...)
  local inner = inner_of(self, "send")
  local answer, failure = ask(inner, sql, read_statement("send", sql, ...))
  local pending = setmetatable({}, of_pending)
  answer_of[pending] = { exchange = inner.exchange, answer = answer, failure = failure }
  return pending
end

-- ---- transactions -------------------------------------------------------------------------------

local none = assert(values.write { n = 0 })

---Calls f(session) within a transaction, which is committed when f returns, and rolled back if f raises, returns nil and a
---failure, or is cut. Only the session that f is called with belongs to the transaction; other tasks wait until it ends.
---A failure is `uncertain` only where the answer to the commit was lost.
---@param f fun(session: bide.postgres.session.Session): ...
---@return any ... what f returns, or true if that is nothing; or nil and the failure
function Session:transaction(f)
  local inner = inner_of(self, "transaction")
  if type(f) ~= "function" then error("transaction: " .. option.expected("a function", f), 2) end
  if inner.owner then error("transaction: expected a session without a transaction, found one within one", 2) end
  local exchange = inner.exchange
  local ownership <close> = exchange:ownership(function()
    if exchange:may_be_open() then exchange:ask("ROLLBACK", none, false) end
  end)
  local taken, failure = exchange:in_turn(nil, function() ownership:take() end)
  if not taken then return nil, failure end
  local within = show(exchange, ownership, false)
  local begun
  begun, failure = within:query "BEGIN"
  if not begun then return nil, failures.without_effect(failure) end
  local results = table.pack(f(within))
  if results[1] == nil and results[2] ~= nil then return nil, failures.without_effect(results[2]) end
  local answer
  answer, failure = ask(behind[within], "COMMIT", none)
  if not answer then return nil, failure end
  answers.await(answer)
  if answer.failure then return nil, answer.failure end
  if answer.tag ~= "COMMIT" then
    return nil, failures.new { kind = "refused", type = "25P02", sqlstate = "25P02",
      message = "the transaction was rolled back, since a statement in it had failed" }
  end
  if results.n == 0 then return true end
  return table.unpack(results, 1, results.n)
end

-- ---- COPY ---------------------------------------------------------------------------------------

local PIECE = 64 * 1024

---Returns what returns the rows of a producer in pieces, so that a message is worth sending.
---@param producer string|fun(): string?
---@return fun(): string? next_piece
local function pieces_of(producer)
  local text, rows, size, is_over = "", {}, 0, false
  if type(producer) == "string" then text, is_over = producer, true end
  return function()
    while text == "" and not is_over do
      local more = producer()
      if more == nil then is_over = true
      elseif type(more) ~= "string" then error("copy_in: " .. option.expected("a string or nil", more), 0) end
      rows[#rows + 1], size = more, size + #(more or "")
      if size >= PIECE or is_over then text, rows, size = table.concat(rows), {}, 0 end
    end
    local piece = text:sub(1, PIECE)
    text = text:sub(PIECE + 1)
    return piece ~= "" and piece or nil
  end
end

---Sends rows by COPY … FROM STDIN.
---@param sql string
---@param producer string|fun(): string? the rows, or what returns more of them until it returns nil; it may wait
---@return integer? count of the rows
---@return bide.postgres.session.Failure?
function Session:copy_in(sql, producer)
  local inner = inner_of(self, "copy_in")
  read_statement("copy_in", sql)
  if type(producer) ~= "function" and type(producer) ~= "string" then
    error("copy_in: " .. option.expected("a string or a function", producer), 2)
  end
  local exchange, answer, is_complete = inner.exchange, nil, false
  local ownership <close> = exchange:ownership(function()
    if answer and not answer.is_done and not is_complete then exchange:write(messages.copy_fail "cancelled by the client") end
  end)
  local taken, failure = exchange:in_turn(inner.owner, function()
    ownership:take()
    answer = exchange:begin_copy("in", sql, inner.owner ~= nil)
  end)
  if not taken then return nil, failure end
  answers.await(answer, function() return answer.step ~= "asked" end)
  exchange:go_on(false)
  for piece in pieces_of(producer) do
    exchange:go_on(true)
    await(loop.update()) -- the loop turns: the server may have refused a row
    if answer.step ~= "copying" or answer.is_done then break end
    exchange:write(messages.copy_data(piece))
    exchange:drain()
    exchange:go_on(false)
  end
  exchange:go_on(true)
  if answer.step == "copying" and not answer.is_done then exchange:write(messages.COPY_DONE) end
  is_complete = true
  local rows, refusal = rows_of(answer)
  return rows and (rows.affected or 0), refusal
end

---Takes rows by COPY … TO STDOUT. If the task is cut meanwhile, the session is closed.
---@param sql string
---@param consumer fun(text: string) called with the rows as they come, whole ones; it may wait
---@return integer? count of the rows
---@return bide.postgres.session.Failure?
function Session:copy_out(sql, consumer)
  local inner = inner_of(self, "copy_out")
  read_statement("copy_out", sql)
  if type(consumer) ~= "function" then error("copy_out: " .. option.expected("a function", consumer), 2) end
  local exchange, answer = inner.exchange, nil
  local ownership <close> = exchange:ownership(function()
    if answer and not answer.is_done then exchange:give_up "the session was closed, since a COPY was cut" end
  end)
  local taken, failure = exchange:in_turn(inner.owner, function()
    ownership:take()
    answer = exchange:begin_copy("out", sql, inner.owner ~= nil)
  end)
  if not taken then return nil, failure end
  repeat
    answers.await(answer, function() return answer.held > 0 end)
    local text = exchange:take_chunk(answer)
    if text then
      exchange:go_on(false)
      consumer(text)
      exchange:go_on(true)
    end
  until answer.is_done and answer.held == 0
  if answer.failure then return nil, answer.failure end
  return answer.rows.affected or 0
end

local escapes = { ["\\"] = "\\\\", ["\t"] = "\\t", ["\n"] = "\\n", ["\r"] = "\\r" }

---Returns a row for `copy_in`, in the text format.
---@param ... any strings, numbers, booleans, and nil for NULL
---@return string
function M.row(...)
  local cells = table.pack(...)
  for position = 1, cells.n do
    local value = cells[position]
    local text = values.text_of(value)
    if text == nil then
      error(("row: value %d: %s"):format(position, option.expected("a string, a number, a boolean, or nil", value)), 2)
    end
    if type(value) == "string" then text = text:gsub("[\\\t\n\r]", escapes) end
    cells[position] = text or "\\N"
  end
  return table.concat(cells, "\t") .. "\n"
end

-- ---- the end ------------------------------------------------------------------------------------

---Reports whether the connection is open, as far as is known.
---@return boolean
function Session:is_open()
  return inner_of(self, "is_open").exchange.failure == nil
end

---Waits until the connection has ended, and returns why.
---@return bide.postgres.session.Failure
function Session:await_end()
  return inner_of(self, "await_end").exchange:await_end()
end

---Closes the connection, as `<close>` does. Statements that were not answered have failed, and may be carried out.
function Session:close()
  local inner = inner_of(self, "close")
  if inner.is_whole then inner.exchange:close() end
end

of_session.__close = Session.close

function of_session:__gc()
  local inner = behind[self]
  if inner and inner.is_whole and not inner.exchange.failure then dropped.note(inner.exchange) end
end

---Opens a session: tries the hosts in their order, until one takes the user.
---@param where string|bide.postgres.session.Options|bide.postgres.session.Place a URL, options, or what `prepare` returned
---@return bide.postgres.session.Session?
---@return bide.postgres.session.Failure?
function M.open(where)
  local target = target_of[where]
  if not target then
    local place, mistake = M.prepare(where)
    if not place then return nil, failures.new { kind = "mistake", type = "InvalidInput", message = mistake } end
    target = target_of[place]
  end
  dropped.close()
  local exchange, failure = opening.open(target, own[where] or false)
  if not exchange then return nil, failure end
  return show(exchange, nil, true)
end

return M
