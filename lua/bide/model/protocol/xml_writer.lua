---Writes XML as restXml sends it.

local scalar = require "bide.model.protocol.scalar"
local traits = require "bide.model.protocol.traits"

local M = {}

---@class bide.protocol.XmlWriter
---@field model bide.Model
---@field [integer] string the document so far
local Writer = {}
Writer.__index = Writer

---Line breaks and tabs are among them, since readers make blanks of those in attributes.
local entities = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["\r"] = "&#xD;", ["\n"] = "&#xA;",
  ["\t"] = "&#x9;" }

local function escape(text)
  return (text:gsub('[&<>"\r\n\t]', entities))
end

local function name_of(member)
  return member.traits[traits.xml_name] or member.name
end

---@param namespace { uri: string, prefix: string? }?
local function attribute_of(namespace)
  if not namespace then return "" end
  return (' xmlns%s="%s"'):format(namespace.prefix and ":" .. namespace.prefix or "", escape(namespace.uri))
end

function Writer:open(name, attributes)
  self[#self + 1] = "<" .. name .. attributes .. ">"
end

function Writer:close(name)
  self[#self + 1] = "</" .. name .. ">"
end

function Writer:scalar(member, value)
  return scalar.write(value, member, self.model:shape(member.target), "date-time")
end

-- ---- members --------------------------------------------------------------------------------

local function attributes_of(writer, members, value)
  local attributes = ""
  for _, member in ipairs(members) do
    local given = value[member.name]
    if member.traits[traits.xml_attribute] ~= nil and not scalar.is_missing(given) then
      attributes = attributes .. (' %s="%s"'):format(name_of(member), escape(writer:scalar(member, given)))
    end
  end
  return attributes
end

---@param members bide.ModelMember[]
function Writer:structure(name, namespace, members, value)
  self:open(name, attribute_of(namespace) .. attributes_of(self, members, value))
  for _, member in ipairs(members) do
    local given = value[member.name]
    if member.traits[traits.xml_attribute] == nil and not scalar.is_missing(given) then self:member(member, given) end
  end
  self:close(name)
end

local function write_structure(writer, name, member, target, value, namespace)
  writer:structure(name, namespace or member.traits[traits.xml_namespace], target.members, value)
end

---Calls a function within an element, or without one for what is flattened.
local function within(writer, name, member, f)
  if member.traits[traits.xml_flattened] ~= nil then return f() end
  writer:open(name, attribute_of(member.traits[traits.xml_namespace]))
  f()
  writer:close(name)
end

---The elements of a flattened list have the name and the namespace of the member.
local function write_list(writer, name, member, target, value)
  local element, namespace = target.members[1], nil
  local of_element = name_of(element)
  if member.traits[traits.xml_flattened] ~= nil then of_element, namespace = name, member.traits[traits.xml_namespace] end
  within(writer, name, member, function()
    for _, one in ipairs(value) do
      if not scalar.is_missing(one) then writer:value(of_element, element, one, namespace) end
    end
  end)
end

local function write_map(writer, name, member, target, value)
  local key, element = target.members[1], target.members[2]
  local of_entry, attribute = "entry", ""
  if member.traits[traits.xml_flattened] ~= nil then
    of_entry, attribute = name, attribute_of(member.traits[traits.xml_namespace])
  end
  within(writer, name, member, function()
    for _, one in ipairs(scalar.sorted_keys(member.name, value)) do
      writer:open(of_entry, attribute)
      writer:value(name_of(key), key, one)
      writer:value(name_of(element), element, value[one])
      writer:close(of_entry)
    end
  end)
end

local writers = { structure = write_structure, union = write_structure, list = write_list, set = write_list, map = write_map }

---@param name string of the element
---@param member bide.ModelMember
---@param namespace { uri: string, prefix: string? }? in place of the member's
function Writer:value(name, member, value, namespace)
  local target = self.model:shape(member.target)
  local write = writers[target.type]
  if write and not scalar.has_parts(target.type, value) then scalar.fail(member.name, target.type, value) end
  if write then return scalar.within(self, member.name, write, name, member, target, value, namespace) end
  self:open(name, attribute_of(namespace or member.traits[traits.xml_namespace]))
  self[#self + 1] = escape(self:scalar(member, value))
  self:close(name)
end

function Writer:member(member, value)
  self:value(name_of(member), member, value)
end

-- ---- the codec ------------------------------------------------------------------------------

---@class bide.protocol.RestXml
---@field model bide.Model
---@field namespace { uri: string, prefix: string? }? of the service
local RestXml = {}
RestXml.__index = RestXml

---Returns the name that a structure has as a root.
---@param shape bide.ModelShape
---@param name string? of the trait xmlName
local function root_of(shape, name)
  return name or shape.id:match "#(.*)$"
end

---Returns a document; "" if the input has none of the members.
---@param members bide.ModelMember[] those of the body
---@param input table
---@param shape bide.ModelShape which names the root
---@return string
function RestXml:encode(members, input, shape)
  local is_empty = true
  for _, member in ipairs(members) do is_empty = is_empty and scalar.is_missing(input[member.name]) end
  if is_empty then return "" end
  return self:document(shape.traits[traits.xml_name], shape, members, input, shape.traits[traits.xml_namespace])
end

function RestXml:document(name, shape, members, value, namespace)
  local writer = setmetatable({ model = self.model }, Writer)
  writer:structure(root_of(shape, name), namespace or self.namespace, members, value)
  return table.concat(writer)
end

---@param member bide.ModelMember
---@return string
function RestXml:encode_payload(member, value)
  local target = self.model:shape(member.target)
  return self:document(traits.of(member, target, traits.xml_name), target, target.members, value,
    traits.of(member, target, traits.xml_namespace))
end

---@param text string the body
---@param members bide.ModelMember[] those of the body
---@param output table gets the members
---@param operation bide.ModelOperation? nil for an error
---@return boolean? has_member
function RestXml:decode(text, members, output, operation)
  if not text:find "%S" then return false end
  local xml = require "bide.model.protocol.xml"
  local is_unwrapped = operation and operation.traits[traits.unwrapped_output] ~= nil
  local read = not operation and xml.read_error or is_unwrapped and xml.read_unwrapped or xml.read_members
  local shape = operation and operation.output
  return read(self.model, members, text, output, shape and root_of(shape, shape.traits[traits.xml_name]))
end

---@param text string the body
---@param member bide.ModelMember
---@param operation bide.ModelOperation? nil for an error
function RestXml:decode_payload(text, member, operation)
  local target = self.model:shape(member.target)
  local own = operation and root_of(target, traits.of(member, target, traits.xml_name))
  return require("bide.model.protocol.xml").read_value(self.model, member, text, own)
end

---@param service bide.protocol.Service
---@return bide.protocol.RestXml
function M.new(service)
  return setmetatable({ model = service.model, namespace = service.shape.traits[traits.xml_namespace],
    media_type = "application/xml" }, RestXml)
end

return M
