---Reads the texts of models: Smithy JSON ASTs and files of the Smithy IDL, several of them as one model, and botocore's
---files. A shape becomes a Lua table when it is asked for; until then a model is the documents that the C reader made.

local assembly = require "bide.model.assembly.model"
local core = require "bide.core"
local form_of = require "bide.recipe.file.form"
local read = require("bide.recipe.file.chunk").read
local references = require "bide.model.assembly.references"
local rules = require "bide.model.assembly.rules"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

local json = core.json

---The options of reading the files of people. Models of tools may hold what only the lenient reader takes.
local written = { lenient = true, unique = true }

---@class bide.ModelError: table every problem of a model that could not be opened
---@field problems bide.ModelProblem[]
local ModelError = {}
ModelError.__index = ModelError

function ModelError:__tostring()
  return M.describe_all(self.problems)
end

---Says a problem in one line.
---@param problem bide.ModelProblem
---@return string
function M.describe(problem)
  local place = problem.line and ("%s:%d:%d"):format(problem.file, problem.line, problem.column) or problem.file
  return shown.line(("%s: %s%s"):format(place, problem.shape and problem.shape .. ": " or "", problem.message))
end

---Says problems, one in a line.
---@param problems bide.ModelProblem[]
---@return string
function M.describe_all(problems)
  return table.concat(tables.mapped(problems, M.describe), "\n")
end

-- ---- files ----------------------------------------------------------------------------------

---@class bide.ModelText
---@field file string
---@field text string
---@field document? bide.Document of the text, if it has been read

---Finds the place of the nearest part that has one.
local function place_of_idl(text, places)
  local lexer = require "bide.model.syntax.lexer"
  return function(path)
    while path ~= "" do
      local applied = path:gsub("^\nshapes\n", "\napplied\n")
      local at = places[path] or places[applied]
      if at then return lexer.place(text, at) end
      path = path:match "^(.*)\n[^\n]*$" or ""
    end
  end
end

local function note(problems, given, mistake)
  table.insert(problems, { file = given.file, line = mistake.line, column = mistake.column, message = mistake.message })
end

---Returns a table that gives the types of what ASTs define, by id, when they are asked for.
---@param sources bide.ModelSource[]
---@return table<string, string>
local function types_within(sources)
  local asts = tables.joined(sources)
  return setmetatable({}, { __index = function(_, id)
    for _, source in ipairs(asts) do
      local kind = source.document:value("shapes", id, "type")
      if type(kind) == "string" and kind ~= "apply" then return kind end
    end
  end })
end

---Reads files of the IDL; what a name means depends on all of them.
---@param texts bide.ModelText[]
---@param sources bide.ModelSource[] gets one for each
---@param problems bide.ModelProblem[]
local function read_idl(texts, sources, problems)
  if #texts == 0 then return end
  local idl, lexer = require "bide.model.syntax.idl", require "bide.model.syntax.lexer"
  local names = require "bide.model.assembly.names"
  local files, defined = {}, types_within(sources)
  for position, given in ipairs(texts) do
    local file = idl.read(given.text)
    for _, mistake in ipairs(file.mistakes) do note(problems, given, mistake) end
    for id, kind in names.ids(file) do defined[id] = kind end
    files[position] = file
  end
  for position, given in ipairs(texts) do
    local text, places, mistakes = names.write(files[position], defined)
    for _, mistake in ipairs(mistakes) do
      local line, column = lexer.place(given.text, mistake.at)
      note(problems, given, { line = line, column = column, message = mistake.message })
    end
    sources[#sources + 1] = { file = given.file, text = given.text, is_idl = true,
      document = assert(json.read(text, { lenient = true })), place = place_of_idl(given.text, places) }
  end
end

---Returns the value of a service-2.json; nil if its structure is wrong.
---@param given bide.ModelText
---@return table?
local function service_of(document, given, problems)
  local service = document:value()
  local mistakes = require("bide.model.botocore.structure").mistakes(service)
  for _, mistake in ipairs(mistakes) do
    local line, column = require "bide.model.syntax.json_place"(given.text, mistake.path)
    note(problems, given, { line = line, column = column, message = mistake.message })
  end
  return #mistakes == 0 and service or nil
end

---@param given bide.ModelText
local function read_ast(given, sources, problems)
  local document, mistake = given.document, nil
  if not document then document, mistake = json.read(given.text, written) end
  if not document then return note(problems, given, mistake) end
  local kind = form_of(document)
  if kind == "service" then
    local service = service_of(document, given, problems)
    if not service then return end
    document = assert(json.document(require("bide.model.botocore.shapes").ast_of(service)))
  end
  sources[#sources + 1] = { file = given.file, text = given.text, document = document, is_packed = kind == "packed",
    place = function(path) return require "bide.model.syntax.json_place"(given.text, path) end }
end

---Returns how many seconds botocore waits at the most for each waiter of a packed service.
---@param document bide.Document
---@return table<string, integer>
local function longest_waits_of(document)
  local given, longest = document:value("metadata", "botocore", "longestWaits"), {}
  for name, seconds in pairs(type(given) == "table" and given or {}) do
    if math.type(seconds) == "integer" then longest[name] = seconds end
  end
  return longest
end

---Assembles a model of texts.
---@param texts bide.ModelText[]
---@return bide.Model model with the problems of all its texts
function M.of_texts(texts)
  local idl, sources, problems = {}, {}, {}
  for _, given in ipairs(texts) do
    if given.file:find "%.smithy$" then idl[#idl + 1] = given else read_ast(given, sources, problems) end
  end
  read_idl(idl, sources, problems)
  local model = assembly.new(sources)
  tables.append(problems, model.problems)
  model.problems = problems
  if #sources == 1 and sources[1].is_packed then
    model.is_botocore, model.longest_waits = true, longest_waits_of(sources[1].document)
    rules.check_waited(model)
  end
  references.check(model)
  rules.check(model)
  return model
end

---Returns the service's file beside a waiters-2.json.
---@param file string
---@return string? found
function M.file_beside(file)
  return require("bide.model.botocore.data_file").find((file:gsub("[^/]*$", "service-2.json")))
end

---Reads the service-2.json beside a waiters-2.json.
---@return table?
local function read_service(file, text, unread, problems)
  if unread then note(problems, { file = M.file_beside(file) }, { message = unread }) end
  if not text then return nil end
  local given = { file = M.file_beside(file) or file, text = text }
  local document, mistake = json.read(text, written)
  if document and form_of(document) == "service" then return service_of(document, given, problems) end
  note(problems, given, mistake
    or { line = 1, column = 1, message = "expected a service-2.json, with metadata, operations and shapes" })
end

---Returns where a part of the AST that botocore's files became is in them: the waiters in the one, all else in the other.
---@param given bide.ModelText the waiters-2.json
---@param service { text: string?, value: table? } the service-2.json
local function place_of_botocore(given, service)
  return function(path)
    local json_place, members = require "bide.model.syntax.json_place", require("bide.model.botocore.waiters").members
    local within = path:match "\nsmithy%.waiters#waitable(.*)$"
    if within or not service.text then return json_place(given.text, "\nwaiters" .. (within and members(within) or "")) end
    local name, rest = path:match "^\nshapes\n[^#]*#([^\n]*)(.*)$"
    local kind = service.value and service.value.operations[name] and "operations" or "shapes"
    local line, column = json_place(service.text, ("\n%s\n%s%s"):format(kind, name, rest))
    return line, column, M.file_beside(given.file)
  end
end

---Opens botocore's waiters, with the shapes of the service if its file is there.
---@param file string a waiters-2.json
---@param text string
---@param service string? the text of the service-2.json beside it
---@param unread string? why that cannot be read
---@return bide.Model
function M.of_botocore(file, text, service, unread)
  local botocore, problems, given = require "bide.model.botocore.waiters", {}, { file = file, text = text }
  local waiters, wrong, member = botocore.of_document(assert(json.read(text, { lenient = true })))
  if wrong then
    local line, column = require "bide.model.syntax.json_place"(text, "\n" .. member)
    note(problems, given, { line = line, column = column, message = wrong })
  end
  local converted = botocore.convert(waiters)
  local whole = read_service(file, service, unread, problems)
  local place = place_of_botocore(given, { text = service, value = whole })
  for _, mistake in ipairs(botocore.mistakes(converted, whole)) do
    local line, column = place("\nsmithy.waiters#waitable" .. mistake.path)
    note(problems, given, { line = line, column = column, message = mistake.message })
  end
  local model = assembly.new { { file = file, text = text, place = place,
    document = assert(json.document(botocore.ast(converted, whole))) } }
  model.is_botocore, model.is_untyped, model.longest_waits = true, whole == nil, converted.advice
  references.check(model)
  rules.check_waited(model)
  tables.append(problems, model.problems)
  model.problems = problems
  return model
end

---Returns the text of the service's file beside a waiters-2.json; nil if there is none.
---@param file string
---@return string? text
---@return string? unread why it cannot be read
function M.service_beside(file)
  local beside = M.file_beside(file)
  if not beside then return nil end
  local text, mistake = require("bide.model.botocore.data_file").read((beside:gsub("%.gz$", "")))
  return text, mistake and mistake:gsub("^" .. beside:gsub("%W", "%%%0") .. ": ", "") or nil
end

---@param model bide.Model
---@return bide.Model?
---@return bide.ModelError? problem
local function checked(model)
  if #model.problems == 0 then return model end
  return nil, setmetatable({ problems = model.problems }, ModelError)
end

---Opens one file in any of the forms of models.
---@return bide.Model?
---@return bide.ModelError|string|nil problem
local function open_file(file)
  local text, mistake = read(file)
  if not text then return nil, mistake end
  local document = not file:find "%.smithy$" and json.read(text, written)
  if not document or form_of(document) ~= "botocore" then return checked(M.of_texts { { file = file, text = text } }) end
  return checked(M.of_botocore(file, text, M.service_beside(file)))
end

---Opens a model of one file or several.
---@param files string[]
---@return bide.Model?
---@return bide.ModelError|string|nil problem
function M.open(files)
  if #files == 1 then return open_file(files[1]) end
  local texts = {}
  for position, file in ipairs(files) do
    local text, mistake = read(file)
    if not text then return nil, mistake end
    texts[position] = { file = file, text = text }
  end
  return checked(M.of_texts(texts))
end

---Returns how many seconds botocore waits at the most, for each waiter of a file; nil if the file is not botocore's.
---@param file string "waiters-2.json"
---@return table<string, integer>?
function M.longest_waits(file)
  local text = file:find "%.json$" and read(file)
  local document = text and json.read(text, { lenient = true })
  local kind = document and form_of(document)
  if kind == "packed" then return longest_waits_of(document) end
  local botocore = require "bide.model.botocore.waiters"
  return kind == "botocore" and botocore.convert((botocore.of_document(document))).advice or nil
end

return M
