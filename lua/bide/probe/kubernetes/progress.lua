---Says how far an object of Kubernetes is on its way to a goal: done, failed, or what is missing. The rules are
---those of `kubectl wait` and `kubectl rollout status`, with the failures that these two wait out.

local core = require "bide.core"

local M = {}

---@class bide.kubernetes.Progress
---@field state string "done", "failed", "unsupported", or what is missing
---@field reason? string why it failed, or why its kind says nothing about the goal
---@field is_early? boolean whether its pods say nothing about it yet: the object is being deleted, its rollout is paused, or
---its controller has not seen the newest specification

local DONE = { state = "done" }

local function waiting(text, ...)
  return { state = text:format(...) }
end

local function failed(reason)
  return { state = "failed", reason = reason }
end

---The values that the rules use. Where a service sends another type, the expression gives null.
local facts_of = assert(core.jmespath.compile [=[{
  name: metadata.name, deleted: metadata.deletionTimestamp, generation: metadata.generation,
  observed: status.observedGeneration, paused: spec.paused,
  wanted: spec.replicas, updated: not_null(status.updatedReplicas, status.updatedNumberScheduled),
  replicas: status.replicas, ready: status.readyReplicas,
  available: not_null(status.availableReplicas, status.numberAvailable), scheduled: status.desiredNumberScheduled,
  strategy: spec.updateStrategy.type, partition: spec.updateStrategy.rollingUpdate.partition,
  current: status.currentRevision, update: status.updateRevision,
  phase: status.phase, message: status.message, reason: status.reason,
  service: spec.type, balancer: status.loadBalancer.ingress[?ip || hostname] | [0],
  endpoint: subsets[].addresses[].ip | [0]
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
  local facts, list = facts_of:search(document) or {}, conditions_of:search(document)
  facts.conditions = {}
  for _, condition in ipairs(type(list) == "table" and list or {}) do
    local name = condition.type:lower()
    facts.conditions[name] = facts.conditions[name] or condition
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

---Reads the generation that a controller has seen: some write it as a text.
---@return integer|false|nil generation false if it cannot be read, nil if there is none
local function generation_of(value)
  if value == nil or value == core.json.null then return nil end
  if type(value) == "string" then value = value:find "^%d+$" and tonumber(value) end
  return math.type(value) and math.tointeger(value) or false
end

---Reports whether a status may be older than the specification: the generation of the condition counts, else that of the
---status. Where neither is there, the status is believed.
local function is_stale(facts, condition)
  local observed = generation_of(condition and condition.generation)
  if observed == nil then observed = generation_of(facts.observed) end
  local newest = generation_of(facts.generation)
  return observed == false or newest == false or observed ~= nil and observed < (newest or 0)
end

---Returns a condition of the newest specification.
local function current(facts, name)
  local condition = facts.conditions[name]
  return condition and not is_stale(facts, condition) and condition or nil
end

local STALE = "the controller has not seen the newest specification"

-- ---- workloads -------------------------------------------------------------------------------

---Returns the replicas that are wanted: one, if the specification does not say it; more than there can be, if it says that in
---a way that cannot be read.
local function wanted_of(facts)
  if facts.wanted == core.json.null then return 1 end
  return math.type(facts.wanted) and math.tointeger(facts.wanted) or math.maxinteger
end

local function rollout(facts)
  local wanted, updated, available = wanted_of(facts), number(facts.updated), number(facts.available)
  if number(facts.replicas) > updated and updated >= wanted then
    return waiting("%d old replicas are left", number(facts.replicas) - updated)
  end
  if updated < wanted then return waiting("%d of %d replicas are updated", updated, wanted) end
  if available < updated then return waiting("%d of %d updated replicas are available", available, updated) end
  if number(facts.replicas) ~= updated then return waiting("%d of %d replicas are updated", updated, number(facts.replicas)) end
  return DONE
end

local function deployment(facts)
  local progress = rollout(facts)
  if progress == DONE or facts.paused ~= true then return progress end
  return waiting("%s; the rollout is paused", progress.state)
end

---Refuses a workload whose pods the user replaces: its status does not say when that is done.
local function check_strategy(facts, updated, wanted)
  if not text(facts.strategy) or facts.strategy == "RollingUpdate" then return nil end
  return { state = "unsupported",
    reason = ("the update strategy is %s: its pods become new ones when somebody deletes them; say what ready means with "
      .. "condition= or --until, for example --until '%s == %s'"):format(facts.strategy, updated, wanted) }
end

local function stateful_set(facts)
  local wanted, ready, updated = wanted_of(facts), number(facts.ready), number(facts.updated)
  local to_update = wanted - number(facts.partition)
  if ready < wanted then return waiting("%d of %d pods are ready", ready, wanted) end
  if number(facts.partition) > 0 then
    return updated >= to_update and DONE or waiting("%d of %d pods are updated", updated, to_update)
  end
  local is_updated = text(facts.update) and facts.current == facts.update
  return is_updated and DONE or waiting("%d of %d pods are updated", updated, wanted)
end

local function daemon_set(facts)
  if not math.type(facts.scheduled) then return waiting "the number of its pods is not known yet" end
  local wanted, updated, available = number(facts.scheduled), number(facts.updated), number(facts.available)
  if updated < wanted then return waiting("%d of %d pods are updated", updated, wanted) end
  if available < wanted then return waiting("%d of %d pods are available", available, wanted) end
  return DONE
end

local function replica_set(facts)
  local ready, wanted = number(facts.ready), wanted_of(facts)
  return ready >= wanted and DONE or waiting("%d of %d replicas are ready", ready, wanted)
end

---The kinds whose controllers always say which generation they have seen.
local observing = { ["Deployment.apps"] = true, ["StatefulSet.apps"] = true, ["DaemonSet.apps"] = true,
  ["ReplicaSet.apps"] = true }

---Reports whether the controller of an object has not seen its newest specification.
local function is_unseen(facts, kind)
  return is_stale(facts) or observing[kind.id] and not generation_of(facts.observed)
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

---Lets a rule that looks at no condition see a status only if it is of the newest specification.
local function fresh(rule)
  return function(facts) return is_stale(facts) and waiting(STALE) or rule(facts) end
end

local function in_phase(...)
  local phases = { ... }
  return fresh(function(facts)
    for _, phase in ipairs(phases) do
      if facts.phase == phase then return DONE end
    end
    return waiting("the phase is %s", text(facts.phase) or "unknown")
  end)
end

local function with_condition(name)
  return function(facts) return has_condition(facts, name) end
end

local function pod(facts)
  if facts.phase == "Succeeded" then return DONE end
  local may_be_ready = facts.phase == "Running" or facts.phase == core.json.null
  return may_be_ready and has_condition(facts, "Ready") or waiting("the phase is %s", text(facts.phase) or "unknown")
end

local function address(facts)
  return facts.balancer ~= core.json.null and DONE or waiting "it has no address"
end

---The types of services that need no address from outside.
local inner = { ClusterIP = true, NodePort = true, ExternalName = true }

local function service(facts)
  if inner[facts.service] or facts.service == "LoadBalancer" and facts.balancer ~= core.json.null then return DONE end
  return waiting(facts.service == "LoadBalancer" and "the load balancer has no address" or "its type is not known")
end

local function endpoints(facts)
  return text(facts.endpoint) and DONE or waiting "there is no address of a ready pod"
end

---The rule for objects that nothing has to act on.
local function existence() return DONE end

---The rule for a kind that bide does not know: the condition Ready or Available. The
---controller of an object with neither may not have seen it yet.
local function other(facts)
  for _, name in ipairs { "Ready", "Available" } do
    if facts.conditions[name:lower()] then return has_condition(facts, name) end
  end
  return waiting "give condition= or --until: it has neither the condition Ready nor Available"
end

---The rules for what ready means, by the kind with its group: another group's Service or Job is another kind.
local ready = {
  ["Deployment.apps"] = deployment, ["StatefulSet.apps"] = stateful_set, ["DaemonSet.apps"] = daemon_set,
  ["ReplicaSet.apps"] = replica_set, ["Job.batch"] = with_condition "Complete", Pod = pod, Service = fresh(service),
  PersistentVolumeClaim = in_phase "Bound", PersistentVolume = in_phase("Available", "Bound"),
  Namespace = in_phase "Active", Node = with_condition "Ready", Endpoints = endpoints,
  ["Ingress.networking.k8s.io"] = fresh(address),
  ["CustomResourceDefinition.apiextensions.k8s.io"] = with_condition "Established",
  ["APIService.apiregistration.k8s.io"] = with_condition "Available",
  ["HorizontalPodAutoscaler.autoscaling"] = with_condition "ScalingActive",
  ConfigMap = existence, Secret = existence, ServiceAccount = existence, ["CronJob.batch"] = existence,
}

---The workloads that replace their pods themselves or leave it to the user, with the members that count the new ones.
local replacing = {
  ["StatefulSet.apps"] = { "status.updatedReplicas", "spec.replicas" },
  ["DaemonSet.apps"] = { "status.updatedNumberScheduled", "status.desiredNumberScheduled" },
}

---@param kind bide.kubernetes.Kind
---@return bide.kubernetes.Progress
local function readiness(facts, kind)
  local members = replacing[kind.id]
  local unsupported = members and check_strategy(facts, table.unpack(members))
  if unsupported then return unsupported end
  if observing[kind.id] and is_unseen(facts, kind) then return waiting(STALE) end
  return (ready[kind.id] or other)(facts)
end

-- ---- what cannot become right ----------------------------------------------------------------

---Returns the rule by which a member of a condition, of the newest specification, says that an object has failed.
local function by_condition(name, member, value)
  return function(facts)
    local condition = current(facts, name)
    return condition and condition[member] == value and words_of(condition)
  end
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

local failures = {
  ["Job.batch"] = by_condition("failed", "status", "True"),
  ["Deployment.apps"] = by_condition("progressing", "reason", "ProgressDeadlineExceeded"),
  Pod = pod_failure, PersistentVolume = lost, PersistentVolumeClaim = lost,
  ["CustomResourceDefinition.apiextensions.k8s.io"] = by_condition("namesaccepted", "status", "False"),
}

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

---The conditions that speak of an end.
local last = { failed = true, failuretarget = true, terminating = true, disruptiontarget = true }

---Reports whether an object that is being deleted may still have a condition: that it has failed, ends, or is not ready.
---@param goal bide.kubernetes.Goal
local function is_of_the_end(goal)
  if goal.is ~= "condition" then return false end
  if goal.status == "true" then return last[goal.condition] == true end
  return good[goal.condition] == true
end

---Returns how far an object is that exists and is not being deleted.
local function advance(facts, kind, goal)
  local progress = goal.is == "condition" and has_condition(facts, goal.name, goal.status) or readiness(facts, kind)
  if progress == DONE and kind.id == "Pod" and facts.phase == "Failed" and M.wants_health(goal) then
    progress = waiting "the phase is Failed"
  end
  if progress == DONE or progress.state == "unsupported" then return progress end
  local failure = M.wants_health(goal) and failures[kind.id]
  local reason = failure and failure(facts, goal)
  if reason then return failed(reason) end
  progress.is_early = is_unseen(facts, kind) or facts.paused == true
  return progress
end

local DELETED = "it is being deleted"

---Returns why the status of an object does not count for a condition of the command line; nil if it does.
---@param document bide.Document
---@param kind bide.kubernetes.Kind
---@return string?
function M.doubt(document, kind)
  local facts = read(document)
  if facts.deleted ~= core.json.null then return DELETED end
  return is_unseen(facts, kind) and STALE or nil
end

---Reports whether conditions of the command line that replace what ready means ask of the status.
---@param wait? bide.OperationWait
---@return boolean
function M.asks_status(wait)
  for _, condition in ipairs(wait and not wait.own_success and wait.conditions or {}) do
    if condition:find("status", 1, true) then return true end
  end
  return false
end

---Returns how far an object is.
---@param document bide.Document
---@param kind bide.kubernetes.Kind
---@param goal bide.kubernetes.Goal
---@return bide.kubernetes.Progress
function M.of(document, kind, goal)
  local facts = read(document)
  local is_being_deleted = facts.deleted ~= core.json.null
  if is_being_deleted and not is_of_the_end(goal) then return { state = DELETED, is_early = true } end
  if goal.is == "deletion" then return waiting "it exists" end
  return goal.is == "creation" and DONE or advance(facts, kind, goal)
end

return M
