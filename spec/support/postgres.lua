---PostgreSQL: a cluster of its own, as an unprivileged user where the spec runs as root.

local free_port = require("spec.support.port").free
local process = require "spec.support.process"
local service = require "spec.support.service"

local M = {}

---@class spec.PostgresPrograms
---@field server string
---@field maker string of clusters
---@field client string

---@class spec.Postgres
---@field port integer
local Postgres = {}
Postgres.__index = Postgres

local folder = "/usr/lib/postgresql/*/bin"

---@return spec.PostgresPrograms? programs
---@return string? missing
function M.find()
  local server, missing = service.find("postgres", "postgresql", folder)
  if not server then return nil, missing end
  local place = server:match("^(.*/)postgres$")
  return { server = server, maker = place .. "initdb", client = place .. "psql" }
end

---Makes a cluster; it does not run yet.
---@param programs spec.PostgresPrograms
---@param directory spec.Directory
---@param rules string lines of pg_hba.conf
---@return spec.Postgres
function M.new(programs, directory, rules)
  service.give(directory)
  local data = directory.path .. "/data"
  local made = process.run(service.dress({ programs.maker, "--pgdata=" .. data, "--username=postgres", "--auth=trust",
    "--no-sync", "--locale=C", "--encoding=UTF8" }, true), { tool = true, cwd = "/" })
  assert(made.code == 0, made.stderr)
  local file = assert(io.open(data .. "/pg_hba.conf", "w"))
  file:write(rules)
  file:close()
  return setmetatable({ programs = programs, data = data, port = free_port() }, Postgres)
end

---@param ... string settings, "restore_command=..."
function Postgres:start(...)
  local command = { self.programs.server, "-D", self.data, "-p", tostring(self.port), "-h", "127.0.0.1", "-k", "",
    "-c", "fsync=off" }
  for _, setting in ipairs { ... } do
    command[#command + 1] = "-c"
    command[#command + 1] = setting
  end
  self.service = service.start(command, { unprivileged = true, cwd = "/" })
end

---Starts a client that sends a query, over the connection that it keeps until it ends.
---@param text string
---@return spec.Service
function Postgres:query(text)
  return service.start { self.programs.client, "--host=127.0.0.1", "--port=" .. self.port, "--username=postgres",
    "--command=" .. text }
end

---Ends it, and all its connections.
function Postgres:stop()
  self.service:stop "sigint"
end

return M
