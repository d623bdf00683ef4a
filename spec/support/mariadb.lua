---MariaDB: a server of its own, as an unprivileged user where the spec runs as root.

local free_port = require("spec.support.port").free
local kept = require "spec.support.kept"
local process = require "spec.support.process"
local service = require "spec.support.service"

local M = {}

---@class spec.MariaDb
---@field port integer
---@field program string
---@field directory spec.Directory
local MariaDb = {}
MariaDb.__index = MariaDb

---@return string? program
---@return string? missing
function M.find()
  return service.find("mariadbd", "mariadb-server")
end

---Makes the files of a server with the user root, password "root"; it does not run yet.
---@param program string
---@param directory spec.Directory
---@return spec.MariaDb
function M.new(program, directory)
  service.give(directory)
  local data = directory.path .. "/data"
  kept.copy(program .. process.run({ program, "--version" }, { tool = true }).stdout, data, function()
    local made = process.run(service.dress({ "mariadb-install-db", "--no-defaults", "--datadir=" .. data,
      "--auth-root-authentication-method=normal", "--skip-test-db" }, true), { tool = true, cwd = "/" })
    assert(made.code == 0, made.stdout .. made.stderr)
  end)
  directory:write("init.sql", [[
    DROP USER IF EXISTS ''@localhost;
    ALTER USER root@localhost IDENTIFIED BY 'root';
    CREATE USER IF NOT EXISTS app@'%' IDENTIFIED BY 'secret word';
    CREATE DATABASE IF NOT EXISTS shop;
    GRANT ALL ON shop.* TO app@'%';
  ]])
  return setmetatable({ program = program, directory = directory, port = free_port() }, MariaDb)
end

---@param ... string options
function MariaDb:start(...)
  local path = self.directory.path
  self.service = service.start({ self.program, "--no-defaults", "--datadir=" .. path .. "/data",
    "--socket=" .. path .. "/socket", "--pid-file=" .. path .. "/pid", "--bind-address=127.0.0.1", "--port=" .. self.port,
    "--init-file=" .. path .. "/init.sql", "--skip-name-resolve", ... }, { unprivileged = true, cwd = "/" })
end

function MariaDb:stop()
  if self.service then self.service:stop "sigkill" end
end

return M
