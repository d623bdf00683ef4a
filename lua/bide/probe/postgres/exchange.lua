---The exchange with PostgreSQL over an open connection: statements go out in order, and their answers are taken in the same
---order as they come, by callbacks of the loop. No task has to wait for that: the answer to a statement whose task has ended
---is taken all the same, so that the next one is not out of step. What breaks the protocol or a limit ends the exchange.

local Framing = require "bide.probe.postgres.framing"
local answers = require "bide.probe.postgres.answer"
local core = require "bide.core"
local duration = require "bide.text.duration"
local failures = require "bide.probe.postgres.failure"
local line = require "bide.task.line"
local messages = require "bide.probe.postgres.messages"
local script_error = require "bide.text.script_error"

local loop, task = core.loop, core.task

---The most bytes that wait to be written before a statement waits, and those of a COPY that wait to be taken.
local MOST_UNWRITTEN, MOST_UNTAKEN = 256 * 1024, 1024 * 1024

---The nanoseconds of work after which the loop turns.
local LONGEST = 2000000

---The most notices and such between two answers.
local MOST_ASIDES = 10000

---The most statements that are prepared; others are parsed each time.
local MOST_PREPARED = 100

---@class bide.postgres.Exchange
---@field failure? bide.postgres.session.Failure why it has ended; nil while it is open
---@field private peer bide.Peer
---@field private connection bide.peer.Connection
---@field private raw bide.peer.Connection the one that is closed
---@field private target bide.postgres.Target
---@field private framing bide.postgres.Framing
---@field private queue table<integer, bide.postgres.Answer>
---@field private first integer
---@field private last integer
---@field private timer bide.Alarm rings when the first answer is late
---@field private turn bide.Alarm continues with what has come
---@field private timeout integer milliseconds
---@field private elapsed integer nanoseconds of work since the last pause
---@field private is_paused boolean whether nothing is read
---@field private asides integer
---@field private statements table<string, bide.postgres.Statement>
---@field private prepared integer
---@field private prefix string of the names of statements
---@field private state? "I"|"T"|"E" of the server after the last answer: no transaction, one, or one that has failed
---@field private farewell? bide.postgres.session.Failure what the server said before it closes
---@field private is_listening boolean whether the loop runs on for what comes unasked
---@field private owner? bide.postgres.Ownership that alone may send
---@field private owning_task? bide.Task
---@field private places bide.Line of those that wait until they may send
---@field private waiting bide.Waker[] of those that wait until all is written, or for the end
local Exchange = {}
Exchange.__index = Exchange

local whole = task.whole

-- ---- the end ------------------------------------------------------------------------------------

local function wake_all(self)
  local waiting = self.waiting
  self.waiting = {}
  for _, waker in ipairs(waiting) do waker() end
end

---Ends the exchange: all answers that are out have failed, and may have been carried out.
---@param failure bide.postgres.session.Failure
local function finish(self, failure)
  if self.failure then return end
  self.failure = failure
  self.timer:stop()
  self.turn:stop()
  self.raw:__close()
  for position = self.first, self.last do
    local answer = self.queue[position]
    self.queue[position] = nil
    answers.finish(answer, failures.copy(failure, true))
  end
  self.first, self.last, self.statements = 1, 0, {}
  wake_all(self)
  local place = self.places:next()
  while place do
    place.waker()
    place = self.places:next()
  end
end

---Ends the exchange by an operation error; raises any other error.
local function break_off(self, problem)
  if not script_error.is_operation_error(problem) then error(problem, 0) end
  finish(self, failures.of_error(problem))
end

---Ends the exchange since the connection is lost.
---@param how string|table|nil "closed", the system's code, or the operation error of TLS; nil if the time is over
local function lose(self, how)
  if self.failure then return end
  if self.farewell then return finish(self, self.farewell) end
  if type(how) == "table" then return break_off(self, how) end
  if how == nil then
    return break_off(self, select(2, pcall(self.peer.fail, self.peer, "RequestTimeout",
      ("none within %g s"):format(self.target.timeout))))
  end
  if how == "closed" then how = "ECONNRESET" end
  break_off(self, select(2, pcall(self.peer.fail_of_system, self.peer, how)))
end

-- ---- what comes ---------------------------------------------------------------------------------

---Sets the time of the first answer, and lets the loop run on for it; without one, neither.
local function attend(self)
  if self.first > self.last then
    self.timer:stop()
    self.connection:expect(self.is_listening)
  else
    if self.timeout then self.timer:start(loop.update() + self.timeout) end
  end
end

---Takes what the server says to no statement.
local asides = {
  ["N"] = function() end,
  ["S"] = function() end,
  ["A"] = function(self, bytes, first, last)
    local channel, payload = bytes:sub(first, last):match "^....([^\0]*)%z([^\0]*)%z$"
    if not channel then answers.refuse_kind(("A"):byte()) end
    if not self.target.notify then return end
    self.asides = self.asides - 1
    local ok, problem = pcall(task.without_waiting, "the function for notifications", self.target.notify, channel, payload)
    if not ok then error({ type = "ScriptError", message = tostring(problem) }, 0) end
  end,
}

local aside_of = {}
for letter, take in pairs(asides) do aside_of[letter:byte()] = take end

local ERROR, READY = ("E"):byte(), ("Z"):byte()

---Takes an error that belongs to no statement: the server is about to close.
local function take_farewell(self, bytes, first, last)
  local failure = failures.of_fields(messages.fields(bytes:sub(first, last)))
  failure.kind = failure.kind == "refused" and "away" or failure.kind
  self.farewell = failure
end

---Takes the end of the first answer.
local function end_answer(self, bytes, first, last)
  local answer, state = self.queue[self.first], bytes:sub(first, last)
  if state ~= "I" and state ~= "T" and state ~= "E" then answers.refuse_kind(READY) end
  self.queue[self.first], self.first, self.asides = nil, self.first + 1, 0
  self.state = state
  attend(self)
  local problem = state ~= "I" and not answer.is_owned
    and { type = "InvalidInput", message = "a statement has left a transaction open, which ends here: use transaction" }
  answers.finish(answer, problem and failures.of_error(problem) or nil)
  if not self.target.prepares then wake_all(self) end
  if problem then error(problem, 0) end
end

---Takes a message, and maybe those behind it.
---@return integer? next where the next one is
local function take(self, kind, bytes, first, last)
  local aside, answer = aside_of[kind], self.queue[self.first]
  if aside then
    self.asides = self.asides + 1
    if self.asides > MOST_ASIDES then
      error({ type = "InvalidAnswer", message = ("expected at most %d notices, found more"):format(MOST_ASIDES) }, 0)
    end
    return aside(self, bytes, first, last)
  end
  if not answer then
    if kind ~= ERROR then answers.refuse_kind(kind) end
    return take_farewell(self, bytes, first, last)
  end
  local taker = answers.takers[kind] or answers.refuse_kind(kind)
  local next = taker(answer, bytes, first, last)
  if answer.failure and answer.failure.kind == "away" then self.farewell = failures.copy(answer.failure, false) end
  if kind == READY then end_answer(self, bytes, first, last) end
  return next
end

---Looks at what has come, in slices between which the loop turns. Several pieces may come within one turn.
local function work(self)
  local ok, done, elapsed = pcall(self.framing.run, self.framing, LONGEST - self.elapsed)
  if not ok then return break_off(self, done) end
  if self.failure then return end
  self.elapsed = self.elapsed + elapsed
  done = done and self.elapsed < LONGEST
  local answer = self.queue[self.first]
  local is_full = answer ~= nil and answer.held > MOST_UNTAKEN
  if done and not is_full then
    if self.is_paused then
      self.is_paused = false
      self:receive()
    end
    return
  end
  if not self.is_paused then
    self.is_paused = true
    self.connection:pause()
  end
  if not done then self.turn:start(loop.update()) end
end

---Continues with what has come, in another turn of the loop.
local function continue(self)
  self.elapsed = 0
  work(self)
end

---Takes what comes, until it is paused.
---@private
function Exchange:receive()
  self.connection:follow(function(bytes, how)
    if self.failure then return end
    if not bytes then return lose(self, how) end
    self.framing:add(bytes)
    if not self.is_paused then work(self) end
  end)
end

-- ---- opening and closing ------------------------------------------------------------------------

---Takes over a connection on which a user is logged in.
---@param peer bide.Peer
---@param connection bide.peer.Connection
---@param raw bide.peer.Connection
---@param received string what has come after the login
---@param target bide.postgres.Target
---@param prefix string of the names of statements, which no other session has
---@return bide.postgres.Exchange
function Exchange.new(peer, connection, raw, received, target, prefix)
  local self = setmetatable({ peer = peer, connection = connection, raw = raw, target = target, queue = {}, first = 1, last = 0,
    asides = 0, statements = {}, prepared = 0, places = line.new(), waiting = {}, is_paused = false, elapsed = 0, prefix = prefix,
    timeout = duration.of_seconds(target.timeout), is_listening = target.notify ~= nil }, Exchange)
  self.framing = Framing.new(target.message_limit, function(...) return take(self, ...) end)
  self.timer, self.turn = loop.alarm(lose, self), loop.alarm(continue, self)
  connection:expect(self.is_listening)
  if received ~= "" then self.framing:add(received) end
  work(self)
  if not self.failure then self:receive() end
  return self
end

---Closes the connection. What was not answered has failed.
---@type fun(self: bide.postgres.Exchange)
Exchange.close = whole(function(self)
  if self.failure then return end
  if self.first > self.last then self.connection:write(messages.TERMINATE, function() end) end
  finish(self, failures.new { kind = "away", type = "SessionClosed", message = "the session is closed" })
end)

Exchange.__close = Exchange.close

---Waits until the exchange has ended.
---@return bide.postgres.session.Failure
function Exchange:await_end()
  while not self.failure do
    self.is_listening = true
    self.connection:expect(true)
    self:wait()
  end
  return self.failure
end

-- ---- turns --------------------------------------------------------------------------------------

local Place = {}
Place.__index = Place

---Lets the first that waits send, if anyone may.
local function pass(self)
  if self.owner then return end
  local place = self.places:next()
  if not place then return end
  place.is_next = true
  place.waker()
end

function Place:__close()
  self.exchange.places:leave(self.number)
  if self.is_next then pass(self.exchange) end
end

---Returns a place in which to wait until it may send, to be closed once it has sent; nil if it need not wait.
---@param owner table?
---@return table?
local function wait_for_turn(self, owner)
  if self.owner == owner and (owner or self.places.count == 0) then return nil end
  if owner then error("bide.postgres.session: the transaction has ended, or a COPY of it is under way", 0) end
  if self.owner and self.owning_task == task.current() then
    error("bide.postgres.session: a transaction or a COPY is under way in this task: use what its function is called with", 0)
  end
  local place = setmetatable({ exchange = self, waker = task.waker(), is_next = false }, Place)
  place.number = self.places:join(place)
  return place
end

---Reports whether a statement has to wait until the others are answered. A pooler that gives each transaction another
---connection may take the first of two answers for the end of both.
---@private
---@return boolean
function Exchange:is_busy()
  return not self.target.prepares and self.first <= self.last
end

---Waits until something has changed: all was written, a pooler is free, or the exchange has ended.
---@private
function Exchange:wait()
  local waker = task.waker()
  self.waiting[#self.waiting + 1] = waker
  task.pause(waker)
end

---Calls f when no other task may send alone.
---@param owner table?
---@param f fun() may not wait
---@return boolean? done
---@return bide.postgres.session.Failure? failure
function Exchange:in_turn(owner, f)
  if self.failure then return nil, self.failure end
  local place <close> = wait_for_turn(self, owner)
  if place then task.pause(place.waker) end
  while self:is_busy() do self:wait() end
  if self.failure then return nil, self.failure end
  f()
  return true
end

---The right to send alone, until it is closed.
---@class bide.postgres.Ownership
local Ownership = {}
Ownership.__index = Ownership

---Takes the right, in a function of `in_turn`.
---@type fun(self: bide.postgres.Ownership)
Ownership.take = whole(function(self)
  local exchange = self.exchange
  self.before, self.task_before = exchange.owner, exchange.owning_task
  exchange.owner, exchange.owning_task = self, task.current()
end)

Ownership.__close = whole(function(self)
  local exchange = self.exchange
  if exchange.owner ~= self then return end
  exchange.owner, exchange.owning_task = self.before, self.task_before
  if not exchange.failure then self.give_back() end
  pass(exchange)
end)

---Returns a right to send alone, which is not taken yet.
---@param give_back fun() called when it is closed: leaves no transaction and no COPY behind, or ends the exchange; may not wait
---@return bide.postgres.Ownership
function Exchange:ownership(give_back)
  return setmetatable({ exchange = self, give_back = give_back }, Ownership)
end

-- ---- sending ------------------------------------------------------------------------------------

---Writes bytes; the connection is lost if that fails.
---@param bytes string
function Exchange:write(bytes)
  self.connection:write(bytes, function(failure)
    if failure then return lose(self, failure) end
    if self.connection:unwritten() <= MOST_UNWRITTEN then wake_all(self) end
  end)
end

---Waits until most of what was written has left.
function Exchange:drain()
  while not self.failure and self.connection:unwritten() > MOST_UNWRITTEN do self:wait() end
end

---Sends what an answer is to, after what was sent before.
---@param answer bide.postgres.Answer
---@param bytes string
function Exchange:send(answer, bytes)
  self.last = self.last + 1
  self.queue[self.last] = answer
  if self.first == self.last then
    attend(self)
    self.connection:expect(true)
  end
  self:write(bytes)
end

---Returns what is known of a statement.
---@param sql string
---@param signature string of its parameters
---@return bide.postgres.Statement
local function statement_of(self, sql, signature)
  local key = signature == "" and sql or ("%s\0%s"):format(signature, sql)
  local statement = self.statements[key]
  if not statement then
    statement = { wanted = "" }
    if self.prepared < MOST_PREPARED then self.statements[key], self.prepared = statement, self.prepared + 1 end
    statement.is_kept = self.statements[key] ~= nil
  end
  return statement
end

---Sends a statement.
---@param sql string
---@param parameters bide.postgres.Parameters
---@param is_owned boolean whether it may leave a transaction open
---@param consumer? fun(row: table<string, any>) takes its rows, which are kept if it is nil
---@return bide.postgres.Answer
function Exchange:ask(sql, parameters, is_owned, consumer)
  local statement = statement_of(self, sql, parameters.signature)
  local answer = answers.new("parsing", self.target)
  answer.statement, answer.is_owned, answer.consumer = statement, is_owned, consumer
  local name, parse = "", nil
  if self.target.prepares and statement.is_kept then
    if statement.state == nil then
      self.named = (self.named or 0) + 1
      statement.name, statement.state, answer.is_preparing = self.prefix .. self.named, "asked", true
    end
    if statement.state == "ready" or answer.is_preparing then name = statement.name end
  end
  if statement.state == "ready" and name ~= "" then
    answer.step = "binding"
  else
    parse = messages.parse(name, sql, parameters.types)
  end
  local bind = messages.bind(name, parameters.values, parameters.formats, statement.wanted)
  self:send(answer, parse and parse .. bind or bind)
  return answer
end

---Sends a COPY.
---@param way "in"|"out"
---@param sql string
---@param is_owned boolean
---@return bide.postgres.Answer
function Exchange:begin_copy(way, sql, is_owned)
  local answer = answers.new("asked", self.target)
  answer.copies, answer.is_owned = way, is_owned
  self:send(answer, messages.query(sql))
  return answer
end

---Sets the time of the answer anew, since the statement has gone on; `false` sets none while nothing is expected of the server.
---@param is_expected boolean
function Exchange:go_on(is_expected)
  if self.failure then return end
  if is_expected then attend(self) else self.timer:stop() end
end

---Takes the rows of a COPY that have come.
---@param answer bide.postgres.Answer
---@return string?
function Exchange:take_chunk(answer)
  local chunk = table.concat(answer.chunks)
  answer.chunks, answer.held = {}, 0
  if self.is_paused and not self.failure then self.turn:start(loop.update()) end
  return chunk ~= "" and chunk or nil
end

---Reports whether a transaction is open, or may be.
---@return boolean
function Exchange:may_be_open()
  return self.first <= self.last or self.state == "T" or self.state == "E"
end

---Ends the exchange, which would be out of step.
---@param message string
function Exchange:give_up(message)
  finish(self, failures.new { kind = "away", type = "SessionClosed", message = message })
end

return Exchange
