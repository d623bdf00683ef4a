---The units of systemd on this machine, as `systemctl show` has them.
---
---    local systemd = require "bide.systemd"
---    local state = systemd.show({ unit = "postgresql.service", scope = "system" }).ActiveState

local again = require "bide.task.again"
local bus = require "bide.probe.systemd.bus"
local exec = require "bide.exec"
local fail = require "bide.text.fail"
local option = require "bide.text.option"
local retries = require "bide.task.retries"
local tables = require "bide.text.tables"
local unix = require "bide.unix"
local uv = require "luv"

local M = {}

local INTERVAL = 200 -- milliseconds between two looks at a unit that has not finished

local properties = "LoadState,ActiveState,SubState,Result,Job,InvocationID,Type,RemainAfterExit,"
  .. "InactiveEnterTimestampMonotonic,ExecMainExitTimestampMonotonic,StateChangeTimestampMonotonic"

---@class bide.systemd.Input
---@field unit string
---@field scope "system"|"user"
---@field timeout? number for one call of systemctl

---Returns the command that shows a unit, for bide.exec.
---@param input bide.systemd.Input
local function command_of(input)
  return { "systemctl", "--" .. input.scope, "show", "--property=" .. properties, "--", input.unit, timeout = input.timeout }
end

local function show(command)
  local done = exec(command)
  if done.code ~= 0 then
    fail("SystemdFailure", done.stderr:match "[^\n]+" or ("systemctl has ended with the exit code %d"):format(done.code))
  end
  local unit = {}
  for name, value in done.stdout:gmatch "(%a+)=([^\n]*)" do
    if unit[name] then fail("InvalidAnswer", "systemctl has answered for several units, and one is asked for") end
    unit[name] = value
  end
  if (unit.ActiveState or "") == "" or (unit.LoadState or "") == "" then
    fail("InvalidAnswer", "systemctl has not said in what state the unit is, and whether there is one")
  end
  return unit
end

---Reports whether an instant was at most `age` seconds ago.
---@param instant string? microseconds of the clock that uv.hrtime reads; 0 for none
local function is_recent(instant, age)
  local at = tonumber(instant) or 0
  return at > 0 and (not age or uv.hrtime() / 1e9 - at / 1e6 <= age)
end

---Returns when the program of a unit that is "exited" has ended; none for one that has only ExecStop, which is "exited" before
---that has run. Of a script of SysV's init, which forks, systemd knows no main program, but when nothing of it was left.
local function exit_of(unit)
  local exited = unit.ExecMainExitTimestampMonotonic
  if is_recent(exited) or unit.Type ~= "forking" then return exited end
  return unit.StateChangeTimestampMonotonic
end

---Reports whether no program of a unit runs, and one has.
local function is_over(unit)
  return unit.ActiveState == "inactive" or unit.SubState == "exited" and is_recent(exit_of(unit))
end

---Reports whether a unit is at the end of a run, which was at most `age` seconds ago. One with RemainAfterExit stays active,
---until it is stopped: its run has ended when its program did.
local function has_run(unit, age)
  if unit.SubState == "exited" then return is_recent(exit_of(unit), age) end
  local exited = unit.ExecMainExitTimestampMonotonic
  local is_stopped_later = unit.RemainAfterExit == "yes" and is_recent(exited)
  return unit.ActiveState == "inactive" and unit.InvocationID ~= ""
    and is_recent(is_stopped_later and exited or unit.InactiveEnterTimestampMonotonic, age)
end

---The states of a run. One that has ended is active as well, with RemainAfterExit.
local running = { activating = true, active = true, deactivating = true, reloading = true }

local function finish(command, age)
  local was_running = false
  return again(function()
    local unit = show(command)
    local state, ended = unit.ActiveState, is_over(unit)
    local has_ended = ended and (was_running or has_run(unit, age))
    unit.finished = has_ended and (unit.Result or "success") == "success"
    if unit.finished or state == "failed" or unit.LoadState == "not-found" then return nil, unit end
    was_running = was_running or not ended and running[state] or false
    retries.remark(("the unit is %s%s"):format(state, has_ended and ", and its last run: " .. unit.Result
      or ended and age and ", and no run of it has ended within age"
      or unit.SubState == "exited" and not ended and ", and has only a program for its stop" or ""))
    return INTERVAL
  end)
end

---Returns the properties of a unit. Raises SystemdFailure if systemctl fails, and InvalidAnswer if it says nothing of the
---unit, as substitutes for it may do.
---@param input bide.systemd.Input
---@return table<string, string>
function M.show(input)
  return show(command_of(input))
end

---Waits until a unit has run and ended, or there is no such unit, and returns its properties; `finished` is whether it has
---ended without a failure. systemd forgets the run of a unit that nothing refers to as soon as it has succeeded. So all
---looks are one attempt, which remembers that the unit was running.
---@param input bide.systemd.Input | { age: number? }
---@return table unit
function M.finish(input)
  return finish(command_of(input), input.age)
end

-- ---- a recipe's ----------------------------------------------------------------------------------

---Returns what is wrong with an input: systemctl would take a pattern for several units, or for none.
---@param input bide.systemd.Input
---@return string? mistake
function M.mistake(input)
  if not input.unit:find "[*?%[]" then return nil end
  return "unit: " .. option.expected("the name of one unit, without * ? [", input.unit)
end

---The properties of a unit whose state stays: a job that is queued changes it, as between the halves of a restart.
local function show_settled(command)
  local unit = show(command)
  local state = unit.ActiveState
  if (unit.Job or "") ~= "" and (state == "active" or state == "inactive") then
    fail("JobQueued", ("the unit is %s, and a job that will change it is queued"):format(state))
  end
  return unit
end

---Reads an input once: returns a function that does the same as `systemd.show`, but raises JobQueued for a unit that a job is to
---start or stop.
---@param input bide.systemd.Input
---@return (fun(): table<string, string>)?
---@return string? mistake
function M.prepare_show(input)
  local mistake = M.mistake(input)
  if mistake then return nil, mistake end
  local command = command_of(input)
  return function() return show_settled(command) end
end

---Reads an input once: returns a function that does the same as `systemd.finish`.
---@param input bide.systemd.Input | { age: number? }
---@return (fun(): table)?
---@return string? mistake
function M.prepare_finish(input)
  local mistake = M.mistake(input)
  if mistake then return nil, mistake end
  local command = command_of(input)
  return function() return finish(command, input.age) end
end

local LIFE = 86400 -- seconds of a connection for signals

---Returns the socket of the service manager, as systemctl chooses it: its own, or, for another user, the bus of the system.
---@return string path
---@return boolean is_shared whether it is the bus
local function socket_of(scope)
  if scope == "user" then return (os.getenv "XDG_RUNTIME_DIR" or "/run/user/" .. uv.getuid()) .. "/systemd/private", false end
  if uv.getuid() == 0 then return "/run/systemd/private", false end
  return "/run/dbus/system_bus_socket", true
end

---Wakes the wait for a unit when it changes, for the `watch` of an operation. Polls stay as they are: systemd says nothing
---while nothing changes.
---@param input bide.systemd.Input
---@param wake bide.Wake
function M.watch(input, wake)
  local path, is_shared = socket_of(input.scope)
  unix { path = path, timeout = LIFE, talk = function(dialogue)
    bus.follow(dialogue, { user = uv.getuid(), unit = input.unit, is_shared = is_shared }, function() wake() end)
  end }
end

---Returns the key by which waits for a unit share a watch, for the `watch_key` of an operation.
---@param input bide.systemd.Input
---@return string
function M.watch_key(input)
  return ("%s\0%s"):format(input.scope, input.unit)
end

---Returns the declarations of the inputs of `show`, or with those of a recipe's own.
---@param own? table<string, bide.InputMember>
---@return table<string, bide.InputMember>
function M.inputs(own)
  return tables.merged({
    unit = { type = "string", required = true, positional = 1, example = "postgresql.service", documentation = "The unit." },
    scope = { type = "string", values = { "system", "user" }, default = "system", documentation = "Whose units." },
    timeout = { type = "duration", default = 10, documentation = "The time for one call of systemctl." },
  }, own)
end

return M
