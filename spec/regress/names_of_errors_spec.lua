---The name part of an error's type was cut out in four places, in four ways, and in some not at all.

local bide = require "bide"
local error_class = require "bide.error_class"
local Workspace = require "spec.support.workspace"

local function tries_of(policy, failure)
  local count = 0
  pcall(bide.retry, { preset = policy, base = 0.001, cap = 0.002 }, function()
    count = count + 1
    error(failure)
  end)
  return count
end

describe("the name part of an error's type", function()
  local workspace = Workspace.of_each()

  ---Of a type, whose part it is.
  local names = {
    { "com.amazonaws.ec2#%s", "%s" }, { "%s:http://internal/x", "%s" }, { "%s:http://internal/x#frag", "%s" },
    { "ns#%s:http://internal/x#frag", "%s" }, { "%s", "%s" },
  }

  for _, row in ipairs(names) do
    local form = row[1]

    it("counts for each preset of retries: " .. form, function()
      assert.equal(5, tries_of("botocore", { type = form:format "ThrottlingException", status = 400 }))
      assert.equal(4, tries_of("aws-java", { type = form:format "RequestTimeTooSkewed", status = 403 }))
      assert.equal(4, tries_of("aws-js", { type = form:format "ExecTimeout" }))
    end)

    it("counts for what an acceptor takes for transient: " .. form, function()
      assert.is_true(error_class.matcher "Restarting" { error = { type = form:format "Restarting" } })
      assert.is_true(error_class.matcher "x.y#Restarting" { error = { type = form:format "Restarting" } })
      assert.is_true(error_class.is_transient { type = form:format "SlowDown" })
    end)

    it("is what errorType compares: " .. form, function()
      local waiter = bide.waiter {
        acceptors = { { state = "success", matcher = { errorType = "x.y#NotFound" } } },
        call = function() error { type = form:format "NotFound" } end,
      }
      assert.equal("success", assert(waiter:wait({}, { maxWait = 5 })).state)
    end)
  end

  it("is nothing but a name: blanks and other marks stay", function()
    workspace:write("types.lua", [[
local cases = { { "NotFound ", "NotFound" }, { "Not\0Found", "NotFound" }, { "", "X" }, { "NotFound$m", "NotFound" } }
local operations = {}
for i, case in ipairs(cases) do
  operations["Op" .. i] = { call = function() error { type = case[1] } end,
    waitable = { ["Case" .. i] = { acceptors = { { state = "success", matcher = { errorType = case[2] } } } } } }
end
return operations]])
    local codes = {}
    for i = 1, 4 do codes[i] = workspace:bide({ "run", "types.lua", "Case" .. i, "--max-wait", "50s", "--quiet" }).code end
    assert.same({ 3, 3, 5, 3 }, codes) -- an empty one is a mistake of the script
  end)
end)

describe("the type of an error in XML", function()
  it("is found where the element has attributes", function()
    local Server, http = require "spec.support.server", require "bide.http"
    local server = Server.start(function()
      return { status = 404, body = '<?xml version="1.0"?><Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
        .. "<Code>NoSuchBucket</Code><Message>no &lt;such&gt; bucket</Message></Error>" }
    end)
    local failure = http.get(server.url):operation_error()
    server:close()
    assert.same({ "NoSuchBucket", "no <such> bucket" }, { failure.type, failure.message })
  end)
end)
