---A misspelt waiter of a loaded recipe was nil, so that a script failed with "attempt to index a nil value".

local Workspace = require "spec.support.workspace"
local bide = require "bide"

describe("a misspelt waiter of a recipe", function()
  it("raises with the nearest name, at the line of the script", function()
    local loaded = assert(bide.load "http")
    local ok, mistake = pcall(function() return loaded.ServiceHealthi end)
    assert.is_false(ok)
    assert.matches('^spec/regress/misspelt_waiter_spec.lua:%d+: .*http.lua: no waiter is called "ServiceHealthi"; '
      .. 'did you mean "ServiceHealthy"%?$', mistake)
    assert.error_matches(function() return loaded.Nothing end, "it defines ServiceDown, ServiceHealthy$")
  end)

  it("ends a script with a message of its own", function()
    local workspace = Workspace.make()
    workspace:write("jobs.lua", 'local jobs = require("bide").load "http"\njobs.ServiceHealthi:wait({}, { maxWait = 1 })\n')
    local done = workspace:bide { "exec", "jobs.lua" }
    workspace:remove()
    assert.equal(5, done.code)
    assert.matches('^bide: jobs.lua:2: .*did you mean "ServiceHealthy"%?\n', done.stderr)
  end)

  it("is nil as ever where no waiter could have the name", function()
    local loaded = assert(bide.load "http")
    assert.is_nil(loaded.serviceHealthy)
    assert.is_nil(loaded.nothing)
    assert.is_nil(loaded[1])
    assert.is_truthy(loaded.ServiceHealthy)
  end)
end)
