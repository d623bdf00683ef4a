---What bide is used for, tried by a program that stands anywhere: http, tcp, postgres, aws, kubernetes, query, check and
---exec, each with a yes and a no, against servers that this module starts.
---
---    local uses = Uses.start()
---    local program = { words = { "chroot", root, "/bide" }, folder = root .. "/work", within = "/work" }
---    for _, name in ipairs(Uses.names) do print(name, uses:try(name, program)) end
---    uses:stop()

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local TlsServer = require "spec.support.tls_server"
local certificates = require "spec.support.certificates"
local json = require("bide.core").json
local kube = require "spec.support.kube"
local moto = require "spec.support.aws.moto"
local port = require "spec.support.port"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"
local read = require "spec.support.read"
local uv = require "luv"

---A program, and a folder in which it finds the files of its command lines.
---@class spec.PlacedProgram
---@field words string[] the first words of a command line that runs it
---@field folder string as this machine names it; it must be there
---@field within string as the program names it

---@class spec.Uses
---@field directory spec.Directory what the servers keep
---@field values table<string, string> what stands for `$name` in a command line
---@field lacks table<string, string> why a use cannot be tried here
---@field stops fun()[]
local Uses = {}
Uses.__index = Uses

---In the order of a table.
Uses.names = { "http", "tcp", "postgres", "aws", "kubernetes", "query", "check", "exec" }

---A command line, with the exit code and a part of what it prints.
---@class spec.Use
---@field [1] string `$name` is a value of the servers, `$folder` the folder of the program
---@field [2] integer
---@field [3] string
---@field stdin string?

---@type table<string, spec.Use[]>
local lines = {
  http = {
    { "http http://localhost:$http/job --until state=done --max-wait 20s", 0, "after 3 attempts" },
    { "http http://127.0.0.1:$http/job --until state=never --max-wait 3s", 124, 'unmet: --until "state=never"' },
    { "http https://localhost:$https/ ca=$folder/ca.pem --max-wait 20s", 0, "succeeded" },
    { "http https://localhost:$https/ --max-attempts 1 --max-wait 30s", 3, "certificate" },
  },
  tcp = {
    { "tcp localhost:$http --max-wait 20s", 0, "succeeded" },
    { "tcp 127.0.0.1:$closed --max-wait 2s", 124, "refused" },
  },
  postgres = {
    { "postgres RowFound postgres://app@localhost:$postgres/postgres password=right VALUES(1) --max-wait 20s", 0, "succeeded" },
    { "postgres postgres://app@127.0.0.1:$postgres/postgres password=wrong --max-wait 5s", 1, "password authentication failed" },
  },
  aws = {
    { "aws s3 bucket-exists Bucket=there --max-wait 4s", 0, "succeeded" },
    { "aws s3 bucket-exists Bucket=nowhere --max-wait 4s", 124, "NoSuchBucket" },
  },
  kubernetes = {
    { "kubernetes deployment/web condition=available server=$kubernetes token_file=$folder/token insecure=true --max-wait 20s",
      0, "succeeded" },
    { "kubernetes deployment/none server=$kubernetes token_file=$folder/token insecure=true --max-wait 5s",
      124, '"none" does not exist' },
  },
  query = {
    { "query items[?ready].name", 0, '"two"', stdin = '{"items":[{"name":"one"},{"name":"two","ready":true}]}' },
    { "query items[", 2, "items[", stdin = "{}" },
  },
  check = {
    { "check $folder/good.json", 0, "" },
    { "check $folder/bad.json", 1, "ERROR" },
  },
  exec = {
    { "exec --sandbox=strict $folder/good.lua", 0, "the answer is done" },
    { "exec --sandbox=strict $folder/bad.lua", 5, "bad.lua:1" },
  },
}

local files = {
  token = "$token",
  ["good.json"] = '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}\n',
  ["bad.json"] = '{"Done": {"acceptors": [{"state": "won", "matcher": {"success": true}}]}}\n',
  ["good.lua"] = 'print("the answer is " .. require("bide.http").get("http://localhost:$http/plain"):json().state)\n',
  ["bad.lua"] = 'print(io.open("/etc/passwd"):read "a")\n',
}

-- ---- servers ----------------------------------------------------------------------------------

---A server whose job is done when it is asked for the third time.
local function start_http(self)
  local asked = 0
  local server = Server.start(function(request)
    if request.target == "/job" then asked = asked + 1 end
    local is_done = request.target ~= "/job" or asked > 2
    return { body = json.encode { state = is_done and "done" or "running" } }
  end)
  self.restart_job = function() asked = 0 end
  self.values.http, self.values.closed = tostring(server.port), tostring(port.free())
  return function() server:close() end
end

local function start_https(self)
  certificates(self.directory)
  local server = TlsServer.start(self.directory, { "-cert", "server.pem", "-key", "server.key", "-www", "-quiet" })
  self.values.https = tostring(server.port)
  return function() server:close() end
end

local function start_postgres(self)
  local programs, missing = postgres.find()
  if not programs then
    self.lacks.postgres = missing
    return
  end
  local directory = Directory.make_in_memory()
  local server = postgres.new(programs, directory, "local all all trust\nhost all app 127.0.0.1/32 scram-sha-256\n"
    .. "host all all 127.0.0.1/32 trust\n")
  server:start()
  server:await()
  server:query "CREATE ROLE app LOGIN PASSWORD 'right'"
  self.values.postgres = tostring(server.port)
  return function()
    server:stop()
    directory:remove()
  end
end

local function start_aws(self)
  local python, missing = moto.find()
  if not python then
    self.lacks.aws = missing
    return
  end
  local server = moto.start()
  local made = process.run({ "curl", "-sS", "--fail", "-X", "PUT", server.url .. "/there" }, { tool = true })
  assert(made.code == 0, made.stderr)
  self.values.aws = server.url
  return function() server:stop() end
end

---What kube-apiserver answered once, where there is none to start.
local function start_recorded_kubernetes(self)
  local answers = json.decode(read "spec/e2e/data/kubernetes/cluster/rolled-out.json")
  local server = Server.start(function(request)
    local answer = answers[request.target]
    if answer then
      return { status = answer.status, body = json.encode(answer.body), headers = { ["Content-Type"] = "application/json" } }
    end
    local name = request.target:match "/([^/?]+)$"
    return { status = 404, body = json.encode { kind = "Status", apiVersion = "v1", status = "Failure", reason = "NotFound",
      code = 404, message = ("deployments.apps %q not found"):format(name), details = { name = name, kind = "deployments" } } }
  end)
  self.values.kubernetes, self.values.token = server.url, "token"
  return function() server:close() end
end

local function start_kubernetes(self)
  local cluster = kube.start()
  if not cluster then return start_recorded_kubernetes(self) end
  local labels, path = { app = "web" }, "/apis/apps/v1/namespaces/default/deployments"
  cluster:make(path, { apiVersion = "apps/v1", kind = "Deployment", metadata = { name = "web" }, spec = { replicas = 1,
    selector = { matchLabels = labels }, template = { metadata = { labels = labels },
      spec = { containers = { { name = "web", image = "web" } } } } } })
  cluster:say(path .. "/web", { observedGeneration = 1, replicas = 1, updatedReplicas = 1, readyReplicas = 1,
    availableReplicas = 1, conditions = { { type = "Available", status = "True", lastUpdateTime = "2026-01-01T00:00:00Z",
      lastTransitionTime = "2026-01-01T00:00:00Z", reason = "MinimumReplicasAvailable", message = "it is" } } })
  self.values.kubernetes, self.values.token = cluster.url, "spec-of-bide"
  return function() cluster:stop() end
end

---@return spec.Uses
function Uses.start()
  local self = setmetatable({ directory = Directory.make(), values = {}, lacks = {}, stops = {} }, Uses)
  for _, start in ipairs { start_http, start_https, start_postgres, start_aws, start_kubernetes } do
    local stop = start(self)
    if stop then table.insert(self.stops, 1, stop) end
  end
  return self
end

function Uses:stop()
  for _, stop in ipairs(self.stops) do stop() end
  self.directory:remove()
end

-- ---- trying ---------------------------------------------------------------------------------------

---The environment of a machine that has nothing.
local function environment(self)
  local variables = { AWS_ENDPOINT_URL = self.values.aws, AWS_ACCESS_KEY_ID = "key", AWS_SECRET_ACCESS_KEY = "secret",
    AWS_REGION = "us-east-1" }
  for _, name in ipairs { "HOME", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "BIDE_PATH", "KUBECONFIG" } do
    variables[name] = false
  end
  return variables
end

local function fill(self, program, text)
  return (text:gsub("%$(%l+)", function(name) return name == "folder" and program.within or self.values[name] end))
end

local function write_files(self, program)
  Directory.write({ path = program.folder }, "ca.pem", self.directory:read "ca.pem")
  for name, text in pairs(files) do Directory.write({ path = program.folder }, name, fill(self, program, text)) end
  for name in pairs(files) do assert(uv.fs_chmod(program.folder .. "/" .. name, tonumber("644", 8))) end
end

---Removes what `try` has put into the folder of a program.
---@param program spec.PlacedProgram
function Uses.clear(program)
  uv.fs_unlink(program.folder .. "/ca.pem")
  for name in pairs(files) do uv.fs_unlink(program.folder .. "/" .. name) end
end

---Tries a use with a program.
---@param name string
---@param program spec.PlacedProgram
---@return boolean? worked nil where it cannot be tried
---@return string? why not
function Uses:try(name, program)
  if self.lacks[name] then return nil, self.lacks[name] end
  self.restart_job()
  write_files(self, program)
  for _, line in ipairs(lines[name]) do
    local command = table.move(program.words, 1, #program.words, 1, {})
    for word in line[1]:gmatch "%S+" do command[#command + 1] = fill(self, program, word) end
    local done = process.run(command, { env = environment(self), stdin = line.stdin, cwd = "/" })
    local printed = done.stdout .. done.stderr
    local lack = printed:match "this kernel lacks [^\n]*" -- or the emulator, which has no filter of calls
    if lack then return nil, lack end
    if done.code ~= line[2] or not printed:find(line[3], 1, true) then
      return false, ("%s: exit code %d, wanted %d with %q\n%s"):format(line[1], done.code, line[2], line[3], printed)
    end
  end
  return true
end

return Uses
