---Watches the objects of a kind in a namespace, for the `watch` of an operation. One watch serves the waits for all of them.
---
---It begins at the resource version of a list, so that nothing is missed in between, and continues from the version of the
---last event or bookmark. Every 28 s the server ends it and it begins again, which shows that the server is there.
---
---A second watch, of the pods in the namespace, runs beside that of workloads: a Deployment does not say that its pods
---crash. A third one, of events, runs beside those that do not say that a pod may not be made. Neither shows that the server
---is there, so they begin again every 5 minutes only.

local await = require "bide.task.await"
local connections = require "bide.probe.kubernetes.connection"
local core = require "bide.core"
local goals = require "bide.probe.kubernetes.goal"
local inspection = require "bide.probe.kubernetes.inspection"
local kinds = require "bide.probe.kubernetes.kinds"
local owners = require "bide.probe.kubernetes.owners"
local script_tasks = require "bide.task.script_tasks"

local loop = core.loop

local M = {}

local LIFE, LIFE_BESIDE = 28, 300 -- seconds of one request
local SILENCE = 15 -- seconds beyond that without a byte, after which the connection is dead
local AGAIN = 60000 -- milliseconds until a watch beside it that has failed begins again
local BLIND = 50000 -- milliseconds after which an attempt has to look at pods that are not watched
local SHORTEST = 5000 -- milliseconds: a request that ends sooner has failed
local LINE = 4 * 1024 * 1024 -- bytes of an event

---The inputs that choose the cluster and how it is asked.
local of_place = {
  "server", "account", "kubeconfig", "context", "namespace", "token_file", "ca", "certificate", "key", "insecure", "timeout",
  "selector",
}

---@return string? name of the object, if there is one
local function only_name(input)
  local names = assert(goals.target(input)).names
  return #names == 1 and names[1] or nil
end

---Returns the same text for waits that one watch serves.
---@param input table the inputs of bide.kubernetes.object_inputs
---@return string
function M.key(input)
  local parts = { assert(goals.target(input)).kind, only_name(input) and "names" or "all" }
  for position, name in ipairs(of_place) do parts[position + 2] = tostring(input[name]) end
  if not only_name(input) then parts[#parts + 1] = table.concat(assert(goals.target(input)).names, ",") end
  parts[#parts + 1] = tostring(input["for"])
  parts[#parts + 1] = tostring(input.grace)
  return table.concat(parts, "\0")
end

---Returns the name by which a watch wakes a wait; nil if the wait is for several objects.
---@param input table
---@return string?
function M.name(input)
  return only_name(input)
end

---Raises the operation error of an answer that is not of a watch.
local function refuse(what)
  error({ type = "InvalidResponse", message = "this is no watch of Kubernetes: expected " .. what }, 0)
end

---@class bide.kubernetes.Watched
---@field input table
---@field place bide.kubernetes.Place
---@field selector string? of the labels
---@field fields string? the selector of other members
---@field life integer seconds of one request
---@field healthy fun() called for everything that comes
---@field handle fun(event: table) called for an event of an object
---@field missed fun() called when events may have been missed
---@field version string? that of the last event; nil if a list has to say it
---@field has_missed boolean? whether events were missed, since the version was too old
local Watched = {}
Watched.__index = Watched

---Returns the version of the namespace now.
local function version_of_list(watched)
  local place = watched.place
  local response = connections.get(place.connection, watched.input, place.folder,
    { limit = "1", labelSelector = watched.selector, fieldSelector = watched.fields })
  local failure = response:operation_error()
  if failure then error(failure, 0) end
  local list = response:json()
  local version = type(list) == "table" and type(list.metadata) == "table" and list.metadata.resourceVersion
  if type(version) ~= "string" or version == "" then refuse "a list with a resourceVersion" end
  return version
end

---Handles what the server says.
---@return boolean is_expired whether events were missed, so that the version has to be read again
local function handle(watched, event)
  local object = event.object
  if type(object) ~= "table" or type(event.type) ~= "string" then refuse "events with an object" end
  if event.type == "ERROR" then
    if object.code == 410 then return true end
    error({ type = type(object.reason) == "string" and object.reason or "WatchFailed", message = tostring(object.message) }, 0)
  end
  local metadata = type(object.metadata) == "table" and object.metadata or {}
  if type(metadata.resourceVersion) ~= "string" then refuse "objects with a resourceVersion" end
  watched.version = metadata.resourceVersion
  watched.healthy()
  if event.type ~= "BOOKMARK" then watched.handle(event) end
  return false
end

---Lets the watch begin again at the version of a list.
local function forget_version(watched)
  watched.version, watched.has_missed = nil, true
end

---Reads the events of one request.
local function follow(watched)
  local place, began = watched.place, loop.update()
  local stream <close> = connections.stream(place.connection, watched.input, place.folder, {
    watch = "1", allowWatchBookmarks = "true", resourceVersion = watched.version, timeoutSeconds = tostring(watched.life),
    labelSelector = watched.selector, fieldSelector = watched.fields,
  }, watched.life + SILENCE)
  if stream.status == 410 then return forget_version(watched) end
  local events = stream:events(LINE)
  watched.healthy()
  if watched.has_missed then watched.missed() end
  watched.has_missed = false
  for event in events do
    if handle(watched, event) then return forget_version(watched) end
  end
  if loop.update() - began < SHORTEST then
    error({ type = "WatchFailed", message = "the server ended the watch after less than 5 s" }, 0)
  end
end

---Follows one request after the other. Returns once `is_over` says so after one.
---@param watched bide.kubernetes.Watched
---@param is_over fun(): any
local function follow_all(watched, is_over)
  repeat
    watched.version = watched.version or version_of_list(watched)
    follow(watched)
  until is_over()
end

local function nothing() end

-- ---- what is beside workloads ---------------------------------------------------------------------

---Follows what is beside the objects of a wait, again and again: a user that may watch these need not be allowed to watch it.
---@param watched bide.kubernetes.Watched
---@param lost fun() called when a watch has ended
local function follow_beside(watched, lost)
  while true do
    local ok, failure = pcall(follow_all, watched, nothing)
    if not ok and type(failure) ~= "table" then error(failure, 0) end
    lost()
    watched.version, watched.has_missed = nil, true
    await(loop.update() + AGAIN)
  end
end

---Follows the pods of a namespace.
---@param beside bide.kubernetes.Beside
---@param report fun(name: string?)
local function follow_pods(input, kind, beside, report)
  local function lost() beside.is_healthy = false end
  local _over <close> = setmetatable({}, { __close = lost })
  local of_pods <close> = owners.new(kind, input.grace, report)
  follow_beside(setmetatable({
    input = input, place = inspection.place_of(input, kinds.usual "pod"), life = LIFE_BESIDE,
    handle = function(event) of_pods:handle(event) end, missed = function() report(nil) end,
    healthy = function()
      if not beside.is_healthy then beside.is_healthy, beside.changed_at = true, loop.now() end
    end,
  }, Watched), lost)
end

---Follows the events that pods of a kind may not be made.
---@param report fun(name: string?)
local function follow_refusals(input, kind, report)
  local of_pods <close> = owners.new(kind, input.grace, report)
  follow_beside(setmetatable({
    input = input, place = inspection.place_of(input, kinds.usual "event"), life = LIFE_BESIDE,
    fields = ("involvedObject.kind=%s,reason=FailedCreate"):format(owners.refused_in_events(kind)),
    handle = function(event) of_pods:handle_refusal(event) end, missed = function() report(nil) end, healthy = nothing,
  }, Watched), nothing)
end

---Starts the watches of pods and of events where they can say more than the objects of a wait.
---@return bide.kubernetes.Beside? beside nil if there is none
local function watch_pods(input, place, report)
  local is_wanted = not input["for"] and owners.has_pods(place.kind)
  if not is_wanted then return nil end
  local beside = { is_healthy = false, changed_at = loop.now() }
  inspection.keep_beside(place, input, beside)
  local function report_change(name)
    beside.changed_at = loop.now()
    report(name)
  end
  script_tasks.spawn(follow_pods, input, place.kind, beside, report_change)
  if owners.refused_in_events(place.kind) then
    script_tasks.spawn(follow_refusals, input, place.kind, report_change)
  end
  return beside
end

---Wakes the waits for objects when these change. Runs until it is ended, or raises an operation error.
---@param input table the inputs of bide.kubernetes.object_inputs
---@param wake bide.Wake
---@param is_alone? boolean whether pods of the objects do not matter
function M.watch(input, wake, is_alone)
  local is_of_one, place = only_name(input) ~= nil, inspection.place(input)
  local function report(name) wake(is_of_one and name or nil) end
  local beside = not is_alone and watch_pods(input, place, report)
  local seen_at = loop.update()
  follow_all(setmetatable({
    input = input, place = place, selector = input.selector, life = LIFE, healthy = wake.healthy, missed = report,
    handle = function(event) report(tostring(event.object.metadata.name)) end,
  }, Watched), function()
    local now = loop.update()
    if not beside or beside.is_healthy then seen_at = now end
    if now - seen_at >= BLIND then
      seen_at = now
      report(nil)
    end
  end)
end

return M
