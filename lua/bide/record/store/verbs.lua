---The verbs of a store, in which the waits of many processes live. Each kind of store implements all of them, and
---`spec/support/store_suite.lua` has the specs that hold for every kind.
---
---    sleeping (worker NULL) → claimed (worker = me) → settled: sleeping | kept: claimed | finished: no turn, an outcome
---    claimed → released by sync, leave, reap: sleeping, with the same number of attempts
---
---All times are integers, microseconds of the store's clock. Every verb may wait, so it runs in a task. A verb that fails
---returns nil and a failure; nothing is then half-written. What a verb writes of a turn is written only for the worker that
---has claimed it, and only for its next attempt, so a result that comes twice is written once.

local core = require "bide.core"
local digest = require "bide.digest"
local option = require "bide.text.option"

local M = {}

---Why a verb failed. "expired": this worker is not known any more; it drops everything and enters anew. "away": the store
---cannot be reached or is locked; the verb may be tried again. "refused": what was asked is wrong, and the message is for the
---user. "broken": a row, or an answer of the store, is not what bide writes.
---@class bide.record.Failure
---@field kind "expired"|"away"|"refused"|"broken"
---@field message string
---@field is_unknown? boolean whether the store has no such run
---@field is_uncertain? boolean whether the verb of a store that is away may have been carried out

-- ---- what is submitted -----------------------------------------------------------------------

---The files of a recipe.
---@class bide.record.Bundle
---@field digest string the SHA-256 of the manifest, 32 bytes
---@field manifest string `bide-recipe 1 main=PATH`, then `SHA256HEX BYTES PATH` for each file, sorted; every line with its end
---@field files? string their contents, for stores that are not on the machine of the workers
---@field signature? string of the manifest, as ssh-keygen writes it

---The common part of the waits of one recipe, waiter and options. Waits share the table, so that it is written once.
---@class bide.record.Definition
---@field bundle bide.record.Bundle
---@field waiter string
---@field body string JSON: the options and the limits; the store keeps it as it is

---@class bide.record.Definition.Found : bide.record.Definition
---@field id integer
---@field bundle_id integer
---@field owner? string the role that has submitted it, where roles submit
---@field is_mine? boolean whether that is the role of this store

---@class bide.record.NewWait
---@field definition bide.record.Definition
---@field input string JSON, without secrets
---@field token? string its idempotency token
---@field label? string what the wait of a fleet is called
---@field delay integer until its first attempt
---@field max_wait integer

---@class bide.record.NewRun
---@field queue string
---@field lane integer 1 high, 2 normal, 3 low
---@field need integer how many waits must succeed; `each` may set it before it returns
---@field keeps_going boolean whether the others continue after a failure that decides the result
---@field jobs? integer how many of its waits are open at a time; the next ones open as these end
---@field seed integer
---@field about string JSON: what `watch` needs to report the outcome; the store keeps it as it is; `each` may set it, too
---@field submit_token? string
---@field submit_digest string 32 bytes: the same for the same request; bundles are not part of it. `each` may set it, too
---@field history "some"|"all"|"none"
---@field spread? integer the time over which the first attempts are spread if more than M.AT_ONCE waits are open, at most
---M.most.spread; none if it is nil; `each` may set it, too
---@field each fun(add: fun(wait: bide.record.NewWait)) calls add for each wait, in the order of their positions; may raise,
---and then nothing is written. Waits begin at the store's clock after the last of them

---@class bide.record.Submitted
---@field run integer
---@field waits integer
---@field queue string
---@field created boolean false if the submit token has made it before

-- ---- workers and turns -----------------------------------------------------------------------

---@class bide.record.About
---@field name string
---@field kind "sandboxed"|"trusted"
---@field version string of bide
---@field host string
---@field pid integer
---@field queues { name: string, weight: integer }[]
---@field slots integer
---@field formats integer[] of states, which it reads; 0, that of a wait without an attempt, among them
---@field is_again? boolean whether it was let in before, so that a right on one of its queues is enough

---A worker that has entered. Its members are the store's own.
---@class bide.record.Worker
---@field id integer

---@class bide.record.Want
---@field queue string
---@field lanes integer[] up to three, in the order in which they are asked: each gives what those before it have not
---@field want integer how many turns at most
---@field bytes? integer of their documents, beyond which only one more is claimed; as many as may be at most if it is nil
---@field ahead integer turns that are due up to this much later count
---@field back integer turns that are due up to this much earlier count; math.maxinteger for all

---@alias bide.record.Claimed bide.record.Turn[]|bide.record.Failure

---The living part of a wait.
---@class bide.record.Turn
---@field id integer of the wait
---@field due integer
---@field deadline integer
---@field attempts integer that have been made
---@field strikes? integer if it has any
---@field definition integer
---@field format integer that of the state; 0 before the first attempt
---@field state string
---@field seed integer the seed of the run XOR the position of the wait, for the first attempt
---@field input string JSON
---@field owner? string of its run, where roles submit
---@field token? string
---@field output? string JSON, the last one that was written
---@field error? string JSON, the operation error that came after it
---@field mistake? string what is wrong with its numbers, of a file
---@field keeps? integer the most entries of its history that are kept beside its end; all if it is nil, none if it is 0

---The decision of an attempt that another one follows.
---@class bide.record.Result
---@field id integer
---@field attempts integer the number of this attempt: one more than the turn had
---@field due integer of the next attempt
---@field format integer
---@field state string
---@field output? string JSON; nil leaves the one that was written, an empty text removes it
---@field error? string JSON; nil leaves the one that was written, an empty text removes it
---@field entry? string JSON, of the history; nil if M.keeps_entry says that it is not kept
---@field keep? boolean whether the turn stays claimed

---The end of a wait, as the worker that has claimed it writes it.
---@class bide.record.Outcome
---@field id integer
---@field attempts integer that were made: as many as the turn had, or one more
---@field outcome string JSON, the document
---@field state "success"|"failure"
---@field entry? string JSON, of the history; nil if M.keeps_entry says that it is not kept

---An end of a worker's process that no signal to it had asked for.
---@class bide.record.Accident
---@field worker integer the id of that worker
---@field wait? integer whose code was running
---@field reason string

---@class bide.record.Strike
---@field strikes integer of the wait
---@field run integer
---@field position integer

---@alias bide.record.Struck bide.record.Strike|false

---@alias bide.record.Opened boolean|bide.record.Failure

---@alias bide.record.Ends bide.record.End[]|bide.record.Failure

---A reservation of requests to a host, for all workers of a queue together.
---@class bide.record.Reservation
---@field queue string
---@field host string its scheme, name and port
---@field gap integer between two requests; the greatest that was asked for within a minute counts
---@field burst integer how many may come at once
---@field count integer
---@field lead? integer the time in which the answer comes: what is saved up is sent then; 0 if it is nil

---@class bide.record.Slots
---@field first integer the time of the first request; the others follow by the gap
---@field granted integer how many there are; 0 if the host is closed, or the next one is above 1 s away
---@field gap integer
---@field free integer
---@field clock integer now

---@class bide.record.ClosedHost
---@field queue string
---@field host string
---@field closed_until integer

---A request of bide.once, in an attempt.
---@class bide.record.Request : bide.Request
---@field wait integer
---@field attempt integer its number
---@field anew boolean whether a late request is made anew

---The end of a request: its result; with `is_done` alone, nothing was done, so the token is free; else the next attempt
---makes it.
---@class bide.record.RequestEnd
---@field result? string JSON
---@field is_done boolean
---@field retain? integer microseconds for which the result is kept; nil: for ever
---@field late? integer microseconds after that for which it is known that there was one

---@class bide.record.Held
---@field count integer of the turns in hand
---@field sum integer of id × 2^20 + attempts, modulo 2^63

-- ---- what is listed -----------------------------------------------------------------------

---@class bide.record.Counters
---@field run integer
---@field queue string
---@field about string JSON
---@field need integer
---@field waits integer
---@field open integer how many have not ended
---@field succeeded integer
---@field failed integer
---@field cancelled integer
---@field began integer
---@field deadline integer when the last of its waits is over
---@field decided? integer
---@field ended? integer when the last wait ended
---@field state? "success"|"failure" once it is decided
---@field attempts? integer the most that one of its waits has made, if it has up to 1,000 waits
---@field clock integer now
---@field workers integer how many living workers serve its queue

---The end of a wait.
---@class bide.record.End
---@field position integer
---@field rank integer 1 for the first wait of the run that ended
---@field label? string
---@field waiter string
---@field outcome string JSON: the document, or, where no worker wrote one, the reason alone: "cancelled" or "maxWait"
---@field input string JSON
---@field output? string JSON
---@field error? string JSON
---@field attempts integer
---@field began integer
---@field deadline integer
---@field ended integer
---@field token? string
---@field history string[] JSON, the first 50 and the last 50 entries that were kept; the document has none

---An attempt in the history of a wait.
---@class bide.record.Kept
---@field position integer of the wait
---@field attempt integer its number
---@field entry string JSON

---@class bide.record.Filter
---@field what "runs"|"run"|"workers"|"queues"
---@field run? integer with "run"
---@field state? "open"|"ended" with "runs"
---@field queue? string
---@field limit? integer 100 if it is nil
---@field after? integer with "runs": those with greater ids
---@field submit_token? string with "runs": the one that it has made

---@class bide.record.RunRow : bide.record.Counters
---@field waiter string? of the first wait; nil if its row is broken, as with the next one
---@field recipe string? its main file

---@class bide.record.WaitRow
---@field position integer
---@field label? string
---@field waiter string
---@field input string JSON
---@field token? string
---@field attempts integer
---@field due? integer of the next attempt
---@field deadline integer
---@field worker? integer that has claimed it
---@field output? string JSON
---@field error? string JSON
---@field outcome? string JSON, once it has ended, as in bide.record.End
---@field ended? integer
---@field history string[] JSON, the first 50 and the last 50 entries that were kept

---@class bide.record.WorkerRow : bide.record.About
---@field id integer
---@field held integer
---@field began integer
---@field lease integer the time that is left of it

---@class bide.record.QueueRow
---@field name string
---@field due integer the turns that are overdue
---@field open integer the turns
---@field workers integer how many living workers serve it
---@field may_work boolean whether the role of this store may work in it

---@class bide.record.Listed the list that the filter asks for
---@field runs bide.record.RunRow[]? newest last
---@field broken { run: integer, is_open: boolean, failure: bide.record.Failure }[]? with "runs": those that cannot be read
---@field run bide.record.RunRow?
---@field waits bide.record.WaitRow[]? with "run": the first 1,000
---@field workers bide.record.WorkerRow[]?
---@field queues bide.record.QueueRow[]?

-- ---- the verbs ---------------------------------------------------------------------------------

---@class bide.Store
---@field url string as it is shown, without a password
---@field sends_files boolean whether workers get the files of recipes from the store
---@field lease integer after which the claims of a worker that does not beat are released
---@field ahead integer turns are claimed this much before they are due, and kept if their next attempt is as near
---@field writes integer the form in which states are written, or the newest one that a worker has
---@field enter fun(self: bide.Store, about: bide.record.About): bide.record.Worker?, bide.record.Failure?
---  begins a worker, under a new id that is random
---@field beat fun(self: bide.Store, me: bide.record.Worker, held: bide.record.Held): integer[]?, any, integer?
---  renews the lease; returns the ids of held turns whose waits were cancelled, each of them once, whether the store knows
---  other turns than those that are held, so that the worker calls sync, and the clock; or nil and a failure
---@field claim fun(self: bide.Store, me: bide.record.Worker, want: bide.record.Want): integer?, bide.record.Claimed
---  takes turns that are due, lane by lane in the order of that; returns the clock and the turns
---@field refuse fun(self: bide.Store, me: bide.record.Worker, bundle: integer): true?, bide.record.Failure?
---  lets this worker claim no more turns of a bundle
---@field settle fun(self: bide.Store, me: bide.record.Worker, results: bide.record.Result[]): integer[]?, bide.record.Failure?
---  writes results, at most one of a turn; returns the ids that were written. Survives the end of the process, and may be
---  lost with the power
---@field finish fun(self: bide.Store, me: bide.record.Worker, outcomes: bide.record.Outcome[]): integer[]?, bide.record.Opened
---  ends waits; returns the ids that were written, and whether other waits of their runs were opened, which are due. The rank
---  is the store's. What decides the run cancels its other waits. Survives a loss of power
---@field sync fun(self: bide.Store, me: bide.record.Worker, held: integer[]): table<integer, integer>?, bide.record.Failure?
---  releases what this worker has claimed and does not hold; returns the attempts of the held turns that are still its own,
---  by id
---@field leave fun(self: bide.Store, me: bide.record.Worker): true?, bide.record.Failure?
---  releases everything, and ends the worker
---@field strike fun(self: bide.Store, me: bide.record.Worker, how: bide.record.Accident): bide.record.Struck?, any
---  ends another worker, as leave does, and gives the wait whose code was running a strike; false if there is none that the
---  worker had claimed. The reasons are the error of the wait, a list; a turn with M.STRIKES is claimed to be ended. The
---  next result of the wait sets its strikes to 0. The second value is a failure
---@field reap fun(self: bide.Store): bide.record.Reaped?, bide.record.Failure?
---  releases the claims of dead workers, and ends waits that are over their deadline by 10 s
---@field maintain fun(self: bide.Store): true?, bide.record.Failure?
---  forgets ended runs that are no longer retained, and what belongs to no run
---@field lag fun(self: bide.Store, queue: string): number?, bide.record.Failure?
---  returns by how many seconds the first turn of a queue is overdue that no worker has; 0 if none is
---@field reserve fun(self: bide.Store, me: bide.record.Worker, what: bide.record.Reservation): bide.record.Slots?, any
---  reserves the next requests to a host, at most 1 s ahead; the second value is a failure
---@field give_back fun(self: bide.Store, me: bide.record.Worker, slots: bide.record.Reservation, free: integer): boolean?
---  gives back the last requests of a reservation, if no other one was made since; returns whether they are free
---@field close_host fun(self: bide.Store, me: bide.record.Worker, host: bide.record.ClosedHost): true?, bide.record.Failure?
---  has no worker of a queue send anything to a host until a time, at most 10 minutes away
---@field closed_hosts fun(self: bide.Store, me: bide.record.Worker): bide.record.ClosedHost[]?, bide.record.Failure?
---  returns the closed hosts of the worker's queues
---@field once fun(self: bide.Store, me: bide.record.Worker, request: bide.record.Request): bide.Claim?, any
---  claims a request, as bide.record.journal.requests does; it is taken over from a worker that is gone
---@field once_end fun(self: bide.Store, me: bide.record.Worker, what: bide.record.Request, how: bide.record.RequestEnd): any
---  ends a claim; returns whether it was still that attempt's
---@field submit fun(self: bide.Store, run: bide.record.NewRun): bide.record.Submitted?, bide.record.Failure?
---  writes a run whole or not at all; survives a loss of power
---@field cancel fun(self: bide.Store, run: integer): "cancelled"|"ended"|"unknown"|nil, bide.record.Failure?
---  ends the waits of a run that have not ended, with the reason "cancelled"
---@field prune fun(self: bide.Store, run: integer): "pruned"|"open"|"unknown"|nil, bide.record.Failure?
---  forgets a run that has ended
---@field list fun(self: bide.Store, filter: bide.record.Filter): bide.record.Listed?, bide.record.Failure?
---@field follow fun(self: bide.Store, run: integer, cursor: integer): bide.record.Counters?, bide.record.Ends
---  returns the counters of a run, and up to 1,000 of the waits that ended, with a rank above the cursor, in that order;
---  "refused" if there is no such run
---@field attempts fun(self: bide.Store, run: integer, seen: table<integer, integer>): bide.record.Kept[]?, bide.record.Failure?
---  returns up to 1,000 attempts that are kept, by position and number: of each wait in `seen`, those after the number there
---@field definition fun(self: bide.Store, id: integer): bide.record.Definition.Found?, bide.record.Failure?
---@field close fun(self: bide.Store)

---@class bide.record.Reaped
---@field workers integer that were found dead
---@field turns integer that were released
---@field ended integer waits that were over

---The names of the verbs, which every store has.
M.names = {
  "enter", "beat", "claim", "refuse", "settle", "finish", "sync", "leave", "strike", "reap", "maintain", "lag", "submit",
  "reserve", "give_back", "close_host", "closed_hosts", "once", "once_end", "cancel", "prune", "list", "follow", "attempts",
  "definition", "close",
}

-- ---- what every store checks -------------------------------------------------------------------

---The bounds of what is submitted.
M.most = {
  input = 256 * 1024, -- bytes
  waits = 10000000, bytes = 1 << 30,
  max_wait = 366 * 86400 * 1000000,
  turns = 500, claimed = 1 << 20, -- of one claim, and bytes of its documents but for the last one
  written = 4 << 20, -- bytes of what one settle or finish writes, which may be more if it is one row
  output = 16 * 1024, -- bytes, between attempts
  outcome = 1 << 20, entry = 4 * 1024, -- bytes; what is larger is left out of them
  spread = 10 * 1000000,
  history = 50, -- entries at the beginning, and as many at the end
}

---The time for each wait of a run that its max wait must have at least.
local TIME_OF_WAIT = 100

---The waits of a run that may begin at the same time.
M.AT_ONCE = 1000

---The strikes that end a wait.
M.STRIKES = 3

---The time for which a reservation may be ahead, and a host closed; that for which the greatest gap counts.
M.RESERVED_AHEAD, M.LONGEST_CLOSURE, M.GAP_COUNTS = 1000000, 600 * 1000000, 60 * 1000000

---The time by which a wait is over its deadline before reap ends it.
M.OVERDUE = 10 * 1000000

---@param kind "expired"|"away"|"refused"|"broken"
---@param format string
---@param ... any
---@return bide.record.Failure
function M.failure(kind, format, ...)
  return { kind = kind, message = select("#", ...) > 0 and format:format(...) or format }
end

---Returns the failure of every verb of a store that was closed, also of those that were waiting.
---@return bide.record.Failure
function M.closed()
  return M.failure("refused", "the store was closed")
end

---@param run integer
---@return bide.record.Failure
function M.unknown_run(run)
  local mistake = option.expected("the number of a run of the store", tostring(run))
  local failure = M.failure("refused", "%s; bide jobs lists them", mistake)
  failure.is_unknown = true
  return failure
end

---Returns what is wrong with the name of a queue or a worker.
---@param name any
---@return string? mistake
function M.mistake_of_name(name)
  if type(name) == "string" and name:find "^[%w][%w%._-]*$" and #name <= 63 then return nil end
  return option.expected("a name of up to 63 letters, digits, dots, - and _, which begins with a letter or a digit", name)
end

---Returns what is wrong with a wait that is submitted.
---@param wait bide.record.NewWait
---@return string? mistake
function M.mistake_of_wait(wait)
  if #wait.input > M.most.input then
    return ("the input has %d bytes, and a store takes at most %d"):format(#wait.input, M.most.input)
  end
  if wait.max_wait > M.most.max_wait then return "the max wait: a store takes at most 366 days" end
end

---Counts the waits of a run as they are added, and checks the bounds of the run.
---@return fun(wait: bide.record.NewWait): string? add returns what is wrong
function M.new_count()
  local count, bytes, least = 0, 0, math.maxinteger
  return function(wait)
    count, bytes, least = count + 1, bytes + #wait.input, math.min(least, wait.max_wait)
    if count > M.most.waits then return ("a run has at most %d waits"):format(M.most.waits) end
    if bytes > M.most.bytes then return "the inputs of a run have at most 1 GiB" end
    if least < count * TIME_OF_WAIT then
      return ("the max wait is too short for %d waits: it is less than 100 µs for each"):format(count)
    end
    return M.mistake_of_wait(wait)
  end
end

---Returns the digest of a definition, by which it is written once.
---@param definition bide.record.Definition
---@return string 32 bytes
function M.digest(definition)
  return digest.sha256(string.pack("<s4s4s4", definition.bundle.digest, definition.waiter, definition.body))
end

---Returns a seed for each wait: the first draw of splitmix64.
---@param mixed integer the seed of the run XOR the position of the wait
---@return integer
function M.seed(mixed)
  local value = mixed + 0x9E3779B97F4A7C15
  value = (value ~ value >> 30) * 0xBF58476D1CE4E5B9
  value = (value ~ value >> 27) * 0x94D049BB133111EB
  return value ~ value >> 31
end

---Returns the sum of what is held, by which a store notices that it differs from what it knows.
---@param turns table<integer, table> by id
---@param member? string which has the attempts that the store knows, "attempts" if it is nil
---@return bide.record.Held
function M.held(turns, member)
  local count, sum = core.turns.sum(turns, member or "attempts")
  return { count = count, sum = sum }
end

local length = string.len -- in a broken row of a file a text may be a number

---Returns the bytes of the documents of a turn, which bound what is claimed and held.
---@param turn bide.record.Turn
---@return integer
function M.weight(turn)
  return length(turn.input or "") + length(turn.output or "") + length(turn.error or "")
end

---Returns the bytes of what was decided of a turn, which bound what is written at a time.
---@param decided bide.record.Result|bide.record.Outcome
---@return integer
function M.weight_decided(decided)
  return #decided.state + #(decided.outcome or "") + #(decided.output or "") + #(decided.error or "") + #(decided.entry or "")
end

---Reports whether the store keeps the entry of an attempt in the history.
---@param most integer? the entries that it keeps of the turn, beside its end; nil: all, 0: none, not even the end
---@param attempt integer
---@param is_end boolean
---@return boolean
function M.keeps_entry(most, attempt, is_end)
  return not most or attempt <= most or is_end and most > 0
end

---Reads the documents of a turn that a store gave, once its numbers were checked: rows are input.
---@type fun(turn: bide.record.Turn, known: table?): userdata?, string?, userdata?, userdata?, boolean? see bide.core.turns
M.read_turn = core.turns.read

return M
