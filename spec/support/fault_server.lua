---A service that fails on purpose, in a process of its own, so that any program can ask it.
---
---    local faults = FaultServer.start()
---    faults.url .. "/midheaders"           that fault, each time
---    faults.url .. "/midheaders/2/mine"    twice, then a good answer; "mine" is who counts
---    faults:stop()
---
---The faults are those of spec/support/faults.lua.

local M = {}
M.__index = M

-- ---- in the spec ---------------------------------------------------------------------------

---@class spec.FaultServer
---@field url string
function M.start()
  local started = require("spec.support.service").start { "lua5.4", "spec/support/fault_server.lua", "serve" }
  started.process:wait_for_output "listening at %S+\n"
  return setmetatable({ service = started, url = started.process.stdout:match "listening at (%S+)\n" }, M)
end

function M:stop()
  self.service:stop()
end

-- ---- in its process -----------------------------------------------------------------------

---How often who counts has asked.
local asked = {}

local function unescaped(text)
  return (text:gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

---@return string|fun(peer: spec.Peer)
local function fault_of(target, faults)
  local name, times, counter = target:match("^/([^/]*)/(%d+)/(.*)$")
  name = unescaped(name or target:sub(2))
  if times then
    asked[counter] = (asked[counter] or 0) + 1
    if asked[counter] > tonumber(times) then return faults.answer(faults.GOOD) end
  end
  return faults.faults[name] or faults.of_status(name) or "HTTP/1.1 404 No Such Fault\r\nContent-Length: 0\r\n\r\n"
end

local function serve()
  local uv = require "luv"
  local faults = require "spec.support.faults"
  local server = require("spec.support.server").start(nil, {
    raw = function(peer, bytes)
      peer.bytes = peer.bytes .. bytes
      local target = peer.bytes:match("^%u+ (%S+) HTTP/1%.1\r\n.*\r\n\r\n")
      if not target then return end
      peer.bytes = ""
      local fault = fault_of(target, faults)
      if type(fault) == "function" then return fault(peer) end
      if fault ~= "" then peer:write(fault) end
      peer:finish()
    end,
  })
  print("listening at " .. server.url)
  io.stdout:flush()
  uv.run()
end

if arg and arg[0] and arg[0]:find("fault_server.lua", 1, true) and arg[1] == "serve" then serve() end

return M
