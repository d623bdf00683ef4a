---Reads the answers of the API: an answer counts only if it is of Kubernetes, and about what was asked. A page or the JSON
---of another program is InvalidResponse, whatever its status.

local core = require "bide.core"
local labels = require "bide.probe.kubernetes.labels"
local progress = require "bide.probe.kubernetes.progress"
local shown = require "bide.text.shown"

local M = {}

local compile = core.jmespath.compile

local head_of = assert(compile [=[{
  kind: kind, version: apiVersion, name: metadata.name, namespace: metadata.namespace,
  status: status, reason: reason, message: message, about: details.name, of: details.kind,
  items: type(items), count: type(items) == 'array' && length(items),
  named: type(items) == 'array' && length(items[?type(metadata.name) == 'string']),
  kinds: items[].kind, namespaces: items[].metadata.namespace, next: metadata.continue, rest: metadata.remainingItemCount }]=])

---@return table head the members of an answer that say what it is
local function head(document)
  local value = head_of:search(document)
  return type(value) == "table" and value or {}
end

local PARTIAL <const> = 206 -- which nothing has asked for

---Describes an answer: the kind that it has, or what it is instead.
local function words_of(response, document)
  if response.status == PARTIAL then return "a part of an answer (206)" end
  if not document then
    local is_empty = not response.body:find "%S"
    return is_empty and "an empty body" or ("%s without JSON"):format(response:media_type() or "a body")
  end
  local found = head(document)
  if type(found.kind) ~= "string" then return "JSON without a kind" end
  if found.kind == "Status" then return "a Status that says " .. shown.quote(tostring(found.message or found.reason)) end
  local kind = type(found.version) == "string" and ("%s of %s"):format(found.kind, found.version) or found.kind
  if type(found.name) ~= "string" then return kind end
  local place = type(found.namespace) == "string" and " in the namespace " .. shown.quote(found.namespace) or ""
  return ("%s %s%s"):format(kind, shown.quote(found.name), place)
end

---@param expected string
---@param response bide.http.Response
---@param document bide.Document?
---@param status? integer of an answer that says that something is not there
local function refuse(expected, response, document, status)
  error({ type = "InvalidResponse", status = status,
    message = ("this is no answer of Kubernetes: expected %s, found %s"):format(expected, words_of(response, document)) }, 0)
end

---@return bide.Document? document nil if the body is not JSON
local function read(response)
  return (response:document())
end

---Refuses a 404 without a Status: a proxy or another program gives it, and it says nothing about an object.
local function check_absence(response, document, expected)
  if response.status == 404 and (not document or head(document).kind ~= "Status") then
    refuse(expected, response, document, 404)
  end
end

---Returns the document of a good answer. Raises the operation error of another status. A 404 for a path that the API should
---have, or about another object, says nothing about the object that was asked for.
---@param response bide.http.Response
---@param expected string
---@return bide.Document
local function read_good(response, expected)
  local document = read(response)
  if response.status == 404 then refuse(expected, response, document, 404) end
  local failure = response:operation_error()
  if failure then error(failure, 0) end
  if not document or response.status == PARTIAL then refuse(expected, response, document) end
  return document
end

---Reports whether an answer says that one object does not exist.
---@param response bide.http.Response
---@param kind bide.kubernetes.Kind
---@param name string
---@return boolean
function M.is_absence(response, kind, name)
  local document = response.status == 404 and read(response)
  local found = document and head(document) or {}
  local is_failure = found.kind == "Status" and found.status == "Failure" and found.reason == "NotFound"
  if not is_failure or found.about ~= name then return false end
  if type(found.of) ~= "string" then return true end
  local of = found.of:lower()
  return of == kind.plural or of == kind.name:lower()
end

local function version_of(kind)
  return kind.group == "" and kind.version or kind.group .. "/" .. kind.version
end

---Reports whether an answer may be of the version that was asked for: it says no other one.
local function is_of_version(found, kind)
  return found.version == version_of(kind) or type(found.version) ~= "string"
end

---Returns the words for an object that was asked for.
local function words_of_object(kind, name)
  return ("%s %s"):format(kind.name == "" and "an object of " .. kind.plural or kind.name, shown.quote(name))
end

---Reports whether a namespace may be the one that was asked for: it is not another one.
---@param namespace string? nil of a kind without namespaces
local function is_of_namespace(found, namespace)
  return namespace == nil or type(found) ~= "string" or found == namespace
end

---Returns an object that was asked for.
---@param response bide.http.Response
---@param kind bide.kubernetes.Kind its name is "" if only its path is known
---@param name string
---@param namespace string? nil of a kind without namespaces
---@return bide.Document
function M.object(response, kind, name, namespace)
  local expected = words_of_object(kind, name)
  local document = read_good(response, expected)
  local found = head(document)
  local is_of_kind = found.kind == kind.name or kind.name == "" and type(found.kind) == "string" and found.kind ~= "Status"
  local is_it = is_of_kind and found.name == name and is_of_version(found, kind) and is_of_namespace(found.namespace, namespace)
  if not is_it then refuse(expected, response, document) end
  return document
end

---Refuses an answer that says of an object neither what it is nor, by a Status, that it does not exist. The errors of other
---statuses pass.
---@param response bide.http.Response
---@param kind bide.kubernetes.Kind
---@param name string
---@param namespace string?
function M.expect(response, kind, name, namespace)
  if response.ok then M.object(response, kind, name, namespace) end
  check_absence(response, read(response), words_of_object(kind, name))
end

---Returns a document that has a kind, such as the resources of a group.
---@param response bide.http.Response
---@param kind string
---@return bide.Document
function M.of_kind(response, kind)
  local document = read_good(response, kind)
  if head(document).kind ~= kind then refuse(kind, response, document) end
  return document
end

---Reports whether all elements of a list are objects of the kind and the namespace: those of a list need not say the kind.
local function are_of_kind(found, kind, namespace)
  if found.items ~= "array" or found.count ~= found.named then return false end
  for _, of in ipairs(found.namespaces) do
    if not is_of_namespace(of, namespace) then return false end
  end
  for _, name in ipairs(found.kinds) do
    if name ~= kind.name then return false end
  end
  return true
end

---Reports whether a kind is that of a list: a custom resource may give its lists another name than that of its objects.
local function is_list_of(found, kind)
  if found.kind == kind.name .. "List" then return true end
  return kind.is_custom and found.version == version_of(kind) and type(found.kind) == "string" and found.kind ~= kind.name
end

local labels_of = assert(compile "items[*].metadata.{ labels: labels }")

---Reports whether the labels of all elements of a list fit a selector: a proxy may leave out the query.
local function are_of_selector(document, selector)
  local fit = labels.reader(selector)
  for _, element in ipairs(labels_of:search(document) or {}) do
    if not fit(type(element.labels) == "table" and element.labels or {}) then return false end
  end
  return true
end

---Returns a list of objects. Neither a list without `items` is one, nor a page of a list.
---@param response bide.http.Response
---@param kind bide.kubernetes.Kind
---@param namespace string? nil of a kind without namespaces
---@param selector string? of labels, which all of them must fit
---@return bide.Document
function M.list(response, kind, namespace, selector)
  local expected = ("a complete %sList"):format(kind.name)
  local document = read_good(response, expected)
  local found = head(document)
  local is_complete = (type(found.next) ~= "string" or found.next == "") and not (math.type(found.rest) and found.rest > 0)
  if not (is_list_of(found, kind) and is_of_version(found, kind) and are_of_kind(found, kind, namespace) and is_complete) then
    refuse(expected, response, document)
  end
  if selector and not are_of_selector(document, selector) then
    refuse("objects with the labels " .. selector, response, document)
  end
  return document
end

---Raises NotCurrent if the status of an object says nothing about it: its controller has not seen the newest specification,
---or it is being deleted.
---@param object bide.Document
---@param kind bide.kubernetes.Kind
function M.check_status(object, kind)
  local doubt = progress.doubt(object, kind)
  if not doubt then return end
  local name = head(object).name
  error({ type = "NotCurrent", message = ("%s %s: %s"):format(kind.name, type(name) == "string" and name or "", doubt) }, 0)
end

return M
