---The waiters that AWS's Smithy models have and botocore has not. Packed data keep them as traits in the file smithy.json;
---the shapes of their operations are those of botocore, which has models of the same services. Where both have a waiter of
---one name, botocore's counts, and the file has its name.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local data = require "bide.model.aws.data"
local definition = require "bide.recipe.waiter.definition"
local folder = require "bide.model.aws.folder"
local option = require "bide.text.option"
local reader = require "bide.model.assembly.reader"

local json = core.json

local M = {}

M.FILE = "smithy.json"

local TRAIT = "smithy.waiters#waitable"

---A waiter of a Smithy model.
---@class bide.aws.SmithyWaiter
---@field name string
---@field operation string
---@field waiter table? its structure; nil where only the name is known, since botocore has it

---@class bide.aws.SmithyWaiters
---@field commit string? of the repository that has the models
---@field services table<string, table<string, bide.aws.SmithyWaiter>> by the id of the service (its sdkId), and by names in
---lower case

-- ---- a folder of models -----------------------------------------------------------------------

---Returns a waiter without documentation.
---@return table? waiter
---@return string? mistake
local function read_waiter(name, given)
  if not definition.is_name(name) then return nil, option.expected(definition.NAME, name) end
  local problem = definition.first_error(definition.check(given, false))
  if problem then return nil, ("%s: %s%s"):format(name, problem.path ~= "" and problem.path .. ": " or "", problem.text) end
  local waiter = definition.portable_part(given)
  waiter.documentation = nil
  return waiter
end

---Adds the waiters of an operation.
---@param found table<string, bide.aws.SmithyWaiter>
---@return string? mistake
local function add_operation(found, operation, waiters)
  for _, name in ipairs(option.sorted_names(waiters)) do
    local waiter, mistake = read_waiter(name, waiters[name])
    local other = found[name:lower()]
    if waiter and other then
      mistake = ("%s of %s: the name is taken, whatever its case, by %s of %s"):format(name, operation, other.name,
        other.operation)
    end
    if mistake then return mistake end
    found[name:lower()] = { name = name, operation = operation, waiter = waiter }
  end
end

---Adds the waiters of a model.
---@param all bide.aws.SmithyWaiters
---@param file string
---@return string? mistake
local function add_file(all, file)
  local text, mistake = chunk.read(file)
  if not text or not text:find(TRAIT, 1, true) then return mistake end
  local opened = reader.of_texts { { file = file, text = text } }
  if #opened.problems > 0 then return reader.describe_all(opened.problems) end
  local service = opened.service_ids[1] and opened:shape(opened.service_ids[1]).traits["aws.api#service"]
  local id = type(service) == "table" and service.sdkId
  if type(id) ~= "string" then return ("%s: found no service with a sdkId"):format(file) end
  local found = all.services[id] or {}
  all.services[id] = found
  for operation, waiters in opened:waited_operations() do
    mistake = add_operation(found, operation:match "#(.*)$", waiters)
    if mistake then return ("%s: %s"):format(file, mistake) end
  end
end

---Returns the files of models: SERVICE/service/VERSION/NAME.json.
---@param path string
---@return string[]
local function files_of(path)
  local files = {}
  for _, service in ipairs(folder.names_in(path, "^[%w_-]+$")) do
    local versions = ("%s/%s/service"):format(path, service)
    for _, version in ipairs(folder.names_in(versions, "^%d%d%d%d%-")) do
      for _, name in ipairs(folder.names_in(versions .. "/" .. version, "%.json$")) do
        files[#files + 1] = ("%s/%s/%s"):format(versions, version, name)
      end
    end
  end
  return files
end

---Reads the waiters of a copy of the repository aws/api-models-aws. Its archive is a folder with the commit in its name.
---@param path string
---@return bide.aws.SmithyWaiters?
---@return string? mistake
function M.of_folder(path)
  path = path:gsub("(.)/+$", "%1")
  local all, files = { commit = path:match "%-(%x+)$", services = {} }, files_of(path)
  if #files == 0 then files = files_of(path .. "/models") end
  for _, file in ipairs(files) do
    local mistake = add_file(all, file)
    if mistake then return nil, mistake end
  end
  if not next(all.services) then
    return nil, ("%s: expected a folder of AWS's Smithy models, with SERVICE/service/VERSION/NAME.json"):format(path)
  end
  return all
end

---Reports whether the models may have waiters of a service that botocore has none of, by the usual name of its folder.
---@param smithy bide.aws.SmithyWaiters
---@param name string of the folder, as "autoscaling"
---@return boolean
function M.may_have(smithy, name)
  for id in pairs(smithy.services) do
    local usual = id:lower()
    if usual:gsub(" ", "") == name or usual:gsub(" ", "-") == name then return true end
  end
  return false
end

-- ---- the file of packed data ------------------------------------------------------------------

---Reads the file of a packed folder.
---@param path string the folder
---@return bide.aws.SmithyWaiters waiters none where it has no such file, or a broken one
function M.of_packed(path)
  local all, document = { services = {} }, json.read(chunk.read(path .. "/" .. M.FILE) or "", { lenient = true })
  local commit = document and document:value "commit"
  all.commit = type(commit) == "string" and commit or nil
  for _, id in ipairs(document and document:names "services" or {}) do
    local found, names = {}, document:value("services", id, "inBoth")
    for _, name in ipairs(type(names) == "table" and names or {}) do
      if type(name) == "string" then found[name:lower()] = { name = name } end
    end
    for _, operation in ipairs(document:names("services", id, "waiters") or {}) do
      local waiters = document:value("services", id, "waiters", operation)
      if type(waiters) == "table" then add_operation(found, operation, waiters) end
    end
    all.services[id] = found
  end
  return all
end

---Says where a waiter of data is from, as far as smithy.json knows it.
---@param file string the data, packed or not
---@param id string of the service
---@param name string of the waiter
---@param is_botocore boolean
---@return string? sentence
function M.origin(file, id, name, is_botocore)
  local beside = file:match "^(.*)/"
  local all = M.of_packed(chunk.read(beside .. "/" .. M.FILE) and beside or data.own_path)
  if not (all.services[id] or {})[name:lower()] then return nil end
  return is_botocore and "botocore's waiter; the Smithy model of the service has one of this name, too"
    or "of the Smithy model of the service; botocore has no waiter of this name"
end

return M
