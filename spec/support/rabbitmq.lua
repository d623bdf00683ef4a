---RabbitMQ with its management plugin: a node of its own, with a port mapper of its own, which ends with it.

local free_port = require("spec.support.port").free
local service = require "spec.support.service"

local M = {}

---@class spec.RabbitMQ
---@field url string of the management plugin
---@field port integer of AMQP
local RabbitMQ = {}
RabbitMQ.__index = RabbitMQ

local configuration = [[
listeners.tcp.1 = 127.0.0.1:%d
management.tcp.ip = 127.0.0.1
management.tcp.port = %d
default_user = ops
default_pass = open sesame
log.console.level = error
]]

---@return { server: string, mapper: string }? programs
---@return string? missing
function M.find()
  local server, missing = service.find("rabbitmq-server", "rabbitmq-server", "/usr/lib/rabbitmq/bin")
  if not server then return nil, missing end
  local mapper
  mapper, missing = service.find("epmd", "erlang-base")
  return mapper and { server = server, mapper = mapper }, missing
end

---Prepares a node; it does not run yet.
---@param programs { server: string, mapper: string }
---@param directory spec.Directory
---@return spec.RabbitMQ
function M.new(programs, directory)
  local port, management, mapper_port = free_port(), free_port(), tostring(free_port())
  local path = directory.path
  directory:write("rabbitmq.conf", configuration:format(port, management))
  directory:write("plugins", "[rabbitmq_management].")
  return setmetatable({ programs = programs, port = port,
    url = "http://127.0.0.1:" .. management, mapper_port = mapper_port, env = {
    HOME = path, ERL_EPMD_PORT = mapper_port, ERL_EPMD_ADDRESS = "127.0.0.1", RABBITMQ_NODENAME = "spec@localhost",
    RABBITMQ_DIST_PORT = tostring(free_port()), RABBITMQ_CONFIG_FILE = path .. "/rabbitmq.conf",
    RABBITMQ_CONF_ENV_FILE = "/dev/null", RABBITMQ_ENABLED_PLUGINS_FILE = path .. "/plugins",
    RABBITMQ_MNESIA_BASE = path .. "/mnesia", RABBITMQ_LOG_BASE = path .. "/log", RABBITMQ_PID_FILE = path .. "/pid",
    ERL_CRASH_DUMP = path .. "/crash.dump",
  } }, RabbitMQ)
end

function RabbitMQ:start()
  self.mapper = service.start({ self.programs.mapper, "-port", self.mapper_port, "-address", "127.0.0.1" })
  self.server = service.start({ self.programs.server }, { env = self.env })
end

function RabbitMQ:stop()
  self.server:stop()
  self.mapper:stop()
end

return M
