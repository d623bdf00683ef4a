---The limits of a wait: its max wait, max attempts and delays. Options of the caller override those of the waiter. Each
---limit is a row of M.rows, from which the command line and scripts take it; a limit that the core uses has a row in
---src/wait/limits.c as well.

local duration = require "bide.duration"
local option = require "bide.option"
local streak = require "bide.wait.streak"

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
---@field retry_after_cap integer? the longest delay of a Retry-After; 0 ignores it; maxDelay by default
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
---@field retryAfter false|{ cap: number }? whether, and how far, a service's Retry-After lengthens a delay
---@field seed integer?

---Reads a number of seconds, or a text such as "5m".
local function read_duration(value)
  return (type(value) == "string" and duration.parse or duration.read)(value)
end

---Reads a delay that may be 0.
---@param value number|string
---@return integer? milliseconds
---@return string? mistake
function M.read_initial_delay(value)
  if value == 0 then return 0 end
  return (type(value) == "string" and duration.parse_or_zero or duration.read)(value)
end

---Reads `false`, which ignores Retry-After, or `{ cap = 60 }`, which honours it up to that many seconds.
---@param value any
---@return integer? cap milliseconds
---@return string? mistake
function M.read_retry_after(value)
  if value == false then return 0 end
  if type(value) ~= "table" or value.cap == nil or next(value, next(value)) ~= nil then
    return nil, option.expected("false or { cap = seconds }", value)
  end
  return read_duration(value.cap)
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
---@field name string the name of the option in scripts, from which that of the command line is made: --max-wait
---@field member string? of bide.Limits; nil if `read` returns a table of them
---@field kind table? of bide.option.kinds, for a number; `read` takes other values
---@field read? fun(value: any): any, string? the member, from an option of a script or the text of the command line
---@field of_waiter boolean? whether a waiter may have one of its own
---@field of_run boolean? whether it holds for all waits of one command line
---@field argument string? the argument on the command line; nil if that has only a flag
---@field flag string? that flag
---@field flag_value any the value for the flag
---@field help string

---@type bide.LimitRow[]
M.rows = {
  {
    name = "maxWait", member = "max_wait", read = read_duration, of_run = true, argument = "DURATION",
    help = "Wait at most DURATION: 300, 300s, 5m, 1h30m. Required.",
  },
  {
    name = "maxAttempts", member = "max_attempts", kind = option.kinds.size, argument = "N",
    help = "Make at most N attempts.",
  },
  {
    name = "minDelay", member = "min_delay", read = read_duration, of_waiter = true, argument = "DURATION",
    help = "Wait at least DURATION between attempts; overrides the waiter's minDelay.",
  },
  {
    name = "maxDelay", member = "max_delay", read = read_duration, of_waiter = true, argument = "DURATION",
    help = "Wait at most DURATION between attempts; overrides the waiter's maxDelay.",
  },
  {
    name = "interval", read = read_interval, argument = "DURATION",
    help = "Wait DURATION between attempts: set both delays to it.",
  },
  {
    name = "initialDelay", member = "initial_delay", read = M.read_initial_delay, of_waiter = true, argument = "DURATION",
    help = "Delay the first attempt by DURATION; overrides the waiter's. 0 is no delay.",
  },
  {
    name = "tolerate", read = read_tolerance, argument = "N|DURATION",
    help = "Tolerate up to N consecutive transient errors (throttling, 5xx, connection, timeout) "
      .. "that no acceptor matches, or such errors for DURATION.",
  },
  {
    name = "retryAfter", member = "retry_after_cap", read = M.read_retry_after, of_waiter = true,
    flag = "--ignore-retry-after", flag_value = false,
    help = "Ignore Retry-After, with which a service asks for a longer delay.",
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

---Adjusts the waiter's delays: if one of them is given, the other one is moved so that they fit.
local function fit_delays(limits, given)
  if given.maxDelay and not given.minDelay then
    limits.min_delay = math.min(limits.min_delay, limits.max_delay)
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

---The options of the command line that scripts have in another form.
local in_scripts = { retryOn = 'acceptor.error("retry", %q)' }

---Returns an option as a script writes it: `tolerate`, `tolerate = "1m"`, `maxAttempts = 3`.
local function of_script(name, value)
  if value == nil then return name end
  if in_scripts[name] then return in_scripts[name]:format(value) end
  return (type(value) == "string" and "%s = %q" or "%s = %s"):format(name, value)
end

---Returns the given limits, completed by those of the waiter.
---@param waiter bide.Waiter
---@param given table<string, table<string, integer>> by the name of their rows, members of bide.Limits; maxWait among them
---@param name_option? fun(name: string, value?: any): string an option as the caller writes it; else as a script does
---@return bide.Limits? limits
---@return string? mistake
function M.merge(waiter, given, name_option)
  local limits, names = { name_option = name_option or of_script }, {}
  for _, row in ipairs(M.rows) do
    if row.of_waiter then limits[row.member] = waiter[row.member] end
    for member, value in pairs(given[row.name] or {}) do
      limits[member] = value
      names[#names + 1] = row.name .. "=" .. member
    end
  end
  table.sort(names)
  limits.given = table.concat(names, " ")
  fit_delays(limits, given)
  local mistake = mistake_of_delays(limits, given)
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

---Reads the options of a wait. Raises a text that names the wrong one.
---@param waiter bide.Waiter
---@param options bide.WaitOptions
---@return bide.Limits
function M.read(waiter, options)
  local mistake = option.check(options, kinds)
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
