---@meta bide.core.wait
---The decision core. Times are whole milliseconds of any monotonic clock.

---@class bide.core.wait
local wait = {}

---@class bide.Definition: userdata

---@class bide.WaitState
local State = {}

---An attempt begins.
---@return integer attempt its number, from 1
function State:begin() end

---@return integer
function State:deadline() end

---What the end of an attempt means.
---@param now integer
---@param input userdata a document
---@param output userdata? a document; nil where the operation raised an operation error
---@param error_type string? of that error
---@param first integer? the acceptor to begin with
---@return "ask"|"retry"|"success"|"failure" verdict
---@return integer? acceptor the one that matched, or that is to be asked
---@return integer|string|nil detail the delay of a retry, the reason of an end
---@return string? note why a path could not be evaluated
function State:observe(now, input, output, error_type, first) end

---The same, once an acceptor that was asked is known to match.
---@param now integer
---@param acceptor integer
---@return "retry"|"success"|"failure" verdict
---@return integer? acceptor
---@return integer|string|nil detail
function State:accept(now, acceptor) end

---The state as a line of text, with which another process can go on.
---@return string record
function State:save() end

---Compiles acceptors that bide.definition has checked.
---@param min_delay integer
---@param max_delay integer
---@param acceptors table[]
---@return bide.Definition
function wait.definition(min_delay, max_delay, acceptors) end

---@param definition bide.Definition
---@param min_delay integer
---@param max_delay integer
---@param max_wait integer
---@param max_attempts integer?
---@param seed integer
---@param now integer
---@return bide.WaitState
function wait.start(definition, min_delay, max_delay, max_wait, max_attempts, seed, now) end

---Goes on from a record of state:save.
---@param definition bide.Definition
---@param record string
---@param started integer when the wait began, on the clock of now
---@return bide.WaitState?
---@return bide.Failure? failure where the text is no record, or one of another version
function wait.restore(definition, record, started) end

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

---@return integer seed from the system's randomness
function wait.random_seed() end

return wait
