---Packs botocore's data: of each service with waiters, the operations that the waiters call, the shapes that those reach
---and the endpoint rules, without documentation, as a JSON AST: a wait starts without converting anything. The waiters that
---only AWS's Smithy models have are packed beside botocore's. The files are the same whenever the same data are packed, and
---of lines short enough that a change is a readable difference.

local botocore = require "bide.model.botocore.waiters"
local core = require "bide.core"
local data_file = require "bide.model.botocore.data_file"
local folder = require "bide.model.aws.folder"
local option = require "bide.text.option"
local smithy_waiters = require "bide.model.aws.smithy"
local structure = require "bide.model.botocore.structure"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---Raises `{ mistake }`.
local function refuse(...)
  error({ string.format(...) }, 0)
end

-- ---- a service --------------------------------------------------------------------------------

local SERVICE_RULES = "smithy.rules#endpointRuleSet"

---The traits of shapes that limit the values which people give.
local of_inputs_only = { "smithy.api#enum", "smithy.api#length", "smithy.api#range" }

---Returns a copy without documentation, which endpoint rules have at any depth.
local function undocumented(value)
  if type(value) ~= "table" then return value end
  local copy = json.is_array(value) and json.array {} or {}
  for name, member in pairs(value) do
    if name ~= "documentation" then copy[name] = undocumented(member) end
  end
  return next(copy) == nil and value or copy
end

---Adds the waiters of Smithy's model to those of botocore.
---@param converted bide.BotocoreWaiters
---@param given table the service-2.json
---@param added bide.aws.SmithyWaiter[]
local function add_waiters(converted, given, added)
  for _, one in ipairs(added) do
    if not given.operations[one.operation] then
      refuse("service-2.json: the waiter %s of Smithy's model: %s", one.name,
        option.expected("an operation of the service", one.operation, option.sorted_names(given.operations)))
    end
    local of_operation = converted.by_operation[one.operation] or {}
    converted.by_operation[one.operation], of_operation[one.name] = of_operation, one.waiter
  end
end

---Converts the waiters of a service. Raises `{ mistake }`.
---@param given table the service-2.json
---@param waiters table<string, table> of the waiters-2.json
---@param added bide.aws.SmithyWaiter[]
---@return bide.BotocoreWaiters
local function convert(given, waiters, added)
  local mistake = structure.mistakes(given)[1]
  if mistake then refuse("service-2.json: %s", mistake.message) end
  local converted = botocore.convert(waiters)
  mistake = botocore.mistakes(converted, given)[1]
  if mistake then refuse("waiters-2.json: %s", mistake.message) end
  add_waiters(converted, given, added)
  for _, of_operation in pairs(converted.by_operation) do
    for _, waiter in pairs(of_operation) do waiter.documentation = nil end
  end
  return converted
end

---Notes the shapes that a shape reaches.
---@param shapes table<string, table>
---@param id string
---@param reached table<string, true>
local function reach(shapes, id, reached)
  local shape = shapes[id]
  if reached[id] or not shape then return end
  reached[id] = true
  for _, member in pairs(type(shape.members) == "table" and shape.members or {}) do reach(shapes, member.target, reached) end
  for _, element in ipairs { "member", "key", "value" } do
    if shape[element] then reach(shapes, shape[element].target, reached) end
  end
end

---Drops what limits the values of answers: a service decides what those may be.
---@param shapes table<string, table>
local function drop_limits(shapes)
  local of_inputs = {}
  for _, shape in pairs(shapes) do
    if shape.type == "operation" and shape.input then reach(shapes, shape.input.target, of_inputs) end
  end
  for id, shape in pairs(shapes) do
    if shape.traits and not of_inputs[id] then
      for _, trait in ipairs(of_inputs_only) do shape.traits[trait] = nil end
      shape.traits = next(shape.traits) and shape.traits or nil
    end
  end
end

---Packs a service of three documents. Raises `{ mistake }`.
---@param given table the service-2.json
---@param waiters table<string, table> of the waiters-2.json
---@param rules table? the endpoint-rule-set-1.json
---@param added bide.aws.SmithyWaiter[]? the waiters that only Smithy's model has
---@return table packed a JSON AST
function M.service(given, waiters, rules, added)
  local converted = convert(given, waiters, added or {})
  local packed = botocore.ast(converted, given)
  packed.metadata = { botocore = { longestWaits = tables.as_object(converted.advice) } }
  drop_limits(packed.shapes)
  for _, shape in pairs(packed.shapes) do
    if shape.type == "service" then shape.traits[SERVICE_RULES] = rules and undocumented(rules) end
  end
  return packed
end

-- ---- text -------------------------------------------------------------------------------------

---The longest line of what can be broken.
local WIDTH = 120

---Writes a value on one line where it fits; else its members, in their order, on lines of their own. No line is indented:
---blanks would be a sixth of all bytes.
---@param value any
---@param lead string the name of the member before it
---@return string
local function write(value, lead)
  local text = assert(json.encode(value))
  if type(value) ~= "table" or #lead + #text <= WIDTH then return lead .. text end
  local lines, is_array = {}, json.is_array(value)
  if is_array then
    for position, element in ipairs(value) do lines[position] = write(element, "") end
  else
    for position, name in ipairs(option.sorted_names(value)) do
      lines[position] = write(value[name], json.encode(name) .. ":")
    end
  end
  return ("%s%s\n%s\n%s"):format(lead, is_array and "[" or "{", table.concat(lines, ",\n"), is_array and "]" or "}")
end

---Returns a packed document as the text of its file.
---@param document table
---@return string
function M.text(document)
  return write(document, "") .. "\n"
end

-- ---- a folder ---------------------------------------------------------------------------------

---@return table document
local function read(file)
  local text, unread = data_file.read(file)
  if not text then refuse("%s", unread) end
  local document, mistake = json.decode(text, { lenient = true })
  if not document then refuse("%s:%d:%d: %s", file, mistake.line, mistake.column, mistake.message) end
  if type(document) ~= "table" then refuse("%s: %s", file, option.expected("an object", document)) end
  return document
end

---@param given table the service-2.json
---@param waiters table<string, table>
---@param added bide.aws.SmithyWaiter[]
---@return bide.aws.ServiceFacts
local function facts_of(given, waiters, added)
  local facts = { apiVersion = given.metadata.apiVersion, fullName = given.metadata.serviceFullName, waiters = {} }
  for name, waiter in pairs(waiters) do
    facts.waiters[name] = { operation = waiter.operation, delay = waiter.delay, maxAttempts = waiter.maxAttempts }
  end
  for _, one in ipairs(added) do facts.waiters[one.name] = { operation = one.operation, delay = one.waiter.minDelay } end
  return facts
end

---Returns the waiters of a waiters-2.json.
---@return table<string, table>
local function read_waiters(file)
  local waiters = read(file).waiters
  if not tables.is_object(waiters) then
    refuse("%s: waiters: %s", file, option.expected("an object", waiters))
  end
  return waiters
end

---Sorts the waiters of Smithy's model of a service.
---@param known table<string, bide.aws.SmithyWaiter>
---@param waiters table<string, table> of botocore
---@return bide.aws.SmithyWaiter[] added those that botocore has not
---@return string[] both the names that both have
local function compare(known, waiters)
  local added, both, taken = {}, {}, {}
  for name in pairs(waiters) do taken[name:lower()] = name end
  for _, name in ipairs(option.sorted_names(known)) do
    local one = known[name]
    if taken[name] then both[#both + 1] = taken[name] elseif one.waiter then added[#added + 1] = one end
  end
  return added, json.array(both)
end

---Returns the member of smithy.json for a service; nil if its model has no waiters.
local function kept_of(added, both)
  local waiters = {}
  for _, one in ipairs(added) do
    waiters[one.operation] = waiters[one.operation] or {}
    waiters[one.operation][one.name] = one.waiter
  end
  if #added + #both == 0 then return nil end
  return { waiters = next(waiters) and waiters, inBoth = #both > 0 and both or nil }
end

---@class bide.aws.Packed
---@field document table
---@field facts bide.aws.ServiceFacts
---@field id string of the service
---@field kept table? what smithy.json has of it

---@param from bide.aws.Folder
---@param service string
---@param smithy bide.aws.SmithyWaiters
---@return bide.aws.Packed? packed nil if it has no waiters
local function pack_service(from, service, smithy)
  local file, beside = from:file(service), from:service_folder(service)
  local waiters = file and read_waiters(file) or {}
  if not beside or next(waiters) == nil and not smithy_waiters.may_have(smithy, service) then return nil end
  local given = read(beside .. "service-2.json")
  local id = type(given.metadata) == "table" and given.metadata.serviceId
  local added, both = compare(id and smithy.services[id] or {}, waiters)
  if next(waiters) == nil and #added == 0 then return nil end
  local rules = data_file.find(beside .. "endpoint-rule-set-1.json") and read(beside .. "endpoint-rule-set-1.json")
  local ok, packed = pcall(M.service, given, waiters, rules or nil, added)
  if ok then return { document = packed, facts = facts_of(given, waiters, added), id = id, kept = kept_of(added, both) } end
  if type(packed) == "table" then refuse("%s%s", beside, packed[1]) end
  return error(packed, 0)
end

local NOTICE = [[
The JSON files of this folder are made from the data of botocore%s,
https://github.com/boto/botocore

    Botocore
    Copyright 2012-2022 Amazon.com, Inc. or its affiliates. All Rights Reserved.

They are licensed under the Apache License, Version 2.0:
http://www.apache.org/licenses/LICENSE-2.0

They have been changed. Of each service whose data have waiters they keep the newest version: the waiters, the operations
that these call, the shapes that the operations reach, and the endpoint rules. Documentation and all other operations are
left out. One file has what is in waiters-2.json, service-2.json and endpoint-rule-set-1.json of botocore, converted to a
JSON AST of Smithy; partitions.json is the same document; index.json lists the services and their waiters.

The waiters in smithy.json are those of the Smithy models of AWS which botocore has not, without documentation. They are
packed beside botocore's, with the shapes of botocore. The models are those of%s
https://github.com/aws/api-models-aws

    Copyright Amazon.com, Inc. or its affiliates. All Rights Reserved.

They are licensed under the Apache License, Version 2.0, too.

To make all files again, from the folder data of another botocore and, where smithy.json shall be newer, from the archive of
another commit of api-models-aws:

    bide aws pack FOLDER --smithy FOLDER -o scripts/aws
]]

---@class bide.aws.Packing
---@field texts table<string, string> of files, by their names
---@field index table
---@field kept table<string, table> the services of smithy.json
---@field count integer of services

---@param packing bide.aws.Packing
---@param from bide.aws.Folder
---@param smithy bide.aws.SmithyWaiters
local function pack_all(packing, from, smithy)
  for _, service in ipairs(from:services()) do
    local packed = pack_service(from, service, smithy)
    if packed then
      packing.texts[service .. ".json"], packing.index.services[service] = M.text(packed.document), packed.facts
      packing.count = packing.count + 1
      if packed.kept then packing.kept[packed.id] = packed.kept end
    end
  end
  packing.texts["partitions.json"] = M.text(read(from.path .. "/partitions.json"))
end

---Packs a folder of botocore's data.
---@param path string
---@param smithy bide.aws.SmithyWaiters
---@return table<string, string>? texts of the files of the packed folder, by their names
---@return string|integer mistake or the number of services
function M.folder(path, smithy)
  local from = folder.open(path)
  if not from or from.text then
    return nil, ("%s: expected a folder of botocore's data, with SERVICE/VERSION/waiters-2.json"):format(path)
  end
  local packing = { texts = {}, index = { botocore = from.version, services = {} }, kept = json.decode "{}", count = 0 }
  local ok, raised = pcall(pack_all, packing, from, smithy)
  if not ok then return nil, type(raised) == "table" and raised[1] or error(raised, 0) end
  if packing.count == 0 then return nil, ("%s: found no service with waiters"):format(path) end
  local texts = packing.texts
  texts["index.json"] = M.text(packing.index)
  texts[smithy_waiters.FILE] = M.text { commit = smithy.commit, services = packing.kept }
  texts.NOTICE = NOTICE:format(from.version and " " .. from.version or "",
    smithy.commit and " the commit " .. smithy.commit .. " of" or "")
  return texts, packing.count
end

return M
