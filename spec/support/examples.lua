---Runs the examples of a page, in a folder with the files that the page names, and those of the tutorial.
---
---    local examples = Examples.of("README.md")
---    examples:set_up()
---    for _, example in ipairs(examples.list) do examples:run(example) end
---    examples:tear_down()

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local core = require "bide.core"
local document = require "spec.support.document"
local port = require "spec.support.port"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

require "bide"

local SERVICE = "localhost:8080" -- as the pages call it

---The service that the examples talk to.
local function new_service()
  local asked = {}
  local function times(path)
    asked[path] = (asked[path] or 0) + 1
    return asked[path]
  end
  local function answer(value) return { body = core.json.encode(value), headers = { ["Content-Type"] = "application/json" } } end
  local routes = {
    ["/health"] = function() return { body = "" } end,
    ["/echo"] = function(request) return answer { method = request.method } end,
    ["/things/foo"] = function(request)
      local count = times(request.path)
      if count == 1 then return { status = 404, body = '{"message": "no such thing"}' } end
      return answer { status = count == 2 and "pending" or "success" }
    end,
    ["/jobs/1"] = function(request)
      return times(request.path) % 2 == 1 and { status = 503 } or answer { state = "done" }
    end,
    ["/instances"] = function(request)
      local input, count = core.json.decode(request.body), times(request.body)
      if count == 1 then return { status = 503 } end
      return answer { State = count == 2 and "pending" or "running", ClientToken = input.ClientToken }
    end,
    ["/actuator/health"] = function(request) -- Spring Boot
      return times(request.path) == 1 and { status = 503, body = '{"status":"DOWN"}' } or answer { status = "UP" }
    end,
    ["/health/ready"] = function() return answer { status = "UP", checks = {} } end, -- Keycloak
    ["/jobs/2"] = function() return answer { state = "failed", reason = "disk full" } end,
  }
  return function(request)
    local route = routes[request.path]
    return route and route(request) or { status = 404 }
  end
end

local instances = [[{"Reservations": [{"Instances": [{"State": {"Name": "running"}}, {"State": {"Name": "pending"}}]}]}]]

---@class spec.Examples
---@field list spec.Example[]
---@field files table<string, string>
---@field program? string
local Examples = {}
Examples.__index = Examples

---The page whose files the examples of all pages may use.
local TUTORIAL = "docs/tutorial.md"

---@param page string a file of Markdown
---@param program? string the file of the page that is the service, in Python; else the spec plays it
---@return spec.Examples
function Examples.of(page, program)
  local files, list = document.read(page)
  for name, text in pairs(document.read(TUTORIAL)) do files[name] = files[name] or text end
  return setmetatable({ files = files, list = list, program = program }, Examples)
end

---Starts the service that a page has, on a port of its own.
local function start_program(examples)
  local own = port.free()
  local file = examples.directory:write(examples.program, (examples.files[examples.program]:gsub("8080", own)))
  local started = service.start { "python3", file }
  port.await(started.process, own, examples.program)
  return { url = "http://localhost:" .. own, close = function() started:stop() end }
end

function Examples:set_up()
  self.directory = Directory.make()
  self.server = self.program and start_program(self) or Server.start(new_service())
  self.address = self.server.url:match "^http://(.*)$"
  for name, text in pairs(self.files) do
    self.directory:write(name, (text:gsub(SERVICE, self.address)))
  end
  self.directory:write("instances.json", instances)
  for _, example in ipairs(self.list) do
    if example.command:find "^cat " then self.directory:write(example.command:match "^cat (%S+)", example.output) end
  end
end

function Examples:tear_down()
  self.server:close()
  self.directory:remove()
end

---Runs an example's command to its end, with what it writes to standard error among its output.
---@param example spec.Example
---@return spec.Process
function Examples:run(example)
  local command = example.command:gsub(SERVICE, self.address)
  local root = uv.cwd()
  return process.run({ "sh", "-c", 'PATH="$BIDE_FOLDER:$PATH"; ' .. command .. " 2>&1" }, {
    cwd = self.directory.path, tool = true, env = {
      BIDE_FOLDER = uv.fs_realpath(process.bide):match "^(.*)/",
      LUA_PATH = ("%s/lua/?.lua;%s/lua/?/init.lua;;"):format(root, root),
      LUA_CPATH = root .. "/" .. package.cpath:match "%f[%w][%w-]+/lib/%?%.so" .. ";;", -- busted starts as Lua 5.1
    },
  })
end

---Times and jitter differ from run to run: numbers are compared as numbers only.
---@param text string
---@return string
function Examples.without_numbers(text)
  return (text:gsub("%d+%.?%d*", "N"))
end

return Examples
