---The structure of a JSON AST: which shapes of a document are not as the AST has them. One search over the document
---finds them; a message is made for those only.

local core = require "bide.core"

local json = core.json

local M = {}

local function compile(text)
  return assert(core.jmespath.compile(text))
end

local is_object = compile "shapes == `null` || type(shapes) == 'object'"

---Finds whether a list has an element that is not a reference. A filter alone would leave out elements that are null.
local function has_others(name)
  return ("type(not_null(%s, `[]`)) != 'array' || length(map(&type(target), not_null(%s, `[]`))[?@ != 'string']) > `0`")
    :format(name, name)
end

local lists = { "mixins", "errors", "operations", "resources", "collectionOperations" }

local others = {}
for position, name in ipairs(lists) do others[position] = has_others(name) end

local shapes_of = compile((([[ shapes && {ids: keys(shapes), types: map(&type, values(shapes)),
    plain: map(&!mixins, values(shapes)), broken: map(&(type(@) != 'object' || contains(values(@), `null`)
      || type(type) != 'string' || type(not_null(traits, `{}`)) != 'object' || type(not_null(members, `{}`)) != 'object'
      || length(map(&(type(target) == 'string' && !contains(values(@), `null`)
        && type(not_null(traits, `{}`)) == 'object'), values(not_null(members, `{}`)))[?!@]) > `0`
      || OTHERS
      || length([member, key, value, input, output][?@ != `null` && type(target) != 'string']) > `0`), values(shapes))}
  || {ids: `[]`, types: `[]`, plain: `[]`, broken: `[]`} ]]):gsub("OTHERS", table.concat(others, " || "), 1)))

local function is_reference(value)
  return type(value) == "table" and type(value.target) == "string"
end

local references = { "member", "key", "value", "input", "output" }

---Says what is wrong with a shape.
local function mistake_of(raw)
  if type(raw) ~= "table" or json.is_array(raw) then return "expected a shape, an object" end
  if raw.type == nil then return "the shape has no type" end
  if type(raw.type) ~= "string" then return "type: expected a string" end
  for _, name in ipairs(references) do
    if raw[name] ~= nil and not is_reference(raw[name]) then return name .. ": expected an object with a target" end
  end
  for name, member in pairs(type(raw.members) == "table" and raw.members or {}) do
    if not is_reference(member) then return ("members.%s: expected an object with a target"):format(name) end
  end
  for _, name in ipairs { "members", "traits" } do
    local is_object_or_absent = raw[name] == nil or type(raw[name]) == "table" and not json.is_array(raw[name])
    if not is_object_or_absent then return name .. ": expected an object" end
  end
  return table.concat(lists, ", ") .. ": expected lists of objects with a target, and traits that are objects"
end

---@class bide.ModelOutline
---@field ids string[]
---@field types string[] of the shapes, one by one
---@field plain boolean[] whether each has no mixins
---@field broken boolean[]

---@param document userdata
---@return bide.ModelOutline?
function M.outline(document)
  if not assert(is_object:query(document)):value() then return nil end
  return assert(shapes_of:query(document)):value()
end

---@param document userdata
---@param id string
---@return string message
function M.mistake(document, id)
  return mistake_of(assert(compile("shapes." .. json.encode(id)):query(document)):value())
end

return M
