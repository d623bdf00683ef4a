---@meta bide.core.wait
---The decision core. Times are whole milliseconds of any monotonic clock.

---@class bide.core.wait
local wait = {}

---@class bide.Definition: userdata

---@class bide.Attempt
---@field attempt integer from 1
---@field at number seconds after the wait began
---@field duration number seconds
---@field state "success"|"failure"|"retry"|nil nil where the attempt was cut
---@field acceptor integer? the position of the acceptor that matched
---@field name string? that acceptor's name, where it has one
---@field error userdata? the operation error, a document
---@field note string? what else is to be said: retries, a path that could not be evaluated, what held, what was tolerated
---@field delay number? seconds until the next attempt

---The state of a wait, its alarm and its history.
---@class bide.WaitState
local State = {}

---An attempt begins.
---@return integer attempt its number, from 1
function State:begin() end

---@return integer milliseconds
function State:started() end

---@return integer milliseconds
function State:deadline() end

---Sets the alarm, which rings once; a time that it was set to before is forgotten.
---@param at integer milliseconds
function State:ring_at(at) end

---The alarm does not ring any more.
function State:silence() end

---Takes an attempt into the history: all of them are kept up to a bound, then the first
---and the last ones, so that a wait of a day takes no more memory than one of an hour.
---@param entry bide.Attempt
function State:remember(entry) end

---@return bide.Attempt[] attempts in their order
---@return integer omitted how many lie between the first and the last ones
function State:history() end

---What the end of an attempt means.
---@param now integer
---@param input userdata a document
---@param output userdata? a document; nil where the operation raised an operation error
---@param error_type string? of that error
---@param first integer? the acceptor to begin with
---@param retry_after integer? how long the service asked to wait
---@param transient boolean? whether that error is of a kind that passes
---@param status any the HTTP status of the answer or of the error; what is no integer is none
---@return "ask"|"retry"|"success"|"failure" verdict
---@return integer? acceptor the one that matched, or that is to be asked
---@return integer|string|nil detail the delay of a retry, the reason of an end
---@return string? note why a path could not be evaluated
function State:observe(now, input, output, error_type, first, retry_after, transient, status) end

---The HTTP status that the last attempt observed.
---@return integer?
function State:status() end

---The same, once an acceptor that was asked is known to match.
---@param now integer
---@param acceptor integer
---@param retry_after integer?
---@return "retry"|"success"|"failure" verdict
---@return integer? acceptor
---@return integer|string|nil detail
function State:accept(now, acceptor, retry_after) end

---When the first attempt begins.
---@param initial_delay integer
---@return integer
function State:first(initial_delay) end

---Attempts in a row that ended with the same success, which has to hold, or with errors that
---are tolerated; nil where there are none.
---@return "held"|"tolerated"|nil kind
---@return integer? count
---@return integer? since when the first of them had ended
---@return "attempts"|"time"|nil unit of the span that is asked for
---@return integer? span so many attempts, or milliseconds
function State:streak() end

---Nobody looked when the next attempt was due: a streak that is measured by time begins anew.
function State:oversleep() end

---What goes beyond the specification.
---@class bide.Beyond
---@field hold_attempts integer? so many attempts in a row a success has to last
---@field hold_time integer? or so many milliseconds
---@field watched string? a path: where its value changes, the backoff starts anew

---Compiles acceptors that bide.definition has checked.
---@param min_delay integer
---@param max_delay integer
---@param acceptors table[]
---@param beyond bide.Beyond?
---@return bide.Definition
function wait.definition(min_delay, max_delay, acceptors, beyond) end

---@param definition bide.Definition
---@param limits bide.Limits
---@param seed integer
---@param now integer
---@param ring? fun(argument: any) what the alarm calls
---@param argument any
---@return bide.WaitState
function wait.start(definition, limits, seed, now, ring, argument) end

---Goes on from a record of state:save.
---@param definition bide.Definition
---@param record string
---@param started integer when the wait began, on the clock of now
---@param ring? fun(argument: any) what the alarm calls
---@param argument any
---@return bide.WaitState?
---@return bide.Failure? failure where the text is no record, or one of another version
function wait.restore(definition, record, started, ring, argument) end

---The upper end of the draw before retry `attempt`.
---@param min_delay integer
---@param max_delay integer
---@param attempt integer from 1
---@return integer
function wait.ceiling(min_delay, max_delay, attempt) end

---The delay, given what was drawn and the time that remains.
---@param min_delay integer
---@param drawn integer
---@param remaining integer above min_delay
---@return integer
function wait.delay(min_delay, drawn, remaining) end

---The name part of an error's type: `ns#Foo:http://…` gives `Foo`.
---@param type string
---@return string
function wait.error_name(type) end

---@return integer seed from the system's randomness
function wait.random_seed() end

return wait
