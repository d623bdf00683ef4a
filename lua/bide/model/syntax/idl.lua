---Reads a file of the Smithy IDL, 1.0 or 2.0, into statements (Smithy 2.0, IDL). Names stay as they were written: what
---they mean depends on the other files of the model, and bide.model.assembly.names resolves them.

local Parser = require "bide.model.syntax.parser"
local lexer = require "bide.model.syntax.lexer"
local nodes = require "bide.model.syntax.nodes"

local M = {}

---@class bide.IdlTrait
---@field name string
---@field at integer
---@field value bide.IdlNode? nil for an annotation

---@class bide.IdlMember
---@field name string
---@field at integer
---@field traits bide.IdlTrait[]
---@field target string? nil for one that takes its target from a mixin or a resource
---@field value bide.IdlNode? the default, or the value of an enumeration

---@class bide.IdlShape
---@field type string
---@field name string without its namespace
---@field at integer
---@field traits bide.IdlTrait[]
---@field mixins string[]
---@field resource string? whose members a structure takes
---@field members bide.IdlMember[]? of an aggregate shape or an enumeration
---@field body bide.IdlNode? of a service or a resource
---@field input string?
---@field output string?
---@field errors string[]?

---@class bide.IdlFile
---@field version "1.0"|"2.0"
---@field control table<string, bide.IdlNode>
---@field metadata { key: string, at: integer, value: bide.IdlNode }[]
---@field namespace string?
---@field uses { name: string, at: integer }[]
---@field shapes bide.IdlShape[]
---@field applied { target: string, at: integer, traits: bide.IdlTrait[] }[]
---@field mistakes { line: integer, column: integer, message: string }[]

local simple = {}
for name in ("blob boolean document string byte short integer long float double bigInteger bigDecimal timestamp")
  :gmatch "%a+" do simple[name] = true end
local enumerations = { enum = true, intEnum = true }
local aggregates = { list = true, set = true, map = true, union = true, structure = true }
local entities = { service = true, resource = true }

---Fails if the version of the file is not the one that has this.
local function check_version(parser, wanted, at, what)
  if parser.version ~= wanted then
    parser:fail_at(at, ("%s: expected version %s of the IDL, found %s"):format(what, wanted, parser.version))
  end
end

-- ---- traits ---------------------------------------------------------------------------------

local function documentation_of(token)
  return { name = "smithy.api#documentation", at = token.at,
    value = { kind = "string", at = token.at, text = token.documentation } }
end

---`(key: value …)` is an object, `(value)` a value, `()` nothing.
local function read_trait_body(parser)
  local open = parser:take()
  if parser:accept ")" then return nil end
  local following = parser.tokens[parser.position + 1]
  local is_structure = (parser:peek().kind == "identifier" or parser:peek().kind == "string") and following.kind == ":"
  if not is_structure then
    local value = nodes.value(parser)
    parser:expect(")", '")"')
    return value
  end
  local object = { kind = "object", at = open.at, pairs = {} }
  while not parser:accept ")" do nodes.pair(parser, object) end
  return object
end

local function read_trait(parser)
  local at = parser:take().at
  if parser:peek().is_apart then parser:fail_expected "the name of a trait directly after @" end
  local trait = { name = parser:shape_id(), at = at }
  if parser:peek().kind == "(" then
    if parser:peek().is_apart then
      local found = parser:peek().line_break and "a line break" or "a blank"
      parser:fail_at(parser.tokens[parser.position - 1].finish,
        ('expected "(" directly after the name of a trait, found %s'):format(found))
    end
    trait.value = read_trait_body(parser)
  end
  return trait
end

---Reads the traits in front of a shape or a member, and the documentation comments in front of those.
---@return bide.IdlTrait[]
local function read_traits(parser)
  local traits = { parser:peek().documentation and documentation_of(parser:peek()) }
  while parser:peek().kind == "@" do traits[#traits + 1] = read_trait(parser) end
  return traits
end

-- ---- members --------------------------------------------------------------------------------

local function read_assignment(parser, member)
  local mark = parser:peek()
  if mark.kind ~= "=" or mark.line_break then return end
  check_version(parser, "2.0", mark.at, "the value of a member")
  parser:take()
  parser:same_line "a value"
  member.value = nodes.value(parser)
  parser:line_ends()
end

local function read_target(parser, member)
  if not parser:accept "$" then
    local name = parser:expect("identifier", "the name of a member")
    member.name, member.at = name.text, name.at
    parser:expect(":", '":"')
    member.target = parser:shape_id()
    return
  end
  check_version(parser, "2.0", member.at, "a member without a target")
  if parser:peek().is_apart then parser:fail_expected "a name directly after $" end
  member.name = parser:expect("identifier", "the name of a member").text
end

local function read_member(parser)
  local member = { traits = read_traits(parser), at = parser:peek().at }
  read_target(parser, member)
  read_assignment(parser, member)
  return member
end

local function read_enum_member(parser)
  local traits, name = read_traits(parser), parser:expect("identifier", "the name of a member")
  local member = { traits = traits, name = name.text, at = name.at, target = "smithy.api#Unit" }
  read_assignment(parser, member)
  return member
end

local function read_members(parser, read)
  local members, taken = {}, {}
  parser:expect("{", '"{"')
  while not parser:accept "}" do
    local member = read(parser)
    if taken[member.name] then parser:fail_at(member.at, ("the member %s is there already"):format(member.name)) end
    taken[member.name] = true
    members[#members + 1] = member
  end
  return members
end

---@param on_any_line? boolean whether the word may begin a line, as it may in an inline structure
local function read_mixins(parser, on_any_line)
  local word = parser:peek()
  if word.kind ~= "identifier" or word.text ~= "with" or word.line_break and not on_any_line then return {} end
  check_version(parser, "2.0", word.at, "a mixin")
  parser:take()
  parser:expect("[", '"["')
  local names = {}
  repeat names[#names + 1] = parser:shape_id() until parser:accept "]"
  return names
end

local function read_resource(parser)
  local word = parser:peek()
  if word.kind ~= "identifier" or word.text ~= "for" or word.line_break then return nil end
  check_version(parser, "2.0", word.at, "a structure for a resource")
  parser:take()
  return parser:shape_id()
end

-- ---- operations -----------------------------------------------------------------------------

---`input := { … }`: a structure of its own, whose name is made of the operation's.
local function read_inline(parser, file, operation, property)
  local mark = parser:take()
  check_version(parser, "2.0", mark.at, "an inline " .. property)
  local suffix = file.control[property == "input" and "operationInputSuffix" or "operationOutputSuffix"]
  local shape = { type = "structure", at = mark.at, traits = read_traits(parser) }
  shape.name = operation.name .. (suffix and suffix.text or property == "input" and "Input" or "Output")
  shape.resource, shape.mixins = read_resource(parser), read_mixins(parser, true)
  table.insert(shape.traits, { name = "smithy.api#" .. property, at = mark.at })
  shape.members = read_members(parser, read_member)
  table.insert(file.shapes, shape)
  return shape.name
end

local function read_names(parser)
  local names = {}
  parser:expect("[", '"["')
  while not parser:accept "]" do names[#names + 1] = parser:shape_id() end
  return names
end

local function read_property(parser, file, operation)
  local word = parser:expect("identifier", "input, output or errors")
  local name = word.text
  if name ~= "input" and name ~= "output" and name ~= "errors" then
    parser:fail_at(word.at, ("expected input, output or errors, found %s"):format(name))
  end
  if operation[name] then parser:fail_at(word.at, ("the operation has its %s already"):format(name)) end
  if parser:peek().kind == ":=" and name ~= "errors" then
    operation[name] = read_inline(parser, file, operation, name)
    return
  end
  parser:expect(":", '":"')
  operation[name] = name == "errors" and read_names(parser) or parser:shape_id()
end

local function read_operation(parser, file, shape)
  parser:expect("{", '"{"')
  while not parser:accept "}" do
    read_property(parser, file, shape)
    if parser:peek().kind ~= "}" then parser:apart "a blank or a line break" end
  end
end

-- ---- shapes ---------------------------------------------------------------------------------

local required_members = { list = { "member" }, set = { "member" }, map = { "key", "value" } }

---The members that a list and a map have; a mixin may bring them.
local function check_members(parser, shape)
  local wanted = required_members[shape.type] or {}
  local have = {}
  for _, member in ipairs(shape.members) do
    have[member.name] = true
    if #wanted > 0 and member.name ~= wanted[1] and member.name ~= wanted[2] then
      parser:fail_at(member.at, ("a %s has no member %s, expected %s"):format(shape.type, member.name,
        table.concat(wanted, " and ")))
    end
  end
  for _, name in ipairs(wanted) do
    if not have[name] and #shape.mixins == 0 then
      parser:fail_at(shape.at, ("the %s %s has no member %s"):format(shape.type, shape.name, name))
    end
  end
end

local INT_MIN, INT_MAX = -2 ^ 31, 2 ^ 31 - 1

---Checks the value of an enumeration's member.
local function check_enum_value(parser, shape, member)
  local value = member.value
  if not value then return end
  if shape.type == "enum" and value.kind ~= "string" then
    parser:fail_at(value.at, ("%s: a member of an enum is a string, found %s"):format(member.name, value.text or value.kind))
  end
  local number = shape.type == "intEnum" and value.kind == "number" and math.tointeger(tonumber(value.text))
  if shape.type == "intEnum" and not (number and not value.text:find "[.eE]" and number >= INT_MIN and number <= INT_MAX) then
    parser:fail_at(value.at, ("%s: expected a whole number of 32 bits, found %s"):format(member.name, value.text or value.kind))
  end
end

local function read_enumeration(parser, shape)
  check_version(parser, "2.0", shape.at, "the type " .. shape.type)
  shape.members = read_members(parser, read_enum_member)
  if #shape.members == 0 then parser:fail_at(shape.at, ("the %s %s has no member"):format(shape.type, shape.name)) end
  for _, member in ipairs(shape.members) do check_enum_value(parser, shape, member) end
end

local function read_entity(parser, shape)
  if parser:peek().kind ~= "{" then parser:fail_expected '"{"' end
  shape.body = nodes.value(parser)
  for _, pair in ipairs(shape.body.pairs) do
    if shape.type == "resource" and pair.key == "properties" then
      check_version(parser, "2.0", pair.at, "properties of a resource")
    end
  end
end

local function read_shape_body(parser, file, shape)
  if aggregates[shape.type] then
    shape.resource = read_resource(parser)
    shape.mixins = read_mixins(parser)
    shape.members = read_members(parser, read_member)
    return check_members(parser, shape)
  end
  shape.mixins = read_mixins(parser)
  if enumerations[shape.type] then return read_enumeration(parser, shape) end
  if entities[shape.type] then return read_entity(parser, shape) end
  if shape.type == "operation" then return read_operation(parser, file, shape) end
end

local function read_shape(parser, file, traits)
  local word = parser:expect("identifier", "a shape")
  local kind = word.text
  if not (simple[kind] or enumerations[kind] or aggregates[kind] or entities[kind] or kind == "operation") then
    parser:fail_at(word.at, ("expected the type of a shape, found %s"):format(kind))
  end
  if kind == "set" then check_version(parser, "1.0", word.at, "the type set") end
  parser:apart()
  parser:same_line "a name"
  local name = parser:expect("identifier", "the name of a shape")
  local shape = { type = kind, name = name.text, at = name.at, traits = traits }
  local place = #file.shapes + 1
  read_shape_body(parser, file, shape)
  table.insert(file.shapes, place, shape) -- in front of its inline structures
end

local function read_apply(parser, file)
  local word = parser:take()
  parser:same_line "the name of a shape"
  local applied = { target = parser:shape_id(), at = word.at }
  if parser:peek().kind == "{" then
    parser:apart "a blank"
    parser:take()
    applied.traits = read_traits(parser)
    parser:expect("}", '"}" or a trait')
  elseif parser:peek().kind == "@" then
    parser:apart "a blank"
    applied.traits = { read_trait(parser) }
  else
    parser:fail_expected '"@" or "{"'
  end
  table.insert(file.applied, applied)
end

---A shape or an apply statement.
local function read_statement(parser, file)
  local first = parser:peek()
  if first.kind == "identifier" and first.text == "apply" then
    read_apply(parser, file)
  else
    read_shape(parser, file, read_traits(parser))
  end
  parser:line_ends()
end

-- ---- the head of a file ----------------------------------------------------------------------

local versions = { ["1"] = "1.0", ["1.0"] = "1.0", ["2"] = "2.0", ["2.0"] = "2.0" }

local function read_control(parser, file)
  parser:take()
  local key, at = nodes.key(parser)
  parser:same_line '":"'
  parser:expect(":", '":"')
  parser:same_line "a value"
  local value = nodes.value(parser)
  if file.control[key] then parser:fail_at(at, ("the control statement %s is there already"):format(key)) end
  file.control[key] = value
  if key == "version" then
    local version = value.kind == "string" and versions[value.text]
    if not version then parser:fail_at(value.at, 'expected the version "1.0" or "2.0"') end
    file.version, parser.version = version, version
  end
  parser:line_ends()
end

local function read_metadata(parser, file)
  parser:take()
  parser:same_line "a key"
  local key, at = nodes.key(parser)
  parser:same_line '"="'
  parser:expect("=", '"="')
  parser:same_line "a value"
  table.insert(file.metadata, { key = key, at = at, value = nodes.value(parser) })
  parser:line_ends()
end

local function read_use(parser, file)
  local at = parser:take().at
  parser:apart()
  parser:same_line "the id of a shape"
  local name_at = parser:peek().at
  local name = parser:shape_id()
  if not name:find("#", 1, true) then parser:fail_expected '"#"' end
  if name:find("$", 1, true) then parser:fail_at(name_at, "expected a shape, found a member: " .. name) end
  table.insert(file.uses, { name = name, at = at })
  parser:line_ends()
end

local function is_word(token, text)
  return token.kind == "identifier" and token.text == text
end

local function read_namespace(parser, file)
  if not is_word(parser:peek(), "namespace") then parser:fail_expected "a namespace" end
  parser:take()
  parser:same_line "a name"
  file.namespace = parser:namespace()
  parser:line_ends()
end

-- ---- files ----------------------------------------------------------------------------------

local function note(file, text, mistake)
  local line, column = lexer.place(text, mistake.at)
  table.insert(file.mistakes, { line = line, column = column, message = mistake.message })
end

---Runs a reader; a mistake is noted.
---@return boolean
local function attempt(parser, file, read)
  local ok, mistake = pcall(read, parser, file)
  if ok then return true end
  if not Parser.is_mistake(mistake) then error(mistake, 0) end
  note(file, parser.text, mistake)
  return false
end

---Reports whether the next token probably begins a statement: it is the first word of a line that is not indented.
local function is_at_statement(parser)
  local token = parser:peek()
  local begins = token.at == 1 or parser.text:sub(token.at - 1, token.at - 1) == "\n"
  return begins and (token.kind == "identifier" or token.kind == "@")
end

---Goes to where the next statement probably begins. It may be here, if the mistake is in all of the statement before.
---@param start integer the position of the token with which the broken statement began
local function recover(parser, start)
  parser.depth = 0
  while parser:peek().kind ~= "end" and (parser.position == start or not is_at_statement(parser)) do parser:take() end
end

local function read_head(parser, file)
  while parser:peek().kind == "$" do read_control(parser, file) end
  while is_word(parser:peek(), "metadata") do read_metadata(parser, file) end
  if parser:peek().kind == "end" then return end
  read_namespace(parser, file)
  while is_word(parser:peek(), "use") do read_use(parser, file) end
end

---@param text string
---@return bide.IdlFile
function M.read(text)
  local parser = Parser.new(text)
  local file = { version = "1.0", control = {}, metadata = {}, uses = {}, shapes = {}, applied = {}, mistakes = {} }
  local bad = utf8.len(text) == nil and select(2, utf8.len(text))
  if bad then
    note(file, text, { at = bad, message = "this is not UTF-8" })
    return file
  end
  if not attempt(parser, file, read_head) then return file end
  while parser:peek().kind ~= "end" and #file.mistakes < 20 do
    local start = parser.position
    if not attempt(parser, file, read_statement) then recover(parser, start) end
  end
  return file
end

return M
