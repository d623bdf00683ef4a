---The lines of recordings: an attempt with its answer, its requests and its times as JSON, without secrets.

local base64 = require "bide.base64"
local begun = require "bide.wait.begun"
local core = require "bide.core"

local json, response_of = core.json, core.response

local M = {
  ---The form of the lines. A release that changes their meaning changes the number.
  FORMAT = 1,
}

---The most bytes of a body or an output; a longer one is left out, with its size.
local LARGEST <const> = 1 << 20

---The members of a line, in their order.
---@class bide.RecordedLine
local Line = {}
Line.__index = Line

local function new_line(mask)
  return setmetatable({ how = { redact = mask }, mask = mask }, Line)
end

---Adds a member whose value is JSON already.
function Line:put(name, text)
  self[#self + 1] = ('"%s":%s'):format(name, text)
end

function Line:add(name, value)
  if value ~= nil then self:put(name, assert(json.encode(value, self.how))) end
end

---Adds seconds, which are whole milliseconds.
function Line:add_seconds(name, value)
  if value then self:put(name, ("%.14g"):format(value)) end
end

function Line:text()
  return "{" .. table.concat(self, ",") .. "}"
end

---Collects headers: texts, and lists of them where a name is repeated.
local function collect(headers, name, value)
  local before = headers[name]
  if before == nil then
    headers[name] = value
  elseif type(before) == "table" then
    before[#before + 1] = value
  else
    headers[name] = { before, value }
  end
end

---@param lines string of the form "Name: value"
local function headers_of(lines)
  local headers = {}
  for name, value in lines:gmatch "([^:\r\n]+):[ \t]*([^\r\n]*)" do collect(headers, name:lower(), value) end
  return headers
end

---Adds the headers of a request. As in an input, all of them are secret but the harmless ones.
local function add_request_headers(line, request)
  local headers, given = {}, request.headers or {}
  for position = 1, #given, 2 do collect(headers, given[position], given[position + 1]) end
  if request.bearer or request.user then collect(headers, "Authorization", "[redacted]") end
  if not next(headers) then return end
  local text = assert(json.encode({ headers = headers }, { redact = line.mask, input = true }))
  line:put("headers", (text:match "^{%s*\"headers\":%s*(.*)}$"))
end

---Adds a body: JSON as it is, another text as a string, other bytes in base64.
---@param document userdata? the body, if it is known to be JSON
---@param written { document: userdata, text: string }? a document of which the text is known
local function add_body(line, name, bytes, document, written)
  if not bytes or bytes == "" then return end
  if #bytes > LARGEST then return line:put(name .. "_left_out", ("%d"):format(#bytes)) end
  if not document and bytes:find "^%s*[{[]" then document = json.read(bytes, { lenient = true }) end
  local kind = document and document:type()
  if kind == "object" or kind == "array" then
    return line:put(name, written and rawequal(written.document, document) and written.text
      or assert(document:json(line.how)))
  end
  if utf8.len(bytes) then return line:add(name, bytes) end
  line:add(name .. "_base64", base64.encode(line.mask:text(bytes)))
end

---Reports whether two requests ask for the same.
---@return boolean
function M.equals_request(request, other)
  if request == other then return true end
  if request.url ~= other.url or request.method ~= other.method or request.body ~= other.body or request.bearer ~= other.bearer
    or request.user ~= other.user then
    return false
  end
  local headers, others = request.headers or {}, other.headers or {}
  for position = 1, math.max(#headers, #others) do
    if headers[position] ~= others[position] then return false end
  end
  return true
end

---A part of a line, and what it is of. It is the same for the next attempt if that asks for the same, as most do, and if no
---further secret is known.
---@class bide.RecordedPart
---@field mask bide.SecretMask
---@field of any
---@field text string

---Returns the members of a request, as they were sent.
---@param one bide.Recording
---@return string
local function text_of_request(one, request, mask)
  local known = one.asked
  if known and rawequal(known.mask, mask) and M.equals_request(request, known.of) then return known.text end
  local line = new_line(mask)
  line:add("method", request.method)
  line:add("url", request.url)
  add_request_headers(line, request)
  add_body(line, "body", request.body)
  one.asked = { mask = mask, of = request, text = table.concat(line, ",") }
  return one.asked.text
end

---Returns the headers of an answer as JSON.
---@param lines string
---@return string
function M.headers(lines, mask)
  local headers = headers_of(lines)
  return next(headers) and assert(json.encode(headers, { redact = mask })) or "{}"
end

---Returns a request with its answer.
---@param one bide.Recording
---@param recorded bide.RecordedRequest
---@param written { document: userdata, text: string }?
---@return string
local function text_of_exchange(one, recorded, mask, written)
  local line, response = new_line(mask), recorded.response
  line[1] = text_of_request(one, recorded.request, mask)
  if not response then
    if recorded.failure ~= nil then line:add("error", recorded.failure) end
    return line:text()
  end
  line:put("status", ("%d"):format(response.status))
  line:put("response_headers", M.headers(response:header_lines(), mask))
  add_body(line, "response", response.body, (response:document()), written)
  return line:text()
end

---Adds the rest of an answer of HTTP, for header() and text(), where expressions may ask of it.
local function add_parts(line, parts)
  if parts.headers then line:add("headers", headers_of(parts.headers)) end
  if #(parts.text or "") <= LARGEST then line:add("text", parts.text) end
end

---Adds what is known of an output beside it.
local function add_seen(line, seen)
  line:add("status", math.type(seen.status) == "integer" and seen.status or nil)
  line:add_seconds("retryAfter", seen.retry_after and seen.retry_after / 1000)
  line:add("unread", seen.unread)
end

---Returns the size of an output. A text that was too long to be searched for secrets is not in what is shown of it.
---@param text string the output as it is shown
---@return integer
local function size_of(output, text)
  return text:find("[left out: ", 1, true) and #assert(output:json {}) or #text
end

---Adds an output with what belongs to it.
---@return { document: userdata, text: string }?
local function add_output(line, answered, seen)
  local output = response_of.plain(answered)
  local text = assert(output:json(line.how))
  local size = size_of(output, text)
  if size > LARGEST then
    line:put("outputLeftOut", ("%d"):format(size))
    return nil
  end
  line:put("output", text)
  add_seen(line, seen)
  local parts = response_of.answer(answered)
  if parts then add_parts(line, parts) end
  return { document = output, text = text }
end

---Adds an operation error, and whether it is one of bide itself. Its delay is in seconds, whatever the header said.
local function add_error(line, failure, seen)
  if seen.is_own then line:put("own", "true") end
  if not seen.retry_after then return line:add("error", failure) end
  local members = failure:value()
  members.retryAfter = seen.retry_after / 1000
  line:add("error", members)
end

---Adds what came of an attempt.
---@return { document: userdata, text: string }? written the output
local function add_answer(line, wait, attempt, seen)
  if not attempt.state then
    if not wait.script_error then
      line:put("cut", "true")
      return nil
    end
    line:add("scriptError", wait.script_error.message)
    return nil
  end
  local of = seen.believed or { output = wait.output, error = attempt.failure }
  if of.error then return add_error(line, of.error, seen) end
  return add_output(line, of.output, seen)
end

---Adds whether an event has brought the attempt forward, and whether one came meanwhile, which asks for the next attempt.
local function add_events(line, wait)
  if wait.state:woken() then line:put("woken", "true") end
  if wait.wakes and wait.wakes.is_wanted then line:put("notified", "true") end
end

---Adds of which wait the recording is.
local function add_wait(line, wait)
  local file, about = (wait.waiter.files or {})[1], new_line(line.mask)
  about:put("format", ("%d"):format(M.FORMAT))
  about:add("recipe", file and file:match "[^/]*$")
  about:add("waiter", wait.waiter.name)
  about:put("input", assert(wait.input:json { redact = line.mask, input = true }))
  about:add_seconds("maxWait", wait.max_wait / 1000)
  if wait.seed then about:put("seed", ("%d"):format(wait.seed)) end
  if wait.resumed then about:put("resumed", ("%d"):format(wait.resumed)) end
  if begun.is_expected() then about:put("hears", "true") end
  line:put("wait", about:text())
end

---Returns a line, and the JSON of its output.
---@param one bide.Recording
---@param attempt bide.RecordedAttempt
---@return string line
---@return { document: userdata, text: string }? written
function M.of_attempt(one, wait, attempt, mask)
  local line, exchanges = new_line(mask), {}
  line:put("attempt", ("%d"):format(attempt.number))
  line:put("at", ("%d.%03d"):format(attempt.at // 1000, attempt.at % 1000))
  line:put("duration", ("%d.%03d"):format(attempt.lasts // 1000, attempt.lasts % 1000))
  add_events(line, wait)
  local seen = attempt.seen or {}
  local written = add_answer(line, wait, attempt, seen)
  line:add("unproven", seen.unproven)
  for position = 1, one.count do exchanges[position] = text_of_exchange(one, one.requests[position], mask, written) end
  if one.unrecorded > 0 then line:put("requestsLeftOut", ("%d"):format(one.unrecorded)) end
  if not one.has_lines then add_wait(line, wait) end
  if one.count > 0 then line:put("requests", "[" .. table.concat(exchanges, ",") .. "]") end
  return line:text() .. "\n", written
end

---Returns the form of lines like the one of an attempt; nil if none is like it.
---@param seen bide.Observation
---@param written { document: userdata, text: string }
---@return bide.RecordedForm?
function M.form(one, seen, written, mask)
  local recorded, middle = one.requests[1], new_line(mask)
  local response = one.count == 1 and recorded.response or nil
  if one.count > (response and 1 or 0) then return nil end
  add_seen(middle, seen)
  if response then
    middle:put("requests", ('[{%s,"status":%d,"response_headers":'):format(one.asked.text, response.status))
  end
  local text = table.concat(middle, ",")
  local form = core.recording.form(mask, written.document, written.text, text == "" and "" or "," .. text,
    LARGEST, response and response.status)
  if response then
    local lines = response:header_lines()
    form:headers(lines, M.headers(lines, mask))
  end
  return form
end

return M
