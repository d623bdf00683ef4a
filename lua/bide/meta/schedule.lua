---@meta bide.core.schedule
---What schedules cost and how soon they notice, and when past waits ended. All times are whole milliseconds.

---@class bide.core.schedule
local schedule = {}

---A schedule: the limits of a wait, and how long each attempt takes.
---@class bide.ScheduleLimits : bide.Limits
---@field latency integer?

---When waits ended, as Turnbull's estimate has it.
---@class bide.Ends
local Ends = {}

---Draws as many waits as there are, with replacement, and one more, and estimates from them.
---@param seed integer
function Ends:resample(seed) end

---Returns the innermost intervals that may have a share of the ends. `until` is false for ends that may
---never come.
---@return { [1]: integer, [2]: integer|false, [3]: number }[] pieces after, until, mass
---@return number excess the bound of how far the logarithm of the likelihood is from the greatest
function Ends:pieces() end

---Returns where the shares of the ends are spread, by the ends of these places. They may overlap.
---@return { [1]: integer, [2]: integer|false, [3]: number }[] places after, until, mass
function Ends:places() end

---Returns what a schedule would do with these ends. The streams of random numbers are the same for all schedules.
---@param limits bide.ScheduleLimits
---@param streams integer
---@param most number? the polls above which a schedule is not looked at: they are infinite, and the rest is 0
---@return number lateness the mean milliseconds between an end and its discovery
---@return number polls the mean of a wait
---@return number found the share of the waits whose end is discovered
function Ends:figures(limits, streams, most) end

---Estimates when waits ended. An end came after `after`, -1 for before the wait began, and until `until`, false where it
---was not seen.
---@param after integer[]
---@param until_ (integer|false)[]
---@return bide.Ends
function schedule.ends(after, until_) end

---Returns the mean polls of a wait that never ends, and the mean lateness of an end that is as likely at any time before
---the last poll as at any other.
---@param limits bide.ScheduleLimits
---@param streams integer at most; fewer if they are long
---@return number polls
---@return number lateness milliseconds
function schedule.alone(limits, streams) end

return schedule
