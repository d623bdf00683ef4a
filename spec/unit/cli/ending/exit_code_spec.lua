---Exit 0 stands beside success only, and COMMAND runs beside success only.

local exit_code = require "bide.cli.ending.exit_code"

local reasons = require("bide.text.option").sorted_names(require("bide.wait.reasons").rows)

local function record_of(random)
  if random(3) == 1 then return { state = "success", reason = "acceptor", name = random(2) == 1 and "Done" or nil } end
  return { state = "failure", reason = reasons[random(#reasons)], name = random(3) == 1 and "Failed" or nil }
end

---A fleet whose state is as it is, whatever its waits are: a resumed run may have needed other ones.
local function fleet_of(random)
  local fleet = { records = {}, count = random(4), interrupted = random(8) == 1 }
  local succeeded = 0
  for position = 1, fleet.count do
    local record = record_of(random)
    fleet.records[position] = record
    succeeded = succeeded + (record.state == "success" and 1 or 0)
    if record.state ~= "success" and record.reason ~= "cancelled" and random(2) == 1 then
      fleet.first_failed = fleet.first_failed or position
    end
  end
  fleet.needed = random(fleet.count)
  fleet.state = succeeded >= fleet.needed and not fleet.interrupted and "success" or "failure"
  return fleet
end

describe("the exit code", function()
  it("of a wait is 0 beside success only", function()
    for _, reason in ipairs(reasons) do
      assert.not_equal(0, exit_code.of { state = "failure", reason = reason })
    end
    assert.not_equal(0, exit_code.of { state = "failure", reason = "a reason of a later release" })
    assert.equal(0, exit_code.of { state = "success", reason = "acceptor" })
  end)

  it("of a wait tells how it ended", function()
    local function of(state, reason, signal, more)
      local record = { state = state, reason = reason, name = "Named" }
      for name, value in pairs(more or {}) do record[name] = value end
      return exit_code.of(record, signal, { Other = 9 })
    end
    assert.same({ 75, 1, 3, 4, 124, 5, 70, 143, 130 }, {
      of "retry", of("failure", "acceptor"), of("failure", "unmatchedError"), of("failure", "maxAttempts"),
      of("failure", "maxWait"), of("failure", "scriptError"), of("failure", "scriptError", 15, { fault = true }),
      of("failure", "cancelled", 15), of("failure", "cancelled"),
    })
    assert.same({ 9, 9, 75, 70 }, {
      of("success", "acceptor", nil, { name = "Other" }), of("failure", "acceptor", 15, { name = "Other" }),
      of("retry", nil, nil, { name = "Other" }), of("failure", "scriptError", nil, { name = "Other", fault = true }),
    })
  end)

  it("of a process is 0 only if its output was written and no signal came", function()
    assert.same({ 0, 1, 4 }, {
      exit_code.unless_reported(0, true), exit_code.unless_reported(0, false), exit_code.unless_reported(4, false),
    })
    assert.same({ 0, 143, 4 }, { exit_code.unless_ended(0), exit_code.unless_ended(0, 15), exit_code.unless_ended(4, 15) })
  end)

  it("of a fleet is 0 beside success only", function()
    math.randomseed(1)
    for _ = 1, 20000 do
      local fleet, signal = fleet_of(math.random), math.random(4) == 1 and 15 or nil
      local code = exit_code.of_fleet(fleet, signal, nil, math.random(2) == 1)
      assert(code ~= 0 or fleet.state == "success")
      assert(code == 0 or fleet.state == "failure")
      local last, runs_command = exit_code.decide({ state = fleet.state, code = code, is_reported = true }, signal)
      assert(last ~= 0 or fleet.state == "success" and not signal)
      assert(not runs_command or last == 0)
    end
  end)

  it("of a fleet counts no wait that was cancelled, though it was needed", function()
    local records = { { state = "success", reason = "acceptor" }, { state = "failure", reason = "cancelled" } }
    assert.equal(1, exit_code.of_fleet { state = "failure", needed = 2, count = 2, records = records })
  end)

  it("of a fleet is that of the first failure, or of the worst", function()
    local fleet = { state = "failure", needed = 3, count = 3, first_failed = 2, records = {
      { state = "failure", reason = "scriptError" }, { state = "failure", reason = "maxWait" }, { state = "success" } } }
    assert.equal(124, exit_code.of_fleet(fleet))
    assert.equal(5, exit_code.of_fleet(fleet, nil, nil, true))
    fleet.records[3] = { state = "failure", reason = "scriptError", fault = true }
    assert.equal(70, exit_code.of_fleet(fleet))
  end)

  local rows = {
    { "a success", { state = "success", code = 0, is_reported = true }, nil, 0, true },
    { "a success with a name", { state = "success", code = 7, is_reported = true }, nil, 7, true },
    { "a success that a signal overtook", { state = "success", code = 0, is_reported = true }, 15, 143, false },
    { "one with a name that a signal overtook", { state = "success", code = 7, is_reported = true }, 1, 129, false },
    { "a success that was not written", { state = "success", code = 0, is_reported = false }, nil, 1, false },
    { "one with a name that was not written", { state = "success", code = 7, is_reported = false }, nil, 7, false },
    { "one without the value that COMMAND needs", { state = "success", code = 0, is_reported = true, lacks_value = true },
      nil, 1, false },
    { "a failure", { state = "failure", code = 4, is_reported = true }, nil, 4, false },
    { "a failure and a signal", { state = "failure", code = 4, is_reported = true }, 2, 4, false },
    { "a failure whose name has 0", { state = "failure", code = 0, is_reported = true }, nil, 0, false },
    { "a failure whose name has 0, and a signal", { state = "failure", code = 0, is_reported = true }, 2, 130, false },
  }

  for _, row in ipairs(rows) do
    it("and COMMAND follow from " .. row[1], function()
      assert.same({ row[4], row[5] }, { exit_code.decide(row[2], row[3]) })
    end)
  end
end)
