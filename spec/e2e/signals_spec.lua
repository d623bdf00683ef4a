---SIGINT and SIGTERM end a wait at once, wherever it is: the partial outcome is
---printed, and nothing is sent any more.

local uv = require "luv"
local json = require("bide.core").json
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local timely = require "spec.support.timely"

local recipe = [[
local function say() io.stderr:write("begun\n") end
local calls = {
  sleep = function() say() require("bide").sleep(60) end,
  transfer = function(input) return require("bide.http").get(input.url) end,
  loop = function() say() while true do end end,
  pcall = function() say() while true do pcall(function() while true do end end) end end,
  coroutine = function()
    coroutine.wrap(function() say() require("bide").sleep(60) end)()
  end,
  loop_in_coroutine = function()
    say()
    local inner = coroutine.create(function() while true do end end)
    coroutine.resume(inner)
  end,
  close = function()
    local guard <close> = setmetatable({}, { __close = function() io.stderr:write("closed\n") end })
    say()
    require("bide").sleep(60)
  end,
  output = function() return { seen = "this" } end,
}
return { Op = {
  call = function(input) return calls[input.call](input) end,
  waitable = { Done = { minDelay = 30, acceptors = {
    { state = "success", matcher = { output = { path = "seen", comparator = "stringEquals", expected = "that" } } },
  } } },
} }]]

local signals = { sigint = 130, sigterm = 143 }

local SOON = process.is_sanitized and 60000 or 50 -- milliseconds

describe("a signal", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local server = Server.of_each(function() return { silent = true } end)

  local function start(call, ...)
    return workspace:start { "run", "recipe.lua", "call=" .. call, "url=" .. server.url, "--max-wait", "1m",
      "--output", "json", ... }
  end

  ---Sends the signal and returns the outcome, and how long it took bide to end.
  ---@return table outcome
  ---@return number milliseconds
  local function interrupt(running, signal)
    local began = uv.hrtime()
    running:kill(signal)
    running:wait()
    local milliseconds = (uv.hrtime() - began) / 1e6
    assert.equal(signals[signal], running.code)
    assert.equal(0, running.signal)
    local outcome = assert(json.decode(running.stdout))
    assert.equal("cancelled", outcome.reason)
    assert.equal("failure", outcome.state)
    return outcome, milliseconds
  end

  for _, call in ipairs { "sleep", "loop", "pcall", "coroutine", "loop_in_coroutine", "close" } do
    for signal in pairs(signals) do
      it(("ends an attempt in %s: %s"):format(call, signal), function()
        timely.within(SOON, function()
          local running = start(call)
          running:wait_for_output "begun"
          local outcome, milliseconds = interrupt(running, signal)
          assert.equal(1, outcome.attempts)
          assert.is_nil(outcome.output)
          assert.is_nil(outcome.history[1].error)
          assert.matches("^Done was cancelled after 1 attempt in .*; nothing was seen$", outcome.message)
          return milliseconds
        end)
      end)
    end
  end

  it("lets what is open be closed", function()
    local running = start "close"
    running:wait_for_output "begun"
    interrupt(running, "sigint")
    assert.matches("closed", running.stderr)
  end)

  for signal in pairs(signals) do
    it("ends a transfer: " .. signal, function()
      timely.within(SOON, function()
        local before = #server.requests
        local running = start "transfer"
        while #server.requests == before do uv.run "once" end
        local _, milliseconds = interrupt(running, signal)
        assert.equal(before + 1, #server.requests)
        return milliseconds
      end)
    end)

    it("ends the sleep between attempts, and tells what was seen: " .. signal, function()
      timely.within(SOON, function()
        workspace:write("events.jsonl", "")
        local running = start("output", "--events", "events.jsonl")
        running:wait_for_output "attempt 1"
        local outcome, milliseconds = interrupt(running, signal)
        assert.same({ seen = "this" }, outcome.output)
        assert.equal(1, outcome.attempts)
        assert.matches('; last seen: seen is "this"$', outcome.message)
        local events = Workspace.decode_lines(workspace:read "events.jsonl")
        assert.equal(3, #events)
        assert.equal("cancelled", events[3].reason)
        return milliseconds
      end)
    end)
  end

  it("keeps the COMMAND from running", function()
    local running = workspace:start { "run", "recipe.lua", "call=sleep", "--max-wait", "1m", "--", "touch", "ran" }
    running:wait_for_output "begun"
    running:kill "sigint"
    assert.equal(130, running:wait().code)
    assert.is_nil(uv.fs_stat(workspace.path .. "/ran"))
  end)

end)

describe("a deadline", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  for _, call in ipairs { "sleep", "loop", "pcall", "coroutine", "loop_in_coroutine", "close" } do
    it("is kept in " .. call, function()
      timely.within(process.is_sanitized and 60 or 0.35, function()
        local outcome, done = workspace:outcome { "run", "recipe.lua", "call=" .. call, "--max-wait", "200ms" }
        assert.equal(124, done.code)
        assert.is_true(outcome.elapsed >= 0.2, outcome.elapsed)
        return math.max(done.elapsed - timely.start_and_end(), outcome.elapsed + 0.1)
      end)
    end)
  end
end)
