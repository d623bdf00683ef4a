local core = require "bide.core"
local limits = require "bide.recipe.waiter.limits"

---Gives every limit that the core has, as the record of a wait names them.
local function limits_of_core()
  local definition = core.wait.definition(1, 1, {})
  local record = core.wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1 }):start(1, 0):save()
  local names = {}
  for name in record:match("^%S+ %d+ (.*) attempts="):gmatch("([%w_]+)=") do names[#names + 1] = name end
  return names
end

---An option of each row, and the members of the limits that it gives.
local examples = {
  maxWait = { "5s", { max_wait = 5000 } }, maxAttempts = { 3, { max_attempts = 3 } },
  minDelay = { 0.5, { min_delay = 500 } }, maxDelay = { 2, { max_delay = 2000 } },
  initialDelay = { 0, { initial_delay = 0 } }, tolerate = { "30s", { tolerated_attempts = 0, tolerated_time = 30000 } },
  retryAfter = { false, { retry_after_cap = 0 } }, seed = { -1, { seed = -1 } },
  hold = { "3", { hold_attempts = 3, hold_time = 0, hold_delay = 1000 } },
  interval = { "1.5s", { min_delay = 1500, max_delay = 1500 } },
}

describe("the rows of limits", function()
  it("give every limit that the core knows, and an example stands for each", function()
    local given = { lateness = true, last_spread = true } -- of the waiter alone, and of the fleet
    for _, row in ipairs(limits.rows) do
      local example = assert(examples[row.name], row.name)
      local members = assert(limits.members_of(row, example[1]))
      assert.same(example[2], members)
      for name in pairs(members) do given[name] = true end
    end
    local names = limits_of_core()
    assert.equal(12, #names)
    for _, name in ipairs(names) do assert.is_true(given[name], name) end
  end)

  it("go before the waiter's own, where a waiter may have one", function()
    local waiter = { min_delay = 1, max_delay = 9, retry_after_cap = 5, max_wait = 99, seed = 7 }
    local merged = assert(limits.merge(waiter, { maxWait = { max_wait = 3 }, maxDelay = { max_delay = 2 } }))
    merged.name_option = nil
    local given = "maxDelay=max_delay maxWait=max_wait"
    assert.same({ min_delay = 1, max_delay = 2, max_wait = 3, retry_after_cap = 5, given = given }, merged)
  end)

  ---The waiter's delays are 5 and 10.
  local delays = {
    { { maxDelay = { max_delay = 2 } }, 2, 2 }, { { maxDelay = { max_delay = 7 } }, 5, 7 },
    { { minDelay = { min_delay = 20 } }, 20, 20 }, { { minDelay = { min_delay = 7 } }, 7, 10 },
    { { minDelay = { min_delay = 1 }, maxDelay = { max_delay = 2 } }, 1, 2 },
    { { interval = { min_delay = 3, max_delay = 3 } }, 3, 3 }, { { interval = { min_delay = 30, max_delay = 30 } }, 30, 30 },
  }
  for position, row in ipairs(delays) do
    it("let one delay that is given move the waiter's other one: " .. position, function()
      local merged = assert(limits.merge({ min_delay = 5, max_delay = 10 }, row[1]))
      assert.same({ row[2], row[3] }, { merged.min_delay, merged.max_delay })
    end)
  end

  ---The waiter's delays are 5 and 10, with a lateness.
  local late = {
    { {}, 5, 10, 7 }, { { minDelay = { min_delay = 20 } }, 20, 20, 7 }, { { maxDelay = { max_delay = 7 } }, 5, 7, 7 },
    { { maxDelay = { max_delay = 5 } }, 5, 5, 7 }, { { maxDelay = { max_delay = 4 } }, 4, 4, nil },
    { { interval = { min_delay = 6, max_delay = 6 } }, 6, 6, nil },
    { { minDelay = { min_delay = 1 }, maxDelay = { max_delay = 2 } }, 1, 2, 7 },
  }
  for position, row in ipairs(late) do
    it("keep the waiter's lateness unless the delays become constant: " .. position, function()
      local merged = assert(limits.merge({ min_delay = 5, max_delay = 10, lateness = 7 }, row[1]))
      assert.same({ row[2], row[3], row[4] }, { merged.min_delay, merged.max_delay, merged.lateness })
    end)
  end

  it("have the delays of a hold, unless the interval is given", function()
    for text, delay in pairs { ["1"] = 1000, ["9"] = 1000, ["30s"] = 1500, ["90ms"] = 5, ["91ms"] = 5, ["10m"] = 5000 } do
      local hold = assert(limits.members_of(limits.rows[8], text))
      assert.equal("hold", limits.rows[8].name)
      assert.equal(delay, hold.hold_delay)
      local given = { hold = hold, interval = { min_delay = 3 }, maxWait = { max_wait = 10 ^ 6 } }
      local merged = assert(limits.merge({ min_delay = 5, max_delay = 10 }, given))
      assert.is_nil(merged.hold_delay)
    end
  end)

  it("refuse delays that contradict each other, by the names that the caller gives them", function()
    local waiter = { min_delay = 5, max_delay = 10 }
    local _, mistake = limits.merge(waiter, { minDelay = { min_delay = 2000 }, maxDelay = { max_delay = 1000 } })
    assert.equal("minDelay, 2 s, is greater than maxDelay, 1 s", mistake)
    for _, name in ipairs { "minDelay", "maxDelay" } do
      local _, other = limits.merge(waiter, { interval = { min_delay = 3, max_delay = 3 }, [name] = { min_delay = 3 } },
        function(option) return "<" .. option .. ">" end)
      assert.equal(("<interval> and <%s> are given, and <interval> sets both delays: leave one out"):format(name), other)
    end
  end)

  it("are checked by the core as well", function()
    local definition = core.wait.definition(1, 1, {})
    local rows = {
      { { max_delay = 1, max_wait = 1 }, "min_delay must be at least 1" },
      { { min_delay = 1, max_delay = 1 }, "max_wait must be at least 1" },
      { { min_delay = 2, max_delay = 1, max_wait = 1 }, "max_delay must be at least min_delay" },
      { { min_delay = 1, max_delay = 1, max_wait = 1, max_attempts = 0 }, "max_attempts must be at least 1" },
      { { min_delay = 1, max_delay = 1, max_wait = 1, tolerated_time = -1 }, "tolerated_time must be a whole number" },
      { { min_delay = 1, max_delay = 1, max_wait = 1, lateness = 10 ^ 9 // 1 + 1 | 0 }, "lateness must be at most the whole" },
    }
    for _, row in ipairs(rows) do
      local ok, mistake = pcall(core.wait.kind, definition, row[1])
      assert.is_false(ok)
      assert.truthy(mistake:find(row[2], 1, true), mistake)
    end
  end)
end)
