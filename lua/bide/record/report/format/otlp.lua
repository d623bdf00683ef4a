---Writes a run as spans of OpenTelemetry, in the JSON of OTLP: one for each wait, below it one for each attempt, and above
---several waits one for the run.

local core = require "bide.core"
local version = require "bide.version"

local M = {}

---The most spans of attempts. Waits beyond that have no attempts below them.
local MOST_ATTEMPTS <const> = 10000

local ERROR <const>, OK <const> = 2, 1
local INTERNAL <const>, CLIENT <const> = 1, 3

-- ---- identities -----------------------------------------------------------------------------

local function random() return ("%016x"):format(core.wait.random_seed()) end

---The place of the spans of a process in a trace, as TRACEPARENT has it.
---@class bide.Trace
---@field trace string 32 hexadecimal digits
---@field parent string? the span above
---@field flags string
---@field span string of the run, which a program that it starts gets as its parent

---Reads the parent of a trace; any other text begins a new trace, as W3C's Trace Context has it.
---@param text string? of the environment
---@return bide.Trace
function M.trace(text)
  local digits, trace, parent, flags, rest = (text or ""):match "^(%x%x)%-(%x+)%-(%x+)%-(%x%x)(.*)$"
  local is_lower = text and not text:find "%u"
  if not digits or not is_lower or digits == "ff" or #trace ~= 32 or #parent ~= 16 or not trace:find "[^0]"
    or not parent:find "[^0]" or rest ~= "" and (digits == "00" or rest:sub(1, 1) ~= "-") then
    return { trace = random() .. random(), flags = "01", span = random() }
  end
  return { trace = trace, parent = parent, flags = flags, span = random() }
end

---Returns TRACEPARENT for a program that the run starts.
---@param trace bide.Trace
---@return string
function M.traceparent(trace)
  return ("00-%s-%s-%s"):format(trace.trace, trace.span, trace.flags)
end

-- ---- spans ------------------------------------------------------------------------------------

---Adds an attribute, unless its value is nil.
local function add(attributes, name, value)
  if value == nil then return end
  local typed
  if type(value) == "boolean" then
    typed = { boolValue = value }
  elseif math.type(value) == "integer" then
    typed = { intValue = tostring(value) }
  elseif type(value) == "number" then
    typed = { doubleValue = value }
  else
    typed = { stringValue = value }
  end
  attributes[#attributes + 1] = { key = name, value = typed }
end

---@param began integer milliseconds since 1970, of the run
---@param seconds number since then
---@return string nanoseconds
local function nanoseconds(began, seconds)
  return ("%d"):format((began + math.floor(seconds * 1000 + 0.5)) * 1000000)
end

---@param trace bide.Trace
local function span_of(trace, id, parent, name, kind, from, to)
  return {
    traceId = trace.trace, spanId = id, parentSpanId = parent, name = name, kind = kind, startTimeUnixNano = from,
    endTimeUnixNano = to, attributes = core.json.array {}, flags = tonumber(trace.flags, 16),
  }
end

---@param run bide.ReportedRun
---@param wait bide.ReportedWait
---@param attempt bide.ReportedAttempt
local function span_of_attempt(run, wait, attempt, trace, parent)
  local from = wait.began + attempt.at
  local span = span_of(trace, random(), parent, ("%s attempt"):format(wait.operation or wait.waiter), CLIENT,
    nanoseconds(run.began, from), nanoseconds(run.began, from + attempt.duration))
  add(span.attributes, "bide.attempt", attempt.attempt)
  add(span.attributes, "bide.decision", attempt.kind)
  add(span.attributes, "bide.acceptor", attempt.acceptor)
  add(span.attributes, "bide.seen", attempt.saw)
  add(span.attributes, "bide.note", attempt.note)
  add(span.attributes, "bide.delay", attempt.delay and attempt.delay + 0.0)
  add(span.attributes, "bide.woken", attempt.woken)
  if attempt.error then
    add(span.attributes, "error.type", attempt.error:match "^[^ :(]+")
    span.status = { code = ERROR, message = attempt.error }
  end
  return span
end

local status_of_end = { success = { code = OK }, failure = { code = ERROR }, cancelled = {}, waiting = {} }

---@param run bide.ReportedRun
---@param wait bide.ReportedWait
local function span_of_wait(run, wait, trace, id, parent)
  local span = span_of(trace, id, parent, wait.waiter, INTERNAL, nanoseconds(run.began, wait.began),
    nanoseconds(run.began, wait.began + wait.elapsed))
  add(span.attributes, "bide.wait", wait.name)
  add(span.attributes, "bide.operation", wait.operation)
  add(span.attributes, "bide.state", wait.ended)
  add(span.attributes, "bide.reason", wait.reason)
  add(span.attributes, "bide.acceptor", wait.acceptor)
  add(span.attributes, "bide.attempts", wait.attempts)
  add(span.attributes, "bide.max_wait", wait.max_wait and wait.max_wait + 0.0)
  span.status = { code = status_of_end[wait.ended].code, message = wait.ended ~= "success" and wait.message or nil }
  return span
end

---@param run bide.ReportedRun
local function span_of_run(run, trace)
  local span = span_of(trace, trace.span, trace.parent, "bide run", INTERNAL, nanoseconds(run.began, 0),
    nanoseconds(run.began, run.elapsed))
  add(span.attributes, "bide.waits", run.count)
  span.status = { code = status_of_end[run.state].code, message = run.state ~= "success" and run.message or nil }
  return span
end

---@param run bide.ReportedRun
---@param trace bide.Trace
---@return string document
function M.document(run, trace)
  local spans, left = core.json.array {}, MOST_ATTEMPTS
  if run.is_fleet then spans[1] = span_of_run(run, trace) end
  for wait in run:waits() do
    local id = run.is_fleet and random() or trace.span
    spans[#spans + 1] = span_of_wait(run, wait, trace, id, run.is_fleet and trace.span or trace.parent)
    for _, attempt in ipairs(left >= #wait.history and wait.history or {}) do
      spans[#spans + 1] = span_of_attempt(run, wait, attempt, trace, id)
    end
    left = left - #wait.history
  end
  local resource = core.json.array {}
  add(resource, "service.name", os.getenv "OTEL_SERVICE_NAME" or "bide")
  add(resource, "service.version", version)
  return assert(core.json.encode { resourceSpans = { {
    resource = { attributes = resource }, scopeSpans = { { scope = { name = "bide", version = version }, spans = spans } },
  } } }) .. "\n"
end

return M
