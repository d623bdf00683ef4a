---The history that the state of a wait keeps.

local core = require "bide.core"
local check = require "spec.support.check"

-- busted looks up a global at each use
local math = math

local FIRST, LAST = 50, 50

local definition = core.wait.definition(1, 1, {})

local function start() return core.wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000 }):start(1, 0) end

---An entry with or without each member that one may lack.
local function random_entry(number)
  local entry = { attempt = number, at = math.random(0, 9999) / 1000, duration = math.random(0, 9999) / 1000 }
  if math.random() < 0.9 then entry.state = ({ "success", "failure", "retry" })[math.random(3)] end
  if math.random() < 0.5 then entry.acceptor = math.random(9) end
  if math.random() < 0.5 then entry.delay = math.random(0, 9999) / 1000 end
  if math.random() < 0.3 then entry.error = core.json.document { type = "NotFound" } end
  if math.random() < 0.1 then entry.note = "note " .. number end
  return entry
end

describe("a history", function()
  it("is empty at first", function()
    assert.same({ {}, 0 }, { start():history() })
  end)

  it("gives back what it was given, up to its bound and over it, over many seeds", function()
    for seed = 1, 100 do
      math.randomseed(seed)
      local state, told, count = start(), {}, math.random(0, 400)
      for number = 1, count do
        told[number] = random_entry(number)
        state:remember(told[number])
      end
      local wanted = {}
      for number = 1, count do
        if number <= FIRST or number > count - LAST then wanted[#wanted + 1] = told[number] end
      end
      local entries, omitted = state:history()
      assert.same(wanted, entries)
      check.equal(math.max(0, count - FIRST - LAST), omitted)
    end
  end)

  it("leaves out an attempt that nobody has told of", function()
    local state = start()
    state:remember({ attempt = 1, at = 0, duration = 0 })
    state:remember({ attempt = 3, at = 2, duration = 0 })
    assert.same({ { attempt = 1, at = 0, duration = 0 }, { attempt = 3, at = 2, duration = 0 } }, (state:history()))
  end)

  it("takes the attempt that was begun last, when another one is to follow it", function()
    local began = core.loop.update()
    local state = core.wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 1000 }, function() end):start(1, began)
    assert.error_matches(function() state:retry(began, 5) end, "no attempt was begun")
    local failure = core.json.document { type = "NotFound" }
    state:begin()
    state:retry(state:began() + 7, 5, 2, failure, "a note")
    local at = (state:began() - began) / 1000
    assert.same({ { attempt = 1, at = at, duration = 0.007, delay = 0.005, state = "retry", acceptor = 2, error = failure,
      note = "a note" } }, (state:history()))
    assert.error_matches(function() state:retry(began, 5) end, "of the past")
    state:silence()
  end)

  it("takes the attempt that was begun last, when it was the last one", function()
    local state = start()
    state:begin()
    state:conclude(state:began() + 3, nil, nil, nil, "cut")
    assert.equal(0.003, state:history()[1].duration)
    assert.equal("cut", state:history()[1].note)
    assert.is_nil(state:history()[1].state)
  end)

  it("refuses what is no entry", function()
    local state = start()
    state:remember({ attempt = 2, at = 0, duration = 0 })
    for message, entry in pairs {
      ["of the past"] = { attempt = 2, at = 0, duration = 0 },
      ["number expected"] = { at = 0, duration = 0 },
      ["count from 1"] = { attempt = 0, at = 0, duration = 0 },
      ["%(at%)"] = { attempt = 3, at = -1, duration = 0 },
      ["%(duration%)"] = { attempt = 3, at = 0, duration = 0 / 0 },
      ["%(delay%)"] = { attempt = 3, at = 0, duration = 0, delay = math.huge },
      ["invalid option 'done'"] = { attempt = 3, at = 0, duration = 0, state = "done" },
      ["bide.document expected"] = { attempt = 3, at = 0, duration = 0, error = {} },
      ["string expected"] = { attempt = 3, at = 0, duration = 0, note = {} },
    } do
      assert.error_matches(function() state:remember(entry) end, message)
    end
    assert.error_matches(function() state:remember(3) end, "table expected")
    assert.error_matches(function() state:conclude(0, "done") end, "invalid option 'done'")
    assert.error_matches(function() state:conclude(0) end, "value expected")
    assert.error_matches(function() state:conclude(0, nil) end, "no attempt was begun")
    check.equal(1, #state:history())
  end)
end)
