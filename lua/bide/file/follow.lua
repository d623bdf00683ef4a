---Follows a log until a line matches an expression, as `tail -F` follows it: it is read on when it grows, from its beginning
---after it was truncated, and from the next file after it was rotated; what the old one still got is read first. A log
---that does not exist yet is awaited, and read whole.
---
---    local follow = require "bide.file.follow"
---    return { Follow = { call = follow.line, input = follow.inputs(), waitable = { … } } }
---
---All of this is one attempt, which holds the log open: so no line is read twice and none is lost in a rotation. Only a
---log that is truncated and grows past its old size between two looks (0.1 s) is taken for one that has grown. A line
---counts when it has ended; of a line of more than 64 KiB, pieces of about this length are looked at.
---
---Without `from`, a log that was made at most 10 seconds ago is read whole: its program has just been started, and may have
---been quick. Of an older one only what comes is read, and a note says how many bytes were skipped.

local again = require "bide.task.again"
local core = require "bide.core"
local line_search = require "bide.probe.asking.line_search"
local retries = require "bide.task.retries"
local system = require "bide.probe.file.system"

local INTERVAL = 100 -- milliseconds between two looks at a log that does not grow
local YOUNG = 10 -- seconds

local M = {}

---@class bide.file.FollowInput : bide.LineInput
---@field path string
---@field from? "end"|"start" where to begin in a log that exists; without it, that depends on the log's age

---@class bide.file.Line
---@field path string
---@field line string without its line break
---@field captures? string[] the texts of the groups of `matches`, if it has any
---@field read integer bytes that were read up to it, and of the piece it is in

---@class bide.file.Log
---@field path string
---@field input bide.file.FollowInput
---@field reader bide.file.Reader? nil until the log exists
---@field position integer of the next byte to read
---@field search bide.LineSearch
---@field read integer
---@field skipped string? says how much of it was not read
local Log = {}
Log.__index = Log

---Closes the file that is open, and makes another reader its own.
local change_reader = core.task.whole(function(log, reader)
  if log.reader then log.reader:close() end
  log.reader = reader
end)

Log.__close = core.task.whole(function(log) change_reader(log, nil) end)

---Reads to the end of the file that is open.
---@return bide.FoundLine?
function Log:read_on()
  while self.reader do
    local piece, failure = self.reader:read(self.position)
    if failure then system.fail(self.path, failure) end
    if piece == "" then return nil end
    self.position, self.read = self.position + #piece, self.read + #piece
    local line = self.search:add(piece)
    if line then return line end
  end
end

---Opens the file that has the log's name now, in place of the one that is open. Returns its size; nil if there is none.
---@return integer? size
function Log:open()
  change_reader(self, system.reader(self.path))
  local _, failure = self.reader:open()
  if failure and not system.is_missing(failure) then system.fail(self.path, failure) end
  if failure then
    change_reader(self, nil)
    return nil
  end
  self.attributes, failure = self.reader:attributes()
  if failure then system.fail(self.path, failure) end
  if self.attributes.type ~= "file" then
    system.refuse("NotAFile", self.path, ("a %s cannot be followed"):format(self.attributes.type))
  end
  self.position = 0
  return self.attributes.size
end

---Goes to the beginning of a log that was truncated, or to the file that has taken the log's place.
---@return bide.FoundLine? the last one of the old file
function Log:turn()
  local _, failure, now = system.inspect(self.path)
  if failure and not system.is_missing(failure) then system.fail(self.path, failure) end
  if not now then return nil end
  local is_same = self.reader and now.ino == self.attributes.ino and now.dev == self.attributes.dev
  if is_same and now.size >= self.position then return nil end
  local line = not is_same and self:read_on() or self.search:finish()
  if line then return line end
  if is_same then self.position = 0 else self:open() end
end

---Returns the declarations of the inputs of `line`.
---@return table<string, bide.InputMember>
function M.inputs()
  return line_search.inputs {
    path = { type = "path", required = true, positional = 1, example = "/var/log/app.log", documentation = "The log." },
    from = { type = "string", values = { "end", "start" },
      documentation = "Where to begin in a log that exists. Default: start if it was made in the last 10 s, else end." },
  }
end

---Reports whether a log was made just now. A system of files that does not keep that time has 0 for it.
local function is_young(log)
  local made = log.attributes.birthtime
  return made.sec > 0 and math.abs(core.loop.wall() / 1000 - made.sec - made.nsec / 1e9) <= YOUNG
end

---Goes to the end of a log that exists, if that is where to begin.
local function skip(log, size)
  local from = log.input.from
  if from == "start" or not from and is_young(log) then return end
  log.position = size
  if from or size == 0 then return end
  log.skipped = ("%d bytes from before were skipped: from=start reads them"):format(size)
end

---Says how far the log was read.
local function remark(log)
  local words = log.reader and ("%d bytes read, no line matches"):format(log.read) or "the log does not exist yet"
  retries.remark(retries.join(words, log.skipped))
end

---Returns the next line that matches.
---@param input bide.file.FollowInput
---@return bide.file.Line
function M.line(input)
  system.check(input.path)
  local mistake = line_search.mistake(input)
  if mistake then error("file.follow: " .. mistake, 2) end
  local search = line_search.new(input)
  local log <close> = setmetatable({ path = input.path, input = input, search = search, position = 0, read = 0 }, Log)
  local size = log:open()
  if size then skip(log, size) end
  return again(function()
    local line = log:read_on() or log:turn()
    if line then
      retries.remark(nil)
      retries.note(log.skipped)
      return nil, { path = log.path, line = line.line, captures = line.captures, read = log.read }
    end
    remark(log)
    return INTERVAL
  end)
end

return M
