---Random cases of AWS's protocols, beside botocore: requests, answers, signatures and endpoints. BIDE_CASES says how many
---there are of each, up to 10,000, BIDE_SEED which random ones.

local aws_cases = require "spec.support.aws.cases"
local core = require "bide.core"
local Directory = require "spec.support.directory"
local model = require "bide.model"
local process = require "spec.support.process"
local python = require "spec.support.python"

local json = core.json

local SEED = os.getenv "BIDE_SEED" or "1"
local COUNT = math.min(math.tointeger(os.getenv "BIDE_CASES") or 200, 10000)

---Functions that return the value of a file, which is read once.
local function kept(read)
  local values = {}
  return function(file)
    values[file] = values[file] or assert(read(file))
    return values[file]
  end
end

local model_of = kept(model.open)

local document_of = kept(function(file)
  local handle <close> = assert(io.open(file))
  return json.decode(handle:read "a")
end)

local function operation_of(case)
  return assert(model_of(case.model):operation(case.op))
end

describe("random cases of AWS's protocols", function()
  local found = python.that_runs "import botocore.endpoint_provider"
  if not found then
    pending(python.no_botocore)
    return
  end

  local directory = Directory.of_block()

  ---Declares a spec.
  ---@param kind string of the cases
  ---@param difference_of fun(case: table): string?
  local function holds(kind, difference_of)
    it(("are botocore's: %s, seed %s"):format(kind, SEED), function()
      local done = process.run({ found, "spec/support/oracle/aws_cases.py", kind, SEED, tostring(COUNT), directory.path },
        { tool = true, longest = 600 })
      assert.equal(0, done.code, done.stderr)
      local count = 0
      for line in done.stdout:gmatch "[^\n]+" do
        local difference = difference_of(json.decode(line))
        if difference then error(("%s\n%s"):format(line, difference), 0) end
        count = count + 1
      end
      assert.equal(COUNT, count)
    end)
  end

  holds("requests", function(case) return aws_cases.request(operation_of(case), case) end)
  holds("answers", function(case) return aws_cases.answer(operation_of(case), case) end)
  holds("signatures", aws_cases.signature)
  holds("endpoints", function(case)
    return aws_cases.endpoint(document_of(case.rules), document_of(case.partitions), case)
  end)
end)
