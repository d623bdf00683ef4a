---@meta bide.core.wait
---The decision core. Times are whole milliseconds of any monotonic clock.

---@class bide.core.wait
---@field FORMAT integer the first form of packed records
---@field NEWEST integer the newest one that this program reads
local wait = {}

---@class bide.Definition: userdata

---@class bide.Attempt
---@field attempt integer from 1
---@field at number seconds after the wait began
---@field duration number seconds
---@field state "success"|"failure"|"retry"|nil nil if the attempt was cut
---@field acceptor integer? the position of the acceptor that matched
---@field name string? that acceptor's name, if it has one
---@field error userdata? the operation error, a document
---@field note string? further words: retries, failed paths, a hold, tolerated errors
---@field delay number? seconds until the next attempt
---@field woken boolean? whether an event has brought it forward; else nil

---The state of a wait, its alarm and its history.
---@class bide.WaitState
local State = {}

---Begins an attempt. Reads the loop's clock again.
---@param unless_late? boolean whether none but the first may begin after the deadline
---@return integer? attempt its number, from 1; nil if it is too late for one
---@return integer deadline milliseconds
---@return integer now milliseconds
---@param is_woken? boolean whether an event has brought it forward, so that it does not count towards max attempts
function State:begin(unless_late, is_woken) end

---Reports whether an event has brought the last attempt forward.
---@return boolean
function State:woken() end

---@return integer? at the time at which the alarm rings; nil if it is silent
---@return integer not_before the time of the next attempt that a Retry-After asks for; 0 without one
function State:rings() end

---@return (fun(): any)? call what makes the attempts of this wait, if it has its own
function State:call() end

---@return integer the number of attempts that have begun
function State:attempts() end

---@return integer milliseconds when the last attempt began
function State:began() end

---@param now integer
---@return integer number of the last attempt
---@return integer at milliseconds after the wait began
---@return integer lasts milliseconds until now
function State:last(now) end

---@return integer milliseconds
function State:started() end

---@return integer milliseconds
function State:deadline() end

---Sets the alarm, which rings once, in place of an earlier time.
---@param at integer milliseconds
function State:ring_at(at) end

---Stops the alarm.
function State:silence() end

---Notes that the wait has ended.
---@return integer? decided when its deadline was noticed to be over; nil if it was not
function State:leave() end

---Adds an attempt of an earlier process to the history. Up to a bound all of them are kept, then the first and the last
---ones, so that a wait of a day takes no more memory than one of an hour.
---@param entry bide.Attempt whose error is a document; its number is above those of all earlier attempts
function State:remember(entry) end

---Adds the attempt that was begun last to the history.
---@param now integer milliseconds
---@param state "success"|"failure"|"retry"|nil nil if the attempt was cut
---@param acceptor integer? the one that matched
---@param failure userdata? a document, the operation error
---@param note string?
function State:conclude(now, state, acceptor, failure, note) end

---Ends the attempt that was begun last by a retry: adds it to the history, and sets the alarm for the next one.
---@param now integer milliseconds
---@param delay integer milliseconds
---@param acceptor integer? the one that matched
---@param failure userdata? a document, the operation error
---@param note string?
function State:retry(now, delay, acceptor, failure, note) end

---@return bide.Attempt[] attempts in their order
---@return integer omitted the number of those between the first and the last ones
function State:history() end

---Decides on the end of an attempt.
---@param now integer
---@param seen bide.Observation
---@param first integer? the acceptor to begin with
---@return "ask"|"retry"|"success"|"failure" verdict
---@return integer? acceptor the one that matched, or whose matcher has to be called
---@return integer|string|nil detail the delay of a retry, the reason of an end
---@return string? note the reason why a path could not be evaluated, or does not count
function State:observe(now, seen, first) end

---Decides on the end of an attempt that ended now. Reads the loop's clock again.
---@param seen bide.Observation
---@return integer now
---@return "ask"|"retry"|"success"|"failure"|nil verdict nil if the deadline is over
---@return integer? acceptor the one that matched, or whose matcher has to be called
---@return integer|string|nil detail the delay of a retry, the reason of an end
---@return string? note the reason why a path could not be evaluated, or does not count
function State:decide(seen) end

---Takes back the success that was decided on last, since a witness has not confirmed it.
---@param now integer
---@param seen bide.Observation
---@param acceptor integer that of the success
---@return "retry"|"failure" verdict
---@return integer acceptor
---@return integer|string detail the delay of a retry, the reason of an end
function State:take_back(now, seen, acceptor) end

---Lets the conditions of the definition look at an output that an earlier process has seen.
---@param output userdata a document
function State:recall(output) end

---Returns the members that the conditions asked of the outputs, and those that the outputs had, as bits.
---@return integer asked
---@return integer had
function State:members() end

---Ends the attempt that was begun last by a retry that may be made elsewhere. Returns the state of a turn of a store,
---"<s1i8i8i8i8i8": the packed record, the delay, what `members` returns, and the same of the input's path.
---@param now integer milliseconds
---@param delay integer milliseconds before the next attempt
---@param acceptor integer? the one that matched
---@param failure userdata? a document, the operation error
---@param note string?
---@param format integer of the record
---@param keeps boolean whether the next attempt is made here, as `retry` has it; else the alarm stops
---@param asked integer
---@param had integer
---@return string state
---@return integer attempts the number of those that have begun
function State:settle(now, delay, acceptor, failure, note, format, keeps, asked, had) end

---Adds what `members` returned in an earlier process.
---@param asked integer
---@param had integer
function State:recall_members(asked, had) end

---Returns the members that the conditions of an acceptor asked for, and that no output had.
---@param acceptor integer
---@return { condition: integer, noun: "member"|"header"|"function", name: string }[]
function State:missing(acceptor) end

---Reports whether conditions could not look into the output of the last attempt: it was not JSON, or a member was asked of
---a whole that is not an object.
---@return boolean
function State:is_blind() end

---Returns the HTTP status that the last attempt observed.
---@return integer?
function State:status() end

---Decides on the end of an attempt after the matcher of an acceptor was called and matched.
---@param now integer
---@param seen bide.Observation
---@param acceptor integer
---@return "retry"|"success"|"failure" verdict
---@return integer? acceptor
---@return integer|string|nil detail
---@return string? note
function State:accept(now, seen, acceptor) end

---Returns the time of the first attempt.
---@param initial_delay integer
---@return integer
function State:first(initial_delay) end

---Returns the streak: consecutive successes that have to hold, or tolerated errors; nil if there is none.
---@return "held"|"tolerated"|nil kind
---@return integer? count
---@return integer? since the end of the first of them
---@return "attempts"|"time"|nil unit of the required span
---@return integer? span the required attempts or milliseconds
function State:streak() end

---Reads the clock again.
---@return integer? late milliseconds since the alarm should have rung; nil if this process has made no attempt
---@return integer? delay milliseconds from the begin of the last attempt until then
function State:lateness() end

---Restarts a streak that is measured by time, since the next attempt was not made when it was due.
function State:oversleep() end

---The members of a definition beyond the specification.
---@class bide.Beyond
---@field hold_attempts integer? the consecutive attempts for which a success has to last
---@field hold_time integer? or the milliseconds
---@field watched string? a path: when its value changes, the backoff restarts

---Compiles acceptors that bide.definition has checked.
---@param min_delay integer
---@param max_delay integer
---@param acceptors table[]
---@param beyond bide.Beyond?
---@return bide.Definition
function wait.definition(min_delay, max_delay, acceptors, beyond) end

---The common part of many waits: definition, limits, and the function that their alarms call.
---@class bide.WaitCommon: userdata
local Common = {}

---Starts a wait.
---@param seed integer
---@param now integer
---@param argument? any of `ring`
---@param call? fun(): any makes the attempts of this wait
---@return bide.WaitState
function Common:start(seed, now, argument, call) end

---Continues a wait from a record of state:save or state:pack, with the limits that the record has.
---@param record string
---@param started integer the beginning of the wait, on the present clock
---@param argument? any of `ring`
---@param call? fun(): any makes the attempts of this wait
---@return bide.WaitState?
---@return bide.Failure? failure if the text is not a record, or one of another version
function Common:restore(record, started, argument, call) end

---Continues the wait of a turn that turns.read has checked, or begins one without an attempt, and sets its alarm.
---@param turn bide.record.Turn
---@param class table the metatable of the wait
---@param input userdata
---@param output userdata? the last one seen
---@param failure userdata? the last operation error, if it came after that
---@param now integer
---@param ahead integer by which the clock of the store is ahead, in microseconds
---@param seed integer of a wait that begins
---@param call? fun(): any makes the attempts of this wait
---@return bide.Wait? wait
---@return integer|string delay milliseconds before the next attempt, as it was decided; or what is wrong with the state
---@return integer asked as `members` has them, those of the input's path
---@return integer had
function Common:take_up(turn, class, input, output, failure, now, ahead, seed, call) end

---@param definition bide.Definition
---@param limits bide.Limits
---@param ring? fun(argument: any) called by the alarm
---@return bide.WaitCommon
function wait.kind(definition, limits, ring) end

---Continues from a record of state:save or state:pack, without an alarm that rings.
---@param definition bide.Definition
---@param record string
---@param started integer the beginning of the wait, on the present clock
---@return bide.WaitState?
---@return bide.Failure? failure if the text is not a record, or one of another version
function wait.restore(definition, record, started) end

---Returns the upper bound of the random delay before retry `attempt`.
---@param min_delay integer
---@param max_delay integer
---@param attempt integer from 1
---@return integer
function wait.ceiling(min_delay, max_delay, attempt) end

---Returns the bounds of the random delay of bounded lateness, `elapsed` after the wait began.
---@param min_delay integer
---@param max_delay integer
---@param lateness integer billionths
---@param elapsed integer
---@return integer low
---@return integer high
function wait.late_range(min_delay, max_delay, lateness, elapsed) end

---Returns the delay for a random number and the remaining time.
---@param min_delay integer
---@param drawn integer
---@param remaining integer above min_delay
---@return integer
function wait.delay(min_delay, drawn, remaining) end

---Returns the name in the type of an error: `Foo` for `ns#Foo:http://…`.
---@param type string
---@return string
function wait.error_name(type) end

---Returns the names that the core knows, in new lists. The Lua tables that need a row for each of them are compared with
---these lists in spec/unit/wait/names_spec.lua.
---@return { states: string[], comparators: string[], reasons: string[] }
function wait.names() end

---Decides what counts as a yes: by the rule of JMESPath, of a success or of a failure.
---@param value userdata a document
---@param rule "path"|"success"|"failure"
---@return boolean
function wait.is_yes(value, rule) end

---@return integer seed from the system's random numbers
function wait.random_seed() end

return wait
