---Decides whom the events of pods concern: the workloads that own them, once a pod has new trouble, or may not be made.
---Progress of pods is in the status of their workload; what keeps them from becoming ready is not.

local core = require "bide.core"
local pods = require "bide.probe.kubernetes.pods"

local loop = core.loop

local M = {}

local MOST = 10000 -- pods in trouble that are known at a time

local facts_of = assert(core.jmespath.compile [=[{
  uid: metadata.uid, hash: metadata.labels."pod-template-hash",
  owner: metadata.ownerReferences[?controller == `true` && type(kind) == 'string' && type(name) == 'string'] | [0]
}]=])

local refusal_of = assert(core.jmespath.compile [=[{
  uid: metadata.uid, kind: involvedObject.kind, name: involvedObject.name, message: message }]=])

---The kinds that own pods, by the kind that the pods name: a Deployment owns them through a ReplicaSet.
local through = { ["Deployment.apps"] = "ReplicaSet" }

local owning = { ["StatefulSet.apps"] = "StatefulSet", ["DaemonSet.apps"] = "DaemonSet", ["ReplicaSet.apps"] = "ReplicaSet",
  ["Job.batch"] = "Job" }

---Reports whether objects of a kind own pods whose trouble their own status does not say.
---@param kind bide.kubernetes.Kind
---@return boolean
function M.has_pods(kind)
  return (through[kind.id] or owning[kind.id]) ~= nil
end

---Returns how events name a kind whose controller says only there that it may not make a pod.
---@param kind bide.kubernetes.Kind
---@return string?
function M.refused_in_events(kind)
  return pods.is_refused_in_events(kind.id) and kind.name or nil
end

---Returns the name of the object of a kind that owns a pod.
---@param kind bide.kubernetes.Kind
---@param facts table of the pod
---@return string?
local function owner_name(kind, facts)
  local owner = type(facts.owner) == "table" and facts.owner or nil
  if not owner or owner.kind ~= (through[kind.id] or owning[kind.id]) then return nil end
  if not through[kind.id] then return owner.name end
  local ending = type(facts.hash) == "string" and "-" .. facts.hash
  return ending and owner.name:sub(-#ending) == ending and owner.name:sub(1, -#ending - 1) or nil
end

---@class bide.kubernetes.Owners
---@field kind bide.kubernetes.Kind
---@field grace integer milliseconds for which trouble is borne that may go away
---@field report fun(name: string)
---@field known table<string, string> the trouble of pods, by their uid
---@field count integer of these
---@field later { at: integer, name: string }[] the owners whose pods' grace is over then, by time
---@field alarm bide.Alarm
local Owners = {}
Owners.__index = Owners

local function ring(owners)
  local now = loop.now()
  while owners.later[1] and owners.later[1].at <= now do
    owners.report(table.remove(owners.later, 1).name)
  end
  if owners.later[1] then owners.alarm:start(owners.later[1].at) end
end

---@param kind bide.kubernetes.Kind whose objects own the pods
---@param grace number seconds
---@param report fun(name: string) called when a pod of that object has new trouble, and when its grace is over
---@return bide.kubernetes.Owners
function M.new(kind, grace, report)
  local owners = setmetatable({
    kind = kind, grace = math.ceil(grace * 1000), report = report, known = {}, count = 0, later = {},
  }, Owners)
  owners.alarm = loop.alarm(ring, owners)
  return owners
end

---Notes the trouble of a pod. Returns whether it is new.
local function note(owners, uid, trouble)
  local before = owners.known[uid]
  if before == trouble or not before and owners.count >= MOST then return false end
  owners.count = owners.count + (before and 0 or 1) - (trouble and 0 or 1)
  owners.known[uid] = trouble
  return trouble ~= nil
end

---Reports an owner, now and when the grace is over, if the trouble of its pod is new.
local function report_if_new(owners, name, uid, trouble)
  if not note(owners, uid, trouble) then return end
  owners.report(name)
  if #owners.later >= MOST then return end
  table.insert(owners.later, { at = loop.now() + owners.grace + 1000, name = name })
  if #owners.later == 1 then owners.alarm:start(owners.later[1].at) end
end

---Handles an event of a pod.
---@param event { type: string, object: table }
function Owners:handle(event)
  local document = assert(core.json.document(event.object))
  local facts = facts_of:search(document)
  local name = owner_name(self.kind, facts)
  if not name or type(facts.uid) ~= "string" then return end
  report_if_new(self, name, facts.uid, event.type ~= "DELETED" and pods.present_trouble(document) or nil)
end

---Handles what happens to an Event that says that a pod could not be made.
---@param event { type: string, object: table }
function Owners:handle_refusal(event)
  local facts = refusal_of:search(assert(core.json.document(event.object)))
  local kind = M.refused_in_events(self.kind)
  local is_named = kind and facts.kind == kind and type(facts.name) == "string"
  if not is_named or type(facts.uid) ~= "string" then return end
  local has_words = event.type ~= "DELETED" and type(facts.message) == "string"
  report_if_new(self, facts.name, facts.uid, has_words and facts.message or nil)
end

function Owners:__close() self.alarm:stop() end

return M
