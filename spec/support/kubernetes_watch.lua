---An API server of Kubernetes in the spec's own process, with pods that can be watched. It does what the API's page on
---watches says: lists have a version, a watch goes on from one, 410 says that it is too old.
---
---    local cluster = Cluster.start()
---    cluster:set("web-0", "False")
---    cluster:set("web-0", "True")    -- watches get an event

local Server = require "spec.support.server"
local json = require("bide.core").json

---@class spec.Cluster
---@field url string
---@field watches integer how many were begun
---@field lists integer
---@field gets table<string, integer> the requests for each pod
---@field events table[]
---@field version integer
---@field ends_watches? boolean whether watches end at the time that they ask for
---@field on_watch? fun(peer: spec.Peer, version: integer) in place of the usual answer to a watch
local Cluster = {}
Cluster.__index = Cluster

local function pod(name, ready, version)
  return { kind = "Pod", apiVersion = "v1", metadata = { name = name, namespace = "default", uid = name,
    resourceVersion = tostring(version) },
    status = { phase = "Running", conditions = { { type = "Ready", status = ready } } } }
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

function Cluster:watch(peer, query)
  self.watches = self.watches + 1
  local version = math.tointeger(tonumber(query:match "resourceVersion=(%d+)"))
  if self.on_watch then return self.on_watch(peer, version) end
  Cluster.begin_answer(peer, 200)
  for _, event in ipairs(self.events) do
    if tonumber(event.object.metadata.resourceVersion) > version then Cluster.send(peer, event) end
  end
  self.watching[peer] = true
  if not self.ends_watches then return end
  peer:later(tonumber(query:match "timeoutSeconds=(%d+)"), function()
    self.watching[peer] = nil
    Cluster.finish(peer)
  end)
end

function Cluster:handle(peer, target)
  local path, query = target:match "^([^?]*)%??(.*)$"
  local name = path:match "^/api/v1/namespaces/default/pods/(.+)$"
  if name then
    self.gets[name] = (self.gets[name] or 0) + 1
    local object = self.pods[name]
    return answer(peer, object and 200 or 404, object or status(404, "NotFound", name))
  end
  if path ~= "/api/v1/namespaces/default/pods" then return answer(peer, 404, status(404, "NotFound")) end
  if query:find "watch=1" then return self:watch(peer, query) end
  self.lists = self.lists + 1
  answer(peer, 200, { kind = "PodList", apiVersion = "v1", metadata = { resourceVersion = tostring(self.version) },
    items = json.array {} })
end

---Makes a pod, or changes it, and tells those that watch.
---@param name string
---@param ready "True"|"False"
function Cluster:set(name, ready)
  self.version = self.version + 1
  local event = { type = self.pods[name] and "MODIFIED" or "ADDED", object = pod(name, ready, self.version) }
  self.pods[name] = event.object
  self.events[#self.events + 1] = event
  for peer in pairs(self.watching) do Cluster.send(peer, event) end
end

---@return spec.Cluster
function Cluster.start()
  local cluster = setmetatable({
    watches = 0, lists = 0, gets = {}, pods = {}, events = {}, version = 100, watching = {},
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
