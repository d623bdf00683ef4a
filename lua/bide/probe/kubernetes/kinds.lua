---The kinds of objects by the names that people use for them: `deploy`, `deployments`, `Deployment`, `deployments.apps`,
---`certificates.cert-manager.io`. The usual kinds are known; the cluster is asked for the others.

local core = require "bide.core"
local nearest = core.names.nearest
local option = require "bide.text.option"
local shown = require "bide.text.shown"

local M = {}

---@class bide.kubernetes.Kind
---@field path string "api/v1", "apis/apps/v1"
---@field group string "apps"; "" of the core
---@field version string "v1"
---@field plural string "deployments"
---@field name string "Deployment"
---@field id string the name with its group, "Deployment.apps"; "Pod" of the core. Rules go by it
---@field is_namespaced boolean
---@field is_custom? boolean whether the cluster named it, since it is not a usual one

local NAMESPACED, OF_CLUSTER = true, false

---Kind, other names, group, whether its objects are in namespaces.
local rows = {
  { "Pod", "pods po", "api/v1", NAMESPACED },
  { "Deployment", "deployments deploy", "apis/apps/v1", NAMESPACED },
  { "StatefulSet", "statefulsets sts", "apis/apps/v1", NAMESPACED },
  { "DaemonSet", "daemonsets ds", "apis/apps/v1", NAMESPACED },
  { "ReplicaSet", "replicasets rs", "apis/apps/v1", NAMESPACED },
  { "Job", "jobs", "apis/batch/v1", NAMESPACED },
  { "CronJob", "cronjobs cj", "apis/batch/v1", NAMESPACED },
  { "Event", "events ev", "api/v1", NAMESPACED },
  { "Service", "services svc", "api/v1", NAMESPACED },
  { "Endpoints", "endpoints ep", "api/v1", NAMESPACED },
  { "ConfigMap", "configmaps cm", "api/v1", NAMESPACED },
  { "Secret", "secrets", "api/v1", NAMESPACED },
  { "ServiceAccount", "serviceaccounts sa", "api/v1", NAMESPACED },
  { "PersistentVolumeClaim", "persistentvolumeclaims pvc", "api/v1", NAMESPACED },
  { "PersistentVolume", "persistentvolumes pv", "api/v1", OF_CLUSTER },
  { "Node", "nodes no", "api/v1", OF_CLUSTER },
  { "Namespace", "namespaces ns", "api/v1", OF_CLUSTER },
  { "Ingress", "ingresses ing", "apis/networking.k8s.io/v1", NAMESPACED },
  { "HorizontalPodAutoscaler", "horizontalpodautoscalers hpa", "apis/autoscaling/v2", NAMESPACED },
  { "CustomResourceDefinition", "customresourcedefinitions crd crds", "apis/apiextensions.k8s.io/v1", OF_CLUSTER },
  { "APIService", "apiservices", "apis/apiregistration.k8s.io/v1", OF_CLUSTER },
}

---Makes a kind.
---@param name string "Deployment"
---@param plural string "deployments"
---@param path string "apis/apps/v1"
---@param is_namespaced boolean
---@return bide.kubernetes.Kind
function M.new(name, plural, path, is_namespaced)
  local group, version = path:match "^apis/([^/]*)/([^/]*)$"
  group, version = group or "", version or path:match "[^/]*$"
  return { name = name, plural = plural, path = path, group = group, version = version,
    id = group == "" and name or name .. "." .. group, is_namespaced = is_namespaced }
end

---@type table<string, bide.kubernetes.Kind> by every name in lower case
local known = {}

for _, row in ipairs(rows) do
  local name, others, path, is_namespaced = table.unpack(row)
  local kind = M.new(name, others:match "^%S+", path, is_namespaced)
  known[name:lower()] = kind
  for other in others:gmatch "%S+" do known[other] = kind end
end

---Returns the usual kind of a name without a group, or with its own group: "deploy", "deployments.apps",
---"deployments.v1.apps", "pods.v1.". The same word with another group is another kind.
---@param given string as people name it
---@return bide.kubernetes.Kind?
function M.usual(given)
  local short, group = given:lower():match "^([^.]*)%.?(.*)$"
  local kind = known[short]
  if not kind or group == "" then return kind end
  return (group == kind.group or group == kind.version .. "." .. kind.group) and kind or nil
end

---Returns the usual kind of a path, or one of which only the path is known.
---@param path string "apis/apps/v1"
---@param plural string "deployments"
---@return bide.kubernetes.Kind
function M.at(path, plural)
  local kind = known[plural]
  return kind and kind.path == path and kind.plural == plural and kind or M.new("", plural, path, true)
end

local compile = core.jmespath.compile

local resources = assert(compile [=[
  resources[?type(name) == 'string' && type(kind) == 'string' && !contains(name, '/')]
  .{ plural: name, name: kind, is_namespaced: namespaced, names: [name, singularName, kind, shortNames][] }]=])

local groups = assert(compile [=[
  groups[?type(name) == 'string' && type(preferredVersion.groupVersion) == 'string']
  .{ name: name, preferred: preferredVersion.groupVersion }]=])

---Returns a list that an expression finds in an answer of the API; an empty one if the answer is not what it should be.
---@param expression bide.Expression
---@param document bide.Document
---@return table[]
local function list_of(expression, document)
  local value = expression:search(document)
  return type(value) == "table" and value or {}
end

---Returns the resource of a name among those of a group.
---@param document bide.Document an APIResourceList
---@param path string "apis/apps/v1"
---@param names string[] gets the names of the others
---@return bide.kubernetes.Kind?
local function among(document, path, name, names)
  for _, resource in ipairs(list_of(resources, document)) do
    for _, other in ipairs(resource.names) do
      if type(other) == "string" and other:lower() == name then
        local kind = M.new(resource.name, resource.plural, path, resource.is_namespaced == true)
        kind.is_custom = true
        return kind
      end
    end
    names[#names + 1] = resource.plural
  end
end

---Returns the paths of the versions that may hold a resource: those of its group, or of every group.
---@param get fun(path: string, kind: string): bide.Document the answer of the API, which has this kind
---@param group string "" for any; with a version before it: "v1.apps", and "v1." for the core
---@return string[]
local function paths_of(get, group)
  if group == "v1." then return { "api/v1" } end
  local paths = group == "" and { "api/v1" } or {}
  for _, entry in ipairs(list_of(groups, get("apis", "APIGroupList"))) do
    local version = group:sub(-#entry.name - 1) == "." .. entry.name and group:sub(1, -#entry.name - 2)
    if version or group == "" or group == entry.name then
      paths[#paths + 1] = "apis/" .. (version and entry.name .. "/" .. version or entry.preferred)
    end
  end
  return paths
end

---The groups of Kubernetes itself. A word for one of their kinds means that, whatever other groups call theirs.
local own = option.set [[apps batch autoscaling policy extensions networking.k8s.io rbac.authorization.k8s.io storage.k8s.io
  coordination.k8s.io discovery.k8s.io node.k8s.io scheduling.k8s.io certificates.k8s.io admissionregistration.k8s.io
  flowcontrol.apiserver.k8s.io authentication.k8s.io authorization.k8s.io apiextensions.k8s.io apiregistration.k8s.io
  events.k8s.io resource.k8s.io]]
own[""] = true

---Raises AmbiguousKind: an object that one group does not have may be in the other.
local function refuse(word, one, other)
  error({ type = "AmbiguousKind", message = ("%s is a kind of several groups: give %s.%s or %s.%s"):format(
    word, one.plural, one.group, other.plural, other.group) }, 0)
end

---Raises the error of a group that cannot be read. It may have a kind of the same name as the one that was found.
---@param failure bide.OperationError
---@param found bide.kubernetes.Kind?
local function refuse_unread(path, failure, word, found)
  failure.message = ("%s cannot be read, and may have a kind %s%s: %s"):format(path, shown.quote(word),
    found and (" too (give %s.%s for that)"):format(found.plural, found.group) or "", failure.message or failure.type)
  error(failure, 0)
end

---Finds a kind. Raises AmbiguousKind for a word without a group that is one of several groups, and the error of a group
---that cannot be read, unless the kind is one of Kubernetes' own.
---@param given string as people name it
---@param get fun(path: string, kind: string): bide.Document asks the API for a document of a kind
---@return bide.kubernetes.Kind? kind
---@return string? mistake
function M.find(given, get)
  local name = given:lower()
  local usual = M.usual(name)
  if usual then return usual end
  local short, group = name:match "^([^.]*)%.?(.*)$"
  local names, found, unread, failure = {}, nil, nil, nil
  for _, path in ipairs(paths_of(get, group)) do
    local ok, document = pcall(get, path, "APIResourceList")
    if not ok and type(document) ~= "table" then error(document, 0) end
    if not ok then unread, failure = path, document end
    local kind = ok and among(document, path, short, names)
    if kind and (group ~= "" or own[kind.group]) then return kind end
    if kind and found then refuse(short, found, kind) end
    found = found or kind or nil
  end
  if failure then refuse_unread(unread, failure, given, found) end
  if found then return found end
  local near = nearest(short, names)
  return nil, ("the cluster has no kind %s%s"):format(shown.quote(given),
    near and (", did you mean %s?"):format(shown.quote(near)) or "")
end

return M
