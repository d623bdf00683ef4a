---The data of AWS's services by their names: `aws:rds`. Bide has data of its own, packed from botocore. These come before
---them: the folders of BIDE_AWS_MODELS; and where they are newer, the user's folder, and a botocore or an AWS CLI that is
---installed. A botocore is newer by its release. An AWS CLI 2 counts its releases in another way, so that a service of it is
---newer only by the version of its API.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local folder = require "bide.model.aws.folder"
local installed = require "bide.model.aws.installed"
local luv = require "luv"
local own_files = require "bide.text.own_files"
local tables = require "bide.text.tables"

local nearest = core.names.nearest

local M = {}

---bide's own folder.
M.own_path = own_files.folder "scripts/aws"

---Returns the folder in which a user keeps data that `bide aws pack` has written.
---@return string? path
function M.user_folder()
  local data, home = os.getenv "XDG_DATA_HOME", os.getenv "HOME"
  if data and data:sub(1, 1) == "/" then return data .. "/bide/aws" end
  return home and home ~= "" and home .. "/.local/share/bide/aws" or nil
end

-- ---- folders ----------------------------------------------------------------------------------

---Reports whether one release is later than another: 1.43.11 is later than 1.9.0.
---@param release string
---@param other string
local function is_later(release, other)
  local numbers, others = {}, {}
  for number in release:gmatch "%d+" do numbers[#numbers + 1] = math.tointeger(tonumber(number)) end
  for number in other:gmatch "%d+" do others[#others + 1] = math.tointeger(tonumber(number)) end
  for position, number in ipairs(numbers) do
    if number ~= (others[position] or -1) then return number > (others[position] or -1) end
  end
  return false
end

---@class bide.aws.Places
---@field chosen bide.aws.Folder[] of BIDE_AWS_MODELS
---@field later bide.aws.Folder[] of a later release than bide's own, the latest first, and of equal ones the user's
---@field unknown bide.aws.Folder[] of an unknown release
---@field own bide.aws.Folder
---@field problems string[] why folders of BIDE_AWS_MODELS are of no use

---@type bide.aws.Places?
local places

---Adds a folder of BIDE_AWS_MODELS.
local function add_chosen(found, path)
  local opened = folder.open(path)
  if opened then
    table.insert(found.chosen, opened)
  else
    table.insert(found.problems, ("BIDE_AWS_MODELS: %s: no data of AWS's services, since it has no partitions.json"):format(path))
  end
end

---Adds a folder that bide has found, if it may be newer than bide's own.
local function add(found, path, own)
  local opened = path and folder.open(path)
  if not opened then return end
  if not opened.version then table.insert(found.unknown, opened) end
  if not opened.version or not is_later(opened.version, own.version or "0") then return end
  local position = 1
  while found.later[position] and not is_later(opened.version, found.later[position].version) do position = position + 1 end
  table.insert(found.later, position, opened)
end

---Returns the folders. They are looked for once.
---@return bide.aws.Places
local function find_places()
  if places then return places end
  local own = assert(folder.open(M.own_path), "bide's folder scripts/aws is missing")
  places = { chosen = {}, later = {}, unknown = {}, own = own, problems = {} }
  for path in (os.getenv "BIDE_AWS_MODELS" or ""):gmatch "[^:]+" do add_chosen(places, path) end
  add(places, M.user_folder(), own)
  for _, path in ipairs(installed.folders()) do add(places, path, own) end
  return places
end

---Returns the folders that have a service, the best first.
---@param service string
---@return bide.aws.Folder[]
local function folders_of(service)
  local list, found = {}, find_places()
  local own_version = found.own:api_version(service)
  local function take(candidates, is_wanted)
    for _, candidate in ipairs(candidates) do
      if candidate:file(service) and is_wanted(candidate) then list[#list + 1] = candidate end
    end
  end
  local function always() return true end
  take(found.chosen, always)
  take(found.later, always)
  take(found.unknown, function(candidate) return not own_version or candidate:api_version(service) > own_version end)
  take({ found.own }, always)
  return list
end

---Returns the folder of some data, behind all links, with a slash at its end.
local function real(path)
  local found = luv.fs_realpath(path)
  return found and found:gsub("/*$", "/", 1)
end

---Reports whether a file has bide's own data of a service. A spec holds that each of their acceptors can match: no wait need
---look for those that cannot, which took a fortieth of a short one.
---@param file string
---@return boolean
function M.is_own(file)
  local name = file:match "([^/]*)%.json$"
  return name ~= nil and file == ("%s/%s.json"):format(M.own_path, name)
end

---Reports whether a file is of the data: in a folder of BIDE_AWS_MODELS, in the user's, in that of an installed botocore,
---or in bide's own.
---@param file string
---@return boolean
function M.has(file)
  if own_files.read(file) then return file:sub(1, #M.own_path + 1) == M.own_path .. "/" end
  local found, paths = luv.fs_realpath(file), { M.own_path, M.user_folder() }
  if not found then return false end
  for _, one in ipairs(find_places().chosen) do paths[#paths + 1] = one.path end
  for _, path in ipairs(tables.append(paths, installed.folders())) do
    local folder_path = real(path)
    if folder_path and found:sub(1, #folder_path) == folder_path then return true end
  end
  return false
end

-- ---- services ---------------------------------------------------------------------------------

---@class bide.aws.Service: bide.aws.ServiceFacts
---@field name string
---@field file string

---Returns the services with waiters, sorted by their names.
---@return bide.aws.Service[]
function M.services()
  local names, known, services, found = {}, {}, {}, find_places()
  for _, list in ipairs { found.chosen, found.later, found.unknown, { found.own } } do
    for _, one in ipairs(list) do
      for _, name in ipairs(one:services()) do
        if not known[name] then names[#names + 1], known[name] = name, true end
      end
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do services[#services + 1] = M.facts(name) end
  return services
end

---Returns the names of the services with waiters, sorted.
---@return string[]
function M.names()
  local names = {}
  for position, service in ipairs(M.services()) do names[position] = service.name end
  return names
end

---Returns what is known of a service without reading its shapes.
---@param service string
---@return bide.aws.Service?
function M.facts(service)
  for _, one in ipairs(folders_of(service)) do
    local facts = one:facts(service)
    if facts then
      return { name = service, file = one:file(service), apiVersion = facts.apiVersion, fullName = facts.fullName,
        waiters = facts.waiters }
    end
  end
end

---Returns how many seconds botocore waits at the most, for each waiter of a service.
---@param service string
---@return table<string, integer>?
function M.longest_waits(service)
  local facts, longest = M.facts(service), {}
  for name, waiter in pairs(facts and facts.waiters or {}) do
    if math.type(waiter.delay) == "integer" and math.type(waiter.maxAttempts) == "integer" then
      longest[name] = waiter.delay * waiter.maxAttempts
    end
  end
  return facts and longest
end

---Returns the files of a service, the best first; the last is bide's own, if it has one.
---@param service string
---@return string[]? files
---@return string? mistake
function M.files(service)
  local files = {}
  for position, one in ipairs(folders_of(service)) do files[position] = one:file(service) end
  if #files > 0 then return files end
  if service == "" then return nil, "aws: names no service: bide aws lists them" end
  local near = nearest(service:lower(), M.names())
  return nil, ("aws:%s: no service with waiters has that name; %s"):format(service,
    near and ("did you mean %q?"):format("aws:" .. near) or "bide aws lists them")
end

---Returns the value of the best file of a service that can be read.
---@generic Value
---@param service string
---@param read fun(file: string): Value?, string? gives a value, or nil and the mistake
---@return Value? value
---@return string[]|string warnings of better files that cannot be read; the mistake if none can
function M.first(service, read)
  local files, mistake = M.files(service)
  if not files then return nil, mistake end
  local warnings = tables.joined(find_places().problems)
  for _, file in ipairs(files) do
    local value
    value, mistake = read(file)
    if value then return value, warnings end
    warnings[#warnings + 1] = ("%s; other data of aws:%s are used"):format(tostring(mistake):match "^[^\n]*", service)
  end
  return nil, mistake
end

---Returns the document partitions.json, which endpoint rules need.
---@return table
function M.partitions()
  local found = find_places()
  local newest = found.chosen[1] or found.later[1] or found.own
  for _, one in ipairs { newest, found.own } do
    local document = core.json.decode(chunk.read(one.path .. "/partitions.json") or "", { lenient = true })
    if type(document) == "table" and type(document.partitions) == "table" then return document end
  end
  return error("bide's file partitions.json is missing or broken", 0)
end

return M
