---Each acceptor of each waiter of AWS, over the wire: a server of the spec checks the signatures with botocore's signer,
---and writes with moto's serializers an answer that the acceptor is the first to match, by botocore's matchers. The data
---of the server are those of the botocore that is installed, and bide has them packed.

local bide = require "bide"
local Directory = require "spec.support.directory"
local moto = require "spec.support.aws.moto"
local process = require "spec.support.process"
local service = require "spec.support.service"

local keys = { AWS_ACCESS_KEY_ID = "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY = "the-key-of-the-spec",
  AWS_SESSION_TOKEN = "the-token-of-the-spec", AWS_ENDPOINT_URL = false, AWS_PROFILE = false }

---How a wait ends after an answer for an acceptor of a state; one that is to be tried again is followed by a success.
local ends = { success = "success", failure = "failure", retry = "success" }

---The files that are no services, and the service of which botocore has no waiters.
local is_other = { index = true, partitions = true, smithy = true, autoscaling = true }

local function services()
  local names = {}
  for file in io.popen("ls scripts/aws/*.json"):lines() do
    local name = file:match "([%w-]+)%.json$"
    if not is_other[name] then names[#names + 1] = name end
  end
  return names
end

describe("the waiters of AWS", function()
  local python, missing = moto.find()
  if not python then return pending(missing) end

  local packed = Directory.of_block()
  local server, url

  setup(function()
    local data = process.run({ python, "-c", "import botocore; print(botocore.__path__[0] + '/data', end='')" }, { tool = true })
    process.run({ process.bide, "aws", "pack", data.stdout, "-o", packed.path }):ends(0)
    keys.BIDE_AWS_MODELS = packed.path
    server = service.start { python, "spec/support/aws/service.py" }
    server.process:wait_for_output "%d+\n"
    url = "http://127.0.0.1:" .. server.process.stdout:match "%d+"
  end)

  teardown(function() server:stop() end)

  local all = services()

  it("are 363 of 67 services, as they were packed", function() assert.equal(67, #all) end)

  ---Several services share a process, since a start costs more than their waits.
  for first = 1, #all, 12 do
    local some = table.move(all, first, math.min(first + 11, #all), 1, {})

    it(("%s to %s end as botocore's do"):format(some[1], some[#some]), function()
      local command = { process.bide, "exec", "--quiet", "spec/support/aws/waiters.lua", url, table.unpack(some) }
      local done = process.run(command, { env = keys })
      assert.equal(0, done.code, done.stderr)
      local count = 0
      for line in done.stdout:gmatch "[^\n]+" do
        local row = bide.json.decode(line)
        count = count + 1
        assert.is_nil(row.none, line)
        assert.equal(ends[row.expected], row.state, line)
        assert.is_true(row.reason == "acceptor", line)
        assert.is_true(row.expected ~= "retry" or row.attempts > 1 or row.is_sent_again, line)
      end
      assert.is_true(count > #some)
    end)
  end
end)
