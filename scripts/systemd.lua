---Waits until a systemd unit is active. Or, with UnitInactive, until it is inactive and has not failed.
---systemd is near, and a poll starts a program: the delays are 50 ms to 500 ms.
---
---    bide run systemd postgresql.service --max-wait 1m
---    bide run systemd UnitInactive backup.service scope=user --max-wait 1h
---
---An unknown or failed unit is a failure.

local acceptor, exec = require "bide.acceptor", require "bide.exec"

local function show(input)
  local properties = "LoadState,ActiveState,SubState,Result"
  local command = { "systemctl", "--" .. input.scope, "show", "--property=" .. properties, "--", input.unit }
  local done = exec(command, { timeout = input.timeout })
  if done.code ~= 0 then error { type = "SystemdFailure", message = done.stderr:match "[^\n]+" } end
  local unit = {}
  for name, value in done.stdout:gmatch "(%a+)=([^\n]*)" do unit[name] = value end
  return unit
end

local unknown = acceptor.output("failure", "LoadState", "not-found", "'there is no such unit'")
local failed = acceptor.output("failure", "ActiveState", "failed", "join(' ', ['the unit has failed:', Result])")

local function waiter(documentation, opposite, wanted)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 0.5,
    acceptors = { unknown, failed, acceptor.output("success", "ActiveState", wanted), acceptor.transient() } }
end

return { Show = { call = show, input = {
  unit = { type = "string", required = true, positional = 1, example = "postgresql.service", documentation = "The unit." },
  scope = { type = "string", values = { "system", "user" }, default = "system", documentation = "Whose units." },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
}, default = "UnitActive", waitable = {
  UnitActive = waiter("Waits until a unit is active.", "UnitInactive", "active"),
  UnitInactive = waiter("Waits until a unit is inactive.", "UnitActive", "inactive"),
} } }
