---A peer that sent messages of a few bytes without end kept the loop for the whole of what had come at once, and each message
---copied the rest of it: the other waits had half of their attempts.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local timely = require "spec.support.timely"

---Writes a dialogue that reads without end.
local function talk(read)
  return ('bide.tcp { host = "127.0.0.1", port = %%d, talk = function(d) d:send "x" while true do %s end end }'):format(read)
end

---What each service may send without end, in answer to nothing.
local floods = {
  ['require "bide.postgres" { host = "127.0.0.1", port = %d }'] = ("N\0\0\0\4"):rep(13000),
  [talk "d:read_line()"] = ("\n"):rep(60000),
  [talk "d:read(1)"] = ("x"):rep(60000),
}

describe("a flood of small messages", function()
  local workspace = Workspace.of_each()
  local flood
  local server = Server.of_each(nil, { raw = function(peer)
    if peer.floods then return end
    peer.floods = true
    local function more()
      if not peer.handle:is_closing() then peer.handle:write(flood, more) end
    end
    more()
  end })

  for ask, bytes in pairs(floods) do
    it("leaves the other waits their attempts: " .. (ask:match "read_line" or ask:match "d:read" or "postgres"), function()
      flood = bytes
      workspace:write("recipe.lua", ([[
local bide = require "bide"
return { Op = { call = function(input) return input.bad and %s or {} end,
  waitable = { Done = { minDelay = 0.05, maxDelay = 0.05, acceptors = { { state = "success", matcher = { output = {
    path = "ok", comparator = "booleanEquals", expected = "true" } } } } } } } }
]]):format(ask:format(server.port)))
      local function count_attempts(bad)
        workspace:write("lines.jsonl", ('{"bad": %s}\n{"n": 1}\n'):format(bad))
        local done = workspace:bide { "run", "recipe.lua", "--each", "lines.jsonl", "--max-wait", "3s", "--output", "json",
          "--quiet" }
        return json.decode(done.stdout).outcomes[2].attempts
      end
      -- a half and more were missing; a third is on a machine with four times as much to do
      timely.within(0.37, function() return 1 - count_attempts "true" / count_attempts "false" end)
    end)
  end
end)
