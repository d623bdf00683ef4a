---Answers in JSON Lines, in place of those of a service, on the virtual clock: those that a person wrote, and recordings.
---Line n answers attempt n, and the last line all later ones.

local await = require "bide.task.await"
local core = require "bide.core"
local duration = require "bide.text.duration"
local operation = require "bide.probe.asking.operation"
local option = require "bide.text.option"
local own_error = require "bide.text.own_error"
local recorded_form = require("bide.record.recording.lines").FORMAT
local retries = require "bide.task.retries"
local schema = require "bide.recipe.waiter.schema"
local tables = require "bide.text.tables"
local whole_file = require "bide.text.whole_file"

local M = {}

---One answer, as its line has it.
---@class bide.Answer
---@field output any? a document; nil for an error
---@field error table?
---@field duration number? seconds
---@field retryAfter number? seconds
---@field wake number? seconds after the attempt until an event asks for the next one
---@field notified boolean? of a recording: an event came during the attempt
---@field woken boolean? of a recording: an event has brought the attempt forward
---@field status integer?
---@field unread string?
---@field unproven table? the operation error by which the witness did not confirm a success
---@field headers table<string, string|string[]>?
---@field text string?
---@field at number? of a recording: the seconds from the beginning of the wait to this attempt
---@field own boolean? of a recording: the error is one of bide itself, or of its use
---@field cut boolean? of a recording: the attempt had no answer before the deadline
---@field wait bide.RecordedWait? of the first line of a recording
---@field note string? what the reader had to repair

---Of which wait a recording is.
---@class bide.RecordedWait
---@field format integer
---@field recipe string? the name of its file
---@field waiter string
---@field input any
---@field maxWait number
---@field seed integer?
---@field resumed integer? the number of attempts that an earlier process had made
---@field hears boolean? whether events could come until the deadline

-- ---- checking -----------------------------------------------------------------------------------

local check_seconds = schema.of(option.kinds.delay)

local check_error = schema.structure({
  type = { check = schema.of { "a text that is not empty", function(value)
    return type(value) == "string" and value:find "%S" ~= nil
  end }, required = "a string" },
  message = { check = schema.string },
  status = { check = schema.of(option.kinds.number) },
  retryAfter = { check = check_seconds },
}, "an error, with type", "warning")

---Checks the headers of an answer: an object of texts or of lists of texts.
local function check_headers(report, path, value)
  local is_right = tables.is_object(value)
  for _, values in pairs(is_right and value or {}) do
    for _, one in ipairs(type(values) == "table" and values or { values }) do
      is_right = is_right and type(one) == "string" and not one:find "[\r\n]"
    end
  end
  if not is_right then schema.expected(report, path, "an object of texts, or of lists of texts, of one line", value) end
end

local function anything() end

local whole, flag = schema.of(option.kinds.integer), schema.of(option.kinds.flag)

local check_wait = schema.structure({
  format = { check = whole, required = "a number" },
  recipe = { check = schema.string },
  waiter = { check = schema.string, required = "a string" },
  input = { check = anything },
  maxWait = { check = check_seconds },
  seed = { check = whole },
  resumed = { check = whole },
  hears = { check = flag },
}, "what a recording is of", "warning")

local check_answer = schema.structure({
  output = { check = anything },
  error = { check = check_error },
  duration = { check = check_seconds },
  retryAfter = { check = check_seconds },
  status = { check = schema.of(option.kinds.status) },
  unread = { check = schema.string },
  unproven = { check = check_error },
  headers = { check = check_headers },
  text = { check = schema.string },
  wake = { check = check_seconds },
  attempt = { check = whole }, at = { check = check_seconds }, wait = { check = check_wait },
  own = { check = flag },
  cut = { check = flag }, woken = { check = flag }, notified = { check = flag }, scriptError = { check = schema.string },
  outputLeftOut = { check = whole }, requests = { check = anything }, requestsLeftOut = { check = whole },
}, "an object with output or error")

---Returns why a line has no answer that can be given again.
local function gap_of(answer)
  if answer.scriptError then return "a script error ended the recorded wait, which no answer repeats: " .. answer.scriptError end
  if answer.outputLeftOut then
    return ("the recording has no output here: its %d bytes are more than a line may have"):format(answer.outputLeftOut)
  end
end

---Returns the first problem of a line that is an error: unknown members of what a service answered are warnings.
local function error_of(answer)
  local report = schema.report()
  check_answer(report, "", answer)
  for _, problem in ipairs(report.problems) do
    if problem.severity == "error" then return problem end
  end
end

---@return string? mistake in one line
local function mistake_of(answer)
  local problem = error_of(answer)
  if problem then
    local is_bare = type(answer) == "table" and answer.output == nil and answer.error == nil
    return (problem.path .. ": " .. problem.text):gsub("^: ", "")
      .. (is_bare and [[; a line is {"output": …} or {"error": …}]] or "")
  end
  local gap = gap_of(answer)
  if gap or answer.cut then return gap end
  if (answer.output == nil) == (answer.error == nil) then
    return "expected exactly one of output and error, found " .. (answer.output == nil and "neither" or "both")
  end
  if answer.error and answer.unread then return "unread: expected an output beside it, found an error" end
  for _, name in ipairs { "retryAfter", "status", "headers", "text" } do
    if answer.error and answer[name] then return name .. ": expected it in the error, found it beside" end
  end
end

---Returns what is wrong with the place of a line of a recording: lines are missing, or are those of several.
---@param answer bide.Answer
---@param position integer
---@return string? mistake
local function mistake_of_place(answer, position)
  if answer.attempt and answer.attempt ~= position then
    return ("attempt: expected %d, found %d: a line is missing, or in another place"):format(position, answer.attempt)
  end
  if answer.wait and position > 1 then return "wait: expected it in the first line alone" end
end

---@param of bide.RecordedWait
---@return string? mistake
local function mistake_of_recording(of)
  if of.format ~= recorded_form then
    return ("the recording has the form %d, and this release reads form %d: record it again"):format(of.format, recorded_form)
  end
  if of.resumed then
    return ("the recording lacks the first %d attempts, which an earlier process made"):format(of.resumed)
  end
end

-- ---- reading ------------------------------------------------------------------------------------

---An output stays a document: a Lua table would lose the order of its members.
local output_of = assert(core.jmespath.compile("output"))

---The answers were recorded from services, and the lines are written by people.
local reading = { lenient = true, unique = true }

---@param line string
---@param position integer among the answers
---@return bide.Answer?
---@return string? mistake
local function read_line(line, position)
  local answer, failure, note = core.json.decode(line, reading)
  if failure then return nil, ("column %d: %s"):format(failure.column, failure.message) end
  local mistake = mistake_of(answer) or answer.wait and mistake_of_recording(answer.wait) or mistake_of_place(answer, position)
  if mistake then return nil, mistake end
  if answer.output ~= nil then answer.output = output_of:query(assert(core.json.read(line, reading))) end
  answer.note = note
  return answer
end

---Lets the events come that have brought recorded attempts forward, when those began.
---@param answers bide.Answer[]
local function add_wakes(answers)
  for position = 2, #answers do
    local before, one = answers[position - 1], answers[position]
    if one.woken and not before.notified then
      local ended = duration.of_seconds(before.at or 0) + duration.of_seconds(before.duration or 0)
      before.wake = duration.seconds(math.max(duration.of_seconds(one.at or 0) - ended, 0))
    end
  end
end

---Reads the lines of a file. The last line of a recording may be cut, since its process may have been killed.
---@param file string
---@return bide.Answer[]? answers at least one
---@return string? mistake
---@return string? warning that a line is left out
function M.read(file)
  local handle <close>, unopened = whole_file.open(file)
  if not handle then return nil, unopened end
  local next_line, answers, number = whole_file.lines(handle, whole_file.DOCUMENT), {}, 0
  while true do
    local line, unread, is_unended = next_line()
    if unread then return nil, ("%s: %s"):format(file, unread) end
    if not line then break end
    number = number + 1
    if line:find "%S" then
      local answer, mistake = read_line(line, #answers + 1)
      local is_cut = not answer and is_unended and answers[1] and answers[1].wait
      if is_cut then
        add_wakes(answers)
        return answers, nil, ("%s:%d: the recording was cut here, and the line is left out"):format(file, number)
      end
      if not answer then return nil, ("%s:%d: %s"):format(file, number, mistake) end
      answers[#answers + 1] = answer
    end
  end
  if #answers == 0 then return nil, ("%s: expected at least one line, found none"):format(file) end
  add_wakes(answers)
  return answers
end

---Reads answers that a script has as Lua values.
---@param list table[]
---@return bide.Answer[]? answers
---@return string? mistake
function M.of_values(list)
  local lines = {}
  for position, value in ipairs(list) do
    local text, failure = core.json.encode(value)
    if not text then return nil, ("answers[%d]: %s"):format(position, tostring(failure)) end
    local mistake
    lines[position], mistake = read_line(text, position)
    if mistake then return nil, ("answers[%d]: %s"):format(position, mistake) end
  end
  if #lines == 0 then return nil, "answers: expected at least one, found none" end
  return lines
end

---Returns the mistake of answering a waiter by the recording of another one.
---@param answers bide.Answer[]
---@param waiter bide.Waiter
---@return string?
function M.mistake_for(answers, waiter)
  local of = answers[1].wait
  if not of then return nil end
  local recipe = (waiter.files or {})[1]
  recipe = recipe and recipe:match "[^/]*$"
  if of.waiter ~= waiter.name or of.recipe and recipe and of.recipe ~= recipe then
    local function name(file, other) return file and ("%s of %s"):format(other, file) or other end
    return ("expected a recording of %s, found one of %s"):format(name(recipe, waiter.name), name(of.recipe, of.waiter))
  end
end

-- ---- answering ----------------------------------------------------------------------------------

---Returns what header() and text() ask of.
---@return bide.AnswerParts? parts
local function parts_of(answer)
  if not answer.headers and not answer.text then return nil end
  local lines
  for name, values in pairs(answer.headers or {}) do
    for _, value in ipairs(type(values) == "table" and values or { values }) do
      lines = ("%s%s: %s\r\n"):format(lines or "", name, value)
    end
  end
  return { status = answer.status, headers = lines, text = answer.text }
end

---The most milliseconds by which a recorded attempt may have begun later than that of a replay: alarms ring late where a
---machine is busy. Beyond that, the replay has other delays.
local LATE <const> = 1000

---Returns when an attempt ends on the virtual clock. A recorded one ends when it did, so that all that depends on the time
---is as it was.
---@param answer bide.Answer
---@param wait bide.Wait
---@return integer
local function end_of(answer, wait)
  local now, lasts = core.loop.update(), duration.of_seconds(answer.duration or 0)
  if not answer.at then return answer.duration and core.loop.after(lasts) or now end
  local late = wait.state:started() + duration.of_seconds(answer.at) - now
  return now + lasts + (late > 0 and late <= LATE and late or 0)
end

---Lets an event come, which asks for an attempt of the wait.
---@param wait bide.Wait
---@param seconds number after this attempt
local function wake_later(wait, seconds)
  wait.expected = wait.expected + 1
  core.loop.alarm(function()
    wait.expected = wait.expected - 1
    wait:wake()
  end):start(core.loop.now() + duration.of_seconds(seconds))
end

---Returns an operation that answers attempt n with answer n, and its witness. They are for one wait.
---@param answers bide.Answer[]
---@return fun(): any call
---@return fun(): boolean witness
function M.operation(answers)
  local attempt, unproven = 0, nil
  local function call()
    attempt = attempt + 1
    local answer, wait = answers[math.min(attempt, #answers)], core.task.argument_of_attempt()
    unproven = answer.unproven
    if answer.wait and answer.wait.hears then wait.expected = 1 end
    if answer.cut then core.task.pause(core.task.waker()) end -- for ever: the deadline cuts it
    retries.note(answer.note)
    local ends = end_of(answer, wait)
    if ends > core.loop.now() then await(ends) end
    if answer.notified then wait:wake() end
    if answer.wake then wake_later(wait, answer.wake) end
    if answer.own and answer.error then own_error.mark(answer.error) end
    if answer.error then error(answer.error, 0) end
    local parts = parts_of(answer)
    if not (answer.retryAfter or answer.status or answer.unread or parts) then return answer.output end
    return operation.answer(answer.output, answer.retryAfter, answer.status, answer.unread, parts)
  end
  local function witness()
    return not unproven or error(unproven, 0)
  end
  return call, witness
end

---Lets answers take the place of what a waiter asks of its service.
---@param waiter bide.Waiter is changed
---@param answers bide.Answer[]
function M.replace(waiter, answers)
  waiter.call, waiter.ask_witness = M.operation(answers)
  waiter.new_call, waiter.check = nil, nil
end

return M
