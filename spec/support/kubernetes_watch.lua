---An API server of Kubernetes in the spec's own process, with pods and one Deployment that can be watched. It does what the
---API's page on watches says: lists have a version, a watch goes on from one, 410 says that it is too old.
---
---    local cluster = Cluster.start()
---    cluster:set("web-0", "False")
---    cluster:set("web-0", "True")    -- watches get an event
---    cluster:roll(1, 3)              -- the Deployment "web", of whose 3 replicas 1 is ready
---    cluster:crash("web-5d-x", 4)    -- a pod of it, after 4 restarts
---    cluster:begin "Job"             -- an object "db" without pods; also of StatefulSet and DaemonSet
---    cluster:refuse("Job", "quota")  -- an event that its pod could not be made

local Server = require "spec.support.server"
local json = require("bide.core").json

---@class spec.Cluster
---@field url string
---@field watches integer how many were begun
---@field requests integer all of them
---@field lists integer
---@field gets table<string, integer> the requests for each pod
---@field events table[]
---@field version integer
---@field ends_watches? boolean whether watches end at the time that they ask for
---@field on_watch? fun(peer: spec.Peer, version: integer, kind: string) in place of the usual answer to a watch
local Cluster = {}
Cluster.__index = Cluster

local function pod(name, ready, version)
  return { kind = "Pod", apiVersion = "v1", metadata = { name = name, namespace = "default", uid = name,
    resourceVersion = tostring(version) },
    status = { phase = "Running", conditions = { { type = "Ready", status = ready } } } }
end

local WEB = { app = "web" }

local function deployment(ready, replicas, version)
  return { kind = "Deployment", apiVersion = "apps/v1",
    metadata = { name = "web", namespace = "default", uid = "web", generation = 1, resourceVersion = tostring(version),
      annotations = { ["deployment.kubernetes.io/revision"] = "1" } },
    spec = { replicas = replicas, selector = { matchLabels = WEB } },
    status = { observedGeneration = 1, replicas = replicas, updatedReplicas = replicas, availableReplicas = ready } }
end

local replica_set = { kind = "ReplicaSet", apiVersion = "apps/v1",
  metadata = { name = "web-5d", namespace = "default", uid = "web-5d", labels = { app = "web", ["pod-template-hash"] = "5d" },
    annotations = { ["deployment.kubernetes.io/revision"] = "1" },
    ownerReferences = { { kind = "Deployment", name = "web", uid = "web", controller = true } } } }

local function crashed(name, restarts, version)
  return { kind = "Pod", apiVersion = "v1",
    metadata = { name = name, namespace = "default", uid = name, resourceVersion = tostring(version),
      labels = { app = "web", ["pod-template-hash"] = "5d" },
      ownerReferences = { { kind = "ReplicaSet", name = "web-5d", uid = "web-5d", controller = true } } },
    status = { phase = "Running", containerStatuses = { { name = "app", restartCount = restarts,
      state = { waiting = { reason = "CrashLoopBackOff", message = "back-off" } },
      lastState = { terminated = { exitCode = 1, reason = "Error" } } } } } }
end

---The workloads that say only in events that a pod may not be made.
local workloads = {
  StatefulSet = { path = "/apis/apps/v1/namespaces/default/statefulsets",
    spec = { replicas = 1 }, status = { observedGeneration = 1, updateRevision = "db-1", replicas = 0 } },
  DaemonSet = { path = "/apis/apps/v1/namespaces/default/daemonsets",
    spec = {}, status = { observedGeneration = 1, desiredNumberScheduled = 1, currentNumberScheduled = 0 } },
  Job = { path = "/apis/batch/v1/namespaces/default/jobs", spec = {}, status = { active = 0 } },
}

local function workload(kind, version)
  local spec = { selector = { matchLabels = { app = "db" } } }
  for name, value in pairs(workloads[kind].spec) do spec[name] = value end
  return { kind = kind, apiVersion = kind == "Job" and "batch/v1" or "apps/v1",
    metadata = { name = "db", namespace = "default", uid = "db", generation = 1, resourceVersion = tostring(version) },
    spec = spec, status = workloads[kind].status }
end

local controller_revision = { metadata = { name = "db-1", labels = { ["controller-revision-hash"] = "1" },
  ownerReferences = { { kind = "DaemonSet", name = "db", uid = "db", controller = true } } }, revision = 1 }

local EVENTS = "/api/v1/namespaces/default/events"

local function refusal(kind, message, version)
  local now = os.date "!%Y-%m-%dT%H:%M:%SZ"
  return { kind = "Event", apiVersion = "v1", reason = "FailedCreate", message = message, firstTimestamp = now,
    lastTimestamp = now,
    metadata = { name = "db." .. version, uid = "e" .. version, resourceVersion = tostring(version) },
    involvedObject = { kind = kind, name = "db", uid = "db" } }
end

local function chunk(text) return ("%x\r\n%s\r\n"):format(#text, text) end

---Sends lines of JSON to a watch.
function Cluster.send(peer, event)
  peer:write(chunk(json.encode(event) .. "\n"))
end

function Cluster.begin_answer(peer, status)
  peer:write(("HTTP/1.1 %d x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"):format(status))
end

function Cluster.finish(peer)
  peer:write "0\r\n\r\n"
end

local function answer(peer, status, value)
  local body = json.encode(value)
  peer:write(("HTTP/1.1 %d x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"):format(status, #body, body))
end

local function status(code, reason, name)
  return { kind = "Status", apiVersion = "v1", status = "Failure", reason = reason, code = code,
    details = { name = name, kind = "pods" } }
end

---@param kind string of the objects: "Pod"
function Cluster:watch(peer, query, kind)
  self.watches = self.watches + 1
  local version = math.tointeger(tonumber(query:match "resourceVersion=(%d+)"))
  if self.on_watch then return self.on_watch(peer, version, kind) end
  Cluster.begin_answer(peer, 200)
  for _, event in ipairs(self.events) do
    local is_wanted = event.object.kind == kind and tonumber(event.object.metadata.resourceVersion) > version
    if is_wanted then Cluster.send(peer, event) end
  end
  self.watching[peer] = kind
  if not self.ends_watches then return end
  peer:later(tonumber(query:match "timeoutSeconds=(%d+)"), function()
    self.watching[peer] = nil
    Cluster.finish(peer)
  end)
end

function Cluster:list(peer, kind, items)
  self.lists = self.lists + 1
  local group = (kind == "Pod" or kind == "Event") and "" or kind == "Job" and "batch/" or "apps/"
  answer(peer, 200, { kind = kind .. "List", apiVersion = group .. "v1",
    metadata = { resourceVersion = tostring(self.version) }, items = json.array(items) })
end

---Answers requests for the Deployment and its ReplicaSet.
function Cluster:handle_workload(peer, path, query)
  if path:find "/deployments/web$" and self.deployment then return answer(peer, 200, self.deployment) end
  if path:find "/replicasets$" then return self:list(peer, "ReplicaSet", { replica_set }) end
  if path:find "/deployments$" and query:find "watch=1" then return self:watch(peer, query, "Deployment") end
  if path:find "/deployments$" then return self:list(peer, "Deployment", {}) end
  answer(peer, 404, status(404, "NotFound", "web"))
end

---Answers requests for the other workloads, and for events. Returns whether it was one.
function Cluster:handle_other(peer, path, query)
  for kind, known in pairs(workloads) do
    local object = path == known.path .. "/db" and self.others[kind]
    if object then return true, answer(peer, 200, object) end
    if path == known.path and query:find "watch=1" then return true, self:watch(peer, query, kind) end
    if path == known.path then return true, self:list(peer, kind, { self.others[kind] }) end
  end
  if path:find "/controllerrevisions$" then return true, self:list(peer, "ControllerRevision", { controller_revision }) end
  if path ~= EVENTS then return false end
  if query:find "watch=1" then return true, self:watch(peer, query, "Event") end
  return true, self:list(peer, "Event", self.refusals)
end

function Cluster:handle(peer, target)
  local path, query = target:match "^([^?]*)%??(.*)$"
  self.requests = self.requests + 1
  if self:handle_other(peer, path, query) then return end
  if path:find "^/apis/apps/v1/" then return self:handle_workload(peer, path, query) end
  local name = path:match "^/api/v1/namespaces/default/pods/(.+)$"
  if name then
    self.gets[name] = (self.gets[name] or 0) + 1
    local object = self.pods[name]
    return answer(peer, object and 200 or 404, object or status(404, "NotFound", name))
  end
  if path ~= "/api/v1/namespaces/default/pods" then return answer(peer, 404, status(404, "NotFound")) end
  if query:find "watch=1" then return self:watch(peer, query, "Pod") end
  self:list(peer, "Pod", query:find "labelSelector" and { self.crashing } or {})
end

---Notes a change of an object, and tells those that watch its kind.
local function happen(cluster, of, object)
  local event = { type = of, object = object }
  cluster.events[#cluster.events + 1] = event
  for peer, kind in pairs(cluster.watching) do
    if kind == object.kind then Cluster.send(peer, event) end
  end
end

---Makes a pod, or changes it, and tells those that watch.
---@param name string
---@param ready "True"|"False"
function Cluster:set(name, ready)
  self.version = self.version + 1
  local how = self.pods[name] and "MODIFIED" or "ADDED"
  self.pods[name] = pod(name, ready, self.version)
  happen(self, how, self.pods[name])
end

---Makes the Deployment, or changes it.
function Cluster:roll(ready, replicas)
  self.version = self.version + 1
  self.deployment = deployment(ready, replicas, self.version)
  happen(self, "MODIFIED", self.deployment)
end

---Gives the Deployment a pod that is in no trouble.
function Cluster:grow(name)
  self.version = self.version + 1
  self.crashing = crashed(name, 0, self.version)
  self.crashing.status = pod(name, "False", self.version).status
  happen(self, "ADDED", self.crashing)
end

---Lets a pod of the Deployment crash.
function Cluster:crash(name, restarts)
  self.version = self.version + 1
  self.crashing = crashed(name, restarts, self.version)
  happen(self, "MODIFIED", self.crashing)
end

---Makes a workload without pods.
---@param kind "StatefulSet"|"DaemonSet"|"Job"
function Cluster:begin(kind)
  self.version = self.version + 1
  self.others[kind] = workload(kind, self.version)
  happen(self, "ADDED", self.others[kind])
end

---Says that a pod of it could not be made.
---@param kind "StatefulSet"|"DaemonSet"|"Job"
---@param message string
function Cluster:refuse(kind, message)
  self.version = self.version + 1
  self.refusals[#self.refusals + 1] = refusal(kind, message, self.version)
  happen(self, "ADDED", self.refusals[#self.refusals])
end

---@return spec.Cluster
function Cluster.start()
  local cluster = setmetatable({
    watches = 0, requests = 0, lists = 0, gets = {}, pods = {}, events = {}, version = 100, watching = {},
    others = {}, refusals = {},
  }, Cluster)
  cluster.server = Server.start(nil, { raw = function(peer, bytes)
    peer.pending = (peer.pending or "") .. bytes
    while true do
      local target, rest = peer.pending:match "^GET (%S+) .-\r\n\r\n()"
      if not target then return end
      peer.pending = peer.pending:sub(rest)
      cluster:handle(peer, target)
    end
  end })
  cluster.url = ("http://127.0.0.1:%d"):format(cluster.server.port)
  return cluster
end

function Cluster:close() self.server:close() end

return Cluster
