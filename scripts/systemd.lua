---Waits until a systemd unit is active. Or, with UnitInactive, until it is inactive and has not failed.
---
---    bide run systemd unit=postgresql.service --max-wait 1m
---    bide run systemd UnitInactive unit=backup.service scope=user --max-wait 1h
---
---An unknown or failed unit is a failure. Also: scope, `system` (the default) or `user`; timeout=5, the seconds for one
---attempt.

local acceptor, exec = require "bide.acceptor", require "bide.exec"
local check = require "bide.input" {
  required = { "unit" }, choices = { scope = { "system", "user" } }, seconds = { "timeout" },
}

local function show(input)
  check(input)
  local scope, properties = input.scope or "system", "LoadState,ActiveState,SubState,Result"
  local command = { "systemctl", "--" .. scope, "show", "--property=" .. properties, "--", input.unit }
  local done = exec(command, { timeout = input.timeout or 10 })
  if done.code ~= 0 then error { type = "SystemdFailure", message = done.stderr:match "[^\n]+" } end
  local unit = {}
  for name, value in done.stdout:gmatch "(%a+)=([^\n]*)" do unit[name] = value end
  return unit
end

local unknown = acceptor.output("failure", "LoadState", "not-found", "'there is no such unit'")
local failed = acceptor.output("failure", "ActiveState", "failed", "join(' ', ['the unit has failed:', Result])")

local function waiter(documentation, wanted)
  return { documentation = documentation, minDelay = 0.5, maxDelay = 5,
    acceptors = { unknown, failed, acceptor.output("success", "ActiveState", wanted), acceptor.transient() } }
end

return { Show = { call = show, default = "UnitActive", waitable = {
  UnitActive = waiter("Waits until a unit is active.", "active"),
  UnitInactive = waiter("Waits until a unit is inactive.", "inactive"),
} } }
