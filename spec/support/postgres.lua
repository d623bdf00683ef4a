---PostgreSQL: a cluster of its own, as an unprivileged user where the spec runs as root.

local uv = require "luv"
local kept = require "spec.support.kept"
local port = require "spec.support.port"
local process = require "spec.support.process"
local service = require "spec.support.service"

local M = {}

---@class spec.PostgresPrograms
---@field server string
---@field maker string of clusters

---@class spec.Postgres
---@field port integer
---@field folder string in which its unix socket is
local Postgres = {}
Postgres.__index = Postgres

local folder = "/usr/lib/postgresql/*/bin"

---Finds the newest that is installed, or the one in the folder that BIDE_POSTGRES names.
---@return spec.PostgresPrograms? programs
---@return string? missing
function M.find()
  local given = os.getenv "BIDE_POSTGRES"
  if given then return { server = given .. "/postgres", maker = given .. "/initdb" } end
  local server, missing = service.find("postgres", "postgresql", folder)
  if not server then return nil, missing end
  return { server = server, maker = (server:gsub("postgres$", "initdb")) }
end

---Gives a file of the directory to the server alone, as a key has to be.
---@param path string
function M.own(path)
  if uv.getuid() == 0 then assert(uv.fs_chown(path, service.NOBODY, service.NOBODY)) end
  assert(uv.fs_chmod(path, 384)) -- 0600
end

local function version_of(programs)
  return process.run({ programs.maker, "--version" }, { tool = true }).stdout
end

---Makes a cluster; it does not run yet.
---@param programs spec.PostgresPrograms
---@param directory spec.Directory
---@param rules string lines of pg_hba.conf
---@return spec.Postgres
function M.new(programs, directory, rules)
  service.give(directory)
  local data = directory.path .. "/data"
  kept.copy(programs.maker .. version_of(programs), data, function()
    local made = process.run(service.dress({ programs.maker, "--pgdata=" .. data, "--username=postgres", "--auth=trust",
      "--no-sync", "--locale=C", "--encoding=UTF8" }, true), { tool = true, cwd = "/" })
    assert(made.code == 0, made.stderr)
  end)
  local file = assert(io.open(data .. "/pg_hba.conf", "w"))
  file:write(rules)
  file:close()
  return setmetatable({ programs = programs, folder = directory.path, data = data, port = port.free() }, Postgres)
end

---@param ... string settings, "restore_command=..."
function Postgres:start(...)
  local command = { self.programs.server, "-D", self.data, "-p", tostring(self.port), "-h", "127.0.0.1",
    "-k", self.folder,
    "-c", "fsync=off" }
  for _, setting in ipairs { ... } do
    command[#command + 1] = "-c"
    command[#command + 1] = setting
  end
  self.service = service.start(command, { unprivileged = true, cwd = "/" })
end

---Waits until it takes connections.
function Postgres:await()
  port.await(self.service.process, self.port, "PostgreSQL")
  self:hold():close()
end

local startup = string.pack(">I4I4zzB", 23, 3 << 16, "user", "postgres", 0)

local function connect(at)
  local connection, received, is_closed = uv.new_tcp(), "", false
  connection:connect("127.0.0.1", at, function(failure)
    assert(not failure, failure)
    connection:write(startup)
    connection:read_start(function(_, bytes)
      received, is_closed = received .. (bytes or ""), not bytes
    end)
  end)
  while not is_closed and not received:find("Z\0\0\0\5I", 1, true) do uv.run "once" end
  return connection, not is_closed
end

---Holds a connection; a server that is full, of one that is just ending, is asked again.
---@return uv_tcp_t connection to be closed
function Postgres:hold()
  local connection, is_held = connect(self.port)
  if is_held then return connection end
  connection:close()
  return self:hold()
end

---The letters of the messages that are there in whole.
local function letters_of(received)
  local letters, at = "", 1
  while #received >= at + 4 do
    local length = string.unpack(">I4", received, at + 1)
    if #received < at + length then break end
    letters, at = letters .. received:sub(at, at), at + 1 + length
  end
  return letters
end

---Has it carry out statements.
---@param text string
function Postgres:query(text)
  local connection, received = self:hold(), ""
  connection:read_stop()
  connection:read_start(function(_, bytes) received = received .. assert(bytes, "the server closed") end)
  connection:write("Q" .. string.pack(">I4z", #text + 5, text))
  while not letters_of(received):find "Z" do uv.run "once" end
  connection:close()
  assert(not letters_of(received):find "E", received)
end

---Ends it, and all its connections.
---@param signal? string "sigint" otherwise
function Postgres:stop(signal)
  self.service:stop(signal or "sigint")
end

return M
