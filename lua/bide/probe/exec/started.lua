---A program that runs beside a wait. It leads the gentle group, and its output goes elsewhere as it comes, at the pace of
---the reader there; its end is kept.

local core = require "bide.core"
local group = require "bide.probe.exec.group"
local ignored_signals = require "bide.probe.exec.ignored_signals"
local processes = require "bide.processes"
local tail = require "bide.probe.exec.tail"
local uv = require "luv"

local loop = core.loop

local PACE = 20            -- milliseconds until a reader that took nothing is asked again
local PIECE = 64 * 1024    -- bytes of one read
local MOST_PIECES = 32     -- that are read at the end of the program, which others may continue to write

---@class bide.exec.Started
---@field handle userdata
---@field leader integer
---@field pipe userdata of standard output and standard error
---@field tail bide.exec.Tail
---@field write fun(bytes: string): integer? takes a part of the output now; nil if it can take no more, ever
---@field pending string the output that was not taken yet
---@field pace bide.Alarm
---@field ended fun(started: bide.exec.Started)
---@field has_ended boolean? or is about to
---@field code integer? once that is known
---@field signal integer?
local Started = {}
Started.__index = Started

local M = {}

---Passes on the output that is pending.
---@return boolean done
local function pass(started)
  if started.pending == "" then return true end
  local taken = started.write(started.pending)
  started.pending = taken and started.pending:sub(taken + 1) or ""
  return started.pending == ""
end

local function take(started, bytes)
  started.tail:add(bytes)
  started.pending = started.pending .. bytes
end

---Reads the output while its reader takes it.
local function read(started)
  if not pass(started) then return started.pace:start(loop.update() + PACE) end
  if started.pipe:is_closing() then return end
  started.pipe:read_start(function(_, bytes)
    if not bytes then return started.pipe:close() end
    take(started, bytes)
    if pass(started) then return end
    started.pipe:read_stop()
    started.pace:start(loop.update() + PACE)
  end)
end

---Takes the output that is in the pipe, without waiting for more.
local function drain(started)
  if started.pipe:is_closing() then return end
  for _ = 1, MOST_PIECES do
    local bytes = uv.fs_read(started.pipe:fileno(), PIECE, -1)
    if not bytes or bytes == "" then return end
    take(started, bytes)
    pass(started)
  end
end

---Keeps how the program has ended, as far as that is known, with what it wrote last.
local function keep_end(started, code, signal)
  started.has_ended, started.code, started.signal = true, code, signal
  drain(started)
end

local function program_ended(started, code, signal)
  started.handle:close()
  group.release(started.leader)
  keep_end(started, code, signal)
  started.ended(started)
end

---Starts a line of the shell, with the signals ignored that bide ignores.
---@param line string
---@param write fun(bytes: string): integer?
---@param ended fun(started: bide.exec.Started) called once, from the loop, when the program has ended
---@return bide.exec.Started?
---@return string? failure the words of the system
function M.start(line, write, ended)
  local started = setmetatable({ tail = tail.new(), write = write, pending = "", ended = ended }, Started)
  local ends, failure = uv.pipe({ nonblock = true }, {})
  if not ends then return nil, failure end
  started.pipe, started.pace = uv.new_pipe(false), loop.alarm(read, started)
  started.pipe:open(ends.read)
  local words = ignored_signals.keep { "/bin/sh", "-c", line }
  started.handle, started.leader, failure = group.spawn(words[1], {
    args = table.move(words, 2, #words, 1, {}), stdio = { nil, ends.write, ends.write },
  }, function(code, signal) program_ended(started, code, signal) end, true)
  uv.fs_close(ends.write)
  if failure then
    started.pipe:close()
    return nil, failure
  end
  read(started)
  return started
end

---Checks whether the program has ended or is ending, though the loop may not have noticed it yet.
---@return boolean
function Started:is_over()
  if self.has_ended then return true end
  local code, signal = core.process.end_of_child(self.leader)
  if not code and not processes.is_ending(self.leader) then return false end
  keep_end(self, math.tointeger(code), signal)
  return true
end

---Says how the program ended, in words that follow its name.
---@return string
function Started:words()
  local how = not self.code and "is ending" or self.signal ~= 0 and ("was ended by signal %d"):format(self.signal)
    or ("ended with exit code %d"):format(self.code)
  if self.signal == 0 and self.code == 0 then how = how .. ", and has to stay in the foreground" end
  local lines = self.tail:lines()
  if #lines == 0 then return how .. ", without output" end
  return ("%s; its last lines: %s"):format(how, table.concat(lines, " | "))
end

---Ends the group; group.settle waits for that.
function Started:finish()
  group.finish(self.leader)
end

---Passes on what is left of the output, once the group has ended.
function Started:close()
  self.pace:stop()
  drain(self)
  pass(self)
  if not self.pipe:is_closing() then self.pipe:close() end
  loop.settle()
end

return M
