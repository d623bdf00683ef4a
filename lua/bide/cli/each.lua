---`bide run --each FILE.jsonl`: one wait for each line. The line is the input of the wait.

local branch = require "bide.cli.branch"
local core = require "bide.core"
local duration = require "bide.duration"
local parser = require "bide.cli.parser"
local script_error = require "bide.script_error"
local secret = require "bide.secret"
local shown = require "bide.shown"
local new_gate = require("bide.tasks.line").new_gate

local M = {}

-- ---- progress: how many waits have ended and how ----------------------------------------------

local loop = core.loop

local PAUSE, HEARTBEAT = 1000, 30000 -- milliseconds

---@class bide.FleetProgress
local FleetProgress = {}
FleetProgress.__index = FleetProgress

local function ring(progress)
  progress:say()
end

---@param count integer how many waits there are
---@param live boolean whether standard error is a terminal that can redraw a line
---@return bide.FleetProgress
local function new_progress(count, live)
  local progress = setmetatable({
    count = count, live = live, succeeded = 0, failed = 0, attempts = 0, tolerated = 0, said = 0,
  }, FleetProgress)
  progress.alarm = loop.alarm(ring, progress)
  return progress
end

function FleetProgress:line()
  local ended = self.succeeded + self.failed
  local text = ("%d of %d waits have ended: %d succeeded, %d failed; %d attempts"):format(ended, self.count,
    self.succeeded, self.failed, self.attempts)
  if self.tolerated == 0 then return text end
  return ("%s; warning: %d error%s tolerated"):format(text, self.tolerated, self.tolerated == 1 and "" or "s")
end

function FleetProgress:say()
  self.due, self.said = nil, loop.now()
  if self.live then shown.draw(self:line()) else shown.note(self:line()) end
  self.alarm:start(loop.now() + (self.live and PAUSE or HEARTBEAT))
end

---Says what has changed, but not more often than people can read.
function FleetProgress:changed()
  if self.due then return end
  self.due = math.max(loop.now(), self.said + PAUSE)
  self.alarm:start(self.due)
end

function FleetProgress:started(begun)
  self.attempts = self.attempts + begun.attempts -- of one that is resumed
  if not self.due then self.alarm:start(loop.now() + HEARTBEAT) end
end

function FleetProgress:attempted(tried, entry)
  self.attempts = self.attempts + 1
  if not entry.delay or tried.state:streak() ~= "tolerated" then return end
  self.tolerated = self.tolerated + 1
  if self.tolerated == 1 then self:changed() end
end

function FleetProgress:ended(_, record)
  local which = record.state == "success" and "succeeded" or "failed"
  self[which] = self[which] + 1
  if self.succeeded + self.failed < self.count then return self:changed() end
  self.alarm:stop()
  if self.live then shown.erase() end
end

-- ---- options and inputs -----------------------------------------------------------------------

---@param command table
function M.add_options(command)
  command:option("--each", "Run one wait for each line of a JSON Lines file. The line is the input. - is "
    .. "standard input.")
    :argname("FILE")
  command:mutex(
    command:flag("--all", "With --each: succeed once every wait has succeeded (the default)."),
    command:flag("--any", "With --each: succeed once one wait has succeeded."),
    parser.add_count(command, "--some", "With --each: succeed once K waits have succeeded."):argname("K"))
  parser.add_count(command, "--jobs", "With --each: run at most N attempts at a time.")
end

---@param options table
function M.refuse_options(options)
  for _, name in ipairs { "all", "any", "some", "jobs" } do
    if options[name] then parser.fail(("--%s needs --each FILE"):format(name)) end
  end
end

local function lines_of(file)
  if file == "-" then return io.stdin:lines() end
  local ok, lines = pcall(io.lines, file)
  if ok then return lines end
  script_error.pass_out_of_memory(lines)
  parser.fail("--each: " .. tostring(lines))
end

---Reads the inputs and the numbers of their lines. The members of a line override those of the command line.
local function read_inputs(file, common)
  local inputs, numbers, number = {}, {}, 0
  for line in lines_of(file) do
    number = number + 1
    if line:find("%S") then
      local value, mistake = core.json.decode(line)
      if mistake then parser.fail(("%s:%d:%d: %s"):format(file, number, mistake.column, mistake.message)) end
      if type(value) ~= "table" or core.json.is_array(value) then
        parser.fail(("%s:%d: wanted a JSON object, the input of a wait"):format(file, number))
      end
      for name, member in pairs(common:value()) do
        if value[name] == nil then value[name] = member end
      end
      inputs[#inputs + 1] = assert(core.json.document(value))
      numbers[#inputs] = number
    end
  end
  if #inputs == 0 then parser.fail(("%s: found no line, wanted at least one, with the input of a wait"):format(file)) end
  return inputs, numbers
end

local function needed(options, count)
  if options.any then return 1 end
  if not options.some then return count end
  if options.some > count then
    parser.fail(("--some: found %d, wanted at most %d, the number of waits"):format(options.some, count))
  end
  return options.some
end

local row = "%5s  %-8s %-14s %8s  %10s  %s"

---Returns a line for each wait, in the order of the file, and one for all of them.
---@return string ...
local function summary(record, numbers)
  local lines = { row:format("line", "state", "reason", "attempts", "elapsed", "message") }
  for position = 1, record.count do
    local ended = record.records[position]
    lines[#lines + 1] = row:format(numbers[position], ended.state, ended.reason, ended.attempts,
      duration.format(duration.of_seconds(ended.elapsed)), secret.clear(ended).message)
  end
  lines[#lines + 1] = record.message
  return table.unpack(lines)
end

---Returns one wait for each line of the file; ends the process if one of them is refused.
---@param options table of the command line
---@param common bide.cli.Branch its input is the part that all waits share
---@return bide.cli.Waits
function M.waits(options, common)
  if common.codes then parser.fail("--exit-code is for one wait, and --each makes several") end
  local inputs, numbers = read_inputs(options.each, common.input)
  common.limits.gate = options.jobs and new_gate(options.jobs)
  local prepared = {}
  for position, input in ipairs(inputs) do
    prepared[position] = branch.prepare(common, input, ("%s:%d"):format(options.each, numbers[position]))
  end
  return {
    prepared = prepared, needed = needed(options, #inputs),
    new_progress = function(is_terminal) return new_progress(#inputs, is_terminal) end,
    lines = function(record) return summary(record, numbers) end,
  }
end

return M
