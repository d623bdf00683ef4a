---PgBouncer in transaction mode before a PostgreSQL of the spec: each transaction gets a connection of its pool.

local port = require "spec.support.port"
local service = require "spec.support.service"

local M = {}

---@class spec.PgBouncer
---@field port integer
local PgBouncer = {}
PgBouncer.__index = PgBouncer

---@return string? program
---@return string? missing
function M.find()
  return service.find("pgbouncer", "pgbouncer")
end

local configuration = [[
[databases]
* = host=127.0.0.1 port=%d%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
auth_type = scram-sha-256
auth_file = %s
pool_mode = transaction
default_pool_size = %d
unix_socket_dir =
logfile = %s/pgbouncer.log
]]

---Starts it, and waits until it takes connections.
---@param program string
---@param directory spec.Directory that the server's user may write to
---@param server spec.Postgres
---@param users table<string, string> their passwords, which it proves to the server as well
---@param connections integer to the server
---@param role? string as which it logs in for everybody
---@return spec.PgBouncer
function M.start(program, directory, server, users, connections, role)
  local lines, own = {}, port.free()
  for user, password in pairs(users) do lines[#lines + 1] = ('"%s" "%s"\n'):format(user, password) end
  local list = directory:write("users.txt", table.concat(lines))
  local forced = role and " user=" .. role or ""
  local file = directory:write("pgbouncer.ini",
    configuration:format(server.port, forced, own, list, connections, directory.path))
  local started = service.start({ program, file }, { unprivileged = true, cwd = "/" })
  port.await(started.process, own, "pgbouncer")
  return setmetatable({ port = own, service = started }, PgBouncer)
end

function PgBouncer:stop()
  self.service:stop "sigint"
end

return M
