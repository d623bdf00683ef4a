---`--journal FILE` and `--resume`: a command whose waits another process can go on with.

local duration = require "bide.duration"
local luv = require "luv"
local parser = require "bide.cli.parser"
local shown = require "bide.shown"

local M = {}

---@param command table
function M.add_file(command)
  command:option("--journal", "The file that outlives the process; BIDE_JOURNAL otherwise."):argname("FILE")
end

---@param command table
function M.add_options(command)
  M.add_file(command)
  command:flag("--resume", "Go on with the wait that the same command has begun, where it has not ended.")
end

---The file that is meant; nil where none is.
---@param options table of the command line
---@return string?
function M.file(options)
  local file = options.journal or os.getenv "BIDE_JOURNAL"
  return file ~= "" and file or nil
end

---Opens a journal; does not return where something is wrong.
---@param file string
---@param must_exist? boolean
---@return bide.Journal
function M.open(file, must_exist)
  local journal, mistake = require("bide.journal").open(file, must_exist)
  if not journal then parser.fail(mistake) end
  return journal
end

---Opens the journal that the command names for all that runs in it; without one it gives nil.
---@param options table of the command line
---@return bide.Journal?
function M.share(options)
  local file = M.file(options)
  if not file then return nil end
  local journals = require "bide.journal"
  journals.default, journals.is_confined = file, options.sandbox ~= nil
  local journal, mistake = journals.shared()
  if not journal then parser.fail(mistake) end
  return journal
end

---@class bide.cli.Journaling
---@field journal bide.Journal
---@field run bide.JournalRun
local Journaling = {}
Journaling.__index = Journaling

local function tell_resumed(options, waiter, resumed, count)
  if resumed.jump then shown.warn(resumed.jump .. " since then") end
  if options.quiet then return end
  local ago = duration.format(math.max(require("bide.core").loop.wall() - resumed.began, 0))
  local so_far = count > 1 and ("%d of %d waits have ended"):format(resumed.ended, count)
    or ("%d attempt%s so far"):format(resumed.attempts, resumed.attempts == 1 and "" or "s")
  shown.complain(("going on with %s, begun %s ago, %s"):format(waiter.name, ago, so_far))
end

---Writes down what is about to begin, or finds what is to be resumed; does not return where something
---is wrong. Without a journal it gives nil.
---@param options table of the command line
---@param waiter bide.Waiter
---@param prepared bide.PreparedWait[] gets what was recorded, where a run is resumed
---@param observers table[] gets the run
---@return bide.cli.Journaling?
function M.begin(options, waiter, prepared, observers)
  local journal = M.share(options)
  if options.resume and not journal then parser.fail("--resume needs --journal FILE, or BIDE_JOURNAL") end
  if not journal then return nil end
  local sources = require "bide.journal.sources"
  local run, mistake
  local what = {
    recipe = sources.path(waiter.files[1]), waiter = waiter.name, sources = sources.of(waiter), process = luv.os_getpid(),
  }
  if options.resume then
    local resumed
    resumed, mistake = require "bide.journal.resume"(journal, what, prepared)
    if mistake then parser.fail_in_lines(mistake) end
    if resumed then
      tell_resumed(options, waiter, resumed, #prepared)
      run = resumed.run
    end
  end
  if not run then run, mistake = require("bide.journal.runs").begin(journal, what, prepared) end
  if not run then parser.fail(mistake) end
  table.insert(observers, 1, run) -- written down before anybody is told
  return setmetatable({ journal = journal, run = run }, Journaling)
end

---The waits are over, and their outcomes are written.
---@param interrupted boolean whether they are to be resumed
function Journaling:finish(interrupted)
  self.run:finish(interrupted)
  self.journal:close()
end

return M
