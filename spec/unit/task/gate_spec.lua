local new_gate = require("bide.task.line").new_gate
local check = require "spec.support.check"

-- busted looks up a global at each use
local math, next, table = math, next, table

describe("a gate", function()
  local entered

  local function enter(who) entered[#entered + 1] = who.name end
  local function people(...)
    local list = {}
    for i, name in ipairs { ... } do list[i] = { name = name } end
    return table.unpack(list)
  end

  before_each(function() entered = {} end)

  it("lets so many through, and the others in the order they came", function()
    local it, a, b, c, d = new_gate(2), people("a", "b", "c", "d")
    for _, who in ipairs { a, b, c, d } do it:enter(enter, who) end
    assert.same({ "a", "b" }, entered)
    it:leave()
    it:leave()
    assert.same({ "a", "b", "c", "d" }, entered)
  end)

  it("passes over whoever stepped out of the line", function()
    local it, a, b, c = new_gate(1), people("a", "b", "c")
    for _, who in ipairs { a, b, c } do it:enter(enter, who) end
    it:withdraw(b)
    it:withdraw(a)
    it:leave()
    assert.same({ "a", "c" }, entered)
  end)

  it("is free again when all have left, over many seeds", function()
    for seed = 1, 200 do
      math.randomseed(seed)
      local size = math.random(1, 4)
      local it, inside, waiting = new_gate(size), {}, {}
      local function go_in(who) inside[#inside + 1] = who waiting[who] = nil end
      for _ = 1, 200 do
        if math.random() < 0.5 then
          local who = {}
          waiting[who] = true
          it:enter(go_in, who)
        elseif math.random() < 0.3 and next(waiting) then
          local who = next(waiting)
          waiting[who] = nil
          it:withdraw(who)
        elseif #inside > 0 then
          table.remove(inside, math.random(#inside))
          it:leave()
        end
        check.is_true(#inside <= size)
        check.is_true(next(waiting) == nil or #inside == size)
      end
      while #inside > 0 do
        table.remove(inside)
        it:leave()
      end
      check.equal(size, it.free)
    end
  end)
end)
