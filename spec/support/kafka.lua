---Kafka: a broker of its own in KRaft mode, made from the jars of $KAFKA_HOME/libs, or of $KAFKA_HOME itself. Debian has no
---package of it.

local free_port = require("spec.support.port").free
local process = require "spec.support.process"
local service = require "spec.support.service"

local M = {}

---@class spec.Kafka
---@field port integer
---@field tls_port integer
---@field sasl_port integer where app logs in with "secret word", by PLAIN and, once it was added, by SCRAM-SHA-256
local Kafka = {}
Kafka.__index = Kafka

local configuration = [[
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:%d
listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,SASL_PLAINTEXT://127.0.0.1:%d,SSL://127.0.0.1:%d
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL
ssl.keystore.type=PEM
ssl.keystore.location=broker.pem
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256
listener.name.sasl_plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required \
  user_app="secret word";
listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=%s/data
offsets.topic.replication.factor=1
]]

---@return { java: string, path: string }? programs
---@return string? missing
function M.find()
  local home = os.getenv "KAFKA_HOME"
  if not home then return nil, "Kafka is missing: set KAFKA_HOME to a folder with its jars" end
  local java, missing = service.find("java", "default-jre-headless")
  return java and { java = java, path = ("%s/libs/*:%s/*"):format(home, home) }, missing
end

---@param directory spec.Directory
local function tool(programs, directory, ...)
  local done = process.run({ programs.java, "-cp", programs.path, ... }, { cwd = directory.path, tool = true })
  assert(done.code == 0, done.stdout .. done.stderr)
  return done.stdout
end

---Makes the files of a broker, beside those of certificates; it does not run yet.
---@param programs { java: string, path: string }
---@param directory spec.Directory
---@return spec.Kafka
function M.new(programs, directory)
  local port, controller, sasl_port, tls_port = free_port(), free_port(), free_port(), free_port()
  directory:write("server.properties",
    configuration:format(controller, port, controller, sasl_port, tls_port, directory.path))
  directory:write("broker.pem", directory:read "server.key" .. directory:read "server.pem")
  tool(programs, directory, "kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", "server.properties")
  return setmetatable({ programs = programs, directory = directory, port = port, sasl_port = sasl_port, tls_port = tls_port },
    Kafka)
end

function Kafka:start()
  self.service = service.start({ self.programs.java, "-Xmx384m", "-cp", self.programs.path, "kafka.Kafka",
    "server.properties" }, { cwd = self.directory.path })
end

---@param ... string options of kafka-topics
function Kafka:topics(...)
  return tool(self.programs, self.directory, "org.apache.kafka.tools.TopicCommand", "--bootstrap-server",
    "127.0.0.1:" .. self.port, ...)
end

---Gives the user app a password that SCRAM proves.
function Kafka:add_user()
  tool(self.programs, self.directory, "kafka.admin.ConfigCommand", "--bootstrap-server", "127.0.0.1:" .. self.port, "--alter",
    "--add-config", "SCRAM-SHA-256=[password=secret word]", "--entity-type", "users", "--entity-name", "app")
end

function Kafka:stop()
  if self.service then self.service:stop "sigkill" end
end

return M
