---One sandboxed wait took all descriptors of the process, so that the others failed: "bide itself had no file descriptor left".

local DatagramServer = require "spec.support.datagram_server"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local recipe = [[
local bide = require "bide"
local function greedy(take)
  local failures = {}
  for _ = 1, 400 do
    bide.spawn(function()
      local ok, failure = pcall(take)
      if not ok and failure.type == "TooManyDescriptors" then failures[#failures + 1] = failure.message end
    end)
  end
  bide.sleep(0.5)
  error { type = "Held", message = ("%%d refused: %%s"):format(#failures, failures[1] or "none") }
end
return { Op = { call = function(input)
  if input.bad then greedy(function() %s end) end
  bide.sleep(0.2)
  for _ = 1, 100 do require "bide.http".get "http://127.0.0.1:%d/" end
  return {} end,
  waitable = { Done = { acceptors = { { state = "failure", matcher = { errorType = "Held" } },
    { state = "success", matcher = { success = true } } } } } } }
]]

---What holds a descriptor for long.
local takes = {
  tcp = 'bide.tcp { host = "127.0.0.1", port = %d, talk = function(d) d:read(1) end, timeout = 99 }',
  http = 'require "bide.http".get("http://127.0.0.1:%d/silent", { timeout = 99 })',
  udp = 'bide.udp { host = "127.0.0.1", port = %d, send = "x", timeout = 99 }',
}

describe("a sandboxed wait that takes descriptors", function()
  local workspace = Workspace.of_each()
  local silent = DatagramServer.of_each()
  local server = Server.of_each(function(request) return request.path == "/silent" and { silent = true } or { body = "{}" } end)

  for name, take in pairs(takes) do
    it("gets 64 of them, and the others theirs: " .. name, function()
      local port = name == "udp" and silent.port or server.port
      workspace:write("recipe.lua", recipe:format(take:format(port), server.port))
      workspace:write("lines.jsonl", '{"bad":true}\n{"n":1}\n{"n":2}\n')
      local done = workspace:bide { "run", "--sandbox", "recipe.lua", "--each", "lines.jsonl", "--max-wait", "30s", "--output",
        "json", "--quiet" }
      local result = json.decode(done.stdout)
      assert.matches("336 refused: this wait holds 64 sockets and requests", result.outcomes[1].message, 1, true)
      for number = 2, 3 do assert.equal("success", result.outcomes[number].state, result.outcomes[number].message) end
    end)
  end
end)
