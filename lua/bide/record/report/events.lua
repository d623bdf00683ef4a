---Events of waits as JSON Lines, written as they happen, in whole lines. If only half of a line could be written, that
---is taken back; what is missing is kept, and tried again with later lines and at the end.

local core = require "bide.core"
local report = require "bide.record.report"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local loop = core.loop

-- ---- whole lines ----------------------------------------------------------------------------

---The milliseconds until a failed write is tried again, and the bytes that are kept until then.
local RETRY, LARGEST = 1000, 1 << 22

---The milliseconds for which the end waits for the reader of a pipe.
local PATIENCE = 1000

---@class bide.Lines
---@field handle file*
---@field complain fun(message: string)
---@field pending string[] lines not yet written
---@field size integer their bytes
---@field lost integer the number of lines that were dropped since the last write
---@field has_lost boolean? whether a line was dropped at all
---@field mistake? string why the last write failed
---@field try_at? integer when it is tried again
local Lines = {}
Lines.__index = Lines

---@param handle file*
---@param complain fun(message: string) gets a message when writing fails, and when it succeeds again
---@return bide.Lines
local function new_lines(handle, complain)
  handle:setvbuf "no" -- a line is one call, so that the position shows how much of it was written
  return setmetatable({ handle = handle, complain = complain, pending = {}, size = 0, lost = 0 }, Lines)
end

---Removes the part of a line that was written. A pipe has no position, and nothing is removed from a file that
---another process writes to.
---@param handle file*
---@param before integer? where the text begins
---@param text string
---@return string? rest the unwritten text; nil if that is unknown
local function take_back(handle, before, text)
  local after = before and handle:seek "cur"
  if not after then return nil end
  local written = text:sub(1, after - before)
  local whole = written:match "^.*\n" or ""
  if #written > #whole and handle:seek "end" == after and core.process.truncate(handle, before + #whole) then
    handle:seek("set", before + #whole)
    return text:sub(#whole + 1)
  end
  return text:sub(#written + 1)
end

local function succeed(lines)
  lines.pending, lines.size, lines.try_at = {}, 0, nil
  if not lines.mistake then return end
  lines.complain(lines.lost > 0 and ("can be written again; %d lines are missing"):format(lines.lost)
    or "can be written again; no line is missing")
  lines.mistake, lines.lost = nil, 0
end

local function fail(lines, mistake, code, rest)
  lines.pending, lines.size = { rest }, rest and #rest or 0
  lines.try_at = rest and loop.now() + RETRY or math.maxinteger
  if not lines.mistake and code ~= core.process.EPIPE then lines.complain("cannot be written: " .. mistake) end
  lines.mistake = mistake
end

---Writes what the reader of a pipe takes, and keeps the rest for later lines.
---@param patience integer milliseconds
local function flush_to_reader(lines, text, patience)
  local count, mistake, code = core.process.write(lines.handle, text, patience)
  if not count then return fail(lines, mistake, code, nil) end
  if count == #text then return succeed(lines) end
  lines.pending, lines.size = { text:sub(count + 1) }, #text - count
  if patience > 0 then fail(lines, "their reader has read nothing for 1 s", nil, lines.pending[1]) end
end

---@param patience integer milliseconds for a reader that takes nothing
local function flush(lines, patience)
  if #lines.pending == 0 then return end
  local text, handle = table.concat(lines.pending), lines.handle
  local before = handle:seek "cur"
  if not before then return flush_to_reader(lines, text, patience) end
  local written, mistake, code = handle:write(text)
  if written then return succeed(lines) end
  fail(lines, mistake, code, take_back(handle, before, text))
end

---@param line string without its end
function Lines:write(line)
  if self.size + #line > LARGEST or self.try_at == math.maxinteger then
    self.lost, self.has_lost = self.lost + 1, true
    if not self.mistake then fail(self, "their reader is too slow", nil, table.concat(self.pending)) end
  else
    table.insert(self.pending, line .. "\n")
    self.size = self.size + #line + 1
  end
  if not self.try_at or loop.now() >= self.try_at then flush(self, 0) end
end

---Tries a last time to write the pending lines.
function Lines:finish()
  if self.try_at ~= math.maxinteger then flush(self, PATIENCE) end
end

-- ---- events ---------------------------------------------------------------------------------

---@class bide.Events
---@field handle file*
---@field lines bide.Lines
---@field names table<any, string> of branches, by the keys of their waits
---@field is_written? boolean whether all events were written; set by close
local Events = {}
Events.__index = Events

---Returns a time as RFC 3339 in UTC.
---@param milliseconds integer since 1970
local function timestamp(milliseconds)
  return ("%s.%03dZ"):format(os.date("!%Y-%m-%dT%H:%M:%S", milliseconds // 1000), milliseconds % 1000)
end

---Writes to `handle`.
---@param handle file*
---@param names? table<any, string> of branches, by the keys of their waits
---@return bide.Events
local function new(handle, names)
  local function complain(message) shown.complain("the events " .. message) end
  return setmetatable({ handle = handle, lines = new_lines(handle, complain), ids = {}, names = names or {} }, Events)
end

local function identifier()
  return ("%016x"):format(core.wait.random_seed())
end

---Writes the event of a wait that others have made.
---@param event "start"|"attempt"|"end"
---@param id string of the wait
---@param at integer milliseconds since 1970
---@param record table
---@param branch? string its name
function Events:write_of(event, id, at, record, branch)
  if self.handle == io.stdout then shown.erase() end -- standard error may be the same terminal
  self.lines:write(shown.json(report.event(event, id, timestamp(at), record, branch)))
end

---Writes an event of now, which on the virtual clock is the virtual time.
function Events:write(event, wait, record)
  local id = self.ids[wait] or identifier()
  self.ids[wait] = id
  self:write_of(event, id, core.loop.wall(), record, self.names[wait.key])
end

function Events:started(wait)
  local record = {
    waiter = wait.waiter.name, operation = wait.waiter.operation,
    maxWait = math.tointeger(wait.max_wait / 1000) or wait.max_wait / 1000, input = wait.input,
    resumed = wait.resumed,
  }
  secret.keep(record, secret.of_wait(wait))
  self:write("start", wait, record)
end

function Events:attempted(wait, entry)
  secret.of_entry(wait, entry)
  self:write("attempt", wait, entry)
end

function Events:ended(wait, record)
  self:write("end", wait, record)
  self.ids[wait] = nil
end

---Writes the pending lines and closes the file.
function Events:close()
  self.lines:finish()
  local lines = self.lines
  local closed, mistake = true, nil
  if self.handle ~= io.stdout then closed, mistake = self.handle:close() end
  if not closed and not lines.mistake then lines.complain("cannot be written: " .. mistake) end
  self.is_written = closed and not lines.mistake and not lines.has_lost
end

return { new = new }
