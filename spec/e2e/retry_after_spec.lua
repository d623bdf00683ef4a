---Retry-After as the default recipe meets it: a service in trouble is left alone.

local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("bide http and Retry-After", function()
  local workspace = Workspace.of_block()
  local answer
  local server = Server.of_block(function() return answer end)

  ---Runs `bide http` on an answer; returns the outcome.
  local function run(given, ...)
    answer = given
    return workspace:outcome { "http", server.url, ... }
  end

  ---Asserts that each delay is what the service wanted, or what was left until the last moment, at which an attempt came.
  local function assert_delays(wanted, last_moment, outcome)
    local history = outcome.history
    for position = 1, #history - 1 do
      local ended = history[position].at + history[position].duration
      assert.near(math.min(wanted, last_moment - ended), history[position].delay, 0.003)
      assert.is_true(history[position + 1].at >= ended + history[position].delay - 0.003)
    end
    assert.is_true(#history > 1 and history[#history].at >= last_moment - 0.003)
    assert.equal("maxWait", outcome.reason)
  end

  for _, status in ipairs { 429, 503 } do
    it(("asks again when the service wants it: %d"):format(status), function()
      local outcome = run({ status = status, headers = { ["Retry-After"] = "1" } }, "--max-wait", "3500ms")
      assert_delays(1, 3.45, outcome)
      assert.equal(1, outcome.history[1].delay)
    end)
  end

  it("asks once more at the last moment where the service wants more time than there is", function()
    local outcome, done = run({ status = 429, headers = { ["Retry-After"] = "60" } }, "--max-wait", "3s")
    assert_delays(60, 2.95, outcome)
    assert.same({ 2, 124 }, { outcome.attempts, done.code })
    local said = workspace:bide({ "http", server.url, "--max-wait", "3s" }).stderr
    assert.truthy(said:find("TooManyRequests %(429%)[^\n]*, next in 2%.%d+ s, Retry%-After asks for 1 m\n"), said)
  end)

  it("understands a date, and one that is over", function()
    local soon = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 600)
    assert_delays(600, 2.95, run({ status = 503, headers = { ["Retry-After"] = soon } }, "--max-wait", "3s"))
    local over = "Sun, 06 Nov 1994 08:49:37 GMT"
    local outcome = run({ status = 503, headers = { ["Retry-After"] = over } }, "--max-attempts", "2", "--max-wait", "50s")
    assert.equal(0.05, outcome.history[1].delay)
  end)

  it("is ignored on request, up to a cap, or where nobody can read it", function()
    for _, given in ipairs {
      { 0.05, "60", "--ignore-retry-after" }, { 0.1, "60", "--retry-after-cap", "100ms" }, { 0.05, "soon" }, { 0.05, "-5" },
      { 0.05, "1e9" }, { 0.05, "" },
    } do
      local outcome = run({ status = 503, headers = { ["Retry-After"] = given[2] } }, "--max-attempts", "2",
        "--max-wait", "50s", table.unpack(given, 3))
      assert.equal(given[1], outcome.history[1].delay, json.encode(given))
    end
  end)

  it("is bounded by maxDelay after a good answer, which asks for patience and not for mercy", function()
    local outcome = run({ body = '{"state": "busy"}', headers = { ["Retry-After"] = "60" } }, "--until", "state=done",
      "--max-delay", "300ms", "--max-attempts", "2", "--max-wait", "50s")
    assert.equal(0.3, outcome.history[1].delay)
  end)
end)
