---Retry-After as the default recipe meets it: a service in trouble is left alone.

local uv = require "luv"
local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

describe("bide http and Retry-After", function()
  local workspace, server, times, answer

  setup(function()
    workspace = Workspace.make()
    server = Server.start(function()
      times[#times + 1] = uv.hrtime() / 1e9
      return answer
    end)
  end)
  teardown(function()
    server:close()
    workspace:remove()
  end)
  before_each(function() times = {} end)

  ---Runs `bide http` on an answer; returns the outcome, and when the requests came, from the first one on.
  local function run(given, ...)
    answer = given
    local outcome, done = workspace:outcome { "http", server.url, ... }
    local at = {}
    for position, time in ipairs(times) do at[position] = time - times[1] end
    return outcome, at, done
  end

  ---Asserts that the requests came at these seconds, not more than a quarter later, nor earlier than by the time that the
  ---first request took to come, which the last moment does not wait for.
  local function assert_at(expected, at)
    assert.equal(#expected, #at)
    for position, seconds in ipairs(expected) do
      assert.is_true(at[position] >= seconds - 0.25 and at[position] < seconds + 0.25, ("%g s"):format(at[position]))
    end
  end

  for _, status in ipairs { 429, 503 } do
    it(("asks again when the service wants it: %d"):format(status), function()
      local outcome, at = run({ status = status, headers = { ["Retry-After"] = "1" } }, "--max-wait", "2500ms")
      assert_at({ 0, 1, 2, 2.45 }, at)
      assert.equal("maxWait", outcome.reason)
    end)
  end

  it("asks once more at the last moment where the service wants more time than there is", function()
    local outcome, at, done = run({ status = 429, headers = { ["Retry-After"] = "60" } }, "--max-wait", "1s")
    assert_at({ 0, 0.95 }, at)
    assert.same({ "maxWait", 124 }, { outcome.reason, done.code })
    local said = workspace:bide({ "http", server.url, "--max-wait", "1s" }).stderr
    assert.truthy(said:find("TooManyRequests %(429%)[^\n]*, next in 0%.%d+ s, Retry%-After asks for 1 m\n"), said)
  end)

  it("understands a date, and one that is over", function()
    local soon = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 600)
    local _, at = run({ status = 503, headers = { ["Retry-After"] = soon } }, "--max-wait", "1s")
    assert_at({ 0, 0.95 }, at)
    times = {}
    _, at = run({ status = 503, headers = { ["Retry-After"] = "Sun, 06 Nov 1994 08:49:37 GMT" } }, "--max-wait", "500ms")
    assert.is_true(#at > 5)
  end)

  it("is ignored on request, up to a cap, or where nobody can read it", function()
    for _, given in ipairs {
      { "60", "--ignore-retry-after" }, { "60", "--retry-after-cap", "100ms" }, { "soon" }, { "-5" }, { "1e9" }, { "" },
    } do
      times = {}
      local _, at = run({ status = 503, headers = { ["Retry-After"] = given[1] } }, "--max-wait", "600ms", table.unpack(given, 2))
      assert.is_true(#at > 4, json.encode(given))
    end
  end)

  it("is bounded by maxDelay after a good answer, which asks for patience and not for mercy", function()
    local _, at = run({ body = '{"state": "busy"}', headers = { ["Retry-After"] = "60" } }, "--until", "state=done",
      "--max-delay", "300ms", "--max-wait", "1s")
    assert.is_true(#at == 4 or #at == 5, #at)
    for position = 2, 3 do assert.is_true(at[position] - at[position - 1] > 0.28) end
  end)
end)
