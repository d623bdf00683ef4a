---What specs of protocols share: requests and answers as they are compared.

local base64 = require "bide.base64"
local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local data = require "spec.support.data"
local lxp = require "lxp"

local json = core.json

local M = {}

---The lines of a file of the data, each a JSON value; nil where the file is absent.
function M.lines(name)
  local text = data.read(name)
  if not text then return nil end
  local values = {}
  for line in text:gmatch "[^\n]+" do values[#values + 1] = json.decode(line) end
  return values
end

---The headers by which a service says that it speaks a protocol.
---@param id string of the protocol, or any text with its name
---@return table<string, string>
function M.headers_of(id)
  local kind = id:match "rpcv2(%a+)"
  return kind and { ["Smithy-Protocol"] = "rpc-v2-" .. kind:lower() } or {}
end

---What CBOR has and JSON has not.
local function canonical_scalar(value)
  local bytes = cbor.bytes_of(value)
  return bytes and "bytes " .. json.encode(base64.encode(bytes)) or ("tag %d %s"):format(value.tag, M.canonical(value.value))
end

---A value with sorted keys and one form of numbers.
function M.canonical(value)
  if type(value) == "number" then return ("%.14g"):format(value) end
  if type(value) ~= "table" then return json.encode(value) end
  if getmetatable(value) and getmetatable(value).is_scalar then return canonical_scalar(value) end
  local parts = {}
  if json.is_array(value) and next(value) then
    for position, one in ipairs(value) do parts[position] = M.canonical(one) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for key, one in pairs(value) do parts[#parts + 1] = json.encode(key) .. ":" .. M.canonical(one) end
  table.sort(parts)
  return #parts == 0 and "empty" or "{" .. table.concat(parts, ",") .. "}"
end

local function decode_escapes(text)
  return (text:gsub("+", " "):gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

---A query or a form as a sorted list of NAME=VALUE.
function M.pairs_of(text)
  local found = {}
  for one in text:gmatch "[^&]+" do
    local name, value = one:match "^([^=]*)=?(.*)$"
    found[#found + 1] = decode_escapes(name) .. "=" .. decode_escapes(value)
  end
  table.sort(found)
  return table.concat(found, "\n")
end

---A list of names and values in the same form.
function M.joined(list)
  local found = {}
  for position, pair in ipairs(list) do found[position] = pair[1] .. "=" .. pair[2] end
  table.sort(found)
  return table.concat(found, "\n")
end

---Parameters of Smithy's tests in bide's form: a blob is Base64 there, not text.
---@param model bide.Model
---@param id string of the shape
function M.params(model, id, value)
  local shape = model:shape(id)
  if shape.type == "blob" and type(value) == "string" then return base64.encode(value) end
  if type(value) ~= "table" then return value end
  local converted = json.decode(json.encode(value))
  if shape.type == "structure" or shape.type == "union" then
    for _, member in ipairs(shape.members) do
      if value[member.name] ~= nil then converted[member.name] = M.params(model, member.target, value[member.name]) end
    end
  elseif shape.type == "list" or shape.type == "map" then
    local element = shape.members[#shape.members].target
    for key, one in pairs(value) do converted[key] = M.params(model, element, one) end
  end
  return converted
end

---The root of a document of XML: an element has a name, attributes, a text and elements.
local function parse(text)
  local open = { {} }
  local parser = lxp.new {
    StartElement = function(_, name, attributes)
      local element = { name = name, attributes = attributes, text = "" }
      table.insert(open[#open], element)
      open[#open + 1] = element
    end,
    CharacterData = function(_, piece) open[#open].text = open[#open].text .. piece end,
    EndElement = function() table.remove(open) end,
  }
  assert(parser:parse(text))
  assert(parser:parse())
  parser:close()
  return open[1][1]
end

---Reports whether an element is an entry of a map: the order of those is free.
local function is_entry(element)
  return element.name == "entry" or #element == 2 and element[1].name == "key" and element[2].name == "value"
end

---A document of XML as text, without the white space between elements, and with attributes and elements sorted.
function M.tree(text)
  local function picture(element)
    local parts, attributes = {}, {}
    for name, value in pairs(element.attributes) do
      if type(name) == "string" then attributes[#attributes + 1] = name .. "=" .. value end
    end
    for position, child in ipairs(element) do
      local place = is_entry(child) and 0 or position
      parts[position] = ("%s %04d%s"):format(child.name, place, picture(child))
    end
    table.sort(attributes)
    table.sort(parts)
    for position, part in ipairs(parts) do parts[position] = part:gsub("^%S+ %d%d%d%d", "") end
    if #parts == 0 then parts[1] = element.text end
    return ("<%s %s>%s</>"):format(element.name, table.concat(attributes, " "), table.concat(parts))
  end
  return picture(parse(text))
end

---A header by its name, whatever the case.
function M.header(headers, name)
  for given, value in pairs(headers) do
    if given:lower() == name:lower() then return value end
  end
end

return M
