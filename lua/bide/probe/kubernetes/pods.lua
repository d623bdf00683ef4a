---Finds what keeps pods from becoming ready and will not go away: an image that cannot be pulled, a crash loop, no node, a quota.

local core = require "bide.core"
local date = require "bide.text.http_date"

local M = {}

local pods_of = assert(core.jmespath.compile [=[
  items[?type(metadata.name) == 'string' && !(metadata.deletionTimestamp)]
  .{ name: metadata.name, phase: status.phase, since: status.startTime,
     unscheduled: status.conditions[?type == 'PodScheduled' && reason == 'Unschedulable'] | [0],
     containers: status.[initContainerStatuses, containerStatuses][][]
       | [?type(name) == 'string' && type(state.waiting.reason) == 'string']
       .{ name: name, reason: state.waiting.reason, message: state.waiting.message, restarts: restartCount,
          exit: lastState.terminated.exitCode, last: lastState.terminated.reason } }]=])

local refused = assert(core.jmespath.compile [=[
  status.conditions[?type == 'ReplicaFailure' && status == 'True'] | [0]]=])

local events_of = assert(core.jmespath.compile [=[
  items[?reason == 'FailedCreate' && type(message) == 'string'] | [-1]
  .{ message: message, since: not_null(firstTimestamp, eventTime) }]=])

---Why a container may never run, and whether that takes some time to be certain.
local reasons = {
  InvalidImageName = "at once", ErrImageNeverPull = "at once", ImagePullBackOff = "later", ErrImagePull = "later",
  CreateContainerConfigError = "later", CreateContainerError = "later", RunContainerError = "later",
}

---@class bide.kubernetes.Bounds
---@field grace number seconds for which a problem is borne that may go away
---@field restarts integer of a container, after which a crash loop is a failure
---@field now number seconds since 1970, by the clock of the cluster

---Reports whether something has lasted longer than the grace; without a time, it has.
local function has_lasted(since, bounds)
  local began = date.read_timestamp(since)
  return not began or bounds.now - began >= bounds.grace
end

local function words_of(reason, message)
  return type(message) == "string" and message ~= "" and ("%s: %s"):format(reason, message) or reason
end

---@return string? problem
local function crash_loop(container, bounds)
  local restarts = math.tointeger(container.restarts) or 0
  if restarts < bounds.restarts then return nil end
  return ("CrashLoopBackOff after %d restarts, exit code %s%s"):format(restarts,
    type(container.exit) == "number" and container.exit or "unknown",
    type(container.last) == "string" and (" (%s)"):format(container.last) or "")
end

---@return string? problem
local function problem_of_container(container, pod, bounds)
  if container.reason == "CrashLoopBackOff" then return crash_loop(container, bounds) end
  local certain = reasons[container.reason]
  if certain == "at once" or certain and has_lasted(pod.since, bounds) then
    return words_of(container.reason, container.message)
  end
end

---@return string? problem
local function problem_of_pod(pod, bounds)
  local unscheduled = pod.unscheduled
  if type(unscheduled) == "table" and unscheduled.status == "False" and has_lasted(unscheduled.lastTransitionTime, bounds) then
    return ("pod %s: %s"):format(pod.name, words_of("Unschedulable", unscheduled.message))
  end
  for _, container in ipairs(type(pod.containers) == "table" and pod.containers or {}) do
    local problem = problem_of_container(container, pod, bounds)
    if problem then return ("pod %s: container %s: %s"):format(pod.name, container.name, problem) end
  end
end

---@param expression bide.Expression
---@param document bide.Document
local function find(expression, document)
  local found = expression:query(document)
  local value = found and found:value()
  return type(value) == "table" and value or nil
end

---Returns the first problem among pods.
---@param list bide.Document with `items`
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function M.problem(list, bounds)
  for _, pod in ipairs(find(pods_of, list) or {}) do
    local problem = problem_of_pod(pod, bounds)
    if problem then return problem end
  end
end

---Returns why a Deployment or a ReplicaSet may not create pods, as for a quota.
---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function M.refusal(object, bounds)
  local condition = find(refused, object)
  if condition and has_lasted(condition.lastTransitionTime, bounds) then
    return words_of(tostring(condition.reason), condition.message)
  end
end

---Returns why another controller may not create pods: it says so in events only.
---@param events bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function M.refusal_in_events(events, bounds)
  local event = find(events_of, events)
  if event and has_lasted(event.since, bounds) then return words_of("FailedCreate", event.message) end
end

local operators = {
  In = function(key, values) return ("%s in (%s)"):format(key, table.concat(values, ",")) end,
  NotIn = function(key, values) return ("%s notin (%s)"):format(key, table.concat(values, ",")) end,
  Exists = function(key) return key end,
  DoesNotExist = function(key) return "!" .. key end,
}

local labels_of = assert(core.jmespath.compile "spec.selector.matchLabels")

local requirements_of = assert(core.jmespath.compile [=[
  spec.selector.matchExpressions[?type(key) == 'string']
  .{ key: key, operator: operator, values: values[?type(@) == 'string'] }]=])

---Returns the label selector of an object, as the API takes it.
---@param object bide.Document
---@return string? selector nil without any
function M.selector(object)
  local words = {}
  for name, value in pairs(find(labels_of, object) or {}) do words[#words + 1] = ("%s=%s"):format(name, value) end
  table.sort(words)
  for _, requirement in ipairs(find(requirements_of, object) or {}) do
    local operator = operators[requirement.operator]
    local values = type(requirement.values) == "table" and requirement.values or {}
    if operator then words[#words + 1] = operator(requirement.key, values) end
  end
  return words[1] and table.concat(words, ",")
end

return M
