---The bounds of what a store takes, and what it refuses to believe of rows.

local check = require "spec.support.check"
local verbs = require "bide.record.store.verbs"

local DAY = 86400 * 1000000

describe("a store", function()
  local function add_to(changes)
    local wait = { input = "{}", max_wait = 366 * DAY }
    for name, value in pairs(changes) do wait[name] = value end
    return verbs.new_count()(wait)
  end

  it("takes an input of 256 KiB, and a max wait of 366 days, and no more", function()
    assert.is_nil(add_to { input = ("x"):rep(262144) })
    assert.equal("the input has 262145 bytes, and a store takes at most 262144", add_to { input = ("x"):rep(262145) })
    assert.is_nil(add_to { max_wait = 366 * DAY })
    assert.equal("the max wait: a store takes at most 366 days", add_to { max_wait = 366 * DAY + 1 })
  end)

  it("takes 10,000,000 waits, and no more", function()
    local add, wait = verbs.new_count(), { input = "{}", max_wait = 366 * DAY }
    for position = 1, 10000000 do check.equal(nil, add(wait), position) end
    assert.equal("a run has at most 10000000 waits", add(wait))
  end)

  it("takes 1 GiB of inputs, and no more", function()
    local add, wait = verbs.new_count(), { input = ("x"):rep(262144), max_wait = 366 * DAY }
    for position = 1, 4096 do check.equal(nil, add(wait), position) end
    assert.equal("the inputs of a run have at most 1 GiB", add(wait))
  end)

  it("takes no run whose time is not enough to write it", function()
    local add, wait = verbs.new_count(), { input = "{}", max_wait = 1000 }
    for position = 1, 10 do check.equal(nil, add(wait), position) end
    assert.equal("the max wait is too short for 11 waits: it is less than 100 µs for each", add(wait))
  end)

  it("believes no row that it cannot have written", function()
    local function mistake(changes)
      local turn = { attempts = 1, due = 5, deadline = 9, format = 1, state = "s", input = "{}" }
      for name, value in pairs(changes) do turn[name] = value end
      return select(2, verbs.read_turn(turn))
    end
    assert.is_nil(mistake {})
    assert.is_nil(mistake { attempts = 0, format = 0, state = "" })
    for _, changes in ipairs {
      { attempts = -1 }, { attempts = 1 << 41 }, { attempts = 1.5 }, { attempts = "1" }, { due = -1 }, { deadline = -1 },
      { deadline = math.mininteger }, { format = -1 }, { format = 32768 }, { format = 0 }, { state = "" }, { attempts = 0 },
      { input = "" }, { input = "{" }, { input = "[]" }, { input = "7" }, { output = "{" }, { error = "x" },
    } do
      assert.is_string(mistake(changes))
    end
  end)

  it("counts a turn whose row has no number of attempts, as the store does", function()
    local turns = { [3] = { attempts = 2, written = 1 }, [4] = {} }
    assert.same({ count = 2, sum = (3 << 20) + 2 }, verbs.held(turns))
    assert.same({ count = 2, sum = (3 << 20) + 1 }, verbs.held(turns, "written"))
  end)

  it("sees which inputs may have secrets by name, however their letters are written", function()
    local function may_have(input)
      local turn = { attempts = 0, due = 5, deadline = 9, format = 0, state = "", input = input }
      return (select(5, verbs.read_turn(turn)))
    end
    assert.is_false(may_have '{"name":"secret"}')
    assert.is_true(may_have '{"password":{"$secret":"db"}}')
    assert.is_true(may_have '{"password":{"\\u0024secret":"db"}}')
  end)

  it("reads an output that many turns have once", function()
    local known, seen = {}, {}
    for place, output in ipairs { '{"n":1}', '{"n":1}', '{"n":2}', "{", '{"n":2}' } do
      local turn = { attempts = 1, due = 5, deadline = 9, format = 1, state = "s", input = "{}", output = output }
      seen[place] = select(3, verbs.read_turn(turn, known)) or false
    end
    assert.equal(seen[1], seen[2])
    assert.equal('{"n":2}', seen[3]:json())
    assert.is_false(seen[4])
    assert.equal(seen[3], seen[5])
    local turn = { attempts = 0, due = 5, deadline = 9, format = 0, state = "", input = "{}" }
    assert.is_nil((select(3, verbs.read_turn(turn, known))))
  end)
end)
