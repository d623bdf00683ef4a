---A Kubernetes API server of the spec's own, over an etcd of its own: without controllers, a scheduler and nodes, so the
---spec writes what these would say. Logs come from an nginx in place of a kubelet. BIDE_KUBE_APISERVER is the path of
---kube-apiserver; without it, or without etcd, `start` says what is missing. `control` starts controllers, if
---BIDE_KUBE_CONTROLLER_MANAGER is the path of a kube-controller-manager.

local Nginx = require "spec.support.nginx"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local http = require "bide.http"
local json = require("bide.core").json
local port = require "spec.support.port"
local process = require "spec.support.process"
local service = require "spec.support.service"

---@class spec.Kube
---@field url string
---@field token string
---@field workspace spec.Workspace
local Kube = {}
Kube.__index = Kube

local M = {}

local TOKEN = "spec-of-bide"

---Asks the API. Asserts that the answer is good.
---@param method string
---@param path string
---@param value? table
---@param media_type? string
---@return any
function Kube:ask(method, path, value, media_type)
  local response = http.request { url = self.url .. path, method = method, bearer = TOKEN, verify = false, proxy = false,
    body = value and json.encode(value), headers = { ["Content-Type"] = value and (media_type or "application/json") } }
  assert(response.ok, response.body)
  return response:json()
end

---Sets a part of an object's status.
---@param path string of the object
---@param status table
function Kube:say(path, status)
  return self:ask("PATCH", path .. "/status", { status = status }, "application/merge-patch+json")
end

---Starts bide.
---@param interval string
---@param ... string
---@return spec.Process
function Kube:start_every(interval, ...)
  return process.start { process.bide, "kubernetes", "server=" .. self.url, "token_file=" .. self.workspace.path .. "/token",
    "insecure=true", "--max-wait", "60s", "--interval", interval, ... }
end

---Starts bide, with attempts in quick succession.
---@param ... string
---@return spec.Process
function Kube:start(...)
  return self:start_every("100ms", ...)
end

function Kube:stop()
  for _, each in ipairs(self.services) do each:stop() end
  if self.kubelet then self.kubelet:stop() end
  self.workspace:remove()
end

local function start_etcd(self, program)
  local peer = "http://127.0.0.1:" .. port.free()
  self.etcd = "http://127.0.0.1:" .. port.free()
  table.insert(self.services, service.start { program, "--data-dir", self.workspace.path .. "/data", "--listen-client-urls",
    self.etcd, "--advertise-client-urls", self.etcd, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
    "--initial-cluster", "default=" .. peer, "--log-level", "error", "--unsafe-no-fsync" })
end

---Writes the tokens of the users, and returns the options by which the server writes down who asks what.
---@param users string[] each has its token in a file of its name
local function write_users(self, users)
  local lines = { TOKEN .. ",spec,spec,system:masters\n" }
  for _, name in ipairs(users) do
    lines[#lines + 1] = ("token-of-%s,%s,%s,system:masters\n"):format(name, name, name)
    self.workspace:write(name, "token-of-" .. name)
  end
  self.workspace:write("tokens.csv", table.concat(lines))
  self.workspace:write("token", TOKEN)
  if #users == 0 then return end
  self.workspace:write("policy", "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n")
  local place = self.workspace.path
  return "--audit-policy-file=" .. place .. "/policy", "--audit-log-path=" .. place .. "/audit.log"
end

local function start_server(self, program, users)
  local place, number = self.workspace.path, port.free()
  self.url, self.token = "https://127.0.0.1:" .. number, TOKEN
  table.insert(self.services, service.start { program, "--etcd-servers", self.etcd, "--secure-port", tostring(number),
    "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--cert-dir", place .. "/certificates",
    "--service-account-issuer", "https://spec", "--service-account-key-file", place .. "/account.key",
    "--service-account-signing-key-file", place .. "/account.key", "--service-cluster-ip-range", "10.0.0.0/24",
    "--token-auth-file", place .. "/tokens.csv", "--authorization-mode", "AlwaysAllow",
    "--disable-admission-plugins", "ServiceAccount,TaintNodesByCondition", "--kubelet-client-certificate",
    place .. "/client.pem", "--kubelet-client-key", place .. "/client.key", write_users(self, users) })
end

---Starts an nginx that gives the logs of containers by their paths, for the node n1.
---@param blocks string locations
function Kube:serve_logs(blocks)
  self.kubelet = Nginx.start(self.workspace, ("server { listen 127.0.0.1:PORT ssl; ssl_certificate server.pem; "
    .. "ssl_certificate_key server.key; %s }"):format(blocks))
  self:ask("POST", "/api/v1/nodes", { apiVersion = "v1", kind = "Node", metadata = { name = "n1" } })
  self:say("/api/v1/nodes/n1", { addresses = { { type = "InternalIP", address = "127.0.0.1" } },
    daemonEndpoints = { kubeletEndpoint = { Port = self.kubelet.port } } })
end

---Starts controllers of Kubernetes, which say themselves what becomes of workloads.
---@param names string "deployment,replicaset"
---@return spec.Service?
---@return string? missing
function Kube:control(names)
  local program = os.getenv "BIDE_KUBE_CONTROLLER_MANAGER"
  if not program then return nil, "BIDE_KUBE_CONTROLLER_MANAGER is not set: it is the path of a kube-controller-manager" end
  self.workspace:write("kubeconfig", json.encode {
    apiVersion = "v1", kind = "Config", ["current-context"] = "spec",
    clusters = { { name = "spec", cluster = { server = self.url, ["insecure-skip-tls-verify"] = true } } },
    users = { { name = "spec", user = { token = self.token } } },
    contexts = { { name = "spec", context = { cluster = "spec", user = "spec" } } },
  })
  return service.start { program, "--kubeconfig", self.workspace.path .. "/kubeconfig", "--controllers=" .. names,
    "--leader-elect=false", "--secure-port=0" }
end

---Makes an object.
---@param path string
---@param value table
function Kube:make(path, value)
  return self:ask("POST", path, value)
end

---@param options? { users: string[] } whose requests the audit log has, each with a token in the file of its name
---@return spec.Kube?
---@return string? missing
function M.start(options)
  local program = os.getenv "BIDE_KUBE_APISERVER"
  if not program then return nil, "BIDE_KUBE_APISERVER is not set: it is the path of a kube-apiserver" end
  local etcd, missing = service.find("etcd", "etcd-server")
  if not etcd then return nil, missing end
  local self = setmetatable({ workspace = Workspace.make(), services = {} }, Kube)
  certificates(self.workspace)
  process.run({ "openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "account.key" },
    { cwd = self.workspace.path, tool = true })
  start_etcd(self, etcd)
  start_server(self, program, options and options.users or {})
  local up = self:start("namespace/default", "--quiet", "--while-pid",
    tostring(self.services[2].process.pid), "--retry-on", "TlsFailure", "--retry-on",
    "Unauthorized", "--retry-on", "Forbidden"):wait()
  assert(up.code == 0, up.stdout .. up.stderr .. self.services[2].process.stderr:sub(-2000))
  return self
end

return M
