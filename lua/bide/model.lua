---Models of services: Smithy JSON ASTs and files of the Smithy IDL, several of them as one model, botocore's files, and the
---services of AWS by their names.
---
---    local model = assert(require("bide.model").open "things.smithy")
---    local operation = model:operation "GetThing"
---    print(operation.output.members[1].name)

local reader = require "bide.model.assembly.reader"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"

require "bide.model.for_recipes"

local M = { of_texts = reader.of_texts, describe = reader.describe, describe_all = reader.describe_all }

---Returns how many seconds botocore waits at the most, for each waiter of a waiters-2.json or a service of AWS; nil for
---any other recipe.
---@param recipe string "waiters-2.json", "aws:rds"
---@return table<string, integer>?
function M.longest_waits(recipe)
  local service = recipe_path.service_of(recipe)
  if service then return require("bide.model.aws.data").longest_waits(service) end
  return reader.longest_waits(recipe)
end

---Opens a service of AWS by its name.
---@return bide.Model?
---@return bide.ModelError|string|nil problem
local function open_service(service)
  local file, mistake = recipe_path.find("aws:" .. service)
  if not file then return nil, mistake end
  local opened, found = require("bide.model.aws.data").first(service, function(path) return reader.open { path } end)
  if not opened then return nil, found end
  for _, warning in ipairs(found) do shown.warn(warning) end
  return opened
end

---Opens a model of one file or several, or of a service of AWS by its name.
---@param files string|string[] one of them may be "aws:rds" and the like, alone
---@return bide.Model?
---@return bide.ModelError|string|nil problem
function M.open(files)
  if type(files) == "string" then files = { files } end
  local service = #files == 1 and recipe_path.service_of(files[1])
  if service then return open_service(service) end
  return reader.open(files)
end

return M
