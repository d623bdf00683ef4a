---The containers of a project of Docker Compose, by the labels that Compose gives them, from the API of Docker or a
---compatible one.
---
---    local compose = require "bide.compose"
---    compose.inspect { project = "shop", services = { "db" } }

local core = require "bide.core"
local docker = require "bide.docker"
local events = require "bide.probe.docker.events"
local http = require "bide.http"
local line_search = require "bide.probe.asking.line_search"
local option = require "bide.text.option"
local retries = require "bide.task.retries"

local M = {}

local PROJECT = "com.docker.compose.project"

local IDS = "type(@) == 'array' && length(@) == length([?type(Id) == 'string']) && {list: [*].Id}"

local words_of = docker.words_of

---@class bide.compose.Container
---@field name string
---@field service? string
---@field state string "ready", what it is instead, or why it cannot become ready
---@field ready boolean
---@field failed boolean

---@class bide.compose.Project
---@field project string
---@field containers bide.compose.Container[]
---@field count integer
---@field left string which containers there are at all, with those of `docker compose run` and those that are being
---replaced: "none", how many, or that they are unknown, since nothing shows that the list is Docker's
---@field state string "ready", "failed", or what is not ready
---@field failed string[] what cannot become ready, in words; of the first three with the last lines of their logs

---Finds what is wrong with the names of an input. Compose writes the names of projects in lower case: no project has
---another one, and all of its containers would be gone.
---@param input bide.compose.Input
---@return string? mistake
function M.check(input)
  if not input.project:find "^[a-z0-9_-]+$" then
    return "project: " .. option.expected("a name of lower-case letters, digits, - and _", input.project)
  end
  if not input.services then return nil end
  if #input.services == 0 then return "services: expected at least one service, found none" end
  for position, service in ipairs(input.services) do
    if not service:find "^[%w_.-]+$" then
      return ("services[%d]: %s"):format(position, option.expected("the name of a service", service))
    end
  end
end

local function is_of_services(facts, services)
  for _, service in ipairs(services or {}) do
    if facts.service == service then return true end
  end
  return not services
end

---The most containers whose logs are shown.
local MOST_LOGS = 3

---@alias bide.compose.Report fun(facts: table, is_relapse: boolean?): string? the last lines of a container's log

---Adds a container to the project. If it restarts again and again, a remark has the last lines of its log.
---@param report bide.compose.Report
local function add(project, waiting, facts, now, report)
  local name = words_of(facts.name):gsub("^/", "")
  local state, ready, failed = docker.judge(facts, now)
  local words = ("%s %s"):format(name, state)
  if failed then
    table.insert(project.failed, retries.join(words, #project.failed < MOST_LOGS and report(facts) or nil))
  elseif not ready then
    waiting[#waiting + 1] = words
    if facts.status == "restarting" and #waiting == 1 then retries.remark(("%s: %s"):format(name, report(facts))) end
  end
  table.insert(project.containers, { name = name, service = facts.service, state = state, ready = ready, failed = failed })
end

---Removes the containers that Compose is about to replace, and has stopped. Compose 2 names them by a label of their
---successors; docker-compose 1 has renamed them by then, with the beginning of their ids before their names.
---@param found { id: string, name: string, replaces: string }[]
local function drop_replaced(found)
  local replaced = {}
  for _, facts in ipairs(found) do replaced[facts.replaces] = true end
  for position = #found, 1, -1 do
    local id, name = words_of(found[position].id), words_of(found[position].name)
    if replaced[id] or name:find("/" .. id:sub(1, 12) .. "_", 1, true) == 1 then table.remove(found, position) end
  end
end

---Adds what is missing: the services without a container.
local function add_missing(project, waiting, services)
  local has = {}
  for _, container in ipairs(project.containers) do has[container.service] = true end
  for _, service in ipairs(services or {}) do
    if not has[service] then table.insert(waiting, ("%s has no container"):format(service)) end
  end
  if #project.containers == 0 and not services then table.insert(waiting, "there is no container") end
end

---Inspects each container of a list.
---@param input bide.compose.Input
---@param response bide.http.Response the list
---@return table[] facts of each
---@return number now by the clock of the API
---@return boolean is_docker whether the API has shown what it is: any program may answer with an empty list
local function inspect_each(input, response)
  local ids = http.find(response, IDS, "Docker")
  local found, is_docker = {}, (response:header "api-version" or ""):find "^%d" ~= nil or #ids.list > 0
  for position, id in ipairs(ids.list) do
    found[position], response = docker.get(input, docker.FACTS, ("/containers/%s/json"):format(id:gsub("[^%w]", "")))
    if found[position].id ~= id then
      error({ type = "InvalidAnswer", message = ("the API was asked for the container %s, and gives another one"):format(id) }, 0)
    end
    if found[position].project ~= input.project then
      error({ type = "InvalidAnswer",
        message = ("the API lists a container that is not of the project %s"):format(input.project) }, 0)
    end
  end
  return found, docker.now(response), is_docker
end

---Warns of a service that has had no container, while another one of the project has: its name may be misspelt.
---@param seen table<string, true> the services that have had one; gets those of these containers
local function warn_of_unseen(found, services, seen)
  for _, facts in ipairs(found) do seen[words_of(facts.service)] = true end
  for _, service in ipairs(services or {}) do
    if #found > 0 and not seen[service] then
      retries.caution(("the project had no container of the service %s, but one of %s"):format(service,
        words_of(found[1].service)))
    end
  end
end

---Says how many containers some services have, those of `docker compose run` and those that are being replaced included.
---@return string
local function words_of_rest(found, services, is_docker)
  local count = 0
  for _, facts in ipairs(found) do
    if is_of_services(facts, services) then count = count + 1 end
  end
  if count > 0 then return ("%d container%s"):format(count, count == 1 and "" or "s") end
  return is_docker and "none" or "unknown: an answer without the header Api-Version may not be Docker's"
end

---@class bide.compose.Input : bide.docker.Options
---@field project string
---@field services? string[]

---Inspects the containers of a project by a list of all that it has.
---@param input bide.compose.Input
---@param response bide.http.Response the list
---@param report bide.compose.Report
---@param seen table<string, true> the services that have had a container
---@return bide.compose.Project
local function inspect(input, response, report, seen)
  local array, waiting = core.json.array, {}
  local found, now, is_docker = inspect_each(input, response)
  local project = { project = input.project, containers = array {}, failed = array {} }
  project.left = words_of_rest(found, input.services, is_docker)
  warn_of_unseen(found, input.services, seen)
  drop_replaced(found)
  for _, facts in ipairs(found) do
    if facts.oneoff ~= "True" and is_of_services(facts, input.services) then add(project, waiting, facts, now, report) end
  end
  add_missing(project, waiting, input.services)
  project.state = #project.failed > 0 and "failed" or #waiting == 0 and "ready" or table.concat(waiting, "; ")
  table.sort(project.containers, function(a, b) return a.name < b.name end)
  project.count = #project.containers
  return project
end

---Returns the request for the list of a project's containers.
---@param input bide.compose.Input
---@return bide.http.Request
local function list_of(input)
  local label = core.json.encode { label = { ("%s=%s"):format(PROJECT, input.project) } }
  return docker.request(input, "/containers/json", { all = "true", filters = label })
end

---Inspects all containers of a project, or those of some of its services; not those of `docker compose run`, and not those
---that are being replaced. A container that is removed meanwhile raises NotFound.
---@param input bide.compose.Input
---@return bide.compose.Project
function M.inspect(input)
  return inspect(input, http.request(list_of(input)), docker.reporter(input), {})
end

---Reads an input once: returns a function that does the same as `compose.inspect`. For the `prepare` of an operation.
---@param input bide.compose.Input
---@return (fun(): bide.compose.Project)?
---@return string? mistake
function M.prepare(input)
  local mistake = docker.mistake_of_socket(input) or M.check(input)
  if mistake then return nil, mistake end
  local list, report, seen = http.prepare(list_of(input)), docker.reporter(input), {}
  return function() return inspect(input, list(), report, seen) end
end

-- ---- a line of a service's log -------------------------------------------------------------------

local CONTAINERS = [[type(@) == 'array' && length(@) == length([?type(Id) == 'string']) && {list: [*].{
  id: Id, name: Names[0], replaces: Labels."com.docker.compose.replace", service: Labels."com.docker.compose.service",
  number: Labels."com.docker.compose.container-number", oneoff: Labels."com.docker.compose.oneoff"
}}]]

---Finds the container of a service. Raises NotFound if there is none yet.
---@param input bide.compose.LineInput
---@param response bide.http.Response the list
---@return string id
---@return string name
local function container_of(input, response)
  local found = http.find(response, CONTAINERS, "Docker").list
  drop_replaced(found)
  for _, container in ipairs(found) do
    local is_wanted = container.service == input.service and container.oneoff ~= "True"
      and (tonumber(container.number) or 1) == input.index
    if is_wanted then return container.id, (words_of(container.name):gsub("^/", "")) end
  end
  error({ type = "NotFound", message = ("%s has no container with the number %d"):format(input.service, input.index) }, 0)
end

---@class bide.compose.LineInput : bide.docker.Options
---@field project string
---@field service string
---@field index integer of the container, if the service has several

---Returns a function that follows the log of a service's container until a line matches, as bide.docker.prepare_follow does.
---For the `prepare` of an operation, whose inputs are declared by bide.docker.line_inputs.
---@param input bide.compose.LineInput
---@return (fun(): table)?
---@return string? mistake
function M.prepare_follow(input)
  local mistake = line_search.mistake(input) or docker.mistake_of_socket(input)
    or M.check { project = input.project, services = { input.service } }
  if mistake then return nil, (mistake:gsub("^services%[1%]", "service")) end
  local list = http.prepare(list_of(input))
  return function()
    local id, name = container_of(input, list())
    local follow = assert(docker.prepare_follow(setmetatable({ container = id }, { __index = input })))
    local found = follow()
    found.container = name
    return found
  end
end

-- ---- events --------------------------------------------------------------------------------------

---Returns the key by which waits for a project share a watch, for the `watch_key` of an operation.
---@param input bide.compose.Input
---@return string
function M.watch_key(input)
  return ("%s\0%s"):format(docker.socket_of(input), input.project)
end

---Wakes the waits for a project when something happens to one of its containers, for the `watch` of an operation.
---@param input bide.compose.Input
---@param wake bide.Wake
function M.watch(input, wake)
  local filters = { label = { ("%s=%s"):format(PROJECT, input.project) } }
  return events(docker.request(input, "/events"), filters, wake, function() wake() end)
end

return M
