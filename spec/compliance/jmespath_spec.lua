---The official compliance suite of JMESPath: every case of every file.

local core = require "bide.core"
local data = require "spec.support.data"

local json, jmespath = core.json, core.jmespath

---Compares as JMESPath does: 1 and 1.0 are equal, the order of members does not matter.
local same = jmespath.compile("[0] == [1]")

---Runs one case; returns nothing when it is as the suite has it, else what is wrong.
local function run(given, case)
  local expression, failure = jmespath.compile(case.expression)
  local result
  if expression then result, failure = expression:search(given) end
  if case.error then
    return not failure and "no error" or failure.kind ~= case.error and tostring(failure) or nil
  end
  if failure then return failure.kind .. ": " .. tostring(failure) end
  if case.bench then return nil end
  if same:search(json.array { result, case.result }) ~= true then return json.encode(result) end
end

describe("JMESPath's compliance suite", function()
  local ran, benchmarks = 0, 0

  local names = data.jmespath()
  if #names == 0 then
    pending("jmespath " .. data.hint)
    return
  end

  for _, name in ipairs(names) do
    it(name, function()
      for _, group in ipairs(assert(json.decode(data.read(name)))) do
        local given = assert(json.document(group.given))
        for _, case in ipairs(group.cases) do
          local wrong = run(given, case)
          assert(not wrong, ("%s\n  wanted %s\n  got    %s"):format(
            case.expression, case.error or json.encode(case.result), wrong))
          ran = ran + 1
          if case.bench then benchmarks = benchmarks + 1 end
        end
      end
    end)
  end

  it("is run whole", function()
    local has_benchmarks = data.path "jmespath/benchmarks.json"
    assert.equal(has_benchmarks and 908 or 862, ran)
    assert.equal(has_benchmarks and 16 or 0, benchmarks)
  end)
end)
