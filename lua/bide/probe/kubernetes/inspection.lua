---Inspects objects of any kind: asks the API for them, and for what may keep them from their goal.

local answers = require "bide.probe.kubernetes.answers"
local connections = require "bide.probe.kubernetes.connection"
local core = require "bide.core"
local date = require "bide.text.http_date"
local goals = require "bide.probe.kubernetes.goal"
local kinds = require "bide.probe.kubernetes.kinds"
local newest_pods = require "bide.probe.kubernetes.newest_pods"
local pods = require "bide.probe.kubernetes.pods"
local progress = require "bide.probe.kubernetes.progress"
local retries = require "bide.task.retries"
local shown = require "bide.text.shown"
local tail = require "bide.probe.exec.tail"
local web_address = require "bide.text.web_address"

---The part that many inspections have in common.
---@class bide.kubernetes.Aim
---@field goal bide.kubernetes.Goal
---@field is_readiness_asked boolean whether the waiter's own success counts; false if --until replaces it
---@field is_status_asked boolean whether --until replaces it and asks of the status

---A sleeping wait keeps it, so it is small: the names are read from the input anew for each attempt.
---@class bide.kubernetes.Inspection : bide.kubernetes.Aim
---@field input table
---@field connection bide.kubernetes.Connection
---@field kind bide.kubernetes.Kind? nil until the first attempt: the cluster may have to be asked for it
---@field known { uid: string, at: integer, words: string? }? the warning of the pod whose events were asked for last
---@field remark string? why pods are not ready, of the first object of an attempt that says it
---@field looked_at integer? when its pods were looked at last, if they were in no trouble then
local Inspection = {}
Inspection.__index = Inspection

---The metatables of inspections, by what these have in common.
---@type table<string, table>
local aims = setmetatable({}, { __mode = "v" })

---@param input table checked
---@param is_readiness_asked boolean
---@param is_status_asked boolean
local function aim_of(input, is_readiness_asked, is_status_asked)
  local key = ("%s\0%s\0%s\0%s"):format(input.condition, input["for"], is_readiness_asked, is_status_asked)
  local class = aims[key]
  if not class then
    local aim = { goal = assert(goals.of(input)), is_readiness_asked = is_readiness_asked,
      is_status_asked = is_status_asked }
    class = { __index = setmetatable(aim, Inspection) }
    aims[key] = class
  end
  return class
end

local nothing = assert(core.json.read "{}")

---@return bide.http.Response
function Inspection:get(path, query)
  return connections.get(self.connection, self.input, path, query)
end

---@param kind bide.kubernetes.Kind
---@return string? namespace nil of a kind without
function Inspection:namespace_of(kind)
  return kind.is_namespaced and connections.namespace(self.connection, self.input) or nil
end

---Returns the path of the objects of a kind: "apis/apps/v1/namespaces/shop/deployments".
---@param kind bide.kubernetes.Kind
---@return string
function Inspection:folder_of(kind)
  local namespace = self:namespace_of(kind)
  if not namespace then return ("%s/%s"):format(kind.path, kind.plural) end
  return ("%s/namespaces/%s/%s"):format(kind.path, web_address.escape(namespace), kind.plural)
end

---@param kind bide.kubernetes.Kind
---@param query table<string, string>
---@param selector? string of labels, which all of them must fit
---@return bide.Document list
---@return bide.http.Response
function Inspection:list(kind, query, selector)
  local response = self:get(self:folder_of(kind), query)
  return answers.list(response, kind, self:namespace_of(kind), selector), response
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

---Asks for the resources of a version of a group, which may have gone since the groups were listed.
---@return bide.Document
function Inspection:get_resources(path, kind)
  local response = self:get(path)
  if response.status == 404 and path:find "^apis/" then return nothing end
  return answers.of_kind(response, kind)
end

---@return bide.kubernetes.Kind? kind
---@return string? mistake
function Inspection:find_kind()
  local known = found_kinds[self.connection] or {}
  found_kinds[self.connection] = known
  local name, mistake = assert(goals.target(self.input)).kind, nil
  if not known[name] then
    known[name], mistake = kinds.find(name, function(path, kind) return self:get_resources(path, kind) end)
  end
  return known[name], mistake
end

-- ---- what keeps an object ----------------------------------------------------------------------

local POD, EVENT = kinds.usual "pod", kinds.usual "event"
local uid_of, name_of = assert(core.jmespath.compile "metadata.uid"), assert(core.jmespath.compile "metadata.name")
local count_of = assert(core.jmespath.compile "length(items)")

---Returns the pods that decide whether an object can become ready.
---@param object bide.Document
---@return bide.Document? list nil if there is none, or it may not be seen
---@return bide.Document? owner of the pods; nil if the newest ones cannot be distinguished
function Inspection:pods_of(object)
  local id = self.kind.id
  if id == "Pod" then return assert(core.json.document { items = { object } }), object end
  local selector = newest_pods.are_owned_by(id) and pods.selector(object)
  if not selector then return nil end
  local newest, owner = newest_pods.selector(id, object, selector, function(kind, query) return self:glance(kind, query) end)
  return newest and self:glance(POD, { labelSelector = newest }), owner
end

---Returns why a controller may not create the pods that it lacks.
---@param object bide.Document
---@param owner bide.Document of the pods: the object, or the newest ReplicaSet of a Deployment
---@param list? bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem once that has lasted
---@return string? trouble until then
function Inspection:refusal(object, owner, list, bounds)
  local problem, uid = pods.refusal(owner, bounds), uid_of:search(object)
  local is_in_events = not problem and list and type(uid) == "string" and pods.may_be_refused(object, self.kind.id, list)
  local events = is_in_events and self:glance(EVENT, { fieldSelector = "involvedObject.uid=" .. uid })
  if not events then return problem end
  local words, has_lasted = pods.refusal_in_events(events, uid, bounds)
  if has_lasted then return words end
  return nil, words
end

---The seconds for the log of a container, and the most bytes and lines of it.
local LOG_TIMEOUT, LOG_BYTES, LOG_LINES = 5, 65536, 20

---Asks for the end of a container's log.
---@param trouble bide.kubernetes.Trouble with a container
---@return bide.http.Response
function Inspection:get_log(trouble)
  local given = setmetatable({ timeout = math.min(self.input.timeout or LOG_TIMEOUT, LOG_TIMEOUT) }, { __index = self.input })
  local path = ("%s/%s/log"):format(self:folder_of(POD), web_address.escape(trouble.pod))
  return connections.get(self.connection, given, path, { container = trouble.container, tailLines = LOG_LINES,
    limitBytes = LOG_BYTES, previous = trouble.previous and "true" or nil })
end

---Returns the words of a problem, with the last lines of the container's log. A log that cannot be read only lacks: a user
---that may see pods need not be allowed to read their logs.
---@param problem bide.kubernetes.Trouble
---@return string
function Inspection:explain(problem)
  if not problem.container then return problem.words end
  local ok, response = pcall(self.get_log, self, problem)
  if not ok and type(response) ~= "table" then error(response, 0) end
  if not ok or not response.ok then return problem.words end
  local kept = tail.new()
  kept:add(response.body)
  local lines = kept:lines()
  return #lines == 0 and problem.words or ("%s; its last lines: %s"):format(problem.words, table.concat(lines, " | "))
end

---Returns what will not let an object become ready.
---@param object bide.Document
---@param owner bide.Document?
---@param list bide.Document? its pods
---@param bounds bide.kubernetes.Bounds
---@return string? problem
---@return string? trouble that becomes a problem if it lasts
function Inspection:problem(object, owner, list, bounds)
  local problem = list and pods.problem(list, bounds)
  if problem then return self:explain(problem) end
  if owner then return self:refusal(object, owner, list, bounds) end
end

local EVENTS_INTERVAL = 30000 -- milliseconds between two questions for the events of one pod

---Returns the newest warning about a pod. It only explains a delay, so it is seldom asked for.
---@param uid string
---@return string?
function Inspection:warning(uid)
  local known = self.known
  if known and known.uid == uid and core.loop.now() - known.at < EVENTS_INTERVAL then return known.words end
  local events = self:glance(EVENT, { fieldSelector = "involvedObject.uid=" .. uid })
  self.known = { uid = uid, at = core.loop.now(), words = events and pods.warning(events) }
  return self.known.words
end

---Returns why pods are not ready as yet.
---@param list bide.Document?
---@param bounds bide.kubernetes.Bounds
---@return string?
function Inspection:trouble(list, bounds)
  local trouble = list and pods.trouble(list, bounds)
  if not trouble or trouble.words then return trouble and trouble.words end
  local words = self:warning(trouble.uid)
  return words and ("pod %s: %s"):format(trouble.pod, words)
end

---A watch of the pods beside objects of a kind, as the inspections of these objects see it.
---@class bide.kubernetes.Beside
---@field is_healthy boolean whether the pods are watched
---@field changed_at integer when that began last, or when trouble of any of them was reported or may have been missed

---The watches of pods of each connection, by the folder of the objects and their grace.
---@type table<bide.kubernetes.Connection, table<string, bide.kubernetes.Beside>>
local besides = setmetatable({}, { __mode = "k" })

local function key_of_beside(folder, input) return ("%s %s"):format(folder, input.grace) end

---The longest time for which pods that are watched are not looked at, in milliseconds.
local UNSEEN = 120000

---Reports whether the pods of an object need not be looked at: they were in no trouble when they were looked at last, they
---are watched, and nothing was reported since. A Deployment itself says that it may create none.
---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return boolean
function Inspection:knows_pods(object, bounds)
  local looked_at = self.looked_at
  if not looked_at or core.loop.now() - looked_at >= UNSEEN or pods.refusal(object, bounds) then return false end
  local beside = (besides[self.connection] or {})[key_of_beside(self:folder_of(self.kind), self.input)]
  return beside ~= nil and beside.is_healthy and looked_at > beside.changed_at
end

---Looks at the pods of an object that is not ready.
---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@return string? problem
function Inspection:inspect_pods(object, bounds)
  local began = core.loop.now()
  self.looked_at = nil
  local list, owner = self:pods_of(object)
  local problem, trouble = self:problem(object, owner, list, bounds)
  if problem then return problem end
  trouble = trouble or self:trouble(list, bounds)
  self.remark = self.remark or trouble
  local owns_pods = newest_pods.are_owned_by(self.kind.id)
  if owns_pods and list and not trouble and count_of:search(list) ~= 0 then self.looked_at = began end
  return nil
end

---@param object bide.Document
---@param bounds bide.kubernetes.Bounds
---@param is_alone? boolean whether it is the only object of the inspection
---@return bide.kubernetes.Progress
function Inspection:assess(object, bounds, is_alone)
  if self.is_status_asked then answers.check_status(object, self.kind) end
  local found = progress.of(object, self.kind, self.goal)
  if found.state == "unsupported" and self.is_readiness_asked then
    error({ type = "NoReadiness", message = ("%s %s: %s"):format(self.kind.name, name_of:search(object), found.reason) }, 0)
  end
  if found.state == "done" or found.is_early or not progress.wants_health(self.goal) then return found end
  if found.state == "failed" then
    local list = self:pods_of(object)
    local cause = list and pods.cause(list)
    return { state = "failed", reason = retries.join(found.reason, cause and self:explain(cause)) }
  end
  if is_alone and self:knows_pods(object, bounds) then return found end
  local problem = self:inspect_pods(object, bounds)
  return problem and { state = "failed", reason = problem } or found
end

-- ---- one object, and several -------------------------------------------------------------------

local with_wait = assert(core.jmespath.compile "merge(object, { wait: wait })")

local function output(object, wait)
  return assert(with_wait:query(assert(core.json.document { object = object, wait = wait })))
end

function Inspection:bounds(response)
  return { grace = self.input.grace, restarts = self.input.restarts,
    now = date.read(response.headers.date) or core.loop.wall() / 1000 }
end

---Returns the progress of an object that does not exist. It is an error, which is tried again, where anything else could be
---asked of the object that the attempt does not have.
---@param name string
---@return bide.kubernetes.Progress
function Inspection:absence(name)
  if self.goal.is == "deletion" then return { state = "done" } end
  if self.goal.is == "creation" then return { state = "it does not exist" } end
  local place = self.kind.is_namespaced
    and (" in the namespace %s"):format(shown.quote(connections.namespace(self.connection, self.input))) or ""
  error({ type = "NotFound", status = 404,
    message = ("%s %s does not exist%s"):format(self.kind.name, shown.quote(name), place) }, 0)
end

---Gets an object.
---@param name string
---@return bide.Document? object nil if it does not exist
---@return bide.http.Response
function Inspection:find(name)
  local response = self:get(("%s/%s"):format(self:folder_of(self.kind), web_address.escape(name)))
  if answers.is_absence(response, self.kind, name) then return nil, response end
  return answers.object(response, self.kind, name, self:namespace_of(self.kind)), response
end

---@param name string
---@return bide.Document output
function Inspection:one(name)
  local object, response = self:find(name)
  if not object then return output(nothing, self:absence(name)) end
  return output(object, self:assess(object, self:bounds(response), true))
end

---The progress of several objects: the failure of one, or how many are done and what the first other one lacks.
---@class bide.kubernetes.Count
---@field all integer
---@field done integer
---@field lacking string?
---@field failure string?

---@param count bide.kubernetes.Count
---@param name string
---@param found bide.kubernetes.Progress
local function add(count, name, found)
  count.all = count.all + 1
  if found.state == "failed" then
    local is_named = found.reason:find(name, 1, true)
    count.failure = count.failure or is_named and found.reason or ("%s: %s"):format(name, found.reason)
  elseif found.state == "done" then
    count.done = count.done + 1
  else
    count.lacking = count.lacking or ("%s: %s"):format(name, found.state)
  end
end

---@param count bide.kubernetes.Count
---@return bide.kubernetes.Progress
local function sum(count)
  if count.failure then return { state = "failed", reason = count.failure } end
  if not count.lacking then return { state = "done" } end
  return { state = ("%d of %d are done; %s"):format(count.done, count.all, count.lacking) }
end

---Inspects several objects by their names. One that does not exist counts after the failure of another one.
---@param names string[]
---@return bide.Document output
function Inspection:several(names)
  local count, items, absent = { all = 0, done = 0 }, core.json.array {}, {}
  for _, name in ipairs(names) do
    local object, response = self:find(name)
    if object then
      items[#items + 1] = object
      add(count, name, self:assess(object, self:bounds(response)))
    else
      absent[#absent + 1] = name
    end
  end
  for _, name in ipairs(count.failure and {} or absent) do add(count, name, self:absence(name)) end
  return output(assert(core.json.document { kind = "List", items = items }), sum(count))
end

local items_of = assert(core.jmespath.compile "items")

---@return bide.Document output
function Inspection:all()
  local document, response = self:list(self.kind, { labelSelector = self.input.selector }, self.input.selector)
  local found, bounds, count = items_of:query(document), self:bounds(response), { all = 0, done = 0 }
  for position = 1, #found do
    local object = core.jmespath.compile(("[%d]"):format(position - 1)):query(found)
    add(count, name_of:search(object), self:assess(object, bounds))
    if count.failure then break end
  end
  local is_empty = #found == 0 and self.goal.is ~= "deletion"
  return output(document, is_empty and { state = "there are none" } or sum(count))
end

---@return bide.Document output
function Inspection:once()
  self.remark = nil
  local mistake
  if not self.kind then self.kind, mistake = self:find_kind() end
  if not self.kind and goals.awaits_kind(self.goal) then return output(nothing, { state = mistake }) end
  if not self.kind then error({ type = "NoSuchKind", message = mistake }, 0) end
  local names = assert(goals.target(self.input)).names
  return #names == 0 and self:all() or #names == 1 and self:one(names[1]) or self:several(names)
end

local M = {}

---@param input table checked
---@param wait? bide.OperationWait
---@return bide.kubernetes.Inspection
local function new(input, wait)
  local is_readiness_asked = not wait or wait.own_success or input["for"] ~= nil
  local is_status_asked = not input.condition and not input["for"] and progress.asks_status(wait)
  return setmetatable({ input = input, connection = connections.connect(input) },
    aim_of(input, is_readiness_asked, is_status_asked))
end

---Reads an input once. Raises NoCredentials if there is no cluster.
---@param input table checked
---@param wait? bide.OperationWait
---@return fun(): bide.Document inspect
function M.prepare(input, wait)
  local inspection = new(input, wait)
  return function()
    local found = inspection:once()
    retries.remark(inspection.remark)
    return found
  end
end

---The place of the objects of an input.
---@class bide.kubernetes.Place
---@field connection bide.kubernetes.Connection
---@field folder string the path of all objects of the kind
---@field kind bide.kubernetes.Kind

---Returns the place of the objects of an input, whose kind is a usual one, or was found by an attempt. Raises NoSuchKind if
---it is not known.
---@param input table checked
---@return bide.kubernetes.Place
function M.place(input)
  local inspection = new(input)
  local name = assert(goals.target(input)).kind
  inspection.kind = (found_kinds[inspection.connection] or {})[name] or kinds.usual(name)
  if not inspection.kind then error({ type = "NoSuchKind", message = "the kind is not known yet" }, 0) end
  return { connection = inspection.connection, folder = inspection:folder_of(inspection.kind), kind = inspection.kind }
end

---Lets the inspections of a place know of the watch of pods beside it.
---@param place bide.kubernetes.Place
---@param input table
---@param beside bide.kubernetes.Beside
function M.keep_beside(place, input, beside)
  local known = besides[place.connection] or {}
  besides[place.connection] = known
  known[key_of_beside(place.folder, input)] = beside
end

---Returns the place of the objects of a kind beside those of an input: in the same cluster and namespace.
---@param input table checked
---@param kind bide.kubernetes.Kind
---@return bide.kubernetes.Place
function M.place_of(input, kind)
  local inspection = new(input)
  return { connection = inspection.connection, folder = inspection:folder_of(kind), kind = kind }
end

return M
