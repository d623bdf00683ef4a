---moto, a server that plays the services of AWS, for the specs of those services. It is a package of Python:
---`pip install "moto[server]"`.
---
---    local python, missing = moto.find()
---    if not python then return pending(missing) end
---    local server = moto.start()
---    server.url
---    server:stop()

local service = require "spec.support.service"
local port = require "spec.support.port"
local process = require "spec.support.process"

local M = {}

---@class spec.Moto
---@field url string
---@field service spec.Service
local Moto = {}
Moto.__index = Moto

---@return string? python
---@return string? missing
function M.find()
  local python, missing = service.find("python3", "python3")
  if not python then return nil, missing end
  local done = process.run({ python, "-c", "import moto.server" }, { tool = true })
  if done.code == 0 then return python end
  return nil, 'moto is missing: pip install "moto[server]"'
end

---@return spec.Moto
function M.start()
  local number = port.free()
  local started = service.start({ assert(M.find()), "-m", "moto.server", "-H", "127.0.0.1", "-p", tostring(number) })
  started.process:wait_for_output "Running on"
  return setmetatable({ service = started, url = "http://127.0.0.1:" .. number }, Moto)
end

function Moto:stop()
  self.service:stop()
end

return M
