---Waits until a unit of systemd is active. Or, with UnitInactive, until it is not, and did not fail.
---
---    bide run systemd unit=postgresql.service --max-wait 1m
---    bide run systemd UnitInactive unit=backup.service scope=user --max-wait 1h
---
---A unit that is unknown, or has failed, is not waited for. Further inputs: scope, system otherwise; timeout=5, in
---seconds for one attempt.

local error_class, exec = require "bide.error_class", require "bide.exec"
local check = require "bide.input" { required = { "unit" }, optional = { "scope" }, numbers = { "timeout" } }

local function show(input)
  check(input)
  local scope, properties = input.scope or "system", "LoadState,ActiveState,SubState,Result"
  if scope ~= "system" and scope ~= "user" then
    error { type = "InvalidInput", message = "scope must be system or user" }
  end
  local command = { "systemctl", "--" .. scope, "show", "--property=" .. properties, "--", input.unit }
  local done = exec(command, { timeout = input.timeout or 10 })
  if done.code ~= 0 then error { type = "SystemdFailure", message = done.stderr:match "[^\n]*" } end
  local unit = {}
  for name, value in done.stdout:gmatch "(%a+)=([^\n]*)" do unit[name] = value end
  return unit
end

local function is(state, path, message)
  local output = { path = path, comparator = "booleanEquals", expected = "true" }
  return { state = state, message = message, matcher = { output = output } }
end

local unknown = is("failure", "LoadState == 'not-found'", "'there is no such unit'")
local failed = is("failure", "ActiveState == 'failed'", "join(' ', ['the unit has failed:', Result])")
local again = { state = "retry", matcher = { lua = error_class.matcher() } }

return { Show = { call = show, default = "UnitActive", waitable = {
  UnitActive = { documentation = "Waits until a unit is active.", minDelay = 0.5, maxDelay = 5,
    acceptors = { is("success", "ActiveState == 'active'"), unknown, failed, again } },
  UnitInactive = { documentation = "Waits until a unit is inactive.", minDelay = 0.5, maxDelay = 5,
    acceptors = { unknown, is("success", "ActiveState == 'inactive'"), failed, again } },
} } }
