---Checks what Smithy demands of shapes beyond their structure: the keys of a map are texts, the members of an intEnum have
---values of their own, and the path and the host prefix of an operation cannot lead to another host.

local option = require "bide.text.option"

local M = {}

---@param model bide.Model
---@param shape bide.ModelShape
---@param path string below the shape
local function report(model, shape, path, message)
  model:report(shape.source, ("\nshapes\n%s\n%s"):format(shape.id, path), { shape = shape.id, message = message })
end

---A target that is missing is another problem.
local is_text = { string = true, enum = true }

local function check_map(model, shape)
  local target = shape.members[1] and shape.members[1].target
  local kind = target and model:type_of(target)
  if not kind or is_text[kind] then return end
  report(model, shape, "key", ("the key of a map: expected a string or an enum, found %s, of type %s"):format(target, kind))
end

local ENUM_VALUE, LEAST, MOST = "smithy.api#enumValue", -2 ^ 31, 2 ^ 31 - 1

---@param names table<any, string> of members, by their values
local function mistake_of_value(value, names)
  local is_number = math.type(value) == "integer" and value >= LEAST and value <= MOST
  if not is_number then return option.expected("a whole number of 32 bits as the value", value) end
  if names[value] then return ("the value %d is that of %s, too"):format(value, names[value]) end
end

local function check_int_enum(model, shape)
  local names = {}
  for _, member in ipairs(shape.members) do
    local value = member.traits[ENUM_VALUE]
    local mistake = mistake_of_value(value, names)
    -- The reader of the IDL has refused values of another type already.
    if mistake and (value == nil or names[value] or not shape.source.is_idl) then
      report(model, shape, "members\n" .. member.name, ("%s: %s"):format(member.name, mistake))
    end
    if value ~= nil then names[value] = names[value] or member.name end
  end
end

local HTTP, ENDPOINT = "smithy.api#http", "smithy.api#endpoint"

---Returns what is wrong with the path of an operation; nil if nothing is.
---@return string?
local function mistake_of_uri(uri)
  if type(uri) ~= "string" or uri:sub(1, 1) ~= "/" then return option.expected('a path that begins with "/"', uri) end
end

---Returns what is wrong with the method of an operation. Blanks would begin another target, or another request.
---The form of the trait is judged elsewhere: other types have been refused there.
---@return string?
local function mistake_of_method(method)
  local is_right = type(method) ~= "string" or method:find "^[%w!#$%%&'*+.^_`|~-]+$"
  return not is_right and option.expected("a method of HTTP", method) or nil
end

---Returns what is wrong with the prefix of an operation's host: labels with dots between them, and names of members.
---@return string?
local function mistake_of_prefix(prefix)
  local fixed = type(prefix) == "string" and prefix:gsub("{[%w_]+}", "x")
  local is_right = fixed and fixed:find "^%w[%w.-]*$" and not fixed:find("..", 1, true) and not fixed:find("-.", 1, true)
    and not fixed:find(".-", 1, true)
  return not is_right and option.expected("labels of a host's name, with dots between them", prefix) or nil
end

---The members of traits by which a request finds its host.
local of_requests = {
  { HTTP, "method", mistake_of_method }, { HTTP, "uri", mistake_of_uri }, { ENDPOINT, "hostPrefix", mistake_of_prefix },
}

local function check_operation(model, shape)
  for _, rule in ipairs(of_requests) do
    local id, member, mistake_of = table.unpack(rule)
    local trait = shape.traits[id]
    local mistake = trait ~= nil and mistake_of(type(trait) == "table" and trait[member] or nil)
    if mistake then
      report(model, shape, ("traits\n%s\n%s"):format(id, member), ("%s: %s"):format(member, mistake))
    end
  end
end

---The rules of a type.
local rules = { map = check_map, intEnum = check_int_enum, operation = check_operation }

---Reports the operations with waiters that would lead to another host. Any file can have the form of botocore's or of
---packed data, and is no more trusted for that.
---@param model bide.Model
function M.check_waited(model)
  for id in model:waited_operations() do check_operation(model, model:shape(id)) end
end

---Reports the shapes that break a rule. Data in the packed form have been checked when they were packed, but for what
---decides about hosts.
---@param model bide.Model
function M.check(model)
  local types, origin = model.types, model.origin
  for _, id in ipairs(model.ids) do
    local rule = rules[types[id]]
    if rule and not origin[id].is_packed then rule(model, model:shape(id)) end
  end
end

return M
