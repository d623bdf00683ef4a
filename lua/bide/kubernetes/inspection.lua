---Inspects objects of any kind: asks the API for them, and for what may keep them from their goal.

local connections = require "bide.kubernetes.connection"
local core = require "bide.core"
local date = require "bide.http.date"
local goals = require "bide.kubernetes.goal"
local kinds = require "bide.kubernetes.kinds"
local pods = require "bide.kubernetes.pods"
local progress = require "bide.kubernetes.progress"

---@class bide.kubernetes.Inspection
---@field input table
---@field connection bide.kubernetes.Connection
---@field goal bide.kubernetes.Goal
---@field target bide.kubernetes.Target
---@field kind bide.kubernetes.Kind
---@field folder string of the kind's objects, a path
local Inspection = {}
Inspection.__index = Inspection

---Gets a document; any status but 2xx is raised as the operation error.
---@return bide.Document
---@return bide.http.Response
function Inspection:get(path, query)
  local response = connections.get(self.connection, self.input, path, query)
  local document, failure = nil, response:operation_error()
  if not failure then document, failure = response:document() end
  if failure then error(failure, 0) end
  if document:type() ~= "object" then
    error({ type = "InvalidResponse", message = ("%s: expected an object, found %s"):format(path, document:type()) }, 0)
  end
  return document, response
end

---Asks for what only explains a delay: a user that may see an object need not be allowed to see the others.
---@return bide.Document?
function Inspection:glance(path, query)
  local ok, result = pcall(self.get, self, path, query)
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
  local kind, mistake = kinds.find(name, function(path) return (self:get(path)) end)
  if not kind then error({ type = "NoSuchKind", message = mistake }, 0) end
  known[name] = kind
  return kind
end

---Returns the folder of objects: "apis/apps/v1/namespaces/shop/deployments".
---@param group string
---@param plural string
function Inspection:folder_of(group, plural)
  local namespace = connections.namespace(self.connection, self.input)
  return ("%s/namespaces/%s/%s"):format(group, connections.escape(namespace), plural)
end

local function begin(input)
  local inspection = setmetatable({ input = input, connection = connections.connect(input) }, Inspection)
  inspection.target, inspection.goal = assert(goals.target(input)), assert(goals.of(input))
  inspection.kind = inspection:find_kind()
  local kind = inspection.kind
  inspection.folder = kind.is_namespaced and inspection:folder_of(kind.group, kind.plural) or kind.group .. "/" .. kind.plural
  return inspection
end

-- ---- what keeps an object ----------------------------------------------------------------------

local makes_pods = { Deployment = true, StatefulSet = true, DaemonSet = true, ReplicaSet = true, Job = true }

local REVISION = '"deployment.kubernetes.io/revision"'

local revision_of = assert(core.jmespath.compile("metadata.annotations." .. REVISION))

local revisions_of = assert(core.jmespath.compile(([=[
  items[].{ revision: metadata.annotations.%s, hash: metadata.labels."pod-template-hash" }
  | [?type(hash) == 'string']]=]):format(REVISION)))

---Returns the selector of a Deployment's newest pods: those of an older revision do not matter to it.
---@return string? selector nil if they cannot be distinguished
function Inspection:newest_of(object, selector)
  local list = self:glance(self:folder_of("apis/apps/v1", "replicasets"), { labelSelector = selector })
  local found = list and revisions_of:query(list)
  local revision = revision_of:search(object)
  for _, row in ipairs(found and found:value() or {}) do
    if row.revision == revision then return ("%s,pod-template-hash=%s"):format(selector, row.hash) end
  end
end

---@param object bide.Document
---@return bide.Document? list
function Inspection:pods_of(object)
  if self.kind.name == "Pod" then return assert(core.json.document { items = { object } }) end
  local selector = makes_pods[self.kind.name] and pods.selector(object)
  if selector and self.kind.name == "Deployment" then selector = self:newest_of(object, selector) end
  return selector and self:glance(self:folder_of("api/v1", "pods"), { labelSelector = selector })
end

local uid_of, count_of = assert(core.jmespath.compile "metadata.uid"), assert(core.jmespath.compile "length(items)")

---Returns why a controller without pods has none.
---@return string? problem
function Inspection:refusal(object, list, bounds)
  local problem = pods.refusal(object, bounds)
  if problem or not makes_pods[self.kind.name] or not list or count_of:search(list) ~= 0 then return problem end
  local uid = uid_of:search(object)
  local events = type(uid) == "string" and self:glance(self:folder_of("api/v1", "events"),
    { fieldSelector = "involvedObject.uid=" .. uid })
  return events and pods.refusal_in_events(events, bounds)
end

---Returns what will not let an object become ready.
---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function Inspection:problem(object, bounds)
  if not progress.wants_health(self.goal) then return nil end
  local list = self:pods_of(object)
  return list and pods.problem(list, bounds) or self:refusal(object, list, bounds)
end

---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return bide.kubernetes.Progress
function Inspection:assess(object, bounds)
  local found = progress.of(object, self.kind, self.goal)
  if found.state == "done" or found.state == "failed" then return found end
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
  local path = ("%s/%s"):format(self.folder, connections.escape(self.target.name))
  local ok, object, response = pcall(self.get, self, path)
  if ok then return output(object, self:assess(object, self:bounds(response))) end
  local is_gone = type(object) == "table" and object.status == 404
  if is_gone and self.goal.is == "deletion" then return output(nothing, { state = "done" }) end
  if is_gone and self.goal.is == "creation" then return output(nothing, { state = "it does not exist" }) end
  error(object, 0)
end

local items_of = assert(core.jmespath.compile "items[?type(metadata.name) == 'string']")
local name_of = assert(core.jmespath.compile "metadata.name")

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
  local document, response = self:get(self.folder, { labelSelector = self.input.selector })
  local found, list = items_of:query(document), {}
  for position = 1, found and found:type() == "array" and #found or 0 do
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

---@param input table
---@return bide.Document output
return function(input)
  local inspection = begin(input)
  return inspection.target.name and inspection:one() or inspection:all()
end
