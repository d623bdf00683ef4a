---XML as the AWS protocols answer it. A document becomes a tree first, and the tree becomes an output by its shapes. A
---DOCTYPE is refused, so that entities cannot grow.

local core = require "bide.core"
local lxp = require "lxp"
local scalar = require "bide.protocol.scalar"
local traits = require "bide.protocol.traits"

local json = core.json

local M = {}

---@class bide.protocol.Element
---@field name string without its prefix
---@field text string
---@field attributes table<string, string>
---@field [integer] bide.protocol.Element

-- ---- the tree -------------------------------------------------------------------------------

local DEEPEST, PIECE = 512, 65536

---@return table callbacks for expat
local function callbacks_of(open)
  return {
    StartDoctypeDecl = function() error({ "the answer has a DOCTYPE, which is refused" }, 0) end,
    StartElement = function(_, name, attributes)
      if #open > DEEPEST then error({ "the answer is nested too deeply" }, 0) end
      local element = { name = name:match "[^:]*$", text = {}, attributes = attributes }
      table.insert(open[#open], element)
      open[#open + 1] = element
    end,
    CharacterData = function(_, text)
      table.insert(open[#open].text, text)
    end,
    EndElement = function()
      local element = table.remove(open)
      element.text = table.concat(element.text)
    end,
  }
end

local function feed(parser, piece)
  local ok, mistake, line, column = parser:parse(piece)
  if not ok then error({ ("the answer is not XML: %s, line %d, column %d"):format(mistake, line, column) }, 0) end
end

---@param text string
---@return bide.protocol.Element root
function M.parse(text)
  local document = { text = {} }
  local parser <close> = setmetatable({ expat = lxp.new(callbacks_of { document }) }, {
    __close = function(this) pcall(this.expat.close, this.expat) end, -- raises for a document that is truncated
  })
  for at = 1, #text, PIECE do feed(parser.expat, text:sub(at, at + PIECE - 1)) end
  feed(parser.expat)
  return document[1]
end

---@param element bide.protocol.Element
---@return bide.protocol.Element? the first of that name within it
function M.child(element, name)
  for _, child in ipairs(element) do
    if child.name == name then return child end
  end
end

-- ---- shapes ---------------------------------------------------------------------------------

local read

local function name_of(member)
  return member.traits[traits.xml_name] or member.name
end

local function read_list(model, target, elements)
  local list = json.array {}
  for position, element in ipairs(elements) do list[position] = read(model, target.members[1], element) end
  return list
end

local function read_map(model, target, entries)
  local object, key, value = {}, target.members[1], target.members[2]
  for _, entry in ipairs(entries) do
    local key_element, value_element = M.child(entry, name_of(key)), M.child(entry, name_of(value))
    if key_element and value_element then object[key_element.text] = read(model, value, value_element) end
  end
  return next(object) ~= nil and object or json.decode "{}"
end

local function read_structure(model, target, element)
  local object = M.read_members(model, target.members, element, {})
  return next(object) ~= nil and object or json.decode "{}"
end

local readers = { structure = read_structure, union = read_structure, list = read_list, set = read_list, map = read_map }

---@param model bide.Model
---@param member bide.ModelMember
---@param element bide.protocol.Element or a list of those that are flattened
function read(model, member, element)
  local target = model:shape(member.target)
  local reader = readers[target.type]
  if reader then return reader(model, target, element) end
  local is_text = target.type == "string" or target.type == "enum"
  local text = is_text and element.text or element.text:match "^%s*(.-)%s*$"
  local value = scalar.read(text, target)
  if value ~= nil then return value end
  error({ ("%s: expected the type %s, found %s"):format(member.name, target.type, json.encode(text)) }, 0)
end

M.read = read

local function children_of(element, name)
  local found = {}
  for _, child in ipairs(element) do
    if child.name == name then found[#found + 1] = child end
  end
  return found
end

---@param element bide.protocol.Element
local function read_member(model, member, element)
  local name = name_of(member)
  if member.traits[traits.xml_attribute] ~= nil then
    local text = element.attributes[name]
    return text and read(model, member, { text = text })
  end
  if member.traits[traits.xml_flattened] ~= nil then
    local elements = children_of(element, name)
    return #elements > 0 and read(model, member, elements) or nil
  end
  local child = M.child(element, name)
  if child then return read(model, member, child) end
end

---@param model bide.Model
---@param members bide.ModelMember[]
---@param element bide.protocol.Element
---@param output table gets the members
---@return table output
function M.read_members(model, members, element, output)
  for _, member in ipairs(members) do output[member.name] = read_member(model, member, element) end
  return output
end

return M
