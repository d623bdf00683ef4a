---Models whose shapes form long chains ended `bide check` with a stack overflow, or with an error of the analysis.

local check = require "bide.model.check.model"
local core = require "bide.core"
local model = require "bide.model"
local output = require "bide.model.run.output"

local json = core.json

local COUNT <const> = 3000

local WAITERS = { ["smithy.waiters#waitable"] = { Done = { acceptors = { { state = "success", matcher = { output = {
  path = "m.m.m", comparator = "stringEquals", expected = "x" } } } } } } }

---Opens a model with a chain of shapes, each made by `shape_of(id of the next)`.
local function open(shape_of, more)
  local shapes = more
  for number = 1, COUNT do
    shapes["a.b#S" .. number] = shape_of(("a.b#S%d"):format(number % COUNT + 1), number)
  end
  return model.of_texts { { file = "m.json", text = json.encode { smithy = "2.0", shapes = shapes } } }
end

local function get()
  return { type = "operation", output = { target = "a.b#S1" }, traits = WAITERS }
end

describe("a chain of shapes", function()
  it("of structures is checked, and its outputs are converted", function()
    local opened = open(function(id)
      return { type = "structure", members = { m = { target = id } } }
    end, { ["a.b#Get"] = get() })
    assert.equal("", model.describe_all(opened.problems))
    local events = check.check(opened)
    assert.equal("WaitableTraitJmespathProblem.ReturnTypeMismatch.Done.0", events[1].id)
    local value = { m = {} }
    assert.equal(value, output.converter(opened, "a.b#S1")(value))
  end)

  it("of lists is checked", function()
    local opened = open(function(id) return { type = "list", member = { target = id } } end, { ["a.b#Get"] = get() })
    assert.equal("DANGER", check.check(opened)[1].severity)
  end)

  it("of resources has operations", function()
    local operation = { type = "operation", traits = WAITERS }
    local opened = open(function(id, number)
      return { type = "resource", resources = { { target = id } }, read = number == COUNT and { target = "a.b#Read" } or nil }
    end, { ["a.b#Get"] = operation, ["a.b#Read"] = operation,
      ["a.b#S"] = { type = "service", resources = { { target = "a.b#S1" } }, operations = { { target = "a.b#Get" } } } })
    local ids = {}
    for _, event in ipairs(check.check(opened)) do ids[#ids + 1] = event.severity == "ERROR" and event.id or nil end
    assert.equal("UniqueWaiterNames UniqueWaiterNames", table.concat(ids, " "))
  end)

  it("of mixins is refused", function()
    local opened = open(function(id, number)
      return { type = "structure", members = json.decode "{}", traits = { ["smithy.api#mixin"] = json.decode "{}" },
        mixins = number < COUNT and { { target = id } } or nil }
    end, {})
    assert.matches("^m.json:1:%d+: a.b#S%d+: expected mixins within at most 500 others, found more\n",
      model.describe_all(opened.problems))
  end)
end)
