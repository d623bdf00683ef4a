---Recordings: what really happened in a wait, as JSON Lines that `replay` and `test` read. Line n is attempt n: its answer,
---its requests, its times. The first line also says of which wait the recording is.
---
---A line is written only after its secrets are redacted. If a later attempt shows that a text of an earlier line is a
---secret, the file is replaced when the wait ends.

local core = require "bide.core"
local file_failure = require "bide.text.file_failure"
local files = require "bide.record.recording.files"
local lines = require "bide.record.recording.lines"
local luv = require "luv"
local secret = require "bide.text.secret"
local tables = require "bide.text.tables"
local wire = require "bide.probe.http.wire"

local equals_request, response_of, wait_of_attempt = lines.equals_request, core.response, core.task.argument_of_attempt

local M = {
  ---The most waits of one command that are recorded.
  MOST_WAITS = 10000,
}

---The most requests of an attempt that are recorded.
local MOST_REQUESTS <const> = 100

---A request of an attempt, as it was sent.
---@class bide.RecordedRequest
---@field request bide.transfer.Request
---@field response bide.http.Response? nil until it came
---@field failure any the operation error of a request without a response

---The recording of one wait.
---@class bide.Recording
---@field file bide.RecordingFile
---@field requests bide.RecordedRequest[] tables that attempts share which are like one another: all have a response
---@field count integer how many of them are of the attempt
---@field like bide.RecordedLike? what the next attempt is compared with
---@field asked bide.RecordedPart? the last request
---@field unrecorded integer the number of further requests of the attempt
---@field values table<string, true> the secret values that were known at any line
---@field has_learnt boolean whether a value became known after the first line
---@field has_lines boolean
---@field is_broken boolean? whether the file could not be written

---Observes waits, and records each.
---@class bide.Recordings
---@field complain fun(message: string)
---@field of table<bide.Wait, bide.Recording>
---@field file bide.RecordingFile? of one wait
---@field folder string? of several
---@field count integer
---@field is_broken boolean? whether one of them could not be written
local Recordings = {}
Recordings.__index = Recordings

-- ---- attempts that are like one another -----------------------------------------------------------

---An attempt with which the next one is compared, since most differ in their times and their output alone.
---@class bide.RecordedLike
---@field form bide.RecordedForm
---@field mask bide.SecretMask
---@field mask_of_any bide.SecretMask
---@field secrets string[]? those of earlier answers
---@field status any of what was seen, which had no delay, no reason why it had no members, and no doubt of a witness
---@field request bide.transfer.Request? the only one
---@field recorded bide.RecordedRequest? the place of the only one of the next attempt
---@field descriptor integer? of the file

---Reports whether an attempt may be like an earlier one, for all that is not in its line.
---@param like bide.RecordedLike
---@param seen bide.Observation
---@return boolean
local function is_alike(like, seen)
  return seen.status == like.status and not (seen.retry_after or seen.unread or seen.unproven)
end

---Remembers an attempt for the next one, if that may be like it.
---@param attempt bide.RecordedAttempt
---@param written { document: userdata, text: string }?
local function remember(one, wait, attempt, mask, written)
  one.like = nil
  local seen = attempt.seen
  if attempt.failure or not attempt.state or not written or not one.has_lines or wait.asks_answer or wait.wakes then return end
  if not seen or seen.retry_after or seen.unread or seen.unproven then return end
  local form = lines.form(one, seen, written, mask)
  if not form then return end
  local recorded = one.count == 1 and one.requests[1] or nil
  one.like = {
    form = form, mask = mask, mask_of_any = secret.any(), secrets = wait.secrets, status = seen.status,
    request = recorded and recorded.request, recorded = recorded, descriptor = one.file.descriptor,
  }
end

-- ---- waits ------------------------------------------------------------------------------------

---Remembers the secret values of a mask. Values that come after the first line were perhaps written before.
local function learn(one, mask)
  for _, value in ipairs(mask:values()) do
    if not one.values[value] then
      one.values[value], one.has_learnt = true, one.has_learnt or one.has_lines
    end
  end
end

---Adds the secrets of answers that are not the wait's own to those that the wait knows: of a login, for instance.
local function learn_from_requests(one, wait, output)
  local scratch
  for position = 1, one.count do
    local recorded = one.requests[position]
    local document = recorded.response and recorded.response:document()
    if document and not rawequal(document, output) then
      scratch = scratch or core.secret.mask(wait.waiter.secret)
      scratch:collect(document)
    end
  end
  local values = scratch and scratch:values() or {}
  if #values == 0 then return end
  wait.secrets = tables.append(values, wait.secrets)
end

local function break_off(self, one, mistake)
  one.is_broken, one.like, self.is_broken = true, nil, true
  self.complain(("the recording %s ends here: %s"):format(one.file.path, mistake))
end

---Begins the recording of a wait.
function Recordings:started(wait)
  self.count = self.count + 1
  if self.count == M.MOST_WAITS + 1 then self.complain(("only the first %d waits are recorded"):format(M.MOST_WAITS)) end
  local position = self.by_key and wait.key or self.count
  if position > M.MOST_WAITS then return end
  local file = self.file or files.at(("%s/%06d.jsonl"):format(self.folder, position))
  local one = {
    file = file, requests = {}, count = 0, unrecorded = 0, values = {}, has_learnt = false, has_lines = false,
  }
  self.of[wait] = one
  if not self.folder then return end
  local mistake = file:create()
  if mistake then break_off(self, one, mistake) end
end

---An attempt that has ended. Times are in milliseconds.
---@class bide.RecordedAttempt
---@field number integer
---@field at integer since the wait began
---@field lasts integer
---@field state string? nil if it was cut
---@field failure userdata? its operation error
---@field seen bide.Observation? what it saw

---@param attempt bide.RecordedAttempt
---@return string line
local function line_of(one, wait, attempt)
  local output = wait.output and response_of.plain(wait.output)
  learn_from_requests(one, wait, output)
  local mask = secret.of_wait(wait)
  learn(one, mask)
  local line, written = lines.of_attempt(one, wait, attempt, mask)
  remember(one, wait, attempt, mask, written)
  one.has_lines, one.unrecorded = true, 0
  one.requests = { one.like and one.like.recorded }
  return line
end

---Writes the line of an attempt that differs from the one before, or into a file that is opened for each line.
---@param line bide.RecordedForm|string|nil that was made, if only this was left to do
---@return string? mistake
local function append(one, line, wait, now, state, failure, seen)
  if not line then
    local number, at, lasts = wait.state:last(now)
    line = line_of(one, wait, { number = number, at = at, lasts = lasts, state = state, failure = failure, seen = seen })
  end
  return one.file:append(line)
end

---Makes the line of an attempt of which only the headers of the answer are not those of the one before.
---@param like bide.RecordedLike
---@param response bide.http.Response
---@return bide.RecordedForm?
local function with_headers(like, wait, now, response)
  local headers = response:header_lines()
  like.form:headers(headers, lines.headers(headers, like.mask))
  return (like.form:line(nil, wait.output, response, wait.state:last(now)))
end

---Records an attempt. This is called for each, and makes as little as it can: mostly one call of the core, which makes and
---writes the line of an attempt that is like the one before. All its secrets are then in the mask of that one, since a form
---refuses an output that has any of its own.
---@param now integer when it ended
---@param state string?
---@param failure userdata?
---@param seen bide.Observation? nil if it was cut
function Recordings:concluded(wait, now, state, failure, seen)
  local one = self.of[wait]
  if not one or one.is_broken then return end
  local like, line, mistake, written = one.like, nil, nil, nil
  if like and seen and not failure and not wait.wakes and (seen.is_plain or is_alike(like, seen)) and wait.secrets == like.secrets
    and secret.mask_of_any == like.mask_of_any then
    local recorded, response = like.recorded, nil
    if recorded and (recorded.request == like.request or equals_request(recorded.request, like.request)) then
      response = recorded.response
    end
    line, mistake, written = like.form:line(like.descriptor, wait.output, response, wait.state:last(now))
    if mistake == "headers" then line, mistake = with_headers(like, wait, now, response), nil end
  end
  if mistake then
    mistake = files.take_back(like.descriptor, mistake, written)
  elseif not written then
    mistake = append(one, line, wait, now, state, failure, seen)
  end
  if mistake then break_off(self, one, mistake) end
  local first = one.requests[1]
  if first then first.response = nil end
  one.count = 0
end

---Ends the recording of a wait. Secrets that became known after its first line are redacted in all lines.
---@param mask bide.SecretMask those that are known at the end
local function finish(self, wait, mask)
  local one = self.of[wait]
  if not one then return end
  self.of[wait] = nil
  learn(one, mask)
  if one.has_learnt and not one.is_broken then
    for value in pairs(one.values) do mask:add(value) end
    local mistake = one.file:redact(mask)
    if mistake then
      self.is_broken = true
      self.complain("secrets that were learnt late stay in the recording " .. mistake)
    end
  end
  one.file:close()
end

---@param record table
function Recordings:ended(wait, record)
  finish(self, wait, secret.of(record))
end

function Recordings:abandoned(wait)
  finish(self, wait, secret.of_wait(wait))
end

---Adds the place of a further request of an attempt, which is then not like the one before; nil if it has too many.
---@param one bide.Recording
---@return bide.RecordedRequest?
local function add_request(one, count)
  one.like = nil
  if count > MOST_REQUESTS then
    one.unrecorded = one.unrecorded + 1
    return nil
  end
  one.requests[count] = {}
  return one.requests[count]
end

---Returns a function that sends a request, and records it with what comes of it for the attempt whose task runs.
---@param of table<bide.Wait, bide.Recording>
---@param send bide.http.Exchange
---@return bide.http.Exchange
local function recorded_by(of, send)
  return function(request)
    local wait = wait_of_attempt()
    local one = wait and of[wait]
    if not one then return send(request) end
    local count = one.count + 1
    local recorded = one.requests[count] or add_request(one, count)
    if not recorded then return send(request) end
    one.count, recorded.request = count, request
    return send(request, recorded)
  end
end

---@param members table
---@param complain fun(message: string)
---@return bide.Recordings
local function new(members, complain)
  local of = {}
  members.complain, members.of, members.count = complain, of, 0
  wire.watch(function(send) return recorded_by(of, send) end)
  return setmetatable(members, Recordings)
end

---Records one wait in a file.
---@param path string
---@param complain fun(message: string) gets what cannot be recorded
---@return bide.Recordings? observer
---@return string? mistake
function M.in_file(path, complain)
  local file, mistake = files.open(path)
  if not file then return nil, mistake end
  return new({ file = file }, complain)
end

---Records waits in a folder, a file each: 000001.jsonl.
---@param folder string is made; if it is there, it has no recordings
---@param by_key boolean whether the keys of the waits are their numbers; else they are counted as they begin
---@param complain fun(message: string) gets what cannot be recorded
---@return bide.Recordings? observer
---@return string? mistake
function M.in_folder(folder, by_key, complain)
  local made, mistake, code = luv.fs_mkdir(folder, tonumber("700", 8))
  if not made and code ~= "EEXIST" then return nil, file_failure.named(mistake) end
  local entries
  entries, mistake = luv.fs_scandir(folder)
  if not entries then return nil, file_failure.named(mistake) end
  for name in luv.fs_scandir_next, entries do
    if name:find "%.jsonl$" then return nil, ("%s: expected a folder without recordings, found %s"):format(folder, name) end
  end
  return new({ folder = folder, by_key = by_key }, complain)
end

return M
