---moto, a server that plays the services of AWS, for the specs of those services. It is a package of Python, which
---`.ci/deps test` gets; BIDE_MOTO names the folder of another python3 that has it.
---
---    local python, missing = moto.find()
---    if not python then return pending(missing) end
---    local server = moto.start()
---    server.url
---    server:stop()

local json = require("bide.core").json
local service = require "spec.support.service"
local port = require "spec.support.port"
local python = require "spec.support.python"

local M = {}

---@class spec.Moto
---@field url string
---@field service spec.Service
---@field cases? table<string, spec.MotoCase[]> of `serve`, by service
---@field fleet? string[] of `serve`: instances
---@field botocore? string of `serve`: the folder of botocore's data
---@field mistakes? string[] of `serve`: what could not be made
local Moto = {}
Moto.__index = Moto

---@class spec.MotoCase
---@field waiter string
---@field input table
---@field expected "success" | "failure"

---The release whose answers the specs know.
local NEEDED = "(5, 2, 5)"

---@return string? python
---@return string? missing
function M.find()
  local folder = os.getenv "BIDE_MOTO"
  local test = "import moto, moto.server, sys; sys.exit(tuple(map(int, moto.__version__.split('.')[:3])) < " .. NEEDED .. ")"
  local found = python.that_runs(test, folder and folder .. "/python3")
  if found then return found end
  return nil, "moto 5.2.5 or later is missing: run .ci/deps test"
end

---@return spec.Moto
function M.start()
  local number = port.free()
  local started = service.start({ assert(M.find()), "-m", "moto.server", "-H", "127.0.0.1", "-p", tostring(number) })
  started.process:wait_for_output "Running on"
  return setmetatable({ service = started, url = "http://127.0.0.1:" .. number }, Moto)
end

---Starts moto with resources, which spec/support/aws/moto makes, and the cases of waits for them.
---@return spec.Moto
function M.serve()
  local started = service.start { assert(M.find()), "spec/support/aws/moto/server.py" }
  started.process:wait_for_output "}\n"
  local made = assert(json.decode(started.process.stdout))
  made.service = started
  return setmetatable(made, Moto)
end

function Moto:stop()
  self.service:stop()
end

return M
