---The kinds of objects by the names that people use for them: `deploy`, `deployments`, `Deployment`, `deployments.apps`,
---`certificates.cert-manager.io`. The usual kinds are known; the cluster is asked for the others.

local core = require "bide.core"
local nearest = core.names.nearest
local shown = require "bide.shown"

local M = {}

---@class bide.kubernetes.Kind
---@field group string with its version, as in a path: "api/v1", "apis/apps/v1"
---@field plural string "deployments"
---@field name string "Deployment"
---@field is_namespaced boolean

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

---@type table<string, bide.kubernetes.Kind> by every name in lower case
local known = {}

for _, row in ipairs(rows) do
  local name, others, group, is_namespaced = table.unpack(row)
  local kind = { name = name, plural = others:match "^%S+", group = group, is_namespaced = is_namespaced }
  known[name:lower()] = kind
  for other in others:gmatch "%S+" do known[other] = kind end
end

---Returns the kind of a name without a group, or with the group of a usual kind.
---@param name string
---@return bide.kubernetes.Kind?
local function usual(name)
  local short, group = name:match "^([^.]*)%.?(.*)$"
  local kind = known[short]
  if not kind or group == "" then return kind end
  local of_kind, version = kind.group:match "^apis/([^/]*)/(.*)$"
  return (group == of_kind or group == version .. "." .. tostring(of_kind)) and kind or nil
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
  local found = expression:query(document)
  local value = found and found:value()
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
        return { name = resource.name, plural = resource.plural, group = path,
          is_namespaced = resource.is_namespaced == true }
      end
    end
    names[#names + 1] = resource.plural
  end
end

---Returns the paths of the versions that may hold a resource: those of its group, or of every group.
---@param get fun(path: string): bide.Document the answer of the API
---@param group string "" for any; with a version before it: "v1.apps"
---@return string[]
local function paths_of(get, group)
  local paths = group == "" and { "api/v1" } or {}
  for _, entry in ipairs(list_of(groups, get "apis")) do
    local version = group:sub(-#entry.name - 1) == "." .. entry.name and group:sub(1, -#entry.name - 2)
    if version or group == "" or group == entry.name then
      paths[#paths + 1] = "apis/" .. (version and entry.name .. "/" .. version or entry.preferred)
    end
  end
  return paths
end

---Finds a kind.
---@param given string as people name it
---@param get fun(path: string): bide.Document asks the API
---@return bide.kubernetes.Kind? kind
---@return string? mistake
function M.find(given, get)
  local name = given:lower()
  local kind = usual(name)
  if kind then return kind end
  local short, group = name:match "^([^.]*)%.?(.*)$"
  local names = {}
  for _, path in ipairs(paths_of(get, group)) do
    kind = among(get(path), path, short, names)
    if kind then return kind end
  end
  local near = nearest(short, names)
  return nil, ("the cluster has no kind %s%s"):format(shown.quote(given),
    near and (", did you mean %s?"):format(shown.quote(near)) or "")
end

return M
