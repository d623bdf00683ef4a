---Finds what keeps pods from becoming ready: what will not go away, such as an image that cannot be pulled, a crash loop, no
---node, a quota; and what may, for the words of a wait that continues.

local core = require "bide.core"
local date = require "bide.text.http_date"

local M = {}

local pods_of = assert(core.jmespath.compile [=[
  items[?type(metadata.name) == 'string' && !(metadata.deletionTimestamp)]
  .{ name: metadata.name, uid: metadata.uid, phase: status.phase, since: metadata.creationTimestamp, started: status.startTime,
     ready: status.conditions[?type == 'Ready'] | [0].status,
     unscheduled: status.conditions[?type == 'PodScheduled' && reason == 'Unschedulable' && status == 'False'] | [0],
     containers: status.[initContainerStatuses, containerStatuses][][] | [?type(name) == 'string']
       .{ name: name, reason: state.waiting.reason, message: state.waiting.message, exit: state.terminated.exitCode,
          ended: state.terminated.finishedAt, why: state.terminated.reason, restarts: restartCount,
          last_exit: lastState.terminated.exitCode, last_why: lastState.terminated.reason } }]=])

local refused = assert(core.jmespath.compile [=[
  status.conditions[?type == 'ReplicaFailure' && status == 'True'] | [0]]=])

local creations_of = assert(core.jmespath.compile [=[
  items[?(reason == 'FailedCreate' || reason == 'SuccessfulCreate') && type(message) == 'string']
  .{ is_failure: reason == 'FailedCreate', message: message, uid: involvedObject.uid,
     first: not_null(firstTimestamp, eventTime),
     last: not_null(series.lastObservedTime, lastTimestamp, eventTime, firstTimestamp) }]=])

---Why a container may never run, and whether that takes some time to be certain.
local reasons = {
  InvalidImageName = "at once", ErrImageNeverPull = "at once", ImagePullBackOff = "later", ErrImagePull = "later",
  CreateContainerConfigError = "later", CreateContainerError = "later", RunContainerError = "later",
}

---@class bide.kubernetes.Bounds
---@field grace number seconds for which a problem is borne that may go away
---@field restarts integer of a container, after which a crash loop is a failure
---@field now number seconds since 1970, by the clock of the cluster

---The obstacle to a pod that is not ready, or has failed.
---@class bide.kubernetes.Trouble
---@field words string? nil if the pod's status does not say it
---@field pod string
---@field uid string? of the pod
---@field container string? whose log may say more
---@field previous boolean whether that is the log of its run before

---Reports whether something has lasted longer than the grace; without a time, it has.
local function has_lasted(since, bounds)
  local began = date.read_timestamp(since)
  return not began or bounds.now - began >= bounds.grace
end

---Returns a time in seconds since 1970, or 0 if it is not a time.
local function seconds_of(timestamp) return date.read_timestamp(timestamp) or 0 end

local function words_of(reason, message)
  return type(message) == "string" and message ~= "" and ("%s: %s"):format(reason, message) or reason
end

local function containers_of(pod)
  return type(pod.containers) == "table" and pod.containers or {}
end

---Returns why no node takes a pod; nil if one has, or may.
---@return string? words
---@return string? since
local function unscheduled(pod)
  local condition = pod.unscheduled
  if type(condition) ~= "table" then return nil end
  return ("pod %s: %s"):format(pod.name, words_of("Unschedulable", condition.message)), condition.lastTransitionTime
end

---@return string? problem
local function crash_loop(container, bounds)
  local restarts = math.tointeger(container.restarts) or 0
  if restarts < bounds.restarts then return nil end
  return ("CrashLoopBackOff after %d restarts, exit code %s%s"):format(restarts,
    type(container.last_exit) == "number" and container.last_exit or "unknown",
    type(container.last_why) == "string" and (" (%s)"):format(container.last_why) or "")
end

---@return string? problem
local function problem_of_container(container, pod, bounds)
  if container.reason == "CrashLoopBackOff" then return crash_loop(container, bounds) end
  local certain = reasons[container.reason]
  if certain == "at once" or certain and has_lasted(pod.started, bounds) then
    return words_of(container.reason, container.message)
  end
end

---@return string? problem
---@return string? container whose log says more
local function problem_of_pod(pod, bounds)
  local words, since = unscheduled(pod)
  if words and has_lasted(since, bounds) then return words end
  for _, container in ipairs(containers_of(pod)) do
    local problem = problem_of_container(container, pod, bounds)
    if problem then
      return ("pod %s: container %s: %s"):format(pod.name, container.name, problem),
        container.reason == "CrashLoopBackOff" and container.name or nil
    end
  end
end

---@param expression bide.Expression
---@param document bide.Document
local function find(expression, document)
  local value = expression:search(document)
  return type(value) == "table" and value or nil
end

---Returns the first problem among pods.
---@param list bide.Document with `items`
---@param bounds bide.kubernetes.Bounds
---@return bide.kubernetes.Trouble? problem
function M.problem(list, bounds)
  for _, pod in ipairs(find(pods_of, list) or {}) do
    local problem, container = problem_of_pod(pod, bounds)
    if problem then return { words = problem, pod = pod.name, container = container, previous = true } end
  end
end

---@return string
local function words_of_end(code, why)
  return type(why) == "string" and ("exit code %d (%s)"):format(code, why) or ("exit code %d"):format(code)
end

---Returns the code of a failed end.
---@return integer? code nil of a success, and of no end
local function failed_code(code)
  local number = math.type(code) and math.tointeger(code)
  return number ~= 0 and number or nil
end

---Returns the container that failed last, for what has failed since its pods did.
---@param list bide.Document
---@return bide.kubernetes.Trouble?
function M.cause(list)
  local last, cause
  for _, pod in ipairs(find(pods_of, list) or {}) do
    for _, container in ipairs(containers_of(pod)) do
      local code, ended = failed_code(container.exit), type(container.ended) == "string" and container.ended or ""
      if code and (not last or ended >= last) then
        last, cause = ended, { pod = pod.name, container = container.name, previous = false,
          words = ("pod %s: container %s: %s"):format(pod.name, container.name, words_of_end(code, container.why)) }
      end
    end
  end
  return cause
end

---The reasons of a container that is about to run, which say nothing.
local usual = { ContainerCreating = true, PodInitializing = true }

---@return string? words
local function trouble_of_container(container)
  local reason = container.reason
  if type(reason) == "string" and not usual[reason] then
    local code = failed_code(container.last_exit)
    return words_of(reason, container.message) .. (code and (", exit code %d"):format(code) or "")
  end
  local code = failed_code(container.exit)
  return code and words_of_end(code, container.why)
end

---@param pod table
---@return string? words
local function trouble_of_pod(pod)
  local no_node = unscheduled(pod)
  if no_node then return no_node end
  for _, container in ipairs(containers_of(pod)) do
    local words = trouble_of_container(container)
    if words then return ("pod %s: container %s: %s"):format(pod.name, container.name, words) end
  end
end

---Returns what a pod's own status says of its trouble, with the restarts of its containers; nil if it says nothing.
---@param pod bide.Document
---@return string?
function M.present_trouble(pod)
  local found = (find(pods_of, assert(core.json.document { items = { pod } })) or {})[1]
  local words = found and found.ready ~= "True" and trouble_of_pod(found)
  if not words then return nil end
  local restarts = 0
  for _, container in ipairs(containers_of(found)) do restarts = restarts + (math.tointeger(container.restarts) or 0) end
  return ("%d %s"):format(restarts, words)
end

---The seconds for which a pod may say nothing before its events are asked for.
local QUIET = 10

---Returns what keeps a pod from becoming ready as yet. One that does not say it for some time has no words: its events may.
---@param list bide.Document
---@param bounds bide.kubernetes.Bounds
---@return bide.kubernetes.Trouble?
function M.trouble(list, bounds)
  local silent
  for _, pod in ipairs(find(pods_of, list) or {}) do
    local is_waited_for = pod.ready ~= "True" and pod.phase ~= "Succeeded"
    local words = is_waited_for and trouble_of_pod(pod)
    if words then return { words = words, pod = pod.name, previous = false } end
    local began = date.read_timestamp(pod.since)
    local is_silent = is_waited_for and began and bounds.now - began >= QUIET and type(pod.uid) == "string"
    if is_silent then silent = silent or { pod = pod.name, uid = pod.uid, previous = false } end
  end
  return silent
end

local warnings_of = assert(core.jmespath.compile [=[
  items[?type == 'Warning' && type(reason) == 'string' && type(message) == 'string']
  .{ reason: reason, message: message, at: not_null(lastTimestamp, eventTime, firstTimestamp, '') }]=])

---Returns the newest warning among events, in words.
---@param events bide.Document
---@return string?
function M.warning(events)
  local newest
  for _, event in ipairs(find(warnings_of, events) or {}) do
    if not newest or tostring(event.at) >= tostring(newest.at) then newest = event end
  end
  return newest and words_of(newest.reason, newest.message)
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

---The controllers that say only in events that they may not create pods. Those of StatefulSets and DaemonSets need all their
---pods: the expression says whether some lack. A Job continues with those that it has.
local lacking = {
  ["StatefulSet.apps"] = assert(core.jmespath.compile "(status.replicas || `0`) < not_null(spec.replicas, `1`)"),
  ["DaemonSet.apps"] = assert(core.jmespath.compile
    "(status.currentNumberScheduled || `0`) < (status.desiredNumberScheduled || `0`)"),
  ["Job.batch"] = assert(core.jmespath.compile "`false`"),
}

local count_of = assert(core.jmespath.compile "length(items)")

---@param id string of a kind
---@return boolean
function M.is_refused_in_events(id) return lacking[id] ~= nil end

---Reports whether an object may lack pods for a reason that only events say.
---@param object bide.Document
---@param id string of its kind
---@param list bide.Document its pods
---@return boolean
function M.may_be_refused(object, id, list)
  return lacking[id] ~= nil and (count_of:search(list) == 0 or lacking[id]:search(object) == true)
end

---Returns the creations of an object's pods that events report: the last success, and the failures.
local function creations(events, uid)
  local made, failures = 0, {}
  for _, event in ipairs(find(creations_of, events) or {}) do
    if event.uid ~= uid then goto continue end
    if event.is_failure then
      failures[#failures + 1] = event
    else
      made = math.max(made, seconds_of(event.last))
    end
    ::continue::
  end
  return made, failures
end

---Returns why a controller may not create the pods that it lacks, by events: the last pod that it tried to create failed.
---@param events bide.Document
---@param uid string of the object
---@param bounds bide.kubernetes.Bounds
---@return string? words nil if it may
---@return boolean? has_lasted whether each try has failed for longer than the grace
function M.refusal_in_events(events, uid, bounds)
  local made, failures = creations(events, uid)
  local newest, began
  for _, event in ipairs(failures) do
    local last = seconds_of(event.last)
    if last >= made then
      newest = newest and seconds_of(newest.last) > last and newest or event
      began = math.min(began or math.huge, math.max(made, seconds_of(event.first)))
    end
  end
  if newest then return words_of("FailedCreate", newest.message), bounds.now - began >= bounds.grace end
end

---The forms of the requirements of a selector; those of values need one at least.
local operators = {
  In = { "%s in (%s)", has_values = true }, NotIn = { "%s notin (%s)", has_values = true },
  Exists = { "%s" }, DoesNotExist = { "!%s" },
}

local selector_of = assert(core.jmespath.compile [=[
  { labels: spec.selector.matchLabels, requirements: spec.selector.matchExpressions }]=])

---Returns a requirement of a selector, as the API takes it; nil if it is not known.
---@param requirement any
---@return string?
local function words_of_requirement(requirement)
  local operator = type(requirement) == "table" and type(requirement.key) == "string" and operators[requirement.operator]
  if not operator then return nil end
  if not operator.has_values then return operator[1]:format(requirement.key) end
  local values = type(requirement.values) == "table" and requirement.values or {}
  for _, value in ipairs(values) do
    if type(value) ~= "string" then return nil end
  end
  return #values > 0 and operator[1]:format(requirement.key, table.concat(values, ",")) or nil
end

---@return table? part of a selector, empty if it lacks; nil of another value
local function part_of(value)
  if value == nil or value == core.json.null then return {} end
  return type(value) == "table" and value or nil
end

---Returns the label selector of an object, as the API takes it.
---@param object bide.Document
---@return string? selector nil without any, and if any part of it is not known: without that, it finds the pods of others
function M.selector(object)
  local found, words = find(selector_of, object) or {}, {}
  local labels, requirements = part_of(found.labels), part_of(found.requirements)
  if not labels or not requirements then return nil end
  for name, value in pairs(labels) do
    if type(name) ~= "string" or type(value) ~= "string" then return nil end
    words[#words + 1] = ("%s=%s"):format(name, value)
  end
  table.sort(words)
  for _, requirement in ipairs(requirements) do
    local more = words_of_requirement(requirement)
    if not more then return nil end
    words[#words + 1] = more
  end
  return words[1] and table.concat(words, ",")
end

return M
