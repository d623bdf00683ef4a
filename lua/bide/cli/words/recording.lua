---`--record`: what really happens is recorded, so that `replay` and `test` can run it again.

local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"

local M = {}

---@param command table
---@param what string what is recorded
---@param argument string
function M.add_option(command, what, argument)
  command:begin_section "Report"
  command:option("--record", what .. " in JSON Lines: each answer, its requests and its times, without secrets. "
    .. "bide replay and bide test read them."):argname(argument)
end

local function complain(message) shown.complain(message) end

---Refuses what cannot be meant; ends the process.
---@param options table of the command line
function M.check(options)
  if options.record and options.sandbox then
    parser.fail "--record and --sandbox exclude each other: within the sandbox bide opens no further files"
  end
end

---Returns the observer that records waits; nil without the option. Ends the process if nothing can be recorded.
---@param options table of the command line
---@param count integer? of the waits; nil if it is not known before they begin
---@return bide.Recordings?
function M.open(options, count)
  if not options.record then return nil end
  local recording = require "bide.record.recording"
  local recordings, mistake
  if count == 1 then
    recordings, mistake = recording.in_file(options.record, complain)
  else
    recordings, mistake = recording.in_folder(options.record, count ~= nil, complain)
  end
  return recordings or parser.fail("--record: " .. mistake)
end

return M
