---Hears of what happens to containers, by the events of Docker's API, for the `watch` of an operation.
---
---It never calls `wake.healthy`, so polls stay as frequent as without it: Docker is near, sends nothing while nothing
---happens, and no event says that a container has run for long enough.

local http = require "bide.http"
local json = require("bide.core").json

local LINE = 1024 * 1024 -- bytes of an event, which has all labels of its container

---Raises the operation error of an answer that has no events of Docker.
local function refuse()
  error({ type = "InvalidResponse", message = "this is no watch of Docker: expected events of containers" }, 0)
end

---Returns the id and the names of the container of an event.
---@return string id
---@return any name
---@return any former its name before it was renamed
local function read(event)
  local actor = event.Actor
  if type(event.Action) ~= "string" or type(actor) ~= "table" or type(actor.ID) ~= "string" then refuse() end
  local attributes = type(actor.Attributes) == "table" and actor.Attributes or {}
  return actor.ID, attributes.name, attributes.oldName
end

---Runs until it is ended, or raises an operation error.
---@param request bide.http.Request for the events
---@param filters table<string, string[]> which events come
---@param wake fun() called when events come
---@param take fun(id: string, name: any, former: any) called for each event
return function(request, filters, wake, take)
  filters.type = { "container" }
  request.query, request.connect_timeout, request.timeout = { filters = json.encode(filters) }, request.timeout, nil
  local stream <close> = http.stream(request)
  local events = stream:events(LINE)
  wake()
  for event in events do
    local id, name, former = read(event)
    if not event.Action:find "^exec_" then take(id, name, former) end -- health checks run programs
  end
end
