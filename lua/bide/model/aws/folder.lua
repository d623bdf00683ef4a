---A folder with the data of AWS's services, in one of two forms: botocore's own, `rds/2014-10-31/waiters-2.json` and the
---files beside it, or the packed one, `rds.json` with an index.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local luv = require "luv"
local own_files = require "bide.text.own_files"

local json = core.json

local M = {}

---@class bide.aws.WaiterFacts
---@field operation string
---@field delay integer seconds
---@field maxAttempts integer? nil if the waiter is not from botocore

---@class bide.aws.ServiceFacts
---@field apiVersion string
---@field fullName? string
---@field waiters table<string, bide.aws.WaiterFacts>

---@class bide.aws.Folder
---@field path string
---@field version string? the release of botocore that its data are from, if it is known
---@field text string? of the index of a packed folder
---@field index bide.Document? of that text, if it was needed
---@field known table<string, bide.aws.ServiceFacts|false> what was read of the index
local Folder = {}
Folder.__index = Folder

---Returns the names in a folder that a pattern matches, sorted; none if it cannot be read.
---@param path string
---@param pattern string
---@return string[]
function M.names_in(path, pattern)
  local names = {}
  for _, name in ipairs(own_files.names(path)) do
    if name:find(pattern) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

---@param service string
---@return boolean
function M.is_name(service)
  return service:find "^[%w][%w_-]*$" ~= nil
end

---Returns the newest version of a service in botocore's form.
---@param service string
---@return string? version
local function newest_version(path, service)
  local versions = M.names_in(("%s/%s"):format(path, service), "^%d%d%d%d%-")
  local data_file = require "bide.model.botocore.data_file"
  for position = #versions, 1, -1 do
    if data_file.find(("%s/%s/%s/service-2.json"):format(path, service, versions[position])) then return versions[position] end
  end
end

---Reports whether facts about a service have the form that they need.
local function are_facts(facts)
  if type(facts) ~= "table" or type(facts.apiVersion) ~= "string" or type(facts.waiters) ~= "table" then return false end
  for _, waiter in pairs(facts.waiters) do
    if type(waiter) ~= "table" then return false end
  end
  return next(facts.waiters) ~= nil
end

---Returns the facts about a service that are found in the text of an index as bide writes it, in which the members of an
---object begin lines. A wait needs one service of many, and to read all took a fortieth of a short one.
---@param text string
---@param service string
---@return any
local function facts_within(text, service)
  local _, at = text:find(('\n"%s":{'):format(service), 1, true)
  local found = at and text:match("^%b{}", at)
  return found and json.decode(found)
end

---Returns the index as a document; nil if it is broken.
---@return bide.Document?
function Folder:document()
  self.index = self.index or json.read(self.text, { lenient = true })
  return self.index
end

---Returns the facts about a service that the index has.
---@param service string
---@return bide.aws.ServiceFacts?
function Folder:indexed(service)
  if self.known[service] == nil and M.is_name(service) then
    local facts = not self.index and facts_within(self.text, service)
    if not are_facts(facts) then
      local document = self:document()
      facts = document and document:value("services", service)
    end
    self.known[service] = are_facts(facts) and facts
  end
  return self.known[service] or nil
end

---Returns the version of the API of a service that the folder has.
---@param service string
---@return string?
function Folder:api_version(service)
  if not self.text then return newest_version(self.path, service) end
  local facts = self:indexed(service)
  return facts and facts.apiVersion
end

---Returns the folder with the newest version of a service in botocore's form, whether it has waiters or not.
---@param service string
---@return string? path with a slash at its end
function Folder:service_folder(service)
  local version = newest_version(self.path, service)
  return version and ("%s/%s/%s/"):format(self.path, service, version)
end

---Returns the file with the waiters of a service; nil if the folder has none.
---@param service string
---@return string? file
function Folder:file(service)
  if not M.is_name(service) then return nil end
  if self.text then return self:indexed(service) and ("%s/%s.json"):format(self.path, service) end
  local beside = self:service_folder(service)
  local file = beside and beside .. "waiters-2.json"
  return file and luv.fs_stat(file) and file or nil
end

---Returns the names of the services, sorted. Those of botocore's form may have no waiters.
---@return string[]
function Folder:services()
  if not self.text then return M.names_in(self.path, "^[%w_-]+$") end
  local names, document = {}, self:document()
  for _, name in ipairs(document and document:names "services" or {}) do
    if self:indexed(name) then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

---Returns what is known of a service without reading its shapes.
---@param service string
---@return bide.aws.ServiceFacts? facts nil if it has no waiters, or its file cannot be read
function Folder:facts(service)
  if self.text then return self:indexed(service) end
  local file = self:file(service)
  local found = file and json.decode(chunk.read(file) or "", { lenient = true })
  local facts = type(found) == "table" and { apiVersion = file:match "([^/]*)/[^/]*$", waiters = found.waiters }
  return are_facts(facts) and facts or nil
end

---Returns the release of botocore that a folder `botocore/data` is a part of. The botocore within the AWS CLI 2 counts its
---releases in another way, and says nothing.
---@return string? version
local function version_of(path)
  local text = chunk.read((path:gsub("/[^/]*$", "/__init__.py"))) or ""
  local at = text:find("\n__version__ = ", 1, true)
  return at and text:match("^\n__version__ = ['\"](1%.%d+%.%d+)['\"]", at)
end

---The beginning of an index as bide writes it, with the release of botocore.
local BEGINNING <const> = '^{\n"botocore":"([%w.]+)",\n"services":{\n'

---@param path string
---@return bide.aws.Folder? folder nil if it is not a packed one
local function open_packed(path)
  local text = chunk.read(path .. "/index.json") or ""
  local self = setmetatable({ path = path, text = text, version = text:match(BEGINNING), known = {} }, Folder)
  if self.version then return self end
  local document = self:document()
  if not document or not document:names "services" then return nil end
  local version = document:value "botocore"
  self.version = type(version) == "string" and version or nil
  return self
end

---@param path string
---@return bide.aws.Folder? folder nil if there is no such folder, or it has no such data
function M.open(path)
  path = path:gsub("(.)/+$", "%1")
  local packed = open_packed(path)
  if packed then return packed end
  if not luv.fs_stat(path .. "/partitions.json") then return nil end
  return setmetatable({ path = path, version = version_of(path) }, Folder)
end

return M
