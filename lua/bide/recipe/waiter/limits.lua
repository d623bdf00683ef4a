---The limits of a wait: its max wait, max attempts and delays. Options of the caller override those of the waiter. Each
---limit is a row of M.rows, from which the command line and scripts take it; a limit that the core uses has a row in
---src/wait/limits.c as well.

local duration = require "bide.text.duration"
local option = require "bide.text.option"
local streak = require "bide.recipe.waiter.streak"

local M = {}

---Times in milliseconds.
---@class bide.Limits
---@field max_wait integer
---@field max_attempts integer?
---@field min_delay integer
---@field max_delay integer
---@field initial_delay integer? before the first attempt
---@field tolerated_attempts integer? the most consecutive transient errors that no acceptor matched
---@field tolerated_time integer? or the longest time of such errors
---@field lateness integer? billionths of the time waited: the bound of the delay; nil for exponential backoff
---@field retry_after_cap integer? the longest delay of a Retry-After; 0 ignores it; nil for the usual ones
---@field hold_attempts integer? in place of the waiter's hold; 0 if it is a time
---@field hold_time integer?
---@field hold_delay integer? the least delay while that hold lasts
---@field last_spread integer? of a fleet: the time over which last attempts are spread that a Retry-After puts off
---@field seed integer?
---@field given string? the rows that the caller gave, each with its members: "maxWait=max_wait maxAttempts=max_attempts"
---@field name_option fun(name: string, value?: any): string an option as the caller writes it, for messages
---@field gate bide.Gate? limits the number of attempts of a fleet in flight

---The limits as scripts give them.
---@class bide.WaitOptions
---@field maxWait number|string seconds, or a duration such as "5m"
---@field maxAttempts integer?
---@field minDelay number?
---@field maxDelay number?
---@field interval number|string? both delays
---@field initialDelay number|string? before the first attempt
---@field tolerate integer|string? consecutive transient errors: at most N, or, such as "30s", for that time
---@field hold integer|string|table? the required length of a success, as 3, "30s" or { attempts = 3 }, in place of the waiter's
---@field retryAfter false|{ cap: number|string }? whether, and how far, a service's Retry-After lengthens a delay
---@field seed integer?
---@field store string|string[]|nil of waiter:wait: the URL of a store, whose workers make the attempts, or those of its cells
---@field queue string? of that store
---@field priority "high"|"normal"|"low"|nil in that store
---@field submitToken string? with which the same wait is submitted once

---Reads a delay: a number of seconds, or a text such as "5m".
---@param value number|string
---@return integer? milliseconds
---@return string? mistake
function M.read_delay(value)
  return (type(value) == "string" and duration.parse or duration.read)(value)
end

local read_duration = M.read_delay

---Reads a delay that may be 0.
---@param value number|string
---@return integer? milliseconds
---@return string? mistake
function M.read_initial_delay(value)
  if value == 0 then return 0 end
  return (type(value) == "string" and duration.parse_or_zero or duration.read)(value)
end

---The cap that lets every Retry-After pass: longer than any wait.
M.NO_CAP = 10 ^ 15 // 1 | 0

---Reads the longest Retry-After that is honoured: a duration, or "none" for no limit.
local function read_cap(value)
  if value == "none" then return M.NO_CAP end
  local cap, mistake = read_duration(value)
  if mistake and type(value) == "string" then mistake = mistake:gsub("^expected ", 'expected "none", or ', 1) end
  return cap, mistake
end

---Reads `false`, which ignores Retry-After, or `{ cap = 60 }`, which honours it up to that many seconds.
---@param value any
---@return integer? cap milliseconds
---@return string? mistake
function M.read_retry_after(value)
  local cap, mistake = 0, nil
  if type(value) == "table" and value.cap ~= nil and next(value, next(value)) == nil then
    cap, mistake = read_cap(value.cap)
  elseif value ~= false then
    mistake = option.expected("false or { cap = seconds }", value)
  end
  if mistake then return nil, mistake end
  return cap
end

---The delays of a hold of the caller, unless `interval` gives them: of N attempts a second, of a time a part of it.
local HOLD_DELAY, HOLD_PART, LONGEST_HOLD_DELAY = 1000, 20, 5000

---Reads `hold`, the length of a success in place of the waiter's.
local function read_hold(value)
  local attempts, time, mistake = streak.read(value)
  if mistake then return nil, mistake end
  local delay = attempts > 0 and HOLD_DELAY or math.min((time + HOLD_PART - 1) // HOLD_PART, LONGEST_HOLD_DELAY)
  return { hold_attempts = attempts, hold_time = time, hold_delay = delay }
end

---The whole of a lateness.
M.BILLIONTHS = 10 ^ 9 // 1 | 0

---Reads `lateness`, a fraction above 0 and at most 1.
---@param value any
---@return integer? billionths
---@return string? mistake
function M.read_lateness(value)
  if type(value) ~= "number" or not (value > 0 and value <= 1) then
    return nil, option.expected("a number above 0, at most 1", value)
  end
  return math.max(math.floor(value * M.BILLIONTHS + 0.5), 1)
end

---Returns a lateness in words: `5 %`.
---@param lateness integer billionths
---@return string
function M.percent(lateness)
  return ("%.7g %%"):format(lateness * 100 / M.BILLIONTHS)
end

---Describes delays: `2 s to 2 m`, `0.05 s to 5 s, lateness 5 %`.
---@param delays bide.Waiter|bide.Limits
---@return string
function M.describe_delays(delays)
  local words = ("%s to %s"):format(duration.format(delays.min_delay), duration.format(delays.max_delay))
  return delays.lateness and ("%s, lateness %s"):format(words, M.percent(delays.lateness)) or words
end

local function read_tolerance(value)
  local attempts, time, mistake = streak.read(value)
  if mistake then return nil, mistake end
  return { tolerated_attempts = attempts, tolerated_time = time }
end

---Reads `interval`, which sets both delays.
local function read_interval(value)
  local delay, mistake = read_duration(value)
  if not delay then return nil, mistake end
  return { min_delay = delay, max_delay = delay }
end

---@class bide.LimitRow
---@field name string the name of the option in scripts, from which the command line makes its own
---@field member string? of bide.Limits; nil if `read` returns a table of them
---@field kind table? of bide.text.option.kinds, for a number; `read` takes other values
---@field read? fun(value: any): any, string? the member, from an option of a script or the text of the command line
---@field of_run boolean? whether it holds for all waits of one command line
---@field argument string? the argument on the command line; nil if that has only a flag
---@field of_option? fun(text: string): any the option of a script that has the same effect
---@field help string? of the option
---@field flag string? a flag of the command line, which excludes the option
---@field flag_value any the value for the flag
---@field flag_help string?

---@type bide.LimitRow[]
M.rows = {
  {
    name = "maxWait", member = "max_wait", read = read_duration, of_run = true, argument = "DURATION",
    help = "Wait at most DURATION: 300, 300s, 5m, 1h30m. Required, unless BIDE_MAX_WAIT says it.",
  },
  {
    name = "maxAttempts", member = "max_attempts", kind = option.kinds.size, argument = "N",
    help = "Make at most N attempts.",
  },
  {
    name = "minDelay", member = "min_delay", read = read_duration, argument = "DURATION",
    help = "Wait at least DURATION between attempts; overrides the waiter's minDelay.",
  },
  {
    name = "maxDelay", member = "max_delay", read = read_duration, argument = "DURATION",
    help = "Wait at most DURATION between attempts; overrides the waiter's maxDelay.",
  },
  {
    name = "interval", read = read_interval, argument = "DURATION",
    help = "Wait DURATION between attempts: set both delays to it.",
  },
  {
    name = "initialDelay", member = "initial_delay", read = M.read_initial_delay, argument = "DURATION",
    help = "Delay the first attempt by DURATION; overrides the waiter's. 0 is no delay.",
  },
  {
    name = "tolerate", read = read_tolerance, argument = "N|DURATION",
    help = "Tolerate up to N consecutive transient errors (throttling, 5xx, connection, timeout) "
      .. "that no acceptor matches, or such errors for DURATION.",
  },
  {
    name = "hold", read = read_hold, argument = "N|DURATION",
    help = "A success counts only if it lasts for N attempts in a row, or for DURATION; overrides the waiter's hold. "
      .. "Meanwhile attempts are at least 1 s apart, or DURATION/20, at most 5 s, unless --interval is given.",
  },
  {
    name = "retryAfter", member = "retry_after_cap", read = M.read_retry_after,
    argument = "DURATION|none", of_option = function(text) return { cap = text } end,
    help = "Honour Retry-After, with which a service asks for a longer delay, up to DURATION. Default: 5 minutes, or the "
      .. "longest delay if that is more; after a good answer the longest delay.",
    flag = "--ignore-retry-after", flag_value = false, flag_help = "Ignore Retry-After.",
  },
  {
    name = "seed", member = "seed", kind = option.kinds.integer, of_run = true, argument = "N",
    help = "Seed the random delays: the same N gives the same delays.",
  },
}

---Converts an option to members of bide.Limits.
---@param row bide.LimitRow
---@param value any that has the row's kind
---@return table<string, integer>? members
---@return string? mistake
function M.members_of(row, value)
  local read, mistake = (row.read or math.tointeger)(value)
  if read == nil then return nil, mistake end
  return row.member and { [row.member] = read } or read
end

---Adjusts the waiter's delays: if one of them is given, the other one is moved so that they fit. Delays that are given as
---one number do not grow with the time waited, nor does a hold then have delays of its own.
local function fit_delays(limits, given)
  if given.interval then
    limits.lateness, limits.hold_delay = nil, nil
  elseif given.maxDelay and not given.minDelay then
    if limits.max_delay < limits.min_delay then limits.lateness, limits.min_delay = nil, limits.max_delay end
  elseif given.minDelay and not given.maxDelay then
    limits.max_delay = math.max(limits.min_delay, limits.max_delay)
  end
end

---Returns what is wrong with the delays that are given; nil if nothing is.
local function mistake_of_delays(limits, given)
  local name_option = limits.name_option
  for _, name in ipairs { "minDelay", "maxDelay" } do
    if given.interval and given[name] then
      return ("%s and %s are given, and %s sets both delays: leave one out"):format(name_option "interval", name_option(name),
        name_option "interval")
    end
  end
  if limits.min_delay <= limits.max_delay then return nil end
  return ("%s, %s, is greater than %s, %s"):format(name_option "minDelay", duration.format(limits.min_delay),
    name_option "maxDelay", duration.format(limits.max_delay))
end

---Returns the mistake of a hold of the caller that no wait with these limits can reach; nil if it can.
local function mistake_of_hold(limits, given)
  if not given.hold then return nil end
  local attempts, time, name_option = limits.hold_attempts, limits.hold_time, limits.name_option
  local hold = name_option("hold", attempts > 0 and tostring(attempts) or duration.argument(time))
  if attempts > (limits.max_attempts or attempts) then
    return ("%s cannot be reached with %s"):format(hold, name_option("maxAttempts", tostring(limits.max_attempts)))
  end
  local least = math.max(time, (attempts - 1) * math.max(limits.min_delay, limits.hold_delay or 0))
  if least <= limits.max_wait then return nil end
  return ("%s cannot be reached within %s%s"):format(hold, name_option("maxWait", duration.argument(limits.max_wait)),
    attempts > 0 and (": it takes at least %s; %s sets its delays"):format(duration.format(least), name_option "interval") or "")
end

---The options of the command line that scripts have in another form.
local in_scripts = { retryOn = 'acceptor.error("retry", %q)' }

---Returns an option as a script writes it: `tolerate`, `tolerate = "1m"`, `maxAttempts = 3`.
local function of_script(name, value)
  if value == nil then return name end
  if in_scripts[name] then return in_scripts[name]:format(value) end
  return (type(value) == "string" and "%s = %q" or "%s = %s"):format(name, value)
end

---The limits that a waiter may have.
local members_of_waiter = {
  "min_delay", "max_delay", "lateness", "initial_delay", "retry_after_cap",
}

---Returns the given limits, completed by those of the waiter.
---@param waiter bide.Waiter
---@param given table<string, table<string, integer>> by the name of their rows, members of bide.Limits; maxWait among them
---@param name_option? fun(name: string, value?: any): string an option as the caller writes it; else as a script does
---@return bide.Limits? limits
---@return string? mistake
function M.merge(waiter, given, name_option)
  local limits, names = { name_option = name_option or of_script }, {}
  for _, member in ipairs(members_of_waiter) do limits[member] = waiter[member] end
  for _, row in ipairs(M.rows) do
    for member, value in pairs(given[row.name] or {}) do
      limits[member] = value
      names[#names + 1] = row.name .. "=" .. member
    end
  end
  table.sort(names)
  limits.given = table.concat(names, " ")
  fit_delays(limits, given)
  local mistake = mistake_of_delays(limits, given) or mistake_of_hold(limits, given)
  if mistake then return nil, mistake end
  return limits
end

---The kinds of the options. An option that its row reads may be a text or a table.
local kinds = {}
for _, row in ipairs(M.rows) do kinds[row.name] = row.kind or option.kinds.any end

local function read_options(options)
  local given = {}
  for _, row in ipairs(M.rows) do
    if options[row.name] ~= nil then
      local members, mistake = M.members_of(row, options[row.name])
      if not members then error(("%s: %s"):format(row.name, mistake), 0) end
      given[row.name] = members
    end
  end
  return given
end

---The options of waiter:wait with a store, which it reads itself.
M.of_store = { "store", "queue", "priority", "submitToken" }

---Returns the mistake if one of them is given elsewhere.
---@return string?
local function mistake_of_store(options)
  if type(options) ~= "table" then return nil end
  for _, name in ipairs(M.of_store) do
    if options[name] ~= nil then return name .. ": for waiter:wait with store = URL alone" end
  end
end

---Reads the options of a wait. Raises a text that names the wrong one.
---@param waiter bide.Waiter
---@param options bide.WaitOptions
---@return bide.Limits
function M.read(waiter, options)
  local mistake = mistake_of_store(options) or option.check(options, kinds)
  if mistake then error(mistake, 0) end
  if options.maxWait == nil then
    error("maxWait is missing: the specification of waiters requires the caller to say how long to wait", 0)
  end
  local limits
  limits, mistake = M.merge(waiter, read_options(options))
  if not limits then error(mistake, 0) end
  return limits
end

return M
