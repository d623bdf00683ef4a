---The options for programs that have to last as long as bide waits: `--while-pid N`.

local option = require "bide.text.option"
local parser = require "bide.cli.parser"

local M = {}

local kind = { "a process id, 1 to 2147483647", function(value) return option.kinds.count[2](value) and value > 0 end }

local function read_pid(text)
  local pid = math.tointeger(tonumber(text))
  local mistake = option.mistake(pid or text, kind)
  return not mistake and pid or nil, mistake and "--while-pid: " .. mistake
end

---@param command table
function M.add_options(command)
  command:begin_section "While bide waits"
  command:option("--while-pid", "Fail at once when the process N ends, of whichever user.")
    :argname("N"):convert(read_pid)
end

---@class bide.cli.Companions
---@field watch bide.exec.Watch?
local Companions = {}
Companions.__index = Companions

---Opens what has to last, before the walls of the sandbox are raised; ends the process if it cannot be watched.
---@param options table of the command line
---@return bide.cli.Companions
function M.open(options)
  local companions = setmetatable({}, Companions)
  local pid = options.while_pid
  if not pid then return companions end
  companions.watch = require("bide.probe.exec.watch").open(pid)
  if options.sandbox and not companions.watch.descriptor and not companions.watch.is_gone then
    parser.fail(("--while-pid %d: the system gives no descriptor of this process, and without one --sandbox cannot watch it")
      :format(pid))
  end
  return companions
end

---Watches them.
---@param fail fun(cause: string) called when one has ended
function Companions:start(fail)
  local watch = self.watch
  if not watch then return end
  watch:start(function()
    fail((watch.is_gone and "there is no process %d" or "the process %d has ended"):format(watch.pid))
  end)
end

---Ends the watching.
function Companions:stop()
  if self.watch then self.watch:close() end
end

return M
