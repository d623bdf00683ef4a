---The protocols awsQuery and ec2Query: an input is a form, and an answer is XML.

local scalar = require "bide.model.protocol.scalar"
local traits = require "bide.model.protocol.traits"
local web_address = require "bide.text.web_address"

local M = {}

---@class bide.protocol.Form
---@field model bide.Model
---@field is_ec2 boolean
---@field [integer] string NAME=VALUE, escaped
local Form = {}
Form.__index = Form

local function capitalised(name)
  return (name:gsub("^%l", string.upper))
end

function Form:name(member)
  local name = member.traits[traits.xml_name]
  if self.is_ec2 then return member.traits[traits.ec2_query_name] or capitalised(name or member.name) end
  return name or member.name
end

function Form:add(name, text)
  self[#self + 1] = web_address.escape(name) .. "=" .. web_address.escape(text)
end

---@param prefix string with its dot
function Form:add_members(prefix, members, input)
  for _, member in ipairs(members) do
    local value = input[member.name]
    if not scalar.is_missing(value) then self:add_value(prefix .. self:name(member), member, value) end
  end
end

---An empty list is the name alone; ec2Query leaves it out.
local function add_list(form, name, member, target, value)
  local element = target.members[1]
  if #value == 0 and not form.is_ec2 then return form:add(name, "") end
  if not form.is_ec2 and member.traits[traits.xml_flattened] == nil then
    name = name .. "." .. (element.traits[traits.xml_name] or "member")
  end
  local count = 0
  for _, one in ipairs(value) do
    if not scalar.is_missing(one) then
      count = count + 1
      form:add_value(("%s.%d"):format(name, count), element, one)
    end
  end
end

local function add_map(form, name, member, target, value)
  local key, element = target.members[1], target.members[2]
  if member.traits[traits.xml_flattened] == nil then name = name .. ".entry" end
  for position, one in ipairs(scalar.sorted_keys(member.name, value)) do
    local entry = ("%s.%d."):format(name, position)
    form:add(entry .. (key.traits[traits.xml_name] or "key"), one)
    form:add_value(entry .. (element.traits[traits.xml_name] or "value"), element, value[one])
  end
end

local function add_structure(form, name, _, target, value)
  form:add_members(name .. ".", target.members, value)
end

local adders = { structure = add_structure, union = add_structure, list = add_list, set = add_list, map = add_map }

---@param name string of the wire
---@param member bide.ModelMember
function Form:add_value(name, member, value)
  local target = self.model:shape(member.target)
  local add = adders[target.type]
  if not add then return self:add(name, scalar.write(value, member, target, "date-time")) end
  if not scalar.has_parts(target.type, value) then scalar.fail(member.name, target.type, value) end
  scalar.within(self, member.name, add, name, member, target, value)
end

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param input table
---@return bide.protocol.Request
local function request(service, operation, input)
  local form = setmetatable({ model = service.model, is_ec2 = service.is_ec2 }, Form)
  form:add("Action", operation.name)
  form:add("Version", service.shape.said.version or "")
  form:add_members("", operation.input.members, input)
  return { method = "POST", path = "/", query = {}, body = table.concat(form, "&"),
    headers = { ["Content-Type"] = "application/x-www-form-urlencoded; charset=utf-8" } }
end

---Reads an answer: its root is named for the operation. The output of awsQuery is within an element of its own, which is
---there if the output has members. Another document is the answer of another program, and so is an empty body, unless the
---output has no members.
local function read(service, shape, response, operation)
  local output, xml = {}, require "bide.model.protocol.xml"
  if not response.body:find "%S" and (not operation or #shape.members == 0) then return output end
  if operation then
    local wrapper = not service.is_ec2 and #shape.members > 0 and operation.name .. "Result" or nil
    xml.read_answer(service.model, shape.members, response.body, output, operation.name .. "Response", wrapper)
  else
    xml.read_error(service.model, shape.members, response.body, output)
  end
  return output
end

---@param service bide.protocol.Service
---@param is_ec2 boolean whether it speaks ec2Query, not awsQuery
function M.prepare(service, is_ec2)
  service.is_ec2, service.has_xml, service.request, service.read = is_ec2, true, request, read
end

return M
