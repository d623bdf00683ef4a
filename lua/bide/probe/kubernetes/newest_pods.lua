---Selects the newest pods of kinds that have several revisions at a time: pods of an older one do not matter, since their
---controller replaces them.

local core = require "bide.core"
local kinds = require "bide.probe.kubernetes.kinds"

local M = {}

local REPLICA_SET = kinds.usual "replicaset"
local REVISION = kinds.new("ControllerRevision", "controllerrevisions", "apis/apps/v1", true)

local OWNER = "metadata.ownerReferences[?controller == `true`].uid | [0]"

local deployment_revision = '"deployment.kubernetes.io/revision"'

local uid_of = assert(core.jmespath.compile "metadata.uid")
local revision_of = assert(core.jmespath.compile("metadata.annotations." .. deployment_revision))
local newest_revision_of = assert(core.jmespath.compile "status.updateRevision")

local replica_sets_of = assert(core.jmespath.compile(([=[
  items[].{ revision: metadata.annotations.%s, hash: metadata.labels."pod-template-hash", owner: %s, object: @ }
  | [?type(hash) == 'string']]=]):format(deployment_revision, OWNER)))

local controller_revisions_of = assert(core.jmespath.compile(([=[
  items[].{ number: revision, hash: metadata.labels."controller-revision-hash", owner: %s }
  | [?type(hash) == 'string' && type(number) == 'number']]=]):format(OWNER)))

---Asks for a list; nil if it may not be seen.
---@alias bide.kubernetes.Glance fun(kind: bide.kubernetes.Kind, query: table<string, string>): bide.Document?

---Returns the rows that an expression finds in a list for what an object owns.
local function owned(list, expression, object)
  local uid, rows = uid_of:search(object), {}
  for _, row in ipairs(list and expression:search(list) or {}) do
    if row.owner == uid and type(uid) == "string" then rows[#rows + 1] = row end
  end
  return rows
end

---The functions that select them, by the kinds of their objects.
---@type table<string, fun(object: bide.Document, selector: string, glance: bide.kubernetes.Glance): string?, any>
local newest = {}

newest["Deployment.apps"] = function(object, selector, glance)
  local list = glance(REPLICA_SET, { labelSelector = selector })
  local revision = revision_of:search(object)
  for _, row in ipairs(owned(list, replica_sets_of, object)) do
    if row.revision == revision then
      return ("%s,pod-template-hash=%s"):format(selector, row.hash), assert(core.json.document(row.object))
    end
  end
end

newest["StatefulSet.apps"] = function(object, selector)
  local revision = newest_revision_of:search(object)
  if type(revision) == "string" then return ("%s,controller-revision-hash=%s"):format(selector, revision), object end
end

newest["DaemonSet.apps"] = function(object, selector, glance)
  local list = glance(REVISION, { labelSelector = selector })
  local last
  for _, row in ipairs(owned(list, controller_revisions_of, object)) do
    if not last or row.number > last.number then last = row end
  end
  if last then return ("%s,controller-revision-hash=%s"):format(selector, last.hash), object end
end

---These kinds have one revision.
local function of_one_revision(object, selector) return selector, object end
newest["ReplicaSet.apps"], newest["Job.batch"] = of_one_revision, of_one_revision

---Reports whether the pods of a kind are found by its selectors.
---@param id string of the kind, "Deployment.apps"
---@return boolean
function M.are_owned_by(id)
  return newest[id] ~= nil
end

---Returns the selector of the newest pods of an object, and their owner, which says why it may not create any.
---@param id string of its kind, whose pods are found by its selectors
---@param object bide.Document
---@param selector string of all its pods
---@param glance bide.kubernetes.Glance
---@return string? newest nil if the newest ones cannot be distinguished
---@return bide.Document? owner
function M.selector(id, object, selector, glance)
  return newest[id](object, selector, glance)
end

return M
