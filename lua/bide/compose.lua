---The containers of a project of Docker Compose, by the labels that Compose gives them, from the API of Docker or a
---compatible one.
---
---    local compose = require "bide.compose"
---    compose.inspect { project = "shop", services = { "db" }, socket = "/var/run/docker.sock" }

local core = require "bide.core"
local date = require "bide.http.date"
local http = require "bide.http"

local M = {}

local PROJECT = "com.docker.compose.project"

---The members of a container that count. Where an API sends another type, the expression gives null.
local FACTS = [=[type(State.Status) == 'string' && {
  id: Id, replaces: Config.Labels."com.docker.compose.replace",
  name: Name, service: Config.Labels."com.docker.compose.service", oneoff: Config.Labels."com.docker.compose.oneoff",
  status: State.Status, code: State.ExitCode, error: State.Error, health: State.Health.Status,
  check: State.Health.Log[-1].Output, restarts: RestartCount, started: State.StartedAt
}]=]

---The seconds after which Docker counts a restart as a success, and begins its delays anew.
local STABLE = 10

local IDS = "type(@) == 'array' && length(@) == length([?type(Id) == 'string']) && {list: [*].Id}"

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
---@field state string "ready", "failed", or what is not ready
---@field failed string[] what cannot become ready, in words

---Asks the API.
---@return table found by the expression
---@return integer? now by the clock of the API, seconds since 1970
local function get(input, expression, path, query)
  local response = http.get("http://docker" .. path,
    { unix_socket = input.socket, timeout = input.timeout, query = query })
  return http.find(response, expression, "Docker"), date.read(response:header "date")
end

local function words_of(...)
  local words = {}
  for _, word in pairs { ... } do
    if word ~= "" and word ~= core.json.null then words[#words + 1] = tostring(word) end
  end
  return (table.concat(words, " "):gsub("%s+", " "):gsub(" $", ""))
end

---Returns how a container without a health check may be in a crash loop, in which it runs for a moment again and again.
---@param now? integer
---@return string?
local function relapse(facts, now)
  local started = date.read_timestamp(facts.started)
  if type(facts.restarts) ~= "number" or facts.restarts == 0 or not started or not now then return nil end
  return now - started < STABLE and ("was restarted less than %d s ago"):format(STABLE) or nil
end

---Describes the state of a container that runs.
---@param now? integer
---@return string state
---@return boolean ready
---@return boolean failed
local function judge_running(facts, now)
  if facts.health == "unhealthy" then return words_of("is unhealthy", facts.check), false, true end
  if facts.health == "healthy" then return "is ready", true, false end
  local has_check = facts.health ~= core.json.null and facts.health ~= "none" and facts.health ~= ""
  if has_check then return words_of("has the health", facts.health), false, false end
  local state = relapse(facts, now)
  return state or "is ready", state == nil, false
end

---Describes the state of a container.
---@param now? integer
---@return string state
---@return boolean ready
---@return boolean failed
local function judge(facts, now)
  if facts.status == "running" then return judge_running(facts, now) end
  if facts.status == "exited" and facts.code == 0 then return "has exited with 0", true, false end
  if facts.status == "exited" or facts.status == "dead" then
    return words_of("has exited with", facts.code, facts.error), false, true
  end
  local is_unstartable = facts.status == "created" and type(facts.error) == "string" and facts.error ~= ""
  if is_unstartable then return words_of("cannot be started:", facts.error), false, true end
  if facts.status == "restarting" then return words_of("is restarting after the exit code", facts.code), false, false end
  return words_of("is", facts.status), false, false
end

local function is_wanted(facts, services)
  if facts.oneoff == "True" then return false end
  if not services then return true end
  for _, service in ipairs(services) do
    if facts.service == service then return true end
  end
  return false
end

---Adds a container to the project.
local function add(project, waiting, facts, now)
  local name = words_of(facts.name):gsub("^/", "")
  local state, ready, failed = judge(facts, now)
  local list = failed and project.failed or not ready and waiting
  if list then list[#list + 1] = name .. " " .. state end
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

---Inspects each container of a project.
---@return table[] facts of each
---@return integer? now by the clock of the API
local function inspect_each(input)
  local label = core.json.encode { label = { ("%s=%s"):format(PROJECT, input.project) } }
  local ids, now = get(input, IDS, "/containers/json", { all = "true", filters = label })
  local found = {}
  for position, id in ipairs(ids.list) do
    found[position], now = get(input, FACTS, ("/containers/%s/json"):format(id:gsub("[^%w]", "")))
  end
  return found, now
end

---Inspects all containers of a project, or those of some of its services; not those of `docker compose run`, and not those
---that are being replaced. A container that is removed meanwhile raises NotFound.
---@param input { project: string, services: string[]?, socket: string, timeout: number? }
---@return bide.compose.Project
function M.inspect(input)
  local array, waiting, found, now = core.json.array, {}, inspect_each(input)
  local project = { project = input.project, containers = array {}, failed = array {} }
  drop_replaced(found)
  for _, facts in ipairs(found) do
    if is_wanted(facts, input.services) then add(project, waiting, facts, now) end
  end
  add_missing(project, waiting, input.services)
  project.state = #project.failed > 0 and "failed" or #waiting == 0 and "ready" or table.concat(waiting, "; ")
  table.sort(project.containers, function(a, b) return a.name < b.name end)
  project.count = #project.containers
  return project
end

return M
