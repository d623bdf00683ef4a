---Inspects objects of any kind: asks the API for them, and for what may keep them from their goal.

local answers = require "bide.probe.kubernetes.answers"
local connections = require "bide.probe.kubernetes.connection"
local core = require "bide.core"
local date = require "bide.text.http_date"
local goals = require "bide.probe.kubernetes.goal"
local kinds = require "bide.probe.kubernetes.kinds"
local pods = require "bide.probe.kubernetes.pods"
local progress = require "bide.probe.kubernetes.progress"

---@class bide.kubernetes.Inspection
---@field input table
---@field connection bide.kubernetes.Connection
---@field goal bide.kubernetes.Goal
---@field target bide.kubernetes.Target
---@field kind bide.kubernetes.Kind? nil until the first attempt: the cluster may have to be asked for it
---@field is_readiness_asked boolean whether the waiter's own success counts; false if --until replaces it
local Inspection = {}
Inspection.__index = Inspection

---@return bide.http.Response
function Inspection:get(path, query)
  return connections.get(self.connection, self.input, path, query)
end

---Returns the path of the objects of a kind: "apis/apps/v1/namespaces/shop/deployments".
---@param kind bide.kubernetes.Kind
---@return string
function Inspection:folder_of(kind)
  if not kind.is_namespaced then return ("%s/%s"):format(kind.path, kind.plural) end
  local namespace = connections.namespace(self.connection, self.input)
  return ("%s/namespaces/%s/%s"):format(kind.path, connections.escape(namespace), kind.plural)
end

---@param kind bide.kubernetes.Kind
---@param query table<string, string>
---@return bide.Document list
---@return bide.http.Response
function Inspection:list(kind, query)
  local response = self:get(self:folder_of(kind), query)
  return answers.list(response, kind), response
end

---Asks for a list that only explains a delay: a user that may see an object need not be allowed to see the others.
---@param kind bide.kubernetes.Kind
---@param query table<string, string>
---@return bide.Document?
function Inspection:glance(kind, query)
  local ok, result = pcall(self.list, self, kind, query)
  if ok then return result end
  if type(result) ~= "table" then error(result, 0) end
end

---The kinds of each connection, by the names that were asked for.
local found_kinds = setmetatable({}, { __mode = "k" })

---@return bide.kubernetes.Kind
function Inspection:find_kind()
  local known = found_kinds[self.connection] or {}
  found_kinds[self.connection] = known
  local name = self.target.kind
  if known[name] then return known[name] end
  local kind, mistake = kinds.find(name, function(path, of) return answers.of_kind(self:get(path), of) end)
  if not kind then error({ type = "NoSuchKind", message = mistake }, 0) end
  known[name] = kind
  return kind
end

-- ---- what keeps an object ----------------------------------------------------------------------

local POD, EVENT = kinds.usual "pod", kinds.new("Event", "events", "api/v1", true)
local REPLICA_SET = kinds.usual "replicaset"
local REVISION = kinds.new("ControllerRevision", "controllerrevisions", "apis/apps/v1", true)

local uid_of, name_of = assert(core.jmespath.compile "metadata.uid"), assert(core.jmespath.compile "metadata.name")
local count_of = assert(core.jmespath.compile "length(items)")

local OWNER = "metadata.ownerReferences[?controller == `true`].uid | [0]"

local deployment_revision = '"deployment.kubernetes.io/revision"'

local revision_of = assert(core.jmespath.compile("metadata.annotations." .. deployment_revision))

local replica_sets_of = assert(core.jmespath.compile(([=[
  items[].{ revision: metadata.annotations.%s, hash: metadata.labels."pod-template-hash", owner: %s, object: @ }
  | [?type(hash) == 'string']]=]):format(deployment_revision, OWNER)))

local controller_revisions_of = assert(core.jmespath.compile(([=[
  items[].{ number: revision, hash: metadata.labels."controller-revision-hash", owner: %s }
  | [?type(hash) == 'string' && type(number) == 'number']]=]):format(OWNER)))

local newest_revision_of = assert(core.jmespath.compile "status.updateRevision")

---Returns the rows that an expression finds in a list for what an object owns.
local function owned(list, expression, object)
  local uid, rows = uid_of:search(object), {}
  local found = list and expression:query(list)
  for _, row in ipairs(found and found:value() or {}) do
    if row.owner == uid and type(uid) == "string" then rows[#rows + 1] = row end
  end
  return rows
end

---The selectors of the newest pods of kinds that have several revisions at a time: pods of an older one do not matter,
---since their controller replaces them. Each returns the selector and the owner of the pods, which says why it may not
---create any; nil if the newest ones cannot be distinguished.
---@type table<string, fun(inspection: bide.kubernetes.Inspection, object: bide.Document, selector: string): string?, any>
local newest = {}

newest["Deployment.apps"] = function(inspection, object, selector)
  local list = inspection:glance(REPLICA_SET, { labelSelector = selector })
  local revision = revision_of:search(object)
  for _, row in ipairs(owned(list, replica_sets_of, object)) do
    if row.revision == revision then
      return ("%s,pod-template-hash=%s"):format(selector, row.hash), assert(core.json.document(row.object))
    end
  end
end

newest["StatefulSet.apps"] = function(_, object, selector)
  local revision = newest_revision_of:search(object)
  if type(revision) == "string" then return ("%s,controller-revision-hash=%s"):format(selector, revision), object end
end

newest["DaemonSet.apps"] = function(inspection, object, selector)
  local list = inspection:glance(REVISION, { labelSelector = selector })
  local last
  for _, row in ipairs(owned(list, controller_revisions_of, object)) do
    if not last or row.number > last.number then last = row end
  end
  if last then return ("%s,controller-revision-hash=%s"):format(selector, last.hash), object end
end

---The other kinds whose pods are found by their selectors.
local of_one_revision = { ["ReplicaSet.apps"] = true, ["Job.batch"] = true }

---Returns the pods that decide whether an object can become ready.
---@param object bide.Document
---@return bide.Document? list nil if there is none, or it may not be seen
---@return bide.Document? owner of the pods; nil if the newest ones cannot be distinguished
function Inspection:pods_of(object)
  local id = self.kind.id
  if id == "Pod" then return assert(core.json.document { items = { object } }), object end
  local selector = (newest[id] or of_one_revision[id]) and pods.selector(object)
  if not selector then return nil end
  local owner = object
  if newest[id] then selector, owner = newest[id](self, object, selector) end
  return selector and self:glance(POD, { labelSelector = selector }), owner
end

---Returns why a controller without pods has none.
---@param object bide.Document
---@param owner bide.Document of the pods: the object, or the newest ReplicaSet of a Deployment
---@param list? bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function Inspection:refusal(object, owner, list, bounds)
  local problem = pods.refusal(owner, bounds)
  if problem or not list or count_of:search(list) ~= 0 then return problem end
  local uid = uid_of:search(object)
  local events = type(uid) == "string" and self:glance(EVENT, { fieldSelector = "involvedObject.uid=" .. uid })
  return events and pods.refusal_in_events(events, bounds)
end

---Returns what will not let an object become ready.
---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function Inspection:problem(object, bounds)
  if not progress.wants_health(self.goal) then return nil end
  local list, owner = self:pods_of(object)
  return list and pods.problem(list, bounds) or owner and self:refusal(object, owner, list, bounds)
end

---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return bide.kubernetes.Progress
function Inspection:assess(object, bounds)
  local found = progress.of(object, self.kind, self.goal)
  if found.state == "unsupported" and self.is_readiness_asked then
    error({ type = "NoReadiness", message = ("%s %s: %s"):format(self.kind.name, name_of:search(object), found.reason) }, 0)
  end
  if found.state == "done" or found.state == "failed" or found.is_early then return found end
  local problem = self:problem(object, bounds)
  return problem and { state = "failed", reason = problem } or found
end

-- ---- one object, and several -------------------------------------------------------------------

local nothing = assert(core.json.read "{}")
local with_wait = assert(core.jmespath.compile "merge(object, { wait: wait })")

local function output(object, wait)
  return assert(with_wait:query(assert(core.json.document { object = object, wait = wait })))
end

function Inspection:bounds(response)
  return { grace = self.input.grace, restarts = self.input.restarts,
    now = date.read(response.headers.date) or core.loop.wall() / 1000 }
end

---@return bide.Document output
function Inspection:one()
  local name = self.target.name
  local response = self:get(("%s/%s"):format(self:folder_of(self.kind), connections.escape(name)))
  local is_absent = answers.is_absence(response, self.kind, name)
  if is_absent and self.goal.is == "deletion" then return output(nothing, { state = "done" }) end
  if is_absent and self.goal.is == "creation" then return output(nothing, { state = "it does not exist" }) end
  local object = answers.object(response, self.kind, name)
  return output(object, self:assess(object, self:bounds(response)))
end

local items_of = assert(core.jmespath.compile "items")

---Returns the progress of several objects: the failure of one, or how many are done and what the first other one lacks.
---@param list bide.Document[]
---@return bide.kubernetes.Progress
function Inspection:assess_all(list, bounds)
  local done, lacking = 0, nil
  for _, object in ipairs(list) do
    local found = self:assess(object, bounds)
    local name = name_of:search(object)
    if found.state == "failed" then
      local is_named = found.reason:find(name, 1, true)
      return { state = "failed", reason = is_named and found.reason or ("%s: %s"):format(name, found.reason) }
    end
    if found.state == "done" then done = done + 1 else lacking = lacking or ("%s: %s"):format(name, found.state) end
  end
  if not lacking then return { state = "done" } end
  return { state = ("%d of %d are done; %s"):format(done, #list, lacking) }
end

---@return bide.Document output
function Inspection:all()
  local document, response = self:list(self.kind, { labelSelector = self.input.selector })
  local found, list = items_of:query(document), {}
  for position = 1, #found do
    list[position] = core.jmespath.compile(("[%d]"):format(position - 1)):query(found)
  end
  local progressed
  if #list > 0 then
    progressed = self:assess_all(list, self:bounds(response))
  else
    progressed = { state = self.goal.is == "deletion" and "done" or "there are none" }
  end
  return output(document, progressed)
end

---Reads an input once. Raises NoCredentials if there is no cluster.
---@param input table checked
---@param wait? bide.OperationWait
---@return fun(): bide.Document inspect
return function(input, wait)
  local inspection = setmetatable({
    input = input, connection = connections.connect(input),
    target = assert(goals.target(input)), goal = assert(goals.of(input)),
    is_readiness_asked = not wait or wait.own_success or input["for"] ~= nil,
  }, Inspection)
  return function()
    inspection.kind = inspection.kind or inspection:find_kind()
    return inspection.target.name and inspection:one() or inspection:all()
  end
end
