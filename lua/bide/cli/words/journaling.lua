---`--journal FILE` and `--resume`: a command whose waits another process can continue.

local counted = require "bide.text.counted"
local duration = require "bide.text.duration"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"

local M = {}

---@param command table
---@param purpose string what becomes of FILE
function M.add_file(command, purpose)
  command:begin_section "After a crash"
  command:option("--journal", purpose .. " Default: BIDE_JOURNAL."):argname("FILE")
end

---@param command table
function M.add_options(command)
  M.add_file(command, "Record the run in FILE, from which --resume continues.")
  command:flag("--resume", "Continue the run that the same command began, if it has not ended; else begin it.")
end

---Returns the journal's file; nil if there is none.
---@param options table of the command line
---@return string?
function M.file(options)
  local file = options.journal or os.getenv "BIDE_JOURNAL"
  return file ~= "" and file or nil
end

---Opens a journal; ends the process if it cannot be opened.
---@param file string
---@param must_exist? boolean
---@return bide.Journal
function M.open(file, must_exist)
  local journal, mistake = require("bide.record.journal").open(file, must_exist)
  if not journal then parser.fail(mistake) end
  return journal
end

---Opens the journal of the command, which all its waits and scripts share; nil if there is none.
---@param options table of the command line
---@return bide.Journal?
function M.share(options)
  local file = M.file(options)
  if not file then return nil end
  local journals = require "bide.record.journal"
  journals.default, journals.is_confined = file, options.sandbox ~= nil
  local journal, mistake = journals.shared()
  if not journal then parser.fail(mistake) end
  return journal
end

---@class bide.cli.Journaling
---@field journal bide.Journal
---@field run bide.JournalRun
---@field is_written? boolean whether the outcome is in the journal
local Journaling = {}
Journaling.__index = Journaling

local function describe_progress(waiter, resumed, count)
  local ago = duration.format(math.max(require("bide.core").loop.wall() - resumed.began, 0))
  if resumed.has_ended then
    return ("%s, which began %s ago, ended before its outcome was reported; reporting it now"):format(waiter, ago)
  end
  local so_far = count > 1 and ("%d of %d waits have ended"):format(resumed.ended, count)
    or counted(resumed.attempts, "attempt") .. " so far"
  return ("continuing %s, which began %s ago, %s"):format(waiter, ago, so_far)
end

---Says that a new wait begins, and in what the nearest one that the journal has is another question.
local function report_new(nearest)
  local text = "the journal has no such wait; a new one begins"
  if nearest then
    text = ("%s. Run %d is near, and differs in %s"):format(text, nearest.run.id, table.concat(nearest.differences, ", "))
  end
  shown.complain(text)
end

local function report_resumed(options, waiter, resumed, count)
  if resumed.jump then shown.complain(("warning: %s since then"):format(resumed.jump)) end
  if resumed.ended > 0 or not options.quiet then shown.complain(describe_progress(waiter, resumed, count)) end
end

---Adds a value to a list unless it is there.
local function add_once(list, value)
  if not list[value] then list[#list + 1], list[value] = value, true end
end

---@param prepared bide.PreparedWait[]
---@param waits bide.cli.Waits
---@return bide.RunDescription
local function describe(options, prepared, waits)
  local sources, waiters, recipes, waiter_names = require "bide.record.journal.sources", {}, {}, {}
  for _, wait in ipairs(prepared) do add_once(waiters, wait.waiter) end
  for _, waiter in ipairs(waiters) do
    add_once(recipes, sources.path(waiter.files[1]))
    add_once(waiter_names, waiter.name)
  end
  local what = {
    recipe = table.concat(recipes, " + "), waiter = table.concat(waiter_names, " + "), names = waits.names,
    sources = sources.of(waiters), process = luv.os_getpid(), command = options.command,
    needed = waits.needed or 1, goal = ("%d of %d"):format(waits.needed or 1, #prepared),
    beside = options.companions and options.companions:describe(),
  }
  what.question = require("bide.record.journal.question").of(what, prepared)
  return what
end

---Records the run that is about to begin, or finds the run to resume; ends the process if it cannot. Returns
---nil without a journal.
---@param options table of the command line
---@param waits bide.cli.Waits get the recorded states if a run is resumed
---@param observers table[] gets the run
---@return bide.cli.Journaling?
function M.begin(options, waits, observers)
  local journal = M.share(options)
  if options.resume and not journal then parser.fail("--resume needs --journal FILE, or BIDE_JOURNAL") end
  if not journal then return nil end
  local prepared = waits.prepared
  local what, run, mistake = describe(options, prepared, waits), nil, nil
  if options.resume then
    local resumed, nearest
    resumed, mistake, nearest = require "bide.record.journal.resume"(journal, what, prepared)
    if mistake then parser.fail_in_lines(mistake) end
    if resumed then report_resumed(options, what.waiter, resumed, #prepared) else report_new(nearest) end
    run = resumed and resumed.run
  end
  if not run then run, mistake = require("bide.record.journal.runs").begin(journal, what, prepared) end
  if not run then parser.fail(mistake) end
  observers:add(run, 1) -- recorded before it is shown
  return setmetatable({ journal = journal, run = run }, Journaling)
end

---Ends the run in the journal. The slow part is done here, before anything is reported.
---@param interrupted boolean whether the waits can be resumed
---@param state "success"|"failure"
---@param records table[] the outcomes of all waits
function Journaling:finish(interrupted, state, records)
  if interrupted then
    self.run:interrupt()
    return self.journal:close()
  end
  self.run:finish(state, records)
  self.is_written = self.journal:settle()
  self.journal:checkpoint()
end

---Records that the outcome was reported; --resume does not find the run after that. This is the last step before the
---process ends or becomes another program: a kill between recording and reporting would lose the outcome, and the same
---command would make the request again.
function Journaling:mark_reported()
  if not self.is_written then return end
  local done, mistake = self.run:mark_reported()
  if not done then shown.complain(("warning: %s; --resume reports the outcome again"):format(mistake)) end
end

return M
