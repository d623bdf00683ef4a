---The question of a run: everything that decides what its outcome says. A recorded run is continued, and an outcome that
---was not reported is reported, for the same question only: an old answer to another question would open a gate.
---
---The journal has a keyed digest of each part, so that no value of an input can be read from it.

local core = require "bide.core"
local duration = require "bide.text.duration"
local limits_of_waits = require "bide.recipe.waiter.limits"
local luv = require "luv"
local sources = require "bide.record.journal.sources"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---The parts, in the order in which they are named, with their words.
local parts = {
  { "recipe", "the recipe" }, { "waiter", "the waiter" }, { "input", "the input" },
  { "conditions", "--until, --fail or another acceptor of the command line" },
  { "goal", "how many waits must succeed" }, { "command", "COMMAND" }, { "folder", "the folder" },
  { "service", "the service that the options or the environment choose" },
  { "beside", "what has to last beside the wait" },
}

-- ---- the texts of the parts --------------------------------------------------------------------

---Returns the acceptors that the command line gave a waiter, as JSON.
local function given_acceptors(waiter)
  local given = json.array {}
  for _, acceptor in ipairs(waiter.acceptors) do
    if acceptor.option then given[#given + 1] = sources.plain(acceptor) end
  end
  return assert(json.encode(given)) .. (waiter.allows_missing and " with members missing" or "")
end

---Returns the input of a wait without its token, which may be new with each wait, and without the inputs that the recipe
---declares to be secret, which may be renewed.
---@param wait bide.PreparedWait
---@return string JSON
function M.input(wait)
  local members, waiter = wait.input:value(), wait.waiter
  if type(members) ~= "table" then return json.encode(members) end
  if waiter.token_member then members[waiter.token_member] = nil end
  for name, member in pairs(type(waiter.inputs) == "table" and waiter.inputs or {}) do
    if type(member) == "table" and member.secret then members[name] = nil end
  end
  return json.encode(members)
end

---Returns the lines of a text for each wait, or one line if all have the same.
---@param prepared bide.PreparedWait[]
---@param text_of fun(wait: bide.PreparedWait): string
local function for_each(prepared, text_of)
  local lines, is_one = {}, true
  for position, wait in ipairs(prepared) do
    lines[position] = text_of(wait)
    is_one = is_one and lines[position] == lines[1]
  end
  return is_one and lines[1] or table.concat(lines, "\n")
end

---Calls f once for each waiter.
local function once_each(f)
  local known = {}
  return function(wait)
    known[wait.waiter] = known[wait.waiter] or f(wait.waiter)
    return known[wait.waiter]
  end
end

-- ---- the folder --------------------------------------------------------------------------------

---The modules through which an operation reaches files and programs of this machine.
local local_modules = { "bide.exec", "bide.file", "bide.unix" }

---Returns the text of a file; empty if it cannot be read.
---@param file string
local function text_of(file)
  return require("bide.recipe.file.chunk").read(file) or ""
end

---@type table<string, boolean>
local known_to_be_local = {}

---Reports whether a bundled recipe reaches files or programs of this machine.
---@param file string
local function names_local_module(file)
  if known_to_be_local[file] == nil then
    local text, names = text_of(file), false
    for _, name in ipairs(local_modules) do names = names or text:find('require "' .. name .. '"', 1, true) ~= nil end
    known_to_be_local[file] = names
  end
  return known_to_be_local[file]
end

---Reports whether a recipe depends on the folder in which it runs. Code of a user may open any file.
---@param waiter bide.Waiter
local function is_local(waiter)
  local file = waiter.files and waiter.files[1]
  if not file or waiter.service then return not waiter.service end
  return not require("bide.recipe.file.path").is_bundled(file) or names_local_module(file)
end

---Reports whether a value of an input names a file by a path that begins in the folder.
local function is_relative_path(value)
  if type(value) == "table" then
    for _, member in pairs(value) do
      if is_relative_path(member) then return true end
    end
    return false
  end
  if type(value) ~= "string" or value == "" or #value > 4096 or value:sub(1, 1) == "/" or value:find "%z" then return false end
  return value:find "^%.%.?/" ~= nil or luv.fs_lstat(value) ~= nil
end

---Reports whether an input names a socket by a path that begins in the folder. It may not be there yet.
local function has_relative_socket(input)
  for _, name in ipairs(type(input) == "table" and { "socket", "unix" } or {}) do
    if type(input[name]) == "string" and input[name]:sub(1, 1) ~= "/" then return true end
  end
  return false
end

local function depends_on_folder(what, prepared)
  if what.command then return true end
  local is_of_waiter = once_each(is_local)
  for _, wait in ipairs(prepared) do
    local input = wait.input:value()
    if is_of_waiter(wait) or is_relative_path(input) or has_relative_socket(input) then return true end
  end
  return false
end

-- ---- the service -------------------------------------------------------------------------------

---The variables that choose a service of AWS, or how it is reached, by their names or beginnings.
local of_aws = { "^AWS_PROFILE$", "^AWS_DEFAULT_PROFILE$", "^AWS_REGION$", "^AWS_DEFAULT_REGION$", "^AWS_CONFIG_FILE$",
  "^AWS_SHARED_CREDENTIALS_FILE$", "^AWS_ROLE_ARN$", "^AWS_ENDPOINT_URL", "^AWS_IGNORE_CONFIGURED_ENDPOINT_URLS$",
  "^AWS_USE_FIPS_ENDPOINT$", "^AWS_USE_DUALSTACK_ENDPOINT$", "^BIDE_AWS_MODELS$" }

---The variables that choose a proxy, which may answer in place of a service, and the authorities that a service's certificate
---needs.
local of_peers = { "^https?_proxy$", "^HTTPS_PROXY$", "^[aA][lL][lL]_[pP][rR][oO][xX][yY]$", "^[nN][oO]_[pP][rR][oO][xX][yY]$",
  "^SSL_CERT_FILE$", "^SSL_CERT_DIR$", "^CURL_CA_BUNDLE$" }

---@param patterns string[] of their names
local function variables(patterns)
  local lines = {}
  for name, value in pairs(luv.os_environ()) do
    for _, pattern in ipairs(patterns) do
      if name:find(pattern) then lines[#lines + 1] = name .. "=" .. value end
    end
  end
  table.sort(lines)
  return table.concat(lines, "\n")
end

---The variables that say what a URL of PostgreSQL does not: which server, and what it has to prove.
local of_postgres = { "^PGHOST$", "^PGPORT$", "^PGDATABASE$", "^PGUSER$", "^PGOPTIONS$", "^PGTARGETSESSIONATTRS$", "^PGSSLMODE$",
  "^PGSSLROOTCERT$", "^PGREQUIREAUTH$", "^PGCHANNELBINDING$" }

---Returns the contents of the files that say which cluster of Kubernetes is meant.
local function clusters()
  local list = {}
  local home = os.getenv "HOME"
  for file in (os.getenv "KUBECONFIG" or home and home .. "/.kube/config" or ""):gmatch "[^:]+" do
    list[#list + 1] = file .. "\n" .. text_of(file)
  end
  list[#list + 1] = os.getenv "KUBERNETES_SERVICE_HOST" or ""
  list[#list + 1] = os.getenv "KUBERNETES_SERVICE_PORT" or ""
  return table.concat(list, "\n")
end

---Returns the lines of AWS's files that say where and as whom to ask, without those that are renewed.
local function profiles()
  local list, home = {}, os.getenv "HOME" or ""
  for _, row in ipairs { { "AWS_CONFIG_FILE", "config" }, { "AWS_SHARED_CREDENTIALS_FILE", "credentials" } } do
    local path = os.getenv(row[1]) or home .. "/.aws/" .. row[2]
    for line in (row[2] .. "\n" .. text_of((path:gsub("^~/", home .. "/")))):gmatch "[^\r\n]+" do
      local name = line:match "^[^=]*":lower()
      local is_renewed = name:find "key" or name:find "secret" or name:find "token" or name:find "expir"
      if not is_renewed then list[#list + 1] = line end
    end
  end
  return table.concat(list, "\n")
end

---Returns what chooses the service of a waiter beside its input: what the modules read that its recipe names.
---@param waiter bide.Waiter
local function service_of(waiter)
  local texts = tables.mapped(waiter.service and {} or sources.files(waiter), text_of)
  local text, list = table.concat(texts, "\n"), { waiter.service or "" }
  local function names(module) return text:find(module, 1, true) ~= nil end
  if waiter.service or names "bide.aws" then list[#list + 1] = variables(of_aws) .. "\n" .. profiles() end
  if names "bide.postgres" then list[#list + 1] = variables(of_postgres) end
  if names "bide.kubernetes" then list[#list + 1] = clusters() end
  if names "bide.docker" or names "bide.compose" then list[#list + 1] = require("bide.probe.docker.socket").of() or "" end
  list[#list + 1] = variables(of_peers)
  return table.concat(list, "\n")
end

---Returns a function that returns what chooses the service of a wait beside its input.
---@return fun(wait: bide.PreparedWait): string
local function new_service_of()
  local of_waiter, of_file = once_each(service_of), {}
  return function(wait)
    local text, inputs = of_waiter(wait), wait.waiter.inputs
    local file = type(inputs) == "table" and inputs.kubeconfig and wait.input:value().kubeconfig
    if type(file) ~= "string" then return text end
    of_file[file] = of_file[file] or text_of(file)
    return text .. "\n" .. of_file[file]
  end
end

---The inputs that name a file or a socket, where they do not say what to wait for.
local names_of_files = { "folder", "path", "pid_file", "repository", "socket", "unix" }

---Reports whether an input names a file by a path that begins in the folder, whether it is there or not.
---@param waiter bide.Waiter
---@param input any its value
---@param counts? fun(member: bide.Input): boolean
local function has_relative_file(waiter, input, counts)
  for _, name in ipairs(type(input) == "table" and names_of_files or {}) do
    local member, value = (waiter.inputs or {})[name], input[name]
    local is_path = member and not member.asks and type(value) == "string" and (not counts or counts(member))
    if is_path and value:sub(1, 1) ~= "/" and not (name == "repository" and value:find ":") then return true end
  end
  return false
end

---Reports whether a wait is about the folder in which it is submitted: about a file there, or a command that runs there. Other
---inputs may be called like those of bundled recipes.
---@param wait bide.PreparedWait
---@return boolean
function M.is_of_folder(wait)
  local waiter = wait.waiter
  if not waiter.inputs then return false end
  local file = waiter.files and waiter.files[1]
  local is_bundled = file and require("bide.recipe.file.path").is_bundled(file)
  local is_placed = waiter.place == "local" or is_bundled and names_local_module(file) or false
  local function is_file(member) return is_placed or member.type == "path" end
  local input, folder = wait.input:value(), waiter.inputs.folder
  return has_relative_file(waiter, input, is_file) or is_placed and folder ~= nil and folder.type == "path" and not input.folder
end

---Returns what the answer of a wait depends on beside its question: the service, and the folder of its files.
---@param wait bide.PreparedWait
---@return string
function M.surroundings(wait)
  return new_service_of()(wait) .. "\n" .. (has_relative_file(wait.waiter, wait.input:value()) and luv.cwd() or "")
end

-- ---- the question ------------------------------------------------------------------------------

---@class bide.Question
---@field texts table<string, string> of its parts
---@field needs_folder boolean whether the answer depends on the folder
---@field is_beside boolean whether the answer is about a time in which something else lasts, which is begun anew
local Question = {}
Question.__index = Question

---@param what bide.RunDescription
---@param prepared bide.PreparedWait[]
---@return bide.Question
function M.of(what, prepared)
  local function own_path(waiter) return waiter.files and sources.path(waiter.files[1]) or "" end
  return setmetatable({
    needs_folder = depends_on_folder(what, prepared), is_beside = what.beside ~= nil,
    texts = {
      recipe = for_each(prepared, once_each(own_path)),
      waiter = for_each(prepared, function(wait) return wait.waiter.name end),
      input = for_each(prepared, M.input) .. ("\n%d waits"):format(#prepared),
      conditions = for_each(prepared, once_each(given_acceptors)), goal = what.goal,
      command = what.command and assert(json.encode(json.array(tables.joined(what.command)))) or "",
      folder = luv.cwd() or "", service = for_each(prepared, new_service_of()),
      beside = what.beside,
    },
  }, Question)
end

---@param key string
local function digest_of(key, text)
  local digest = require("bide.digest").hmac(key, text)
  return core.text.hex(digest:sub(1, 16))
end

---Returns the question as the journal has it.
---@return string JSON
function Question:record()
  local key = ("%016x%016x"):format(core.wait.random_seed(), core.wait.random_seed())
  local digests = {}
  for name, text in pairs(self.texts) do digests[name] = digest_of(key, text) end
  return assert(json.encode { key = key, parts = digests, needsFolder = self.needs_folder })
end

---Returns the words for the parts in which a recorded question differs from this one.
---@param recorded string JSON
---@param has_ended boolean whether the run has, or a wait of it
---@return string[] words none if it is the same question
function Question:differences(recorded, has_ended)
  local other, list = json.decode(recorded), {}
  for _, part in ipairs(parts) do
    local name, words = part[1], part[2]
    local text = self.texts[name]
    local counts = name ~= "folder" or self.needs_folder or other.needsFolder
    local differs = other.parts[name] ~= (text and digest_of(other.key, text))
    if counts and (differs or name == "beside" and has_ended and self.is_beside) then list[#list + 1] = words end
  end
  return list
end

-- ---- limits ------------------------------------------------------------------------------------

---Returns the limits of a wait as the journal has them, by the members of bide.Limits.
---@param limits bide.Limits
---@return string JSON
function M.limits(limits)
  local members = {}
  for name, value in pairs(limits) do
    if math.type(value) == "integer" and name ~= "seed" then members[name] = value end
  end
  return assert(json.encode(members))
end

---Returns the numbers in a record of the core, by their names.
---@param record string
---@return table<string, integer|number>
function M.numbers_of(record)
  local numbers = {}
  for name, text in record:gmatch "(%l[%l_%d]*)=(%-?%d+)" do numbers[name] = math.tointeger(text) or tonumber(text) end
  if numbers.max_attempts and math.type(numbers.max_attempts) == "float" then numbers.max_attempts = nil end -- no limit
  return numbers
end

---The members that are no times.
local counts = { max_attempts = true, tolerated_attempts = true, hold_attempts = true }

---The times that a streak lasts if it has no number of attempts.
local time_of = { tolerated_attempts = "tolerated_time", hold_attempts = "hold_time" }

local function shown_limit(member, limits)
  local value = limits[member]
  if member == "retry_after_cap" then
    if value == 0 then return "ignored" end
    if value == nil or value < 0 then return "the default" end -- a record of the core has a number for it
    return value >= limits_of_waits.NO_CAP and "none" or duration.format(value)
  end
  if value == 0 and time_of[member] then
    member, value = nil, limits[time_of[member]]
    if value == 0 then value = nil end
  end
  if value == nil then return "none" end
  return counts[member] and ("%d"):format(value) or duration.format(value)
end

---Returns a limit that is given now and is not the one that the wait began with; nil if there is none.
---@param before table<string, integer> the limits that it began with, by the members of bide.Limits
---@param now table<string, integer> those of now
---@param limits bide.Limits those of now, and which of them the caller gave
---@return string? option as the caller writes it, with its value
---@return string value that it began with
---@return string advice
function M.differing_limit(before, now, limits)
  for name, member in (limits.given or ""):gmatch "(%S+)=(%S+)" do
    if member ~= "seed" and before[member] ~= now[member] then
      return limits.name_option(name) .. " " .. shown_limit(member, now), shown_limit(member, before),
        "Give the same" .. (name == "maxWait" and "" or ", or leave it out")
    end
  end
end

---Returns the mistake if a limit that is given now is not the one that the wait began with.
---@param recorded string JSON
---@param limits bide.Limits
---@param run integer
---@return string?
function M.mistake_of_limits(recorded, limits, run)
  local option, before, advice = M.differing_limit(json.decode(recorded), limits, limits)
  return option and ("%s: run %d began with %s. %s; `bide journal prune %d --journal FILE` forgets the run"):format(option, run,
    before, advice, run)
end

return M
