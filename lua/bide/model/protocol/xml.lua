---Reads XML as the AWS protocols answer it. Each element becomes a value as the parser hands it over, so there is no tree;
---the text is parsed in pieces, and between two of them the loop handles what is due. A DOCTYPE is refused, so that
---entities cannot grow.

local yield = require "bide.task.yield"
local core = require "bide.core"
local lxp = require "lxp"
local retries = require "bide.task.retries"
local scalar = require "bide.model.protocol.scalar"
local tables = require "bide.text.tables"
local traits = require "bide.model.protocol.traits"

local json = core.json

local M = {}

---The deepest that elements may be nested, and the bytes that are parsed between two steps of the loop.
local DEEPEST, PIECE = 512, 8192

---The most bytes, in whole pieces, of a tag or a comment. With each piece expat begins again at its start, and it hands over
---all attributes at once.
local LARGEST = 128 * 1024

-- ---- plans ----------------------------------------------------------------------------------

---The way to read an element. It is made once for each member of a shape.
---@class bide.protocol.XmlPlan
---@field kind string the type of the shape
---@field start? fun(reader: bide.protocol.XmlReader, plan: bide.protocol.XmlPlan, attributes: table): table
---@field open? fun(plan: bide.protocol.XmlPlan, value: table, name: string): bide.protocol.XmlPlan|false?, table?, any
---  returns the plan of an element within it, and the table and the key of its value; nil skips it, and false one too many
---@field finish fun(reader: bide.protocol.XmlReader, plan: bide.protocol.XmlPlan, depth: integer)

local plan_of

---By members, and lists of them.
---@type table<table, bide.protocol.XmlPlan>
local plans = setmetatable({}, { __mode = "k" })

local function name_of(member)
  return member.traits[traits.xml_name] or member.name
end

-- ---- plans of scalars -----------------------------------------------------------------------

local function finish_scalar(reader, plan, depth)
  reader:put(depth, reader:scalar(plan, reader:text(depth)))
end

local function scalar_plan(_, _, target)
  return { kind = target.type, target = target, finish = finish_scalar,
    is_text = target.type == "string" or target.type == "enum" }
end

-- ---- plans of lists and maps ----------------------------------------------------------------

local function finish_list(reader, _, depth)
  reader:put(depth, reader.values[depth])
end

local function list_plan(model, _, target)
  local element = target.members[1]
  return { kind = "list", finish = finish_list, start = function() return json.array {} end,
    open = function(_, list) return plan_of(model, element), list, #list + 1 end }
end

local function finish_entry(reader, _, depth)
  local entry = reader.values[depth]
  if entry.key ~= nil and entry.value ~= nil then reader.into[depth][entry.key] = entry.value end
end

---The plan of an entry of a map, which is a key and a value.
local function entry_plan(model, target)
  local key, value = target.members[1], target.members[2]
  return { kind = "entry", finish = finish_entry, start = function() return {} end, open = function(_, entry, name)
    if name == name_of(key) then return plan_of(model, key), entry, "key" end
    if name == name_of(value) then return plan_of(model, value), entry, "value" end
  end }
end

local function finish_object(reader, _, depth)
  local object = reader.values[depth]
  reader:put(depth, tables.as_object(object))
end

local function map_plan(model, _, target)
  local entry = entry_plan(model, target)
  return { kind = "map", finish = finish_object, start = function() return {} end,
    open = function(_, map) return entry, map end }
end

-- ---- plans of structures --------------------------------------------------------------------

---Of several elements for one member, the first counts; the others are noted.
local function open_member(member_plan, object, name)
  if object[name] == nil then return member_plan, object, name end
  return false, object, name
end

local function open_flat_list(element, object, name)
  local list = object[name] or json.array {}
  object[name] = list
  return element, list, #list + 1
end

local function open_flat_map(entry, object, name)
  local map = object[name] or tables.as_object {}
  object[name] = map
  return entry, map
end

---Returns how the element of a member is opened.
local function opening_of(model, member)
  local target = model:shape(member.target)
  local is_flat = member.traits[traits.xml_flattened] ~= nil
  if is_flat and target.type == "map" then return open_flat_map, entry_plan(model, target) end
  if is_flat and (target.type == "list" or target.type == "set") then
    return open_flat_list, plan_of(model, target.members[1])
  end
  return open_member, plan_of(model, member)
end

local function open_element(plan, object, name)
  local member = plan.elements[name]
  if not member then return nil end
  if not member.open then member.open, member.plan = opening_of(plan.model, member.member) end
  return member.open(member.plan, object, member.member.name)
end

local function start_structure(reader, plan, attributes)
  local object = {}
  for _, member in ipairs(plan.attributes) do
    local text = attributes[name_of(member)]
    if text then object[member.name] = reader:scalar(plan_of(plan.model, member), text, member.name) end
  end
  return object
end

---Returns the plan of a structure with some members.
---@param members bide.ModelMember[] a list that stays the same
local function members_plan(model, members)
  if plans[members] then return plans[members] end
  local plan = { kind = "structure", model = model, elements = {}, attributes = {}, start = start_structure,
    open = open_element, finish = finish_object }
  for _, member in ipairs(members) do
    if member.traits[traits.xml_attribute] ~= nil then
      table.insert(plan.attributes, member)
    else
      plan.elements[name_of(member)] = { member = member }
    end
  end
  plans[members] = plan
  return plan
end

local function structure_plan(model, _, target)
  return members_plan(model, target.members)
end

local function finish_union(reader, plan, depth)
  local object = reader.values[depth]
  if next(object, (next(object))) ~= nil then reader:note(depth, "union of one member") end
  finish_object(reader, plan, depth)
end

local function union_plan(model, _, target)
  local plan = tables.merged(members_plan(model, target.members))
  plan.finish = finish_union
  return plan
end

local makers = { structure = structure_plan, union = union_plan, list = list_plan, set = list_plan, map = map_plan }

---@param model bide.Model
---@param member bide.ModelMember
---@return bide.protocol.XmlPlan
function plan_of(model, member)
  local plan = plans[member]
  if plan then return plan end
  local target = model:shape(member.target)
  plan = (makers[target.type] or scalar_plan)(model, member, target)
  plans[member] = plan
  return plan
end

-- ---- the reader -----------------------------------------------------------------------------

---@class bide.protocol.XmlReader
---@field depth integer of the open element
---@field has_read boolean whether something has ended since a piece was fed
---@field plans (bide.protocol.XmlPlan|false)[] by depth; false for an element that is skipped
---@field values table[]
---@field texts (string|string[]|false)[]
---@field into table[] where the value is put
---@field keys any[]
local Reader = {}
Reader.__index = Reader

---Returns the place of an element, such as `Reservations[0].Size`.
---@param depth integer
---@param name string? of an attribute of it
function Reader:place(depth, name)
  local place = ""
  for level = 1, depth do
    local key = self.keys[level]
    place = place .. (math.type(key) and ("[%d]"):format(key - 1) or type(key) == "string" and "." .. key or "")
  end
  return ((place .. (name and "." .. name or "")):gsub("^%.", ""))
end

---Returns the members that lead to an element. The key and the value of an entry of a map are no members of anything.
---@param depth integer
---@param name string? of an attribute of it
---@return string[]
function Reader:names(depth, name)
  local names = {}
  for level = 1, depth do
    local key, outer = self.keys[level], self.plans[level - 1]
    if type(key) == "string" and outer.kind ~= "entry" then names[#names + 1] = key end
  end
  names[#names + 1] = name
  return names
end

---Notes that an element is not what its shape says.
---@param kind string the type of the shape
---@param name string? of an attribute of it
function Reader:note(depth, kind, name)
  local names = self:names(depth, name)
  if #names > 0 then scalar.note(names, self:place(depth, name), kind) end
end

---Notes that a member has one more element than the one that was read.
---@param name string
function Reader:note_again(depth, name)
  self.keys[depth] = name
  retries.odd(self:names(depth), ("the answer has more than one element for %s"):format(self:place(depth)))
end

function Reader:put(depth, value)
  self.into[depth][self.keys[depth]] = value
end

---Reads a text. An empty one is no value, unless the shape is a text.
---@param text string
---@param attribute string? the name of the member, if the text is an attribute
function Reader:scalar(plan, text, attribute)
  if not plan.is_text then text = text:match "^%s*(.-)%s*$" end
  local value = scalar.read(text, plan.target)
  if value ~= nil or text == "" then return value end
  self:note(self.depth, plan.kind, attribute)
  return text
end

function Reader:text(depth)
  local text = self.texts[depth]
  return type(text) == "table" and table.concat(text) or text or ""
end

function Reader:start_element(name, attributes)
  self.has_read = true
  local outer, depth = self.plans[self.depth], self.depth + 1
  if depth > DEEPEST then error({ ("the answer: expected at most %d levels of elements, found more"):format(DEEPEST) }, 0) end
  name = name:match "^.*:(.*)$" or name
  local plan, into, key
  if outer and outer.open then plan, into, key = outer:open(self.values[self.depth], name) end
  self.depth, self.plans[depth] = depth, plan or false
  if plan == false then self:note_again(depth, key) end
  if not plan then return end
  self.into[depth], self.keys[depth], self.texts[depth] = into, key or false, false
  self.values[depth] = plan.start and plan.start(self, plan, attributes) or false
end

function Reader:add_text(text)
  self.has_read = true
  local plan, given = self.plans[self.depth], self.texts[self.depth]
  if not plan then return end
  if plan.open then
    if text:find "%S" then self:note(self.depth, plan.kind) end
    return
  end
  if not given then
    self.texts[self.depth] = text
  elseif type(given) == "string" then
    self.texts[self.depth] = { given, text }
  else
    given[#given + 1] = text
  end
end

function Reader:end_element()
  self.has_read = true
  local depth = self.depth
  local plan = self.plans[depth]
  if plan then plan.finish(self, plan, depth) end
  self.depth = depth - 1
end

---@param reader bide.protocol.XmlReader
---@return table callbacks for expat
local function callbacks_of(reader)
  return {
    StartDoctypeDecl = function() error({ "the answer has a DOCTYPE, which is refused" }, 0) end,
    StartElement = function(_, name, attributes) reader:start_element(name, attributes) end,
    CharacterData = function(_, text) reader:add_text(text) end,
    EndElement = function() reader:end_element() end,
    Comment = function() reader.has_read = true end,
    ProcessingInstruction = function() reader.has_read = true end,
  }
end

local function feed(parser, piece)
  local ok, mistake, line, column = parser:parse(piece)
  if not ok then error({ ("the answer is not XML: %s, line %d, column %d"):format(mistake, line, column) }, 0) end
end

---Reads a document.
---@param text string
---@param root bide.protocol.XmlPlan within which the root is an element
---@param value table of that plan
local function read(text, root, value)
  local reader = setmetatable({ depth = 0, plans = { [0] = root }, values = { [0] = value }, texts = {}, into = {},
    keys = {} }, Reader)
  local parser <close> = setmetatable({ expat = lxp.new(callbacks_of(reader)) }, {
    __close = function(this) pcall(this.expat.close, this.expat) end, -- raises for a document that is truncated
  })
  local unread = 0
  for at = 1, #text, PIECE do
    if at > 1 then yield() end
    reader.has_read = false
    feed(parser.expat, text:sub(at, at + PIECE - 1))
    unread = reader.has_read and 0 or unread + PIECE
    if unread > LARGEST then
      error({ ("the answer: expected tags and comments of at most %d KiB, found a larger one"):format(LARGEST // 1024) }, 0)
    end
  end
  feed(parser.expat)
end

-- ---- documents ------------------------------------------------------------------------------

---The key of an output that is not a member of anything.
local OUTPUT = {}

---Returns a plan for which one element within it counts.
---@param plan bide.protocol.XmlPlan of that element
---@param key any of its value
---@param name string? of the element; nil for any
---@param is_single? boolean whether another one of that name is a mistake
local function only(plan, key, name, is_single)
  return { kind = "only", finish = function() end, start = function(reader) return reader.values[0] end,
    open = function(_, value, given)
      if name and given ~= name then return nil end
      if value[key] == nil then return plan, value, key end
      if is_single then error({ ("the answer: expected one <%s>, found more"):format(given) }, 0) end
    end }
end

---The roots of documents that are no output, whatever their status: errors, which S3 says with a status of 200 as well, and
---pages.
local is_no_output = { Error = true, ErrorResponse = true, html = true }

---Returns a plan for the root of an output.
---@param plan bide.protocol.XmlPlan within which the root is an element
---@param own string? the name that the model has for the root; nil for an error, whose root is not looked at
local function of_output(plan, own)
  if not own then return plan end
  return { kind = plan.kind, open = function(_, value, name)
    if is_no_output[name] and name ~= own then
      error({ ("the answer: expected <%s>, found <%s>"):format(own, name) }, 0)
    end
    return plan:open(value, name)
  end }
end

---Gives an output the members that were found.
---@param found table?
---@return boolean has_member whether there is one
local function take(output, found)
  for name, one in pairs(found or {}) do output[name] = one end
  return next(found or {}) ~= nil
end

---Reads a document whose root has the members of a structure.
---@param model bide.Model
---@param members bide.ModelMember[]
---@param text string
---@param output table gets the members
---@param own string? the name that the model has for the root
---@return boolean has_member whether one of them is there
function M.read_members(model, members, text, output, own)
  local value = {}
  read(text, of_output(only(members_plan(model, members), OUTPUT), own), value)
  return take(output, value[OUTPUT])
end

---Reads an answer whose root is named, and has the members of a structure, or the element that has them. Raises a mistake
---if it has not.
---@param model bide.Model
---@param members bide.ModelMember[]
---@param text string
---@param output table gets the members
---@param root string the name of the root
---@param wrapper string? the name of the element in the root that has the members, instead of the root
function M.read_answer(model, members, text, output, root, wrapper)
  if not text:find "%S" then error({ ("the answer: expected <%s>, found an empty body"):format(root) }, 0) end
  local value, found = {}, nil
  local inner = only(members_plan(model, members), OUTPUT, wrapper, wrapper ~= nil)
  local function open_root(_, into, name)
    found = found or name
    if name ~= root then return nil end
    if wrapper then return inner, into, false end
    return inner.open(inner, into, name)
  end
  read(text, { open = open_root }, value)
  if found ~= root then error({ ("the answer: expected <%s>, found <%s>"):format(root, tostring(found)) }, 0) end
  if wrapper and value[OUTPUT] == nil then
    error({ ("the answer: expected <%s> in <%s>, found none"):format(wrapper, root) }, 0)
  end
  take(output, value[OUTPUT])
end

---Reads the error of a document: the members of its first element `Error`, which is the root or within others.
---@param model bide.Model
---@param members bide.ModelMember[]
---@param text string
---@param output table gets the members
function M.read_error(model, members, text, output)
  local value, outer = {}, nil
  local inner = only(members_plan(model, members), OUTPUT, "Error")
  outer = { kind = "outer", finish = inner.finish, start = inner.start, open = function(_, _, name)
    if name == "Error" then return inner:open(value, name) end
    return outer, value, false
  end }
  read(text, outer, value)
  take(output, value[OUTPUT])
end

---Reads a document whose root is a member.
---@param model bide.Model
---@param member bide.ModelMember
---@param text string
---@param own string? the name that the model has for the root
---@return any value
function M.read_value(model, member, text, own)
  local value = {}
  read(text, of_output(only(plan_of(model, member), member.name), own), value)
  return value[member.name]
end

---Reads a document whose root is the one member of a structure.
---@param model bide.Model
---@param members bide.ModelMember[]
---@param text string
---@param output table gets the member
---@param own string? the name that the model has for the root
---@return boolean has_member whether it is there
function M.read_unwrapped(model, members, text, output, own)
  local found = {}
  read(text, of_output(members_plan(model, members), own), found)
  return take(output, found)
end

return M
