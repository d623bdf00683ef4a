local core = require "bide.core"
local paces = require "bide.record.worker.pace"

describe("the pace of a worker", function()
  local argument_of_attempt <const>, clock = core.task.argument_of_attempt, 5000000
  local pace, attempt

  before_each(function()
    pace = paces.new { clock = { now = function() return clock end }, options = { queues = { { name = "q" } } } }
    attempt = { has_turns = true, key = {} }
    core.task.argument_of_attempt = function() return attempt end
  end)
  after_each(function() core.task.argument_of_attempt = argument_of_attempt end)

  ---Sends a request whose answer has a status, and returns the milliseconds for which its host is closed then; nil: it is open.
  local function send(status, headers, name)
    local response = { ok = status < 300, status = status, headers = headers or {} }
    function response.operation_error() return status >= 300 and { type = name or "Unknown", status = status } or nil end
    pace.closing, pace.closed = {}, {}
    assert.equal(response, pace:send(function() return response end, { url = "http://h/path" }))
    local closed = pace.closing[1]
    if not closed then return nil end
    assert.same({ 1, "q", "http://h:80" }, { #pace.closing, closed.queue, closed.host })
    local pause = (closed.closed_until - clock) // 1000
    assert.is_true(math.abs(pace.closed["q http://h:80"] - core.loop.update() - pause) <= 50)
    return pause
  end

  it("closes a host that asks for a pause: by 429, by 503 with Retry-After, or by the name of its error", function()
    for _, case in ipairs {
      { 1000, 429 }, { 4000, 429, { ["retry-after"] = "4" } }, { 0, 429, { ["retry-after"] = "0" } },
      { 600000, 429, { ["retry-after"] = "86400" } }, { 1000, 429, {}, "RequestLimitExceeded" },
      { 1000, 429, {}, "AccessDenied" },
      { 2000, 503, { ["retry-after"] = "2" } }, { 1000, 400, {}, "ThrottlingException" },
      { nil, 503 }, { nil, 500, { ["retry-after"] = "2" } }, { nil, 404 }, { nil, 200, { ["retry-after"] = "2" } },
    } do
      local pause = send(table.unpack(case, 2, 4))
      assert.equal(case[1], pause, ("%d %s"):format(case[2], case[4] or ""))
    end
  end)

  it("closes none for a request that is of no attempt", function()
    attempt = nil
    assert.is_nil(send(429))
  end)

  it("never opens a host again before an earlier pause is over", function()
    send(429, { ["retry-after"] = "9" })
    local before = pace.closed["q http://h:80"]
    local response = { ok = false, status = 429, headers = { ["retry-after"] = "1" },
      operation_error = function() return { type = "TooManyRequests", status = 429 } end }
    local task = core.task.start(function() pace:send(function() return response end, { url = "http://h/other" }) end,
      function() end)
    local over <const> = core.loop.update() + 30
    local alarm <close> = core.loop.alarm(function() end)
    alarm:start(over)
    while core.loop.update() < over do core.loop.turn() end
    assert.equal(1, #pace.closing) -- it was not sent: its host is closed
    assert.equal(before, pace.closed["q http://h:80"])
    task:cancel()
    pace:send(function() return response end, { url = "http://other/" })
    assert.equal("http://other:80", pace.closing[2].host)
  end)

  it("forgets a host once its pause is over", function()
    local now <const> = core.loop.update()
    pace.worker.me, pace.worker.store = 1, { closed_hosts = function() return {} end }
    pace.closed = { ["q http://over:80"] = now, ["q http://closed:80"] = now + 600000 }
    local task = core.task.start(function() pace:run() end, function() end)
    core.loop.turn()
    task:cancel()
    assert.same({ ["q http://closed:80"] = now + 600000 }, pace.closed)
  end)
end)
