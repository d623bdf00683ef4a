local in_time = require "bide.model.run.in_time"
local retries = require "bide.task.retries"
local task = require("bide.core").task

local function pause() task.pause(task.waker()) end

describe("connecting in time", function()
  it("gives what the function returns, and the time that it took", function()
    local given = {}
    local connected, mistake, spent = in_time.connect(10000, function() return given end)
    assert.equal(given, connected)
    assert.is_nil(mistake)
    assert.equal("integer", math.type(spent))
    connected, mistake = in_time.connect(10000, function() return nil, "no such place" end)
    assert.is_nil(connected)
    assert.equal("no such place", mistake)
  end)

  it("is cut at the deadline, and says what was missing", function()
    local is_closed = false
    local connected, mistake, spent = in_time.connect(1, function()
      local _closing <close> = setmetatable({}, { __close = function() is_closed = true end })
      retries.expect "credentials yet"
      pause()
    end)
    assert.equal("credentials yet", connected.lack)
    assert.is_nil(mistake)
    assert.is_true(spent >= 1)
    assert.is_true(is_closed)
    assert.equal("time to connect to the service", in_time.connect(0, pause).lack)
  end)

  it("raises what the function raises", function()
    local mistake = {}
    local ok, raised = pcall(in_time.connect, 10000, function() error(mistake) end)
    assert.is_false(ok)
    assert.equal(mistake, raised)
  end)
end)
