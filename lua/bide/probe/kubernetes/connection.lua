---Finds and uses the API of Kubernetes: by the inputs of a recipe, a kubeconfig, or the service account of a pod, in this
---order.

local exec_credentials = require "bide.probe.kubernetes.exec_credentials"
local file = require "bide.file"
local http = require "bide.http"
local kubeconfig = require "bide.probe.kubernetes.kubeconfig"
local origin = require "bide.probe.http.origin"
local web_address = require "bide.text.web_address"

local M = {}

local ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
local NO_CLUSTER = "no cluster: server= is missing, there is no kubeconfig ($KUBECONFIG, ~/.kube/config), and bide is not "
  .. "running in a pod"

---Returns the server that the environment of a pod names.
---@return string?
local function own_server()
  local host, port = os.getenv "KUBERNETES_SERVICE_HOST", os.getenv "KUBERNETES_SERVICE_PORT"
  return host and ("https://%s:%s"):format(host:find(":", 1, true) and "[" .. host .. "]" or host, port or 443)
end

---@param given bide.kubernetes.Options
---@return bide.kubernetes.Connection
local function of_account(given, server)
  local account = given.account or not given.server and ACCOUNT or nil
  return { server = server, namespace_file = account and account .. "/namespace",
    token_file = account and account .. "/token", ca = account and account .. "/ca.crt" }
end

---@param given bide.kubernetes.Options
---@return bide.kubernetes.Connection?
---@return string? mistake
local function choose(given)
  if given.server then
    local server, mistake = web_address.http(given.server)
    if not server then return nil, "server: " .. mistake end
    return of_account(given, server)
  end
  if not given.account then
    local found, mistake = kubeconfig.connection(given)
    if found or mistake then return found, mistake end
  end
  local server = own_server()
  if not server then return nil, NO_CLUSTER end
  return of_account(given, server)
end

---@type table<string, bide.kubernetes.Connection> by the options that choose it
local connections = {}

---Returns the connection of some options; the files are read once.
---@param given bide.kubernetes.Options
---@return bide.kubernetes.Connection?
---@return string? mistake
function M.of(given)
  local key = table.concat({ given.server or "", given.account or "", given.kubeconfig or "", given.context or "" }, "\n")
  if connections[key] then return connections[key] end
  local found, mistake = choose(given)
  if found and found.exec then found.program, mistake = exec_credentials.new(found.exec) end
  if mistake then return nil, mistake end
  connections[key] = found
  return found
end

---Returns the connection of some options, or raises NoCredentials.
---@param given bide.kubernetes.Options
---@return bide.kubernetes.Connection
function M.connect(given)
  local connection, mistake = M.of(given)
  if not connection then error({ type = "NoCredentials", message = mistake }, 0) end
  return connection
end

local function read(path)
  local ok, found = pcall(file, path, { content = true })
  if ok then return found.content:match "^%s*(.-)%s*$" end
  if type(found) ~= "table" then error(found, 0) end
  error({ type = "NoCredentials", message = found.message }, 0)
end

---Returns the namespace of a request; an empty one of a context, or of a file, is the default, as for kubectl.
---@param connection bide.kubernetes.Connection
---@param given bide.kubernetes.Options
---@return string
function M.namespace(connection, given)
  local namespace = given.namespace or connection.namespace
    or connection.namespace_file and read(connection.namespace_file)
  return namespace and namespace ~= "" and namespace or "default"
end

---@param connection bide.kubernetes.Connection
---@param given bide.kubernetes.Options
---@param program bide.kubernetes.Credentials
---@return bide.http.Options
local function options_of(connection, given, program)
  local token_file = given.token_file or connection.token_file
  return {
    bearer = token_file and read(token_file) or program.token or connection.token,
    ca = given.ca or connection.ca, proxy = connection.proxy, user = connection.user, password = connection.password,
    certificate = given.certificate or program.certificate or connection.certificate,
    key = given.key or program.key or connection.key,
    verify = not (given.insecure or connection.insecure), timeout = given.timeout, redirects = 0, share = true,
    headers = { Accept = "application/json, */*", ["Impersonate-User"] = connection.as },
  }
end

---Returns the URL of a path, on the server that the credentials are for.
local function url_of(connection, path)
  local url = connection.server:gsub("/$", "") .. "/" .. path
  local stray = origin.stray_url(url, connection.server)
  if stray then error({ type = "NoCredentials", message = stray }, 0) end
  return url
end

---Sends a GET whose answer is read while it comes.
---@param connection bide.kubernetes.Connection
---@param given bide.kubernetes.Options
---@param path string
---@param query table<string, string>
---@param silence number seconds without a byte after which it fails
---@return bide.http.Stream
function M.stream(connection, given, path, query, silence)
  local program = connection.program
  local request = options_of(connection, given, program and program:get() or {})
  request.url, request.query, request.timeout, request.share = url_of(connection, path), query, nil, nil
  request.connect_timeout, request.idle_timeout = given.timeout, silence
  return http.stream(request)
end

---Sends a GET. Credentials of a program are renewed once if the cluster refuses them.
---@param connection bide.kubernetes.Connection
---@param given bide.kubernetes.Options
---@param path string "apis/apps/v1/namespaces/shop/deployments/web"
---@param query? table<string, string>
---@return bide.http.Response
function M.get(connection, given, path, query)
  local url = url_of(connection, path)
  local program = connection.program
  local function send()
    local credentials = program and program:get() or {}
    local options = options_of(connection, given, credentials)
    options.query = query
    return http.get(url, options), credentials
  end
  local response, credentials = send()
  if response.status ~= 401 or not program then return response end
  program:renew(credentials)
  return (send())
end

return M
