---Reads YAML, in which kubeconfig files and lists of waits are written. Its types are those of JSON, and a null is absent.
---Tags are refused; an alias is the same table as its anchor.

local rounded = require "bide.text.rounded"

local M = {}

---The most values in a file, and the most that are within each other.
local MOST_VALUES, DEEPEST = 100000, 64

---The form of what becomes a document of JSON: the text is one document, nothing is left out, and all values of an alias are
---counted each time, since the document has a copy of them.
---@class bide.yaml.Form
---@field null any the value of a null
---@field array fun(list: table): table marks a list
---@field new_object fun(): table returns an empty object

---The plain scalars that are no strings.
local constants = { ["true"] = true, ["True"] = true, ["false"] = false, ["False"] = false }
local nulls = { [""] = true, ["~"] = true, null = true, Null = true, NULL = true }

---@class bide.yaml.Reader
---@field next fun(): table the next event of libyaml
---@field event table the current one
---@field anchors table<string, any>
---@field count integer of the values so far
---@field form? bide.yaml.Form
---@field sizes table<string, integer> the values of each anchor, those of aliases within it counted again
---@field lines integer[] the line of each member of a list that is the document
local Reader = {}
Reader.__index = Reader

---Raises a mistake with its place, as a table: a string would be a bug.
function Reader:fail(text)
  local mark = self.event.start_mark
  error({ mistake = ("line %d, column %d: %s"):format(mark.line + 1, mark.column + 1, text) }, 0)
end

---Returns a mistake that libyaml found, its place first.
---@param text string of libyaml, in lines
---@return string
local function mistake_of(text)
  local words, line, column, rest = text:match "^(.-) at document: 1, line: (%d+), column: (%d+)(.*)$"
  if not words then return (text:gsub("%s*\n%s*", ", "):gsub("[, ]+$", "")) end
  local advice = words:find "tab character" and ": indent by blanks"
    or words:find "mapping values are not allowed" and ": look at the indentation, or quote a text with a colon" or ""
  local context = rest:gsub("line: (%d+), column: (%d+)", "line %1, column %2"):gsub("%s*\n%s*", ", "):gsub("[, ]+$", "")
  return ("line %s, column %s: %s%s%s"):format(line, column, words, advice, context)
end

function Reader:advance()
  local ok, event = pcall(self.next)
  if not ok then error({ mistake = mistake_of(tostring(event)) }, 0) end
  self.event = event
  return event
end

---@param form? bide.yaml.Form
local function value_of(event, form)
  local text = event.value
  if not event.plain_implicit then return text end
  if nulls[text] then return form and form.null end
  if constants[text] ~= nil then return constants[text] end
  return text:find "^[-+]?%.?%d" and tonumber(text) or text
end

local read

---@param reader bide.yaml.Reader
local function read_sequence(reader, depth, list)
  while reader:advance().type ~= "SEQUENCE_END" do
    if depth == 2 then reader.lines[#reader.lines + 1] = reader.event.start_mark.line + 1 end
    list[#list + 1] = read(reader, depth)
  end
  return reader.form and reader.form.array(list) or list
end

---@param reader bide.yaml.Reader
local function read_mapping(reader, depth, map)
  while reader:advance().type ~= "MAPPING_END" do
    if reader.event.type ~= "SCALAR" then reader:fail "expected a name, found another value" end
    local name = reader.event.value
    if map[name] ~= nil then reader:fail(("the name %q is there twice"):format(name)) end
    reader:advance()
    map[name] = read(reader, depth)
  end
  return map
end

---Reads the value that begins with the current event.
---@param reader bide.yaml.Reader
function read(reader, depth)
  local event, before = reader.event, reader.count
  reader.count = reader.count + (reader.form and event.type == "ALIAS" and reader.sizes[event.anchor] or 1)
  if reader.count > MOST_VALUES then reader:fail(("more than %d values"):format(MOST_VALUES)) end
  if depth > DEEPEST then reader:fail(("values are nested more than %d deep"):format(DEEPEST)) end
  if event.tag then reader:fail(("expected a value without a tag, found %s"):format(event.tag)) end
  if event.type == "ALIAS" then
    local value = reader.anchors[event.anchor]
    if value == nil then reader:fail(("there is no anchor %q before it"):format(event.anchor)) end
    return value
  end
  local value
  if event.type == "SCALAR" then
    value = value_of(event, reader.form)
    local mistake = math.type(value) == "float" and rounded(event.value)
    if mistake then reader:fail(mistake) end
  elseif event.type == "SEQUENCE_START" then
    value = read_sequence(reader, depth + 1, {})
  else
    value = read_mapping(reader, depth + 1, reader.form and reader.form.new_object() or {})
  end
  if event.anchor then reader.anchors[event.anchor], reader.sizes[event.anchor] = value, reader.count - before end
  return value
end

---Reads the first document of a text.
---@param text string
---@param form? bide.yaml.Form
---@return any? value nil if the text is empty, or a mistake
---@return string? mistake "line 3, column 5: …"
---@return integer[]? lines of the members of a list
function M.read(text, form)
  local reader = setmetatable({
    next = require("yaml").parser(text), anchors = {}, sizes = {}, lines = {}, count = 0, form = form,
  }, Reader)
  local ok, result = pcall(function()
    reader:advance()
    if reader:advance().type ~= "DOCUMENT_START" then return nil end
    reader:advance()
    local value = read(reader, 1)
    if form and reader:advance() and reader:advance().type ~= "STREAM_END" then
      reader:fail "expected one document, found another one"
    end
    return value
  end)
  if ok then return result, nil, reader.lines end
  if type(result) == "table" and result.mistake then return nil, result.mistake end
  error(result, 0)
end

return M
