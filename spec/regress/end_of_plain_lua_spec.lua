---A script of plain lua5.4 whose last act was a probe crashed at its end: luv freed a handle that was still closing.
---So did one whose probe ran within a task or a wait, where nothing settled afterwards.

local plain_lua = require "spec.support.plain_lua"

local probes = {
  ["bide.tcp"] = 'bide.tcp { host = "localhost", port = 1 }',
  ["bide.udp"] = 'bide.udp { host = "localhost", port = 1, send = "x", timeout = 0.1 }',
  ["bide.unix"] = 'bide.unix { path = "no.sock" }',
  ["bide.exec"] = 'bide.exec { "true" }',
  ["bide.dns"] = 'bide.dns("x.example", { server = "127.0.0.1", port = 1, timeout = 0.1 })',
  ["bide.redis"] = 'bide.redis { host = "localhost", port = 1 }',
  ["bide.postgres"] = 'bide.postgres { host = "localhost", port = 1 }',
}

local ways = {
  ["called by itself"] = "pcall(probe)",
  ["called in a task"] = "pcall(function() bide.spawn(probe):join() end)",
  ["called by a wait"] = [[
    bide.waiter({ name = "Open", call = probe, minDelay = 0.01, maxDelay = 0.01,
      acceptors = { { state = "success", matcher = { success = true } } } }):wait({}, { maxWait = 0.05 })]],
  ["called where a callback raises"] = [[
    local core = require "bide.core"
    local alarm <const> = core.loop.alarm(function() error "broken" end)
    bide.spawn(function() pcall(probe) alarm:start(0) end)
    assert(not pcall(bide.sleep, 0.3))]],
}

describe("plain lua5.4 ends well after", function()
  for name, probe in pairs(probes) do
    for way, script in pairs(ways) do
      it(name .. ", " .. way, function()
        local done = plain_lua(("local bide = require \"bide\" local function probe() return %s end %s print \"done\"")
          :format(probe, script))
        assert.same({ "done\n", "", 0, 0 }, { done.stdout, done.stderr, done.code, done.signal })
      end)
    end
  end
end)
