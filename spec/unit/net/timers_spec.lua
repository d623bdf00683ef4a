---The heap of timers: spec/unit/net/timers.c.

describe("the loop", function()
  require("spec.support.checks").declare("timers", it)
end)
