---Calls an operation, and makes an observation of its result: an output, which is a document, or an operation error.

local core = require "bide.core"
local duration = require "bide.text.duration"
local error_names = require "bide.text.error_names"
local retry_after = require("bide.text.http_date").retry_after
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local retries = require "bide.task.retries"

local json, read_response, xpcall = core.json, core.response.read, require("bide.task.coroutines").lua_xpcall
local answered, plain = core.response.answered, core.response.plain

local M = {}

---The result of an attempt: an output or an operation error. The core decides on it (src/wait/matcher.h).
---@class bide.Observation
---@field input? userdata a document; false lets the next attempt use the observation again
---@field output? userdata a document
---@field failure? table the operation error, if there is no output
---@field error? userdata that error as a document
---@field error_type? string that of the operation error
---@field transient? boolean whether that error is transient
---@field is_own? boolean whether that error is one of bide or of its use, and nothing was asked
---@field status? any the HTTP status of the answer or of the error; anything but an integer is ignored
---@field retry_after? integer the delay that the service asked for, in milliseconds
---@field unread? string the reason why the output has no members although there was an answer
---@field is_plain? boolean whether it is of an output and its status alone
---@field unproven? table the operation error by which the witness has not confirmed a success
---@field believed? { output: userdata?, error: userdata? } what the operation had said, where that error has ended the wait
---@field whys? table by matcher and in their order, why matchers did not match

---Returns a new idempotency token: a name that no other request has, by which a service distinguishes a retry from a
---second request. It is a UUID of version 4, from the system's random bytes.
---@return string
function M.new_token()
  local high, low = core.wait.random_seed(), core.wait.random_seed()
  return ("%08x-%04x-4%03x-%04x-%012x"):format(high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
    low >> 48 & 0x3FFF | 0x8000, low & 0xFFFFFFFFFFFF)
end

---@param value any
---@return boolean
function M.is_response(value)
  return type(value) == "userdata" and getmetatable(value) == "bide.response"
end

---Converts an operation error to a document, with all its members.
---@param failure table
---@param before? userdata a document, which is returned if it is the same
---@return userdata document
function M.error_document(failure, before)
  local document, mistake = json.document(failure, before)
  if document then return document end
  local known = { type = failure.type, message = tostring(failure.message or mistake) }
  if type(failure.status) == "number" then known.status = failure.status end
  return assert(json.document(known, before))
end

---Converts the delay that a service asks for, the `retryAfter` of an operation error, to milliseconds.
---@param seconds any seconds, or the text of a header
---@return integer? milliseconds nil if it is neither
function M.wish_of(seconds)
  if type(seconds) == "string" then seconds = retry_after { ["retry-after"] = seconds } end
  return type(seconds) == "number" and duration.of_seconds(seconds) or nil
end

local wish_of = M.wish_of

---@return bide.Observation
local function fail(failure, names)
  return { failure = error_names.of_error(names, failure), retry_after = wish_of(failure.retryAfter) }
end

local nothing = assert(json.document {})

---Returns the reason why a body that is not empty has no members.
---@param response bide.http.Response
---@param failure bide.Failure why its body is not JSON
---@return string reason
function M.unread_body(response, failure)
  if require("bide.probe.asking.answer").is_announced_as_json(response) then return failure.message end
  return ("the body is not JSON (%s)"):format(response:media_type() or "no content type")
end

---Converts a response that was read. If its body is not JSON and was not announced as JSON, the output has no members.
---@return bide.Observation
local function of_response(response, names, status, document, invalid, note, seconds)
  if status >= 300 then return fail(response:operation_error(), names) end
  if note then response:document() end -- whose method takes the note
  local wish = seconds and wish_of(seconds)
  local seen = { output = document, failure = invalid, retry_after = wish, status = status }
  if not invalid or require("bide.probe.asking.answer").is_announced_as_json(response) then return seen end
  local unread = M.unread_body(response, invalid)
  retries.note(unread)
  return { output = nothing, retry_after = wish, unread = unread, status = status }
end

---The reasons why an output has no members that are reported only where conditions ask for members.
M.EMPTY_BODY, M.NO_JSON = "the body is empty", "the command printed no JSON"
local is_quiet = { [M.EMPTY_BODY] = true, [M.NO_JSON] = true }

---Reports whether a reason is worth a word only to those that ask for members.
---@param unread string
---@return boolean
function M.is_quiet(unread)
  return is_quiet[unread] or false
end

---Returns the output of an answer that is not JSON, with the reason why it has no members.
---@param unread string
---@param seconds number? the delay that the service asked for
---@param status integer?
---@param parts bide.http.Response|bide.AnswerParts?
function M.unread(unread, seconds, status, parts)
  return M.answer(nothing, seconds, status, unread, parts)
end

---The note of an attempt whose operation returned nil. That is an empty output, and mostly a forgotten return.
M.NOTHING = "the operation returned nothing: is a return missing?"

---The caution of a success whose output is false.
local FALSE <const> = "the operation returned false, which is an output: it has to raise an error where it fails"

local Answer = {}

---Combines an output with the rest of a response, for a replay: the delay that the service asked for, in seconds, the
---HTTP status, and the reason why the output has no members although something was answered.
---@param output any
---@param seconds number?
---@param status integer?
---@param unread string?
---@param parts bide.http.Response|bide.AnswerParts? the answer, for header() and text()
function M.answer(output, seconds, status, unread, parts)
  return setmetatable({ output = output, seconds = seconds, status = status, unread = unread, parts = parts }, Answer)
end

---Returns the parts of a good response; nil if it is an error, or has broken JSON.
local function answer_of(response)
  local document = response:document()
  local is_broken = not document and require("bide.probe.asking.answer").is_announced_as_json(response)
  if response.status >= 300 or is_broken then return nil end
  return { output = document or nothing, seconds = response:header "retry-after", status = response.status, parts = response }
end

---Returns what an operation returns, with a further member of its output. An output that is not an object stays as it is,
---with a note.
---@param value any
---@param name string
---@param member any
---@return any
function M.with_member(value, name, member)
  local answer
  if M.is_response(value) then
    answer = answer_of(value)
  else
    answer = getmetatable(value) == Answer and value or { output = assert(json.document(value)) }
  end
  if not answer then return value end
  if answer.output:type() ~= "object" then
    retries.note(("the output is not an object, and gets no member %s"):format(name))
    return value
  end
  local members = answer.output:value()
  members[name] = member
  return M.answer(assert(json.document(members)), answer.seconds, answer.status, nil, answer.parts)
end

---@param output userdata? a document; nil for a failure
---@param convert (fun(output: any): any)?
---@param before userdata? the document of the attempt before
local function converted(output, convert, before)
  if not output or not convert then return output end
  local value = convert(output)
  return rawequal(value, output) and output or assert(json.document(value, before))
end

---The observation of an output and its status alone, which nearly every attempt has. Its input is false while nothing
---needs it, and the next one is then the same table.
---@type bide.Observation
local plain_seen = { output = false, status = false, input = false, is_plain = true }

---@param value any
---@param names table<string, string>? the operation's names of errors
---@param convert (fun(output: any): any)? gives an output the form that paths see
---@param before userdata? the output of the attempt before
---@return bide.Observation
local function observe(value, names, convert, before)
  local status, read, invalid, note, seconds, is_empty = read_response(value, before)
  if read and not (convert or note or seconds or is_empty) then
    local seen = plain_seen
    if seen.input then
      seen = { output = false, status = false, input = false, is_plain = true }
      plain_seen = seen
    end
    seen.output, seen.status, seen.input = read, status, true
    return seen
  end
  local empty = is_empty and M.EMPTY_BODY or nil
  if status then
    local seen = of_response(value, names, status, read, invalid, note, seconds)
    if convert then
      seen.output = converted(seen.output, convert, before)
    elseif seen.output then
      seen.unread = seen.unread or empty
    end
    return seen
  end
  if getmetatable(value) == Answer then
    return { output = converted(value.output, convert, before), retry_after = wish_of(value.seconds),
      unread = value.unread, status = value.status }
  end
  if value == nil then
    retries.note(M.NOTHING)
    value = {}
  end
  if value == false then retries.caution(FALSE) end
  if retries.are_any and not convert then retries.caution_of_made_output() end
  local document, mistake = json.document(convert and convert(value) or value, before)
  if document then return { output = document } end
  error(script_error.of(("the operation returned a value that JSON cannot represent: %s"):format(tostring(mistake))), 0)
end

---Refuses `nil, why` and `false, why`, by which functions of Lua say that they failed: as an output it would be a success.
---@param value any what the operation returned first
---@param why any what it returned second
local function refuse_failure(value, why)
  if type(why) == "string" then why = secret.before_cut(why) end
  local text = type(why) == "string" and ("%q"):format(#why > 80 and why:sub(1, 80) .. "…" or why)
    or type(why) == "table" and "a table" or tostring(why)
  error(script_error.of(("the operation returned %s and %s: raise an error instead"):format(value, text)), 0)
end

---Attaches the answer of HTTP to its output. Of a call without a response, only the status is known, or nothing.
---@param seen bide.Observation
---@param value any what the operation returned
---@return bide.Observation
local function with_answer(seen, value)
  if not seen.output then return seen end
  local parts = M.is_response(value) and value
    or getmetatable(value) == Answer and value.parts
    or { status = seen.status }
  seen.output = answered(parts, seen.output)
  return seen
end

---The second argument of an operation: some facts of the wait that calls it.
---@class bide.OperationWait
---@field own_success boolean whether the waiter's own acceptors for success count; false if --until replaces them
---@field conditions? string[] those of --until, as they were given

---Returns what an operation that failed has seen. Raises any other error again.
---@param failure any what was raised
---@param call function the operation
---@param names table<string, string>? the names of errors by their codes
---@return bide.Observation
function M.failed(failure, call, names)
  local hidden = script_error.hidden_from_acceptors(failure)
  if not hidden and script_error.is_operation_error(failure) then
    return fail(script_error.plain_operation_error(failure), names)
  end
  error(script_error.locate(hidden or failure, call), 0)
end

---Lets the error of a task that an operation, or its witness, started and did not join end it.
---@param script_tasks table the module bide.task.script_tasks
---@param seen bide.Observation
---@param call function the operation, or its witness
---@param names table<string, string>? the names of errors by their codes
---@return bide.Observation
function M.after_tasks(script_tasks, seen, call, names)
  local lost = script_tasks.take_lost_failure()
  if lost and (script_error.is(lost) or not seen.failure) then return M.failed(lost, call, names) end
  return seen
end

---Asks a witness whether a success counts, which it confirms by exactly `true`; it may say why it does not, as a second
---value. Raises nothing but script errors.
---@param witness fun(context: table, wait: bide.OperationWait?): any
---@param context table
---@param wait bide.OperationWait? the second argument of the operation
---@return table? failure an operation error, if it has not confirmed the success
---@return integer? retry_after the delay that the service asked for, in milliseconds
function M.unproven(witness, context, wait)
  local ok, answer, why = xpcall(witness, script_error.explain, context, wait)
  local words = type(why) == "string" and why or "the witness of the operation has not confirmed it"
  local failure = answer ~= true and { type = "Unproven", message = words } or nil
  local seen = ok and { failure = failure } or M.failed(answer, witness)
  local script_tasks = package.loaded["bide.task.script_tasks"]
  if script_tasks then seen = M.after_tasks(script_tasks, seen, witness) end
  return seen.failure, seen.retry_after
end

---Calls an operation with a new copy of the input, or the function of a prepared one without any. Raises nothing but script
---errors.
---@param call fun(input: any, wait: bide.OperationWait?): any
---@param input userdata|false a document
---@param names table<string, string>? the names of errors by their codes
---@param convert (fun(output: any): any)? gives an output the form that paths see
---@param before userdata? the output of the attempt before, which is returned if the next one is the same
---@param wait bide.OperationWait? the second argument of the operation
---@param asks_answer boolean? whether the output has to have its answer, for header(), status() and text()
---@return bide.Observation without the input
function M.call(call, input, names, convert, before, wait, asks_answer)
  local ok, value, why
  if before and asks_answer then before = plain(before) end
  if input then
    ok, value, why = xpcall(call, script_error.explain, input:value(), wait)
  else
    ok, value, why = xpcall(call, script_error.explain)
  end
  if ok then
    if why ~= nil and not value then refuse_failure(value, why) end
    local seen = observe(value, names, convert, before)
    return asks_answer and with_answer(seen, value) or seen
  end
  return M.failed(value, call, names)
end

return M
