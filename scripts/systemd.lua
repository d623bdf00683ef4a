---Waits until a systemd unit is active. Or, with UnitInactive, until it is inactive and has not failed; with UnitFinished,
---until it has run and ended with success, as a job does.
---systemd says when a unit changes, and it is looked at then. systemd is near, and a poll starts a program:
---the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run systemd postgresql.service --max-wait 1m
---    bide run systemd UnitInactive backup.service scope=user --max-wait 1h
---    bide run systemd UnitFinished backup.service age=1d --max-wait 2h
---
---An unknown or failed unit is a failure. UnitFinished is one attempt, which looks every 0.2 s: with --resume it does not
---know what ran before, and systemd forgets at once a run that succeeds, unless a timer or another unit refers to it.

local acceptor = require "bide.acceptor"
local systemd = require "bide.systemd"

local unknown = acceptor.output("failure", "LoadState", "not-found", "'there is no such unit'")
local failed = acceptor.output("failure", "ActiveState", "failed", "join(' ', ['the unit has failed:', Result])")

local function waiter(members, success)
  members.minDelay, members.maxDelay, members.lateness = 0.05, 5, 0.05
  members.acceptors = { unknown, failed, success, acceptor.transient "JobQueued" }
  return members
end

local function is(state)
  return acceptor.output("success", "ActiveState", state)
end

local properties = {
  LoadState = { type = "string" },
  ActiveState = { type = "string" },
  SubState = { type = "string" },
  Result = { type = "string" },
  Job = { type = "string" },
  InvocationID = { type = "string" },
  InactiveEnterTimestampMonotonic = { type = "string" },
  ExecMainExitTimestampMonotonic = { type = "string" },
  RemainAfterExit = { type = "string" },
  finished = { type = "boolean" },
}

return {
  Show = {
    place = "local",
    prepare = systemd.prepare_show,
    watch = systemd.watch,
    watch_key = systemd.watch_key,
    output = properties,
    input = systemd.inputs(),
    default = "UnitActive",
    waitable = {
      UnitActive = waiter({
        documentation = "Waits until a unit is active.",
        countsAsReady = "systemctl says ActiveState=active of the one unit, and has no job for it",
        opposite = "UnitInactive",
      }, is "active"),
      UnitInactive = waiter({
        documentation = "Waits until a unit is inactive.",
        countsAsGone = "systemctl knows the one unit, says ActiveState=inactive of it, and has no job for it",
        opposite = "UnitActive",
      }, is "inactive"),
    },
  },
  Finish = {
    place = "local",
    prepare = systemd.prepare_finish,
    output = properties,
    input = systemd.inputs {
      age = {
        type = "duration",
        documentation = "How long ago a run may have ended that the wait did not see. Default: any time.",
      },
    },
    waitable = {
      UnitFinished = waiter({
        documentation = "Waits until a unit has run and ended.",
        countsAsReady = "the unit is inactive after it was seen running, or after a run that systemd knows, or its program has "
          .. "exited; with age, that run was seen or is no older; and the result is success",
      }, acceptor.output("success", "finished")),
    },
  },
}
