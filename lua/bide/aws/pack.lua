---Packs botocore's data: of each service with waiters, the operations that the waiters call, the shapes that those reach
---and the endpoint rules, without documentation. The files are the same whenever the same data are packed, and of lines
---short enough that a change is a readable difference.

local core = require "bide.core"
local data_file = require "bide.model.data_file"
local folder = require "bide.aws.folder"
local option = require "bide.option"
local structure = require "bide.model.botocore_structure"

local json = core.json

local M = {}

-- ---- what is kept -----------------------------------------------------------------------------

local set = option.set

---The members that are kept, by what has them. What they lack is documentation, and constraints that only the service
---checks.
local kept = {
  operation = set [[name http endpoint authtype auth unsignedPayload staticContextParams operationContextParams
    httpChecksumRequired]],
  reference = set [[shape location locationName queryName resultWrapper payload flattened xmlNamespace xmlAttribute
    timestampFormat idempotencyToken hostLabel jsonvalue contextParam streaming]],
  shape = set [[type required enum error exception union document payload flattened locationName wrapper xmlNamespace
    xmlOrder timestampFormat sensitive retryable streaming sparse]],
  waiter = set "operation delay maxAttempts deprecated",
  acceptor = set "state matcher argument expected",
}

---Returns a table with the members that are kept.
local function only(given, names)
  local chosen = {}
  for name, value in pairs(given) do
    if names[name] then chosen[name] = value end
  end
  return chosen
end

---Returns a copy without documentation, which endpoint rules have at any depth.
local function undocumented(value)
  if type(value) ~= "table" then return value end
  local copy = json.is_array(value) and json.array {} or {}
  for name, member in pairs(value) do
    if name ~= "documentation" then copy[name] = undocumented(member) end
  end
  return next(copy) == nil and value or copy
end

-- ---- a service --------------------------------------------------------------------------------

---@class bide.aws.Packing
---@field given table the service-2.json
---@field shapes table<string, table> those that were reached
---@field inputs table<string, boolean> those among them that an input reaches
local Packing = {}
Packing.__index = Packing

local elements = { "member", "key", "value" }

---Takes a shape, and what it reaches. The values of an enumeration are kept for inputs only: of an answer, a service
---decides what it may be.
---@param name string
---@param is_input boolean
function Packing:take(name, is_input)
  if self.shapes[name] and (self.inputs[name] or not is_input) then return end
  local given = self.given.shapes[name]
  if not given then return end
  local shape = only(given, kept.shape)
  self.shapes[name], self.inputs[name] = shape, is_input
  if not is_input then shape.enum = nil end
  if given.members then shape.members = next(given.members) and {} or given.members end
  for member, reference in pairs(given.members or {}) do shape.members[member] = self:reference(reference, is_input) end
  for _, element in ipairs(elements) do
    if given[element] then shape[element] = self:reference(given[element], is_input) end
  end
end

function Packing:reference(given, is_input)
  self:take(given.shape, is_input)
  return only(given, kept.reference)
end

function Packing:operation(name)
  local given = self.given.operations[name]
  local operation = only(given, kept.operation)
  if given.input then operation.input = self:reference(given.input, true) end
  if given.output then operation.output = self:reference(given.output, false) end
  for position, one in ipairs(given.errors or {}) do
    operation.errors = operation.errors or json.array {}
    operation.errors[position] = self:reference(one, false)
  end
  return operation
end

local function waiter_of(given)
  local waiter = only(given, kept.waiter)
  waiter.acceptors = json.array {}
  for position, acceptor in ipairs(given.acceptors) do waiter.acceptors[position] = only(acceptor, kept.acceptor) end
  return waiter
end

---Raises `{ mistake }`.
local function refuse(...)
  error({ string.format(...) }, 0)
end

local function check_waiter(given, name, waiter)
  if type(waiter) ~= "table" or not json.is_array(waiter.acceptors) then
    refuse("the waiter %s: expected a list of acceptors", name)
  end
  for position, acceptor in ipairs(waiter.acceptors) do
    if type(acceptor) ~= "table" then
      refuse("the waiter %s: acceptors[%d]: %s", name, position, option.expected("an object", acceptor))
    end
  end
  if not given.operations[waiter.operation or ""] then
    refuse("the waiter %s: there is no operation %s", name, option.describe(waiter.operation))
  end
end

---Raises the first mistake in the documents that a service is packed from.
local function check_documents(given, waiters)
  local mistake = structure.mistakes(given)[1]
  if mistake then refuse("%s", mistake.message) end
  for _, name in ipairs(option.sorted_names(waiters)) do check_waiter(given, name, waiters[name]) end
end

---Packs a service of three documents. Raises `{ mistake }`.
---@param given table the service-2.json
---@param waiters table<string, table> of the waiters-2.json
---@param rules table? the endpoint-rule-set-1.json
---@return table packed a waiters-2.json that is a service-2.json too
function M.service(given, waiters, rules)
  check_documents(given, waiters)
  local packing = setmetatable({ given = given, shapes = {}, inputs = {} }, Packing)
  local packed = { version = 2, metadata = given.metadata, clientContextParams = given.clientContextParams,
    operations = {}, shapes = packing.shapes, waiters = {}, endpointRuleSet = rules and undocumented(rules) }
  for name, waiter in pairs(waiters) do
    packed.waiters[name] = waiter_of(waiter)
    packed.operations[waiter.operation] = packing:operation(waiter.operation)
  end
  packed.clientContextParams = packed.clientContextParams and undocumented(packed.clientContextParams)
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

---@param from bide.aws.Folder
---@param service string
---@return table? packed nil if it has no waiters
local function pack_service(from, service)
  local file = from:file(service)
  if not file then return nil end
  local waiters = read(file).waiters
  if type(waiters) ~= "table" or json.is_array(waiters) then
    refuse("%s: waiters: %s", file, option.expected("an object", waiters))
  end
  if next(waiters) == nil then return nil end
  local beside = file:gsub("waiters%-2%.json$", "")
  local rules = data_file.find(beside .. "endpoint-rule-set-1.json") and read(beside .. "endpoint-rule-set-1.json")
  local ok, packed = pcall(M.service, read(beside .. "service-2.json"), waiters, rules or nil)
  if ok then return packed end
  if type(packed) == "table" then refuse("%sservice-2.json: %s", beside, packed[1]) end
  return error(packed, 0)
end

---@return bide.aws.ServiceFacts
local function facts_of(packed)
  local facts = { apiVersion = packed.metadata.apiVersion, fullName = packed.metadata.serviceFullName, waiters = {} }
  for name, waiter in pairs(packed.waiters) do
    facts.waiters[name] = { operation = waiter.operation, delay = waiter.delay, maxAttempts = waiter.maxAttempts }
  end
  return facts
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
left out. One file has what is in waiters-2.json, service-2.json and endpoint-rule-set-1.json of botocore; partitions.json
is the same document; index.json lists the services and their waiters.

To make them again, from the folder data of another botocore:

    bide aws pack FOLDER -o scripts/aws
]]

---Packs a folder of botocore's data.
---@param path string
---@return table<string, string>? texts of the files of the packed folder, by their names
---@return string|integer mistake or the number of services
function M.folder(path)
  local from = folder.open(path)
  if not from or from.index then
    return nil, ("%s: expected a folder of botocore's data, with SERVICE/VERSION/waiters-2.json"):format(path)
  end
  local texts, index, count = {}, { botocore = from.version, services = {} }, 0
  local ok, raised = pcall(function()
    for _, service in ipairs(from:services()) do
      local packed = pack_service(from, service)
      if packed then
        texts[service .. ".json"], index.services[service], count = M.text(packed), facts_of(packed), count + 1
      end
    end
    texts["partitions.json"] = M.text(read(from.path .. "/partitions.json"))
  end)
  if not ok then return nil, type(raised) == "table" and raised[1] or error(raised, 0) end
  if count == 0 then return nil, ("%s: found no service with waiters"):format(path) end
  texts["index.json"] = M.text(index)
  texts.NOTICE = NOTICE:format(from.version and " " .. from.version or "")
  return texts, count
end

return M
