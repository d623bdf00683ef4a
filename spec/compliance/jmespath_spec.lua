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

  for _, name in ipairs(data.jmespath) do
    local text = data.read("jmespath/" .. name .. ".json")
    if not text then
      pending(name .. ".json " .. data.hint)
    else
      it(name .. ".json", function()
        for _, group in ipairs(assert(json.decode(text))) do
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
  end

  if data.read("jmespath/basic.json") then
    it("is run whole", function()
      assert.equal(908, ran)
      assert.equal(16, benchmarks)
    end)
  end
end)
