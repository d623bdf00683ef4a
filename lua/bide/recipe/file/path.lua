---Finds recipes. A text with a `/` or a `.` is a file; any other is a name, of a recipe in the folders of
---BIDE_PATH, in their order, or of a bundled one. A name is never a file of the current folder. `aws:SERVICE` is a service
---of AWS, whose data bide has or finds.

local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local models = require "bide.recipe.file.models"
local mounted = require "bide.recipe.file.mounted"
local nearest = require("bide.core").names.nearest
local own_files = require "bide.text.own_files"
local tables = require "bide.text.tables"

local M = {}

---The folder of the bundled recipes.
local own_folder = own_files.folder "scripts"

---Reports whether a file is that of a bundled recipe.
---@param file string
---@return boolean
function M.is_bundled(file)
  return file:sub(1, #own_folder + 1) == own_folder .. "/"
end

---Returns the folders of BIDE_PATH. An empty one, as in "a::b", is left out: it does not mean the current folder.
---@return string[]
function M.folders()
  local list = {}
  for folder in (os.getenv "BIDE_PATH" or ""):gmatch("[^:]+") do
    list[#list + 1] = folder ~= "/" and folder:gsub("/+$", "") or folder
  end
  list[#list + 1] = own_folder
  return list
end

---Reports whether it can be read as a file; a pipe can, once, so it is not opened to find out.
---@return boolean
---@return string? mistake
local function is_file(file)
  if mounted.read(file) or own_files.read(file) then return true end
  local stat, mistake = luv.fs_stat(file)
  if not stat then return false, file_failure.reason(mistake) end
  return stat.type ~= "directory", "is a directory"
end

---Returns the name of the recipe in a file: "db" for db.lua and for db.json.
local function name_of(entry)
  return entry:match("^([^.].*)%.lua$") or entry:match("^([^.].*)%.json$")
end

---Returns the names of all recipes that can be found by name, sorted.
---@return string[]
function M.names()
  local names, known = {}, {}
  for _, folder in ipairs(M.folders()) do
    for _, entry in ipairs(own_files.names(folder)) do
      local name = name_of(entry)
      if name and not known[name] then names[#names + 1], known[name] = name, true end
    end
  end
  table.sort(names)
  return names
end

local function look_for(name)
  for _, folder in ipairs(M.folders()) do
    for _, ending in ipairs { "lua", "json" } do
      local file = ("%s/%s.%s"):format(folder, name, ending)
      if is_file(file) then return file end
    end
  end
end

---Other names of what the bundled recipes serve.
local served = {
  amqp = "lavinmq", cassandra = "scylla scylladb", command = "cmd shell", commit_checks = "ci github gitlab",
  compose = "docker-compose", docker = "container podman", elasticsearch = "elastic es opensearch", file = "log path",
  git_ref = "git", http = "curl url", influxdb = "influx", kafka = "redpanda",
  kubernetes = "daemonset deploy deployment k8s kube kubectl pod rollout statefulset", ldap = "openldap slapd",
  mongodb = "mongo", mysql = "maria mariadb", postgres = "pg pg_isready pgsql postgresql psql", process = "pid",
  prometheus = "prom", rabbitmq = "rabbit", redis = "keydb valkey",
  redis_sentinel = "sentinel", systemd = "systemctl", tcp = "port", tls = "cert certificate ssl", vault = "bao openbao",
}

---Returns the recipe that serves a name.
---@param name string in lower case
---@return string? recipe
local function recipe_of(name)
  for recipe, names in pairs(served) do
    for one in names:gmatch "%S+" do
      if one == name then return recipe end
    end
  end
end

---Returns the name that an unknown one may mean.
---@param name string
---@param names string[] the names that there are, those of the bundled recipes among them
---@return string? near
function M.near(name, names)
  name = name:match "^[^.]+" or name
  return recipe_of(name:lower()) or nearest(name, names)
end

-- ---- services of AWS -----------------------------------------------------------------------

local refusal

---Lets no service of AWS be found from now on.
---@param reason string
function M.refuse_services(reason)
  refusal = reason
end

---The names of services that the AWS CLI has, and the data have not.
local names_of_cli = { deploy = "codedeploy", s3api = "s3" }

---Returns the service of AWS that a text names: "rds" for "aws:rds", "" for "aws:".
---@param text string
---@return string? service
function M.service_of(text)
  local name = text:match "^aws:(.*)$"
  return names_of_cli[name] or name
end

---Returns why no service of AWS may be found; nil if they may.
---@param name string as it was asked for
---@return string? mistake
function M.refusal_of(name)
  return refusal and ("%s: %s"):format(name, refusal)
end

---@param service string
---@return string? found
---@return string? mistake
local function find_service(service)
  if refusal then return nil, M.refusal_of("aws:" .. service) end
  local files, mistake = models.files_of_service(service)
  return files and files[1], mistake
end

-- ---- files and names -----------------------------------------------------------------------

---Returns the file of the recipe with a name, whatever the current folder.
---@param name string
---@return string? found
---@return string? mistake
function M.find_by_name(name)
  local found = look_for(name)
  if found then return found end
  local near = not refusal and find_service(name) and "aws:" .. name or M.near(name, M.names())
  return nil, ("%s: no bundled recipe or recipe in BIDE_PATH has that name; %s"):format(name,
    near and ("did you mean %q?"):format(near) or "bide list shows them")
end

---@param text string
---@return boolean
function M.is_name(text)
  return not text:find "[/.]"
end

---Returns the recipe for an address that is given in place of a recipe: `localhost:8080/health`, `postgres://db/shop`.
---@param text string
---@return string? recipe
local function recipe_of_address(text)
  local scheme = text:match "^(%a[%w+-]*)://"
  if scheme then return M.near(scheme, M.names()) end
  local kind = text:match "^(%l+)/[%w-]+$"
  if kind and recipe_of(kind:gsub("s$", "")) == "kubernetes" then return "kubernetes" end
  local rest = text:match "^[%w.-]+:%d+(.*)$"
  return rest == "" and "tcp" or rest and rest:find "^/" and "http" or nil
end

---Returns how to write what is not the name of a recipe: a file of the current folder, or an address.
---@param name string
---@return string? hint nil if it is neither
function M.hint(name)
  local endings = not M.is_name(name) and {} or look_for(name) and { "" } or { "", ".lua", ".json" }
  for _, ending in ipairs(endings) do
    if is_file(name .. ending) then return ("the file of this folder is ./%s%s"):format(name, ending) end
  end
  local recipe = recipe_of_address(name)
  return recipe and ("an address follows its recipe: bide %s %s"):format(recipe, name)
end

---Returns the file of a service of AWS; any other text as it is, for what takes files and no names of recipes.
---@param text string
---@return string? file
---@return string? mistake
function M.file_of(text)
  if M.service_of(text) then return M.find(text) end
  local there, mistake = is_file(text)
  local recipe = not there and M.is_name(text) and look_for(text)
  if recipe then return nil, ("%s: %s; the file of the recipe is %s"):format(text, mistake, recipe) end
  local hint = not there and M.is_name(text) and M.hint(text)
  if hint then return nil, ("%s: %s; %s"):format(text, mistake, hint) end
  return text
end

---The endings of files that define or list waits.
local endings = tables.set { "lua", "json", "jsonl", "yaml", "yml", "smithy" }

---Reports whether a text means a file and nothing else: it has the ending of one, and is not the name of a recipe with that
---ending, as in `http.lua`.
---@param text string
---@return boolean
local function is_absent_file(text)
  local stem, ending = text:match "^(.*)%.(%w+)$"
  return endings[ending] ~= nil and not look_for(stem)
end

---Returns a file, or the file of the recipe with a name.
---@param file string
---@return string? found
---@return string? mistake
function M.find(file)
  local service = M.service_of(file)
  if service then return find_service(service) end
  if M.is_name(file) then
    local found, unknown = M.find_by_name(file)
    local hint = not found and M.hint(file)
    return found, hint and ("%s; %s"):format(unknown, hint) or unknown
  end
  local there, mistake = is_file(file)
  if there then return file end
  local hint = M.hint(file)
  if hint then return nil, ("%s: %s; %s"):format(file, mistake, hint) end
  if file:find("/", 1, true) or is_absent_file(file) then return nil, ("%s: %s"):format(file, mistake) end
  local found, unknown = M.find_by_name(file)
  if found then return found end
  return nil, ("%s: %s, and%s"):format(file, mistake, unknown:sub(#file + 2))
end

return M
