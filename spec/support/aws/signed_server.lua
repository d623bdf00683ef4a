---A service of AWS that verifies signatures: spec/support/aws/signed_server.py, which the spec starts.
---
---    local python, missing = signed_server.find()
---    if not python then return pending(missing) end
---    local server = signed_server.start { service = "things", answers = { { body = "{}" } } }
---    server:requests()[1].refused
---    server:stop()

local uv = require "luv"
local json = require("bide.core").json
local service = require "spec.support.service"

local M = {
  ---Keys that it knows unless it is given others.
  access_key = "AKIDEXAMPLE", secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region = "eu-west-1",
}

---@class spec.SignedServer
---@field url string
---@field process spec.Process
local SignedServer = {}
SignedServer.__index = SignedServer

---@return string? python
---@return string? missing
function M.find()
  return service.find("python3", "python3")
end

---@param config table as the program describes it
---@return spec.SignedServer
function M.start(config)
  config.region = config.region or M.region
  config.keys = config.keys or { [M.access_key] = { secret = M.secret_key } }
  local started = service.start { assert(M.find()), "spec/support/aws/signed_server.py", json.encode(config) }
  started.process:wait_for_output "%d\n"
  return setmetatable({
    service = started, process = started.process, url = "http://127.0.0.1:" .. started.process.stdout:match "%d+",
  }, SignedServer)
end

---The requests so far, in their order.
---@return { method: string, target: string, headers: table<string, string>, body: string, refused: string? }[]
function SignedServer:requests()
  self.process:hold_loop(true)
  uv.run "nowait" -- a line is written before its answer
  self.process:hold_loop(false)
  local found = {}
  for line in self.process.stdout:gmatch "({[^\n]*)\n" do
    local request = json.decode(line)
    if request.refused == json.null then request.refused = nil end
    found[#found + 1] = request
  end
  return found
end

---The reasons for which requests were refused.
---@return string[]
function SignedServer:refusals()
  local found = {}
  for _, request in ipairs(self:requests()) do found[#found + 1] = request.refused end
  return found
end

function SignedServer:stop()
  self.service:stop()
end

return M
