---Gets objects from the API of Kubernetes, with the credentials that its users have: the service account of a pod, a
---token in a file, a client's certificate, or `kubectl proxy`, which needs none of them.
---
---    local kubernetes = require "bide.kubernetes"
---    kubernetes.get("apis/apps/v1", "deployments", { name = "web", server = "http://localhost:8001" })
---    kubernetes.get("apis/batch/v1", "jobs", { name = "migration" })   -- in a pod
---
---Returns the answer, whatever its status. Raises the operation errors of bide.http, and these:
---
---    NoServer       `server` is missing, and bide is not running in a pod
---    NoCredentials  a file of the service account, or the one of the token, cannot be read

local address = require "bide.address"
local file = require "bide.file"
local http = require "bide.http"

local M = {}

local ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
local TIMEOUT = 10 -- seconds
local NO_SERVER = "server= is missing, and bide is not running in a pod"

---@class bide.kubernetes.Options
---@field name string
---@field namespace? string the service account's, or "default"
---@field server? string "https://10.0.0.1:6443"; the pod's own cluster by default
---@field account? string the folder of a service account: token, ca.crt, namespace; a pod's own without `server`
---@field token_file? string read for each request, since tokens are renewed
---@field ca? string a file with the certificates that the server's must be signed by
---@field certificate? string a client's, with `key`
---@field key? string
---@field timeout? number seconds, 10 by default

---The options as the declared inputs of a recipe.
M.inputs = {
  name = { type = "string", required = true, positional = 1, example = "web", documentation = "The name of the object." },
  namespace = { type = "string", documentation = "Default: that of the service account, or default." },
  server = { type = "string", example = "https://10.0.0.1:6443", documentation = "Default: the cluster of the pod." },
  account = { type = "string", documentation = "The folder of a service account. Default: the pod's own without a server." },
  token_file = { type = "string", documentation = "A file with a bearer token, which is read for each request." },
  ca = { type = "string", documentation = "A file with the authorities that may have signed the server's certificate." },
  certificate = { type = "string", documentation = "A file with a client's certificate." },
  key = { type = "string", documentation = "A file with its key." },
  timeout = { type = "duration", default = TIMEOUT, documentation = "The time for one attempt." },
}

local function read(path)
  local ok, found = pcall(file, path, { content = true })
  if ok then return found.content:match "^%s*(.-)%s*$" end
  if type(found) ~= "table" then error(found, 0) end
  error({ type = "NoCredentials", message = found.message }, 0)
end

---Returns the server that the environment of a pod names.
local function own_server()
  local host, port = os.getenv "KUBERNETES_SERVICE_HOST", os.getenv "KUBERNETES_SERVICE_PORT"
  if not host then error({ type = "NoServer", message = NO_SERVER }, 0) end
  return ("https://%s:%s"):format(host:find(":", 1, true) and "[" .. host .. "]" or host, port or 443)
end

---Finds what is wrong with such an input before anything is asked.
---@param input bide.kubernetes.Options
---@return string? mistake
function M.check(input)
  if not input.server then return not pcall(own_server) and NO_SERVER or nil end
  local _, mistake = address.http(input.server)
  return mistake and "server: " .. mistake
end

local function escape(name)
  return (name:gsub("[^%w_.-]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

---@param group string with its version: "apis/apps/v1"
---@param kind string in the plural: "deployments"
---@param given bide.kubernetes.Options
---@return bide.http.Response
function M.get(group, kind, given)
  local account = given.account or not given.server and ACCOUNT or nil
  local server = given.server and (address.http(given.server) or given.server) or own_server()
  local token_file = given.token_file or account and account .. "/token"
  local namespace = given.namespace or account and read(account .. "/namespace") or "default"
  local path = ("/%s/namespaces/%s/%s/%s"):format(group, escape(namespace), kind, escape(given.name))
  return http.get(server:gsub("/$", "") .. path, {
    bearer = token_file and read(token_file), ca = given.ca or account and account .. "/ca.crt",
    certificate = given.certificate, key = given.key, timeout = given.timeout or TIMEOUT,
    headers = { Accept = "application/json" }, redirects = 0,
  })
end

return M
