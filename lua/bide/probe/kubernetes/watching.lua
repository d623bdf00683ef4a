---Watches the objects of a kind in a namespace, for the `watch` of an operation. One watch serves the waits for all of them.
---
---It begins at the resource version of a list, so that nothing is missed in between, and continues from the version of the
---last event or bookmark. Every 25 s the server ends it and it begins again, which shows that the server is there.

local connections = require "bide.probe.kubernetes.connection"
local core = require "bide.core"
local goals = require "bide.probe.kubernetes.goal"
local inspection = require "bide.probe.kubernetes.inspection"

local loop = core.loop

local M = {}

local LIFE = 25 -- seconds of one request
local SILENCE = 40 -- seconds without a byte after which the connection is dead
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
---@field is_of_one boolean whether events are for the waits of their names only
---@field version string? that of the last event; nil if a list has to say it
---@field has_missed boolean? whether events were missed, since the version was too old
local Watched = {}
Watched.__index = Watched

---Returns the version of the namespace now.
local function version_of_list(watched)
  local place = watched.place
  local response = connections.get(place.connection, watched.input, place.folder,
    { limit = "1", labelSelector = watched.input.selector })
  local failure = response:operation_error()
  if failure then error(failure, 0) end
  local list = response:json()
  local version = type(list) == "table" and type(list.metadata) == "table" and list.metadata.resourceVersion
  if type(version) ~= "string" or version == "" then refuse "a list with a resourceVersion" end
  return version
end

---Handles an event.
---@return boolean is_expired whether events were missed, so that the version has to be read again
local function handle(watched, event, wake)
  local object = event.object
  if type(object) ~= "table" or type(event.type) ~= "string" then refuse "events with an object" end
  if event.type == "ERROR" then
    if object.code == 410 then return true end
    error({ type = type(object.reason) == "string" and object.reason or "WatchFailed", message = tostring(object.message) }, 0)
  end
  local metadata = type(object.metadata) == "table" and object.metadata or {}
  if type(metadata.resourceVersion) ~= "string" then refuse "objects with a resourceVersion" end
  watched.version = metadata.resourceVersion
  wake.healthy()
  if event.type == "BOOKMARK" then return false end
  if watched.is_of_one then wake(tostring(metadata.name)) else wake() end
  return false
end

---Lets the watch begin again at the version of a list.
local function forget_version(watched)
  watched.version, watched.has_missed = nil, true
end

---Reads the events of one request.
local function follow(watched, wake)
  local place, began = watched.place, loop.update()
  local stream <close> = connections.stream(place.connection, watched.input, place.folder, {
    watch = "1", allowWatchBookmarks = "true", resourceVersion = watched.version, timeoutSeconds = tostring(LIFE),
    labelSelector = watched.input.selector,
  }, SILENCE)
  if stream.status == 410 then return forget_version(watched) end
  local events = stream:events(LINE)
  wake.healthy()
  if watched.has_missed then wake() end
  watched.has_missed = false
  for event in events do
    if handle(watched, event, wake) then return forget_version(watched) end
  end
  if loop.update() - began < SHORTEST then
    error({ type = "WatchFailed", message = "the server ended the watch after less than 5 s" }, 0)
  end
end

---Wakes the waits for objects when these change. Runs until it is ended, or raises an operation error.
---@param input table the inputs of bide.kubernetes.object_inputs
---@param wake bide.Wake
function M.watch(input, wake)
  local watched = setmetatable({
    input = input, place = inspection.place(input), is_of_one = only_name(input) ~= nil,
  }, Watched)
  while true do
    watched.version = watched.version or version_of_list(watched)
    follow(watched, wake)
  end
end

return M
