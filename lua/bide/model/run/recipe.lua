---A model as a recipe: its operations with their waiters, and with inputs that their shapes declare.

local assembly = require "bide.model.assembly.model"
local input_values = require "bide.model.run.input_values"
local inputs = require "bide.model.run.inputs"
local reader = require "bide.model.assembly.reader"
local output = require "bide.model.run.output"
local sensitive = require "bide.model.run.sensitive"
local spelling = require "bide.recipe.spelling"

local M = {}

local WAITABLE, QUERY_ERROR = assembly.WAITABLE, "aws.protocols#awsQueryError"

---Returns the names of the errors of an operation by the codes that the service sends in their place. A code that is the
---name of another error of the operation, or that two errors have, names no error but itself.
---@param operation bide.ModelOperation
---@return table<string, string>? names nil if every code is the name
local function error_names_of(operation)
  local names, taken = {}, {}
  for _, shape in ipairs(operation.errors) do taken[shape.id:match "#(.*)$"] = true end
  for _, shape in ipairs(operation.errors) do
    local trait = shape.traits[QUERY_ERROR]
    local code = type(trait) == "table" and type(trait.code) == "string" and trait.code
    if code then names[code], taken[code] = not taken[code] and shape.id:match "#(.*)$" or nil, true end
  end
  return next(names) and names or nil
end

---Returns a function that finds the sensitive members of an operation when it is first called.
---@param operation bide.ModelOperation
---@return fun(): string[]
local function sensitive_of(opened, operation)
  local names
  return function()
    names = names or sensitive.names(opened, { operation.input.id, operation.output.id })
    return names
  end
end

---An operation with its waiters, by their names.
---@alias bide.model.Waited { id: string, waiters: table<string, table> }

---Returns the operation with the waiter that a word names, in any spelling, and no other waiter; nil if the words name
---none, or several, so that what is wrong with the words or the data is found.
---@param all bide.model.Waited[]
---@param words string[]
---@return bide.model.Waited?
local function named_one(all, words)
  local found
  for _, waited in ipairs(all) do
    for name, waiter in pairs(waited.waiters) do
      for _, word in ipairs(words) do
        if word == name or spelling.find(word, { name }) then
          if found then return nil end
          found = { id = waited.id, waiters = { [name] = waiter } }
        end
      end
    end
  end
  return found
end

---Returns the operations that are made, with their waiters. EC2 has forty waiters: to make what one wait needs of all of
---them took a third of it.
---@param opened bide.Model
---@param words? string[] that name the only waiter which is needed
---@return bide.model.Waited[]
local function waited_operations(opened, words)
  local all = {}
  for id, waiters in opened:waited_operations() do all[#all + 1] = { id = id, waiters = waiters } end
  local one = words and named_one(all, words)
  return one and { one } or all
end

---@param opened bide.Model
---@param words? string[] that name the only waiter which is needed
---@return table<string, table> operations by name, as a Lua recipe returns them
---@return table<string, bide.ModelShape> shapes of the operations, by their waiters
---@return table<string, bide.ModelOperation> of the model, by name
local function operations_of(opened, words)
  local operations, shapes, of_model = {}, {}, {}
  for _, waited in ipairs(waited_operations(opened, words)) do
    local id, waiters = waited.id, waited.waiters
    local operation = opened:operation(id)
    local declared, token, secrets = inputs.of(opened, operation.input)
    operations[operation.name] = { waitable = waiters, input = declared, idempotencyToken = token, secret = secrets,
      error_names = error_names_of(operation), convert = output.converter(opened, operation.output.id),
      read_input = declared and input_values.reader(opened, operation.input), sensitive = sensitive_of(opened, operation) }
    of_model[operation.name] = operation
    for name in pairs(waiters) do shapes[name] = opened:shape(id) end
  end
  return operations, shapes, of_model
end

---Returns the services whose closures have each operation.
---@return table<string, string[]> names of services by the name of an operation
local function services_of(opened)
  local services = {}
  for _, id in ipairs(opened.service_ids) do
    for _, operation in ipairs(require "bide.model.protocol.closure"(opened, id)) do
      local name = operation:match "#(.*)$"
      services[name] = services[name] or {}
      table.insert(services[name], id:match "#(.*)$")
    end
  end
  return services
end

---Facts about a model that its recipe does not hold; each is found when it is asked for.
---@class bide.ModelFacts
---@field line_of fun(text: string, name: string): integer? the line of a waiter
---@field dangers fun(name: string): bide.check.Event[] why a waiter may wait for what cannot be
---@field services fun(operation: string): string[] the names of the services of an operation
---@field is_data? boolean whether it was found by the name of a service of AWS
---@field api_version? string of the service
---@field origin fun(name: string): string? says where a waiter of data is from
---@field file_beside? string the file with the shapes of botocore's waiters
---@field longest table<string, integer> how many seconds botocore waits at the most, by waiter
---@field connect fun(operation: string, connection: bide.Connection, words: fun(option: string): string):
---  bide.ConnectedOperation?, string? lets an operation be called, or says why it cannot

---@param shapes table<string, bide.ModelShape> of the operations, by their waiters
---@param of_model table<string, bide.ModelOperation> by name
---@param file string
---@param file_beside string?
---@return bide.ModelFacts
local function facts_of(opened, shapes, of_model, file, file_beside)
  local services
  local facts
  local service = opened.service_ids[1] and opened:shape(opened.service_ids[1])
  local function is_data()
    return facts.is_data or require("bide.model.aws.data").has(file)
  end
  facts = {
    line_of = function(_, name)
      local shape = shapes[name]
      return shape and (shape.source.place(("\nshapes\n%s\ntraits\n%s\n%s"):format(shape.id, WAITABLE, name)))
    end,
    longest = opened.longest_waits or {}, file_beside = file_beside,
    api_version = service and service.said.version,
    origin = function(name)
      local trait = service and is_data() and service.traits["aws.api#service"]
      local id = type(trait) == "table" and trait.sdkId
      return id and require("bide.model.aws.smithy").origin(file, id, name, facts.longest[name] ~= nil) or nil
    end,
    connect = function(operation, connection, words)
      local from = { file = file, is_data = is_data }
      return require("bide.model.run.connection").connect(of_model[operation], connection, words, from)
    end,
    dangers = function(name)
      local has_none = not shapes[name] or facts.is_data and require("bide.model.aws.data").is_own(file)
      return has_none and {} or require("bide.model.check.model").dangers(opened, shapes[name], name)
    end,
    services = function(operation)
      services = services or services_of(opened)
      return services[operation] or {}
    end,
  }
  return facts
end

---Reads the operations of a model that have waiters.
---@param file string
---@param text string
---@param is_botocore? boolean whether it is a waiters-2.json
---@param document? bide.Document of the text, if it has been read
---@param words? string[] of which one may name the only waiter that is needed
---@return table<string, table>? operations by name
---@return string|bide.ModelFacts mistake or what else is known
function M.read(file, text, is_botocore, document, words)
  local opened = is_botocore and reader.of_botocore(file, text, reader.service_beside(file))
    or reader.of_texts { { file = file, text = text, document = document } }
  if #opened.problems > 0 then return nil, reader.describe_all(opened.problems) end
  local operations, shapes, of_model = operations_of(opened, words)
  return operations, facts_of(opened, shapes, of_model, file, is_botocore and reader.file_beside(file) or nil)
end

return M
