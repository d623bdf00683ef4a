---Says how far an object of Kubernetes is on its way to a goal: done, failed, or what is missing. The rules are
---those of `kubectl wait` and `kubectl rollout status`, with the failures that these two wait out.

local core = require "bide.core"

local M = {}

---@class bide.kubernetes.Progress
---@field state string "done", "failed", or what is missing
---@field reason? string why it failed

local DONE = { state = "done" }

local function waiting(text, ...)
  return { state = text:format(...) }
end

local function failed(reason)
  return { state = "failed", reason = reason }
end

---The values that the rules use. Where a service sends another type, the expression gives null.
local facts_of = assert(core.jmespath.compile [=[{
  kind: kind, name: metadata.name, generation: metadata.generation, observed: status.observedGeneration,
  wanted: spec.replicas, updated: not_null(status.updatedReplicas, status.updatedNumberScheduled),
  replicas: status.replicas, ready: status.readyReplicas,
  available: not_null(status.availableReplicas, status.numberAvailable), scheduled: status.desiredNumberScheduled,
  strategy: spec.updateStrategy.type, partition: spec.updateStrategy.rollingUpdate.partition,
  current: status.currentRevision, update: status.updateRevision,
  phase: status.phase, message: status.message, reason: status.reason,
  service: spec.type, ingress: status.loadBalancer.ingress, conditions: status.conditions
}]=])

---@class bide.kubernetes.Condition
---@field type string
---@field status string
---@field reason? string
---@field message? string
---@field since? string when it became so

local conditions_of = assert(core.jmespath.compile [=[status.conditions[?type(type) == 'string' && type(status) == 'string']
  .{ type: type, status: status, reason: reason, message: message, since: lastTransitionTime,
     generation: observedGeneration }]=])

---@param document bide.Document an object
---@return table facts texts, numbers, and conditions by their names in lower case
local function read(document)
  local found = facts_of:query(document)
  local facts = found and found:value() or {}
  facts.conditions = {}
  found = conditions_of:query(document)
  local list = found and found:value()
  for _, condition in ipairs(type(list) == "table" and list or {}) do
    facts.conditions[condition.type:lower()] = condition
  end
  return facts
end

local function number(value)
  return math.type(value) and math.tointeger(value) or 0
end

local function text(value)
  return type(value) == "string" and value ~= "" and value or nil
end

---Says reason and message of a condition.
local function words_of(condition)
  local reason, message = text(condition.reason), text(condition.message)
  return reason and message and ("%s: %s"):format(reason, message) or message or reason or "no reason is given"
end

local function is_true(condition)
  return condition and condition.status == "True"
end

---Reports whether a status may be older than the specification.
local function is_stale(facts, condition)
  local observed = condition and condition.generation or facts.observed
  return type(observed) == "number" and number(facts.generation) > observed
end

local STALE = "the controller has not seen the newest specification"

-- ---- workloads -------------------------------------------------------------------------------

local function deployment(facts)
  local wanted, updated, available = number(facts.wanted), number(facts.updated), number(facts.available)
  if number(facts.replicas) > updated and updated >= wanted then
    return waiting("%d old replicas are left", number(facts.replicas) - updated)
  end
  if updated < wanted then return waiting("%d of %d replicas are updated", updated, wanted) end
  if available < updated then return waiting("%d of %d updated replicas are available", available, updated) end
  return DONE
end

local function stateful_set(facts)
  local wanted, ready, updated = number(facts.wanted), number(facts.ready), number(facts.updated)
  local to_update = wanted - number(facts.partition)
  if ready < wanted then return waiting("%d of %d pods are ready", ready, wanted) end
  if facts.strategy == "OnDelete" then return DONE end
  if number(facts.partition) > 0 then
    return updated >= to_update and DONE or waiting("%d of %d pods are updated", updated, to_update)
  end
  return facts.current == facts.update and DONE or waiting("%d of %d pods are updated", updated, wanted)
end

local function daemon_set(facts)
  local wanted, updated, available = number(facts.scheduled), number(facts.updated), number(facts.available)
  if updated < wanted then return waiting("%d of %d pods are updated", updated, wanted) end
  if available < wanted then return waiting("%d of %d pods are available", available, wanted) end
  return DONE
end

local function replica_set(facts)
  local ready, wanted = number(facts.ready), number(facts.wanted)
  return ready >= wanted and DONE or waiting("%d of %d replicas are ready", ready, wanted)
end

---Lets a rule look at a status only once the controller has seen the newest specification.
local function observed(rule)
  return function(facts)
    if type(facts.observed) ~= "number" or is_stale(facts) then return waiting(STALE) end
    return rule(facts)
  end
end

-- ---- other kinds -----------------------------------------------------------------------------

local function has_condition(facts, name, status)
  local condition = facts.conditions[name:lower()]
  status = status or "true"
  if not condition then return waiting("there is no condition %s", name) end
  if is_stale(facts, condition) then return waiting(STALE) end
  if condition.status:lower() == status then return DONE end
  return waiting("%s is %s: %s", condition.type, condition.status, words_of(condition))
end

local function in_phase(...)
  local phases = { ... }
  return function(facts)
    for _, phase in ipairs(phases) do
      if facts.phase == phase then return DONE end
    end
    return waiting("the phase is %s", text(facts.phase) or "unknown")
  end
end

local function with_condition(name)
  return function(facts) return has_condition(facts, name) end
end

local function pod(facts)
  return facts.phase == "Succeeded" and DONE or has_condition(facts, "Ready")
end

local function service(facts)
  if facts.service ~= "LoadBalancer" or type(facts.ingress) == "table" and #facts.ingress > 0 then return DONE end
  return waiting "the load balancer has no address"
end

---A kind that bide does not know is ready by the condition Ready or Available, if its objects have one.
local function other(facts)
  for _, name in ipairs { "Ready", "Available" } do
    if facts.conditions[name:lower()] then return has_condition(facts, name) end
  end
  return DONE
end

local ready = {
  Deployment = observed(deployment), StatefulSet = observed(stateful_set), DaemonSet = observed(daemon_set),
  ReplicaSet = observed(replica_set), Job = with_condition "Complete", Pod = pod, Service = service,
  PersistentVolumeClaim = in_phase "Bound", PersistentVolume = in_phase("Available", "Bound"),
  Namespace = in_phase "Active", CustomResourceDefinition = with_condition "Established",
  APIService = with_condition "Available", Node = with_condition "Ready",
}

-- ---- what cannot become right ----------------------------------------------------------------

local function job_failure(facts)
  local condition = facts.conditions.failed
  return is_true(condition) and words_of(condition)
end

local function deployment_failure(facts)
  local condition = facts.conditions.progressing
  local is_stuck = condition and condition.reason == "ProgressDeadlineExceeded" and not is_stale(facts)
  return is_stuck and words_of(condition)
end

---A pod that has ended becomes ready no more.
local function pod_failure(facts, goal)
  if facts.phase == "Succeeded" and goal.is == "condition" then return "the pod has ended: its phase is Succeeded" end
  if facts.phase ~= "Failed" then return nil end
  return "the pod has failed: " .. words_of { reason = facts.reason, message = facts.message }
end

local function lost(facts)
  return (facts.phase == "Lost" or facts.phase == "Failed") and "the phase is " .. facts.phase
end

local function refused_names(facts)
  local condition = facts.conditions.namesaccepted
  return condition and condition.status == "False" and words_of(condition)
end

local failures = { Job = job_failure, Deployment = deployment_failure, Pod = pod_failure, PersistentVolume = lost,
  PersistentVolumeClaim = lost, CustomResourceDefinition = refused_names }

---The conditions that a failure rules out; a wait for another one, as for Failed, may still succeed.
local good = { ready = true, available = true, complete = true, progressing = true, established = true, initialized = true,
  containersready = true, podscheduled = true, successcriteriamet = true }

---Reports whether a goal is out of reach for what has failed.
---@param goal bide.kubernetes.Goal
---@return boolean
function M.wants_health(goal)
  return goal.is == "ready" or goal.is == "condition" and goal.status == "true" and good[goal.condition] == true
end

-- ---- the whole -------------------------------------------------------------------------------

local deletion_of = assert(core.jmespath.compile "metadata.deletionTimestamp")

---Returns how far an object is.
---@param document bide.Document
---@param kind bide.kubernetes.Kind
---@param goal bide.kubernetes.Goal
---@return bide.kubernetes.Progress
function M.of(document, kind, goal)
  if goal.is == "creation" then return DONE end
  local facts = read(document)
  if goal.is == "deletion" then
    return waiting(deletion_of:search(document) ~= core.json.null and "it is being deleted" or "it exists")
  end
  local progress = goal.is == "condition" and has_condition(facts, goal.name, goal.status)
    or (ready[kind.name] or other)(facts)
  local failure = progress ~= DONE and M.wants_health(goal) and failures[kind.name]
  local reason = failure and failure(facts, goal)
  return reason and failed(reason) or progress
end

return M
