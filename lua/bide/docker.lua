---Containers, from the API of Docker or a compatible one.
---
---    local docker = require "bide.docker"
---    docker.inspect { container = "db", socket = "/var/run/docker.sock" }

local core = require "bide.core"
local date = require "bide.text.http_date"
local http = require "bide.http"
local last_lines = require "bide.probe.docker.last_lines"
local option = require "bide.text.option"
local retries = require "bide.task.retries"

local M = {}

---The seconds after which Docker counts a restart as a success, and begins its delays anew.
local STABLE = 10

---The JMESPath over what the API says of a container that gives its status, or what makes that status worth nothing.
M.STATE = "State.Restarting && 'restarting' || State.Dead && 'dead' || State.Paused && 'paused' "
  .. "|| State.Running == `false` && State.Status == 'running' && 'not running' || State.Status"

---The members of a container that count. Where an API sends another type, the expression gives null.
M.FACTS = ([=[type(State.Status) == 'string' && {
  id: Id, replaces: Config.Labels."com.docker.compose.replace",
  name: Name, service: Config.Labels."com.docker.compose.service", oneoff: Config.Labels."com.docker.compose.oneoff",
  status: %s, code: State.ExitCode, error: State.Error, health: State.Health.Status,
  check: State.Health.Log[-1].Output, restarts: RestartCount, started: State.StartedAt, finished: State.FinishedAt,
  tty: Config.Tty
}]=]):format(M.STATE)

---@class bide.docker.Options
---@field socket string
---@field timeout? number seconds

local function invalid()
  error({ type = "InvalidAnswer", message = "this is not an answer of Docker" }, 0)
end

---Returns a request to the API.
---@param given bide.docker.Options
---@param path string
---@param query? table<string, string>
---@return bide.http.Request
function M.request(given, path, query)
  return { url = "http://docker" .. path, unix_socket = given.socket, timeout = given.timeout, query = query }
end

---Asks the API.
---@param given bide.docker.Options
---@param expression string a JMESPath that finds something in every answer of Docker
---@param path string
---@param query? table<string, string>
---@return any found by the expression
---@return bide.http.Response
function M.get(given, expression, path, query)
  local response = http.request(M.request(given, path, query))
  return http.find(response, expression, "Docker"), response
end

---Joins texts and numbers to words; empty ones and nulls are left out.
function M.words_of(...)
  local words = {}
  for _, word in pairs { ... } do
    if word ~= "" and word ~= core.json.null then words[#words + 1] = tostring(word) end
  end
  return (table.concat(words, " "):gsub("%s+", " "):gsub(" $", ""))
end

local words_of = M.words_of

---@param id string
---@return string path of a container
local function path_of(id)
  return ("/containers/%s"):format(id:gsub("[^%w_.-]", ""))
end

---Returns the last lines of the log of a container that has failed, in words.
---@param given bide.docker.Options
---@param facts table what FACTS finds
---@return string? words nil if the container is not known by an id
function M.last_lines(given, facts)
  if type(facts.id) ~= "string" then return nil end
  return last_lines(M.request(given, path_of(facts.id) .. "/logs"), facts.tty == true)
end

---Returns the seconds since 1970 by the clock of the API, or by this machine's if the answer does not say it.
---@param response bide.http.Response
---@return number
function M.now(response)
  return date.read(response:header "date") or core.loop.wall() / 1000
end

---Returns how a container may be in a crash loop, in which it runs for a moment again and again.
---@param facts table
---@param now number
---@return string?
local function relapse(facts, now)
  if type(facts.restarts) ~= "number" or facts.restarts == 0 then return nil end
  local started = date.read_timestamp(facts.started)
  if not started then return "was restarted at an unknown time" end
  return now - started < STABLE and ("was restarted less than %d s ago"):format(STABLE) or nil
end

---Describes the state of a container that runs.
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
---@param facts table what FACTS finds
---@param now number by the clock of the API
---@return string state
---@return boolean ready
---@return boolean failed
function M.judge(facts, now)
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

---The name of a container, or its id; `docker inspect` writes a / before the name.
local NAME = "^/?(%w[%w_.-]*)$"

---Finds what is wrong with the name of a container: a path like `..` would ask something else.
---@param container string
---@return string? mistake
function M.mistake(container)
  if container:find(NAME) then return nil end
  return option.expected("a name or an id: letters, digits, _, . and -", container)
end

local message_of = assert(core.jmespath.compile "message")

---Refuses a 404 of another program: that of Docker, or Podman, says that there is no such container.
local function check_absence(response)
  local document = response:document()
  local message = document and message_of:search(document)
  if type(message) ~= "string" or not message:lower():find("no such container", 1, true) then invalid() end
end

local with_wait = assert(core.jmespath.compile "merge(object, { wait: wait })")

local ended = { exited = true, dead = true, restarting = true }

---Returns a function that gives the last lines of a container that has ended, or has been restarted since: they are asked
---for once for each of its ends. Those of an unhealthy one are asked for each time.
---@param given bide.docker.Options
---@return fun(facts: table, is_relapse: boolean): string?
function M.reporter(given)
  local known, lines
  return function(facts, is_relapse)
    if not (is_relapse or ended[facts.status] or facts.health == "unhealthy") then return nil end
    local key = M.words_of(facts.id, facts.finished)
    if key ~= known or facts.health == "unhealthy" then known, lines = key, M.last_lines(given, facts) end
    return lines
  end
end

---@class bide.docker.Container : bide.docker.Options
---@field container string

---Returns a function that inspects one container. It returns what the API says, with the member `wait` if there is more to
---say: its `state` says that the container may be in a crash loop, its `log` has the last lines of one that has ended or is
---unhealthy. For the `prepare` of an operation.
---@param given bide.docker.Container
---@return (fun(): bide.Document|bide.http.Response)?
---@return string? mistake
function M.prepare(given)
  local mistake = M.mistake(given.container)
  if mistake then return nil, "container: " .. mistake end
  local get = http.prepare(M.request(given, path_of(given.container:match(NAME)) .. "/json"))
  local report = M.reporter(given)
  return function()
    local response = get()
    if response.status == 404 then check_absence(response) end
    local facts = http.find(response, M.FACTS, "Docker")
    local state = facts.health ~= "healthy" and relapse(facts, M.now(response)) or nil
    local log = report(facts, state ~= nil)
    if not state and not log then return response end
    if state or facts.status == "restarting" then retries.remark(log) end
    local wait = { state = state, log = log }
    return assert(with_wait:query(assert(core.json.document { object = response:document(), wait = wait })))
  end
end

---Inspects one container once, as the function of M.prepare.
---@param given bide.docker.Container
---@return bide.Document|bide.http.Response
function M.inspect(given)
  local inspect, mistake = M.prepare(given)
  if not inspect then error("docker.inspect: " .. mistake, 2) end
  return inspect()
end

return M
