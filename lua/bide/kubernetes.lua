---Gets objects from the API of Kubernetes as kubectl does: by a kubeconfig, by the service account of a pod, or by the
---address of a server.
---
---    local kubernetes = require "bide.kubernetes"
---    kubernetes.get("apis/apps/v1", "deployments", { name = "web", server = "http://localhost:8001" })
---    kubernetes.inspect { resource = "deployment/web", condition = "Available" }
---
---Raises the operation errors of bide.http, and these:
---
---    NoCredentials  a file with credentials cannot be read, or the program that gives them has failed
---    NotFound       an object does not exist (yet), with the status 404
---    NoSuchKind     the cluster has no kind of this name; for=creation and a condition wait for it
---    AmbiguousKind  a kind of this name is in several groups: give one, as in gateways.networking.istio.io
---    NoReadiness    the pods of a workload are replaced by hand (OnDelete), so its status does not say when it is ready
---
---An answer of another program, or about another object, is InvalidResponse.

local answers = require "bide.probe.kubernetes.answers"
local connections = require "bide.probe.kubernetes.connection"
local goals = require "bide.probe.kubernetes.goal"
local kinds = require "bide.probe.kubernetes.kinds"
local names = require "bide.probe.kubernetes.names"
local option = require "bide.text.option"
local progress = require "bide.probe.kubernetes.progress"
local web_address = require "bide.text.web_address"

local M = {}

local TIMEOUT = 10 -- seconds

---@class bide.kubernetes.Options
---@field name? string
---@field namespace? string that of the context or the service account, or "default"
---@field context? string of the kubeconfig; its current one by default
---@field kubeconfig? string a file in place of $KUBECONFIG and ~/.kube/config
---@field server? string "https://10.0.0.1:6443", in place of a kubeconfig
---@field account? string the folder of a service account: token, ca.crt, namespace; a pod's own without `server`
---@field token_file? string read for each request, since tokens are renewed
---@field ca? string a file with the certificates that the server's must be signed by
---@field certificate? string a client's, with `key`
---@field key? string
---@field insecure? boolean whether any certificate is trusted
---@field timeout? number seconds, 10 by default

---The options as the declared inputs of a recipe; `check` reads the names.
M.inputs = {
  name = { type = "string", required = true, positional = 1, example = "web", documentation = "The name of the object." },
  namespace = { type = "string", option = "-n --namespace",
    documentation = "Default: that of the context or the service account, or default." },
  context = { type = "string", option = "--context", documentation = "A context of the kubeconfig. Default: the current one." },
  kubeconfig = { type = "string", option = "--kubeconfig", documentation = "Default: $KUBECONFIG, or ~/.kube/config." },
  server = { type = "string", option = "--server", origin = true, example = "https://10.0.0.1:6443",
    documentation = "Default: the cluster of the context, or of the pod." },
  account = { type = "string", documentation = "The folder of a service account. Default: the pod's own without a server." },
  token_file = { type = "string", documentation = "A file with a bearer token, which is read for each request." },
  ca = { type = "string", documentation = "A file with the authorities that may have signed the server's certificate." },
  certificate = { type = "string", documentation = "A file with a client's certificate." },
  key = { type = "string", documentation = "A file with its key." },
  insecure = { type = "boolean", documentation = "Trust any certificate." },
  timeout = { type = "duration", default = TIMEOUT, documentation = "The time for one attempt." },
}

---The kinds of the options of a script, by the types of inputs.
local kind_of_type = { string = option.kinds.text, boolean = option.kinds.flag, list = option.kinds.table,
  integer = option.kinds.size, duration = option.kinds.delay }

---@param declared table<string, bide.InputMember>
---@return table<string, bide.OptionKind>
local function kinds_of(declared)
  local kind_of = {}
  for name, member in pairs(declared) do kind_of[name] = kind_of_type[member.type] end
  return kind_of
end

local kind_of_option = kinds_of(M.inputs)

---@param given bide.kubernetes.Options
---@return string? mistake
local function check_namespace(given)
  local mistake = given.namespace and names.namespace_mistake(given.namespace)
  return mistake and "namespace: " .. mistake or nil
end

---Finds the mistake of the way to an object.
---@param given bide.kubernetes.Options
---@return string? mistake
local function check_place(given)
  local mistake = check_namespace(given)
  if mistake then return mistake end
  return select(2, connections.of(given))
end

---Finds what is wrong with such an input before anything is asked.
---@param input bide.kubernetes.Options
---@return string? mistake
function M.check(input)
  local expected = names.expected(input.name, kinds.usual "pod")
  return expected and "name: " .. option.expected(expected, input.name) or check_place(input)
end

---Returns a function that gets one object. A namespace that a file names is read for each request, as its token is.
---@param kind bide.kubernetes.Kind
---@param given bide.kubernetes.Options
---@param is_status_asked? boolean whether --until asks of its status
---@return fun(): bide.http.Response
local function getting(kind, given, is_status_asked)
  local connection, name = connections.connect(given), web_address.escape(given.name)
  return function()
    local namespace = connections.namespace(connection, given)
    local path = ("%s/namespaces/%s/%s/%s"):format(kind.path, web_address.escape(namespace), kind.plural, name)
    local response = connections.get(connection, given, path)
    answers.expect(response, kind, given.name, namespace)
    local object = is_status_asked and response.ok and response:document()
    if object then answers.check_status(object, kind) end
    return response
  end
end

---Gets one object.
---@param group string with its version: "apis/apps/v1"
---@param kind string in the plural: "deployments"
---@param given bide.kubernetes.Options
---@return bide.http.Response
function M.get(group, kind, given)
  local mistake, asked = option.check(given, kind_of_option, { "name" }), kinds.at(group, kind)
  local expected = not mistake and names.expected(given.name, asked.name ~= "" and asked or nil)
  mistake = mistake or expected and "name: " .. option.expected(expected, given.name) or check_namespace(given)
  if mistake then error("kubernetes.get: " .. mistake, 2) end
  return getting(asked, given)()
end

---Returns the `prepare` of an operation that gets one object: it reads an input of `kubernetes.inputs` once.
---@param group string with its version: "apis/apps/v1"
---@param kind string in the plural: "deployments"
---@return fun(input: bide.kubernetes.Options, wait?: bide.OperationWait): (fun(): bide.http.Response)?, string?
function M.prepare_get(group, kind)
  local asked = kinds.at(group, kind)
  return function(input, wait)
    local mistake = M.check(input)
    if mistake then return nil, mistake end
    return getting(asked, input, progress.asks_status(wait))
  end
end

-- ---- objects of any kind -----------------------------------------------------------------------

---The inputs of `inspect`.
M.object_inputs = {
  resource = { type = "string", required = true, positional = 1, example = "deployment/web",
    documentation = "KIND/NAME, or KIND; any kind of the cluster: pod, job, certificates.cert-manager.io." },
  names = { type = "list", of = { type = "string" }, positional = 2, example = { "web-0", "web-1" },
    documentation = "The names, in place of KIND/NAME; or, after KIND/NAME, further ones of this form." },
  name = { type = "string", documentation = "The only name, in place of KIND/NAME." },
  selector = { type = "string", option = "-l --selector", example = "app=web",
    documentation = "Labels: all objects that have them." },
  all = { type = "boolean", option = "--all", documentation = "All objects of the kind in the namespace." },
  condition = { type = "string", asks = true, example = "Available",
    documentation = "A condition that has to be True, or NAME=STATUS. Default: what ready means for the kind." },
  ["for"] = { type = "string", asks = true, option = "--for",
    documentation = "deletion, creation, ready, or condition=NAME as kubectl has it." },
  grace = { type = "duration", default = 30,
    documentation = "How long pods may be without a node, an image or quota before it is a failure." },
  restarts = { type = "integer", default = 3, minimum = 1,
    documentation = "After how many restarts of a container a crash loop is a failure." },
}

for name, member in pairs(M.inputs) do M.object_inputs[name] = M.object_inputs[name] or member end

local kind_of_object = kinds_of(M.object_inputs)

---Returns an input of `inspect` with its defaults, which an operation that declares fewer inputs does not give.
local function completed(input)
  if input.grace and input.restarts then return input end
  local declared = M.object_inputs
  return setmetatable({ grace = input.grace or declared.grace.default, restarts = input.restarts or declared.restarts.default },
    { __index = input })
end

---@return string? mistake
local function check_aim(input)
  local _, mistake = goals.target(input)
  if not mistake then _, mistake = goals.of(input) end
  return mistake
end

---Finds what is wrong with an input of `inspect` before anything is asked.
---@param input table
---@return string? mistake
function M.check_object(input)
  return check_aim(input) or check_place(input)
end

---Inspects one object or several, of any kind. Returns them as the API gives them, one object or a list, with the member
---`wait`: its `state` is "done", "failed" or what is missing, and its `reason` says why they failed.
---@param input table the inputs of `object_inputs`
---@param wait? bide.OperationWait as an operation gets it
---@return bide.Document
function M.inspect(input, wait)
  -- what an operation gets is checked against its declaration, and may have inputs of its own
  local mistake = not wait and option.check(input, kind_of_object, { "resource" }) or check_aim(input) or check_namespace(input)
  if mistake then error("kubernetes.inspect: " .. mistake, 2) end
  return require("bide.probe.kubernetes.inspection").prepare(completed(input), wait)()
end

---Reads an input once: returns a function that does the same as `kubernetes.inspect`. For the `prepare` of an operation.
---@param input table the inputs of `object_inputs`
---@param wait? bide.OperationWait as an operation gets it
---@return (fun(): bide.Document)?
---@return string? mistake
function M.prepare_inspect(input, wait)
  local mistake = M.check_object(input)
  if mistake then return nil, mistake end
  return require("bide.probe.kubernetes.inspection").prepare(completed(input), wait)
end

---Wakes the waits for objects when these change, for the `watch` of an operation whose input is that of `inspect`. The watch
---is of all objects of the kind in the namespace, which needs the permissions list and watch.
---@param input table the inputs of `object_inputs`
---@param wake bide.Wake
function M.watch(input, wake)
  return require("bide.probe.kubernetes.watching").watch(completed(input), wake)
end

---Returns the key by which waits share such a watch, for the `watch_key` of the operation.
---@param input table
---@return string
function M.watch_key(input)
  return require("bide.probe.kubernetes.watching").key(input)
end

---Returns the name by which such a watch wakes a wait, for the `watch_name` of the operation.
---@param input table
---@return string?
function M.watch_name(input)
  return require("bide.probe.kubernetes.watching").name(input)
end

---Returns the members of an operation that gets one object by `prepare_get`, by which it hears of changes: watch, watch_key
---and watch_name.
---@param kind string a usual one: "deployment"
---@return bide.WatchedOperation
function M.watch_get(kind)
  local function as_object(input)
    return setmetatable({ resource = kind, name = input.name }, { __index = input })
  end
  return {
    watch = function(input, wake)
      return require("bide.probe.kubernetes.watching").watch(as_object(input), wake, true)
    end,
    watch_key = function(input) return M.watch_key(as_object(input)) end,
    watch_name = function(input) return input.name end,
  }
end

return M
