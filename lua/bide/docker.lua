---Containers, from the API of Docker or a compatible one.
---
---    local docker = require "bide.docker"
---    docker.inspect { container = "db" }

local again = require "bide.task.again"
local core = require "bide.core"
local date = require "bide.text.http_date"
local events = require "bide.probe.docker.events"
local http = require "bide.http"
local follow = require "bide.probe.docker.follow"
local last_lines = require "bide.probe.docker.last_lines"
local line_search = require "bide.probe.asking.line_search"
local option = require "bide.text.option"
local retries = require "bide.task.retries"
local shown = require "bide.text.shown"
local sockets = require "bide.probe.docker.socket"

local M = {}

---The seconds after which Docker counts a restart as a success, and begins its delays anew.
local STABLE = 10

---The JMESPath that finds a container's status in the answer of the API, or what contradicts that status.
M.STATE = "State.Restarting && 'restarting' || State.Dead && 'dead' || State.Paused && 'paused' "
  .. "|| not_null(State.Running, `true`) != `true` && State.Status == 'running' && 'not running' "
  .. "|| State.Running == `true` && State.Status == 'exited' && 'not exited' || State.Status"

---The members of a container that count. Where an API sends another type, the expression gives null.
M.FACTS = ([=[type(State.Status) == 'string' && {
  id: Id, replaces: Config.Labels."com.docker.compose.replace",
  name: Name, project: Config.Labels."com.docker.compose.project",
  service: Config.Labels."com.docker.compose.service", oneoff: Config.Labels."com.docker.compose.oneoff",
  status: %s, code: State.ExitCode, error: State.Error, health: State.Health.Status,
  check: State.Health.Log[-1].Output, restarts: RestartCount, started: State.StartedAt, finished: State.FinishedAt,
  tty: Config.Tty
}]=]):format(M.STATE)

---@class bide.docker.Options
---@field socket? string that of DOCKER_HOST, of Docker's context, or /var/run/docker.sock by default
---@field timeout? number seconds

local function invalid()
  error({ type = "InvalidAnswer", message = "this is not an answer of Docker" }, 0)
end

---Returns the mistake of where the API is; nil if it is at a socket.
---@param given bide.docker.Options
---@return string?
function M.mistake_of_socket(given)
  local _, mistake = sockets.of(given.socket)
  return mistake
end

---Returns the path of the socket of the API.
---@param given bide.docker.Options
---@return string
function M.socket_of(given)
  return assert(sockets.of(given.socket))
end

---Returns a request to the API.
---@param given bide.docker.Options
---@param path string
---@param query? table<string, string>
---@return bide.http.Request
function M.request(given, path, query)
  return { url = "http://docker" .. path, unix_socket = M.socket_of(given), timeout = given.timeout, query = query }
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
  if type(container) == "string" and container:find(NAME) then return nil end
  return option.expected("a name or an id: letters, digits, _, . and -", container)
end

local message_of = assert(core.jmespath.compile "message")

---Refuses a 404 of another program: that of Docker, or Podman, says that there is no such container, and names it.
local function check_absence(response, name)
  local document = response:document()
  local message = document and message_of:search(document)
  if type(message) ~= "string" or not message:lower():find("no such container", 1, true) then invalid() end
  for word in message:gmatch "[%w_.-]+" do
    if word == name then return end
  end
  invalid()
end

---The least characters by which a container is asked for by its id: no other one has these by chance.
local LEAST_OF_ID = 8

---Refuses an answer about another container than that of a name or an id. The API takes a name that no container has for the
---beginning of an id, and `db` begins the id of one container in 256.
local function check_name(facts, name)
  if type(facts.id) ~= "string" or type(facts.name) ~= "string" then invalid() end
  local own = facts.name:match "^/?(.*)$"
  if own == name or facts.id == name then return end
  if facts.id:sub(1, #name) ~= name then invalid() end
  if #name >= LEAST_OF_ID then return end
  local words = "no container is called %s, but the id of %s begins with it: an id needs at least %d characters"
  error({ type = "OtherContainer", message = words:format(shown.quote(name), shown.quote(own), LEAST_OF_ID) }, 0)
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

-- ---- one container -------------------------------------------------------------------------------

---@class bide.docker.Container : bide.docker.Options
---@field container string

---Returns a function that asks for the facts of a container. It raises NotFound if there is none, and OtherContainer if the
---name only begins the id of one.
---@param given bide.docker.Options
---@param name string or its id
---@return fun(): table facts, bide.http.Response
local function prepare_facts(given, name)
  local get = http.prepare(M.request(given, path_of(name) .. "/json"))
  return function()
    local response = get()
    if response.status == 404 then check_absence(response, name) end
    local facts = http.find(response, M.FACTS, "Docker")
    check_name(facts, name)
    return facts, response
  end
end

---Returns a function that inspects one container. It returns what the API says, with the member `wait` if there is more to
---say: its `state` says that the container may be in a crash loop, its `log` has the last lines of one that has ended or is
---unhealthy. For the `prepare` of an operation.
---@param given bide.docker.Container
---@return (fun(): bide.Document|bide.http.Response)?
---@return string? mistake
function M.prepare(given)
  local mistake = M.mistake_of_socket(given)
  if mistake then return nil, mistake end
  mistake = M.mistake(given.container)
  if mistake then return nil, "container: " .. mistake end
  local ask, report = prepare_facts(given, given.container:match(NAME)), M.reporter(given)
  return function()
    local facts, response = ask()
    local state = facts.health ~= "healthy" and relapse(facts, M.now(response)) or nil
    local log = report(facts, state ~= nil)
    if not state and not log then return response end
    if state or facts.status == "restarting" then retries.remark(log) end
    local wait = { state = state, log = log }
    return assert(with_wait:query(assert(core.json.document { object = response:document(), wait = wait })))
  end
end

---Inspects one container once, as the function of `docker.prepare`.
---@param given bide.docker.Container
---@return bide.Document|bide.http.Response
function M.inspect(given)
  local inspect, mistake = M.prepare(given)
  if not inspect then error("docker.inspect: " .. mistake, 2) end
  return inspect()
end

-- ---- events --------------------------------------------------------------------------------------

---Reports whether a name may be an id, or the beginning of one, so that events do not have it as it is.
local function may_be_id(name)
  return name:find "^%x+$" ~= nil
end

---Returns the key by which waits share a watch, for the `watch_key` of an operation: one serves all that name containers, and
---one each container that may be named by an id.
---@param given bide.docker.Container
---@return string
function M.watch_key(given)
  local name = given.container:match(NAME)
  return ("%s\0%s"):format(M.socket_of(given), may_be_id(name) and name or "")
end

---Returns the name by which such a watch wakes a wait, for the `watch_name` of an operation.
---@param given bide.docker.Container
---@return string?
function M.watch_name(given)
  local name = given.container:match(NAME)
  return not may_be_id(name) and name or nil
end

---Wakes the waits for containers when something happens to these, for the `watch` of an operation.
---@param given bide.docker.Container
---@param wake bide.Wake
function M.watch(given, wake)
  local request, name = M.request(given, "/events"), given.container:match(NAME)
  if may_be_id(name) then
    return events(request, { container = { name } }, wake, function() wake() end)
  end
  return events(request, {}, wake, function(_, of, former)
    if type(of) == "string" then wake(of) end
    if type(former) == "string" then wake((former:gsub("^/", ""))) end
  end)
end

-- ---- a line of a log -----------------------------------------------------------------------------

---Returns the declarations of the inputs of `prepare_follow`.
---@param own table<string, bide.InputMember> those that name the container
---@return table<string, bide.InputMember>
function M.line_inputs(own)
  return line_search.inputs(own)
end

---The seconds before the start of a run in which its first lines may have been written: Docker notes the start later.
local EARLY = 2

---Returns the time from which lines are of the run that a container is in, or was in last.
---@param facts table
---@return string? since as the API takes it; nil of a first run
local function since_of(facts)
  local is_running = facts.status ~= "exited" and facts.status ~= "dead"
  local text = is_running and facts.finished or facts.started
  local instant = date.read_timestamp(text)
  if not instant or instant <= 0 then return nil end
  if not is_running then return ("%d"):format(math.floor(instant) - EARLY) end
  return ("%d.%s"):format(math.floor(instant), text:match "%.(%d+)" or "0")
end

local function path_of_log(facts)
  local since, has_ended = since_of(facts), facts.status == "exited" or facts.status == "dead"
  return ("%s/logs?stdout=true&stderr=true&follow=%s%s"):format(path_of(facts.id), tostring(not has_ended),
    since and "&since=" .. since or ""), has_ended
end

local function fail_of_end(facts, kept)
  local lines = kept:lines()
  error({ type = "ContainerEnded", message = ("the container %s; %s"):format(M.judge(facts, 0),
    #lines > 0 and "its last lines: " .. table.concat(lines, " | ") or "its log is empty") }, 0)
end

---The milliseconds between two looks at a container that has no log to follow now.
local INTERVAL = 100

---The states in which a container has no log that is being written.
local idle = { created = true, restarting = true, removing = true }

---Reports whether a container that wrote the line is as well as it was then. Raises ContainerEnded.
local function is_well(facts, kept)
  local state = facts.status
  if (state == "exited" or state == "dead") and facts.code ~= 0 then fail_of_end(facts, kept) end
  return state == "running" or state == "exited"
end

---Follows the log of a container, also of those runs that begin meanwhile.
---@return table output
local function find_line(given, ask)
  return again(function()
    local facts = ask()
    if type(facts.id) ~= "string" then invalid() end
    if idle[facts.status] then
      retries.remark(("the container is %s"):format(facts.status))
    else
      local path, has_ended = path_of_log(facts)
      local following = follow(given, M.socket_of(given),
        { path = path, has_terminal = facts.tty == true, has_ended = has_ended })
      local found = following.found
      if found and is_well(prepare_facts(given, facts.id)(), following.kept) then
        retries.remark(nil)
        return nil, { container = given.container, line = found.line, captures = found.captures, stream = following.stream }
      end
      if has_ended then fail_of_end(facts, following.kept) end
    end
    return INTERVAL
  end)
end

---Returns a function that follows the log of a container until a line matches: one of the run that the container is in, while
---the container runs or after it has exited with 0. Raises FailedLine and MatchLimit as bide.file.follow does, ContainerEnded
---with the last lines, LogUnreadable. For the `prepare` of an operation.
---@param given bide.docker.Container
---@return (fun(): table)?
---@return string? mistake
function M.prepare_follow(given)
  local mistake = line_search.mistake(given) or M.mistake_of_socket(given)
  if mistake then return nil, mistake end
  mistake = M.mistake(given.container)
  if mistake then return nil, "container: " .. mistake end
  local ask = prepare_facts(given, given.container:match(NAME))
  return function() return find_line(given, ask) end
end

return M
