---Converts waiters between the forms that bide reads: the Smithy JSON AST and IDL, botocore's waiters (to read only), Lua
---recipes and bare trait values. A member that the target cannot have is a mistake that names it, or is left out if the
---caller allows it.

local check = require "bide.model.check.model"
local core = require "bide.core"
local form_of = require "bide.recipe.file.form"
local matchers = require "bide.recipe.waiter.matchers"
local reader = require "bide.model.assembly.reader"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local writers = require "bide.model.convert.writers"
local sorted = require("bide.text.option").sorted_names

local json = core.json

local M = {}

M.targets = { "ast", "idl", "lua", "json" }

---Waiters on their way from one form to another.
---@class bide.Conversion
---@field model bide.Model? of the shapes; nil for a recipe and a trait
---@field texts bide.ModelText[]? of the model; nil for every other form
---@field operations { name: string?, id: string?, waiters: table<string, table> }[]

-- ---- reading ----------------------------------------------------------------------------------

---Returns the problems of a model, and of waiters with another structure than the trait's, which have no other form. Rules
---and expressions do not matter here.
---@param opened bide.Model
---@return bide.ModelProblem[]
local function problems_of(opened)
  local problems = {}
  for _, event in ipairs(check.check(opened)) do problems[#problems + 1] = event.id == "Model" and event or nil end
  return problems
end

---@param opened bide.Model
---@return bide.Conversion
local function of_model(opened)
  local conversion = { model = opened, operations = {} }
  for id, waiters in opened:waited_operations() do
    table.insert(conversion.operations, { name = id:match "#(.*)$", id = id, waiters = waiters })
  end
  return conversion
end

---@param recipe bide.Recipe
---@return bide.Conversion
local function of_recipe(recipe)
  local by_name = {}
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local operation = by_name[waiter.operation or ""] or { name = waiter.operation, waiters = {} }
    by_name[waiter.operation or ""], operation.waiters[name] = operation, waiter.definition
  end
  local conversion = { operations = {} }
  for _, name in ipairs(sorted(by_name)) do table.insert(conversion.operations, by_name[name]) end
  return conversion
end

local function kind_of_text(file, text)
  if file:find "%.smithy$" then return "model" end
  if file:find "%.lua$" then return "recipe" end
  local document = json.read(text, { lenient = true })
  local kind = document and form_of(document)
  return (kind == "model" or kind == "packed" or kind == "botocore") and kind or "recipe"
end

---Reads files of one form: models, of which several may be given, or one file of another form.
---@param texts bide.ModelText[]
---@param load fun(file: string): bide.Recipe?, string?
---@return bide.Conversion?
---@return string? mistake
function M.read(texts, load)
  local kind = kind_of_text(texts[1].file, texts[1].text)
  for position = 2, #texts do
    local file = texts[position].file
    if kind ~= "model" or kind_of_text(file, texts[position].text) ~= "model" then
      return nil, ("%s: only Smithy models are converted together"):format(file)
    end
  end
  if kind == "recipe" then
    local recipe, mistake = load(texts[1].file)
    if not recipe then return nil, mistake end
    return of_recipe(recipe)
  end
  local opened = kind == "botocore" and reader.of_botocore(texts[1].file, texts[1].text, reader.service_beside(texts[1].file))
    or reader.of_texts(texts)
  local problems = problems_of(opened)
  if #problems > 0 then return nil, reader.describe_all(problems) end
  local conversion = of_model(opened)
  conversion.texts = kind == "model" and texts or nil
  return conversion
end

-- ---- members that a target cannot have ----------------------------------------------------------------

local of_smithy = {
  waiter = { documentation = true, acceptors = true, minDelay = true, maxDelay = true, deprecated = true, tags = true },
  acceptor = { state = true, matcher = true, message = true },
  matcher = { output = true, inputOutput = true, errorType = true, success = true },
}

---The members of a bare trait value, which has every matcher.
local of_trait = { waiter = of_smithy.waiter, acceptor = of_smithy.acceptor, matcher = {} }
for _, kind in ipairs(matchers.kinds) do of_trait.matcher[kind.name] = true end

local builtin = tables.set(core.jmespath.functions())

---Returns whether an expression of a recipe calls a function that the target does not have: bide's own, which Lua recipes
---alone may call, or one of a script, which no model has.
---@param path string
---@param is_model boolean whether the target is a model
local function calls_beyond(path, is_model)
  local expression = core.jmespath.compile(path)
  if expression and expression:has_own() then return true end
  local bare = path:gsub("\\.", ""):gsub("(['\"`]).-%1", "")
  for name in (is_model and bare or ""):gmatch "([%a_][%w_]*)%s*%(" do
    if not builtin[name] then return true end
  end
  return false
end

---@class bide.Conversion.Filter
---@field calls_beyond (fun(path: string): boolean)? whether an expression calls what the target does not have
---@field allowed table<string, table<string, true>>? nil for a Lua recipe, which has every member
---@field report fun(path: string) notes that a member is left out
---@field warn fun(words: string) notes what else follows from that
---@field refuse fun(words: string) notes that nothing can be written

---Reports whether the target can have a member with an expression.
local function can_ask(filter, expression)
  return not (filter.calls_beyond and type(expression) == "string" and filter.calls_beyond(expression))
end

---@return table? copy nil if nothing of an acceptor is left
local function filter_acceptor(filter, acceptor, path)
  local copy = {}
  for name, value in pairs(acceptor) do
    if filter.allowed and not filter.allowed.acceptor[name] or name == "message" and not can_ask(filter, value) then
      filter.report(path .. "." .. name)
    else
      copy[name] = value
    end
  end
  for name, value in pairs(acceptor.matcher) do
    if filter.allowed and not filter.allowed.matcher[name] or type(value) == "function" then
      filter.report(("%s.matcher.%s"):format(path, name))
      return nil
    end
    if type(value) == "table" and not can_ask(filter, value.path) then
      filter.report(("%s.matcher.%s.path"):format(path, name))
      return nil
    end
  end
  return copy
end

local function is_whole(value)
  return type(value) ~= "number" or math.type(value) == "integer"
end

local function filter_waiter(filter, name, waiter)
  local copy = {}
  for member, value in pairs(waiter) do
    if filter.allowed and (not filter.allowed.waiter[member] or not is_whole(value)) then
      filter.report(("%s: %s"):format(name, member))
    else
      copy[member] = value
    end
  end
  copy.acceptors = json.array {}
  local barrier
  for position, acceptor in ipairs(waiter.acceptors) do
    local kept = filter_acceptor(filter, acceptor, ("%s: acceptors[%d]"):format(name, position))
    copy.acceptors[#copy.acceptors + 1] = kept
    if not kept and acceptor.state ~= "success" and not acceptor.matcher.status then barrier = barrier or position end
    if kept and barrier and acceptor.state == "success" then
      filter.warn(("%s: without acceptors[%d] it may succeed where it does not now"):format(name, barrier))
      barrier = nil
    end
  end
  if #copy.acceptors == 0 then filter.refuse(name .. ": no acceptor is left, and a waiter needs one") end
  return copy
end

local allowed_of = { ast = of_smithy, idl = of_smithy, json = of_trait }

---@param conversion bide.Conversion
---@param target string
---@return bide.Conversion filtered
---@return string[] lost what the target cannot have
---@return string? mistake by which nothing can be written without that
local function filter(conversion, target)
  local lost, mistakes = {}, {}
  local form = target == "lua" and "text of Lua" or target == "json" and "trait value" or "Smithy model"
  local function warn(words) lost[#lost + 1] = words end
  local one = {
    allowed = allowed_of[target], warn = warn, refuse = function(words) mistakes[#mistakes + 1] = words end,
    report = function(path) warn(("%s: a %s cannot have this"):format(path, form)) end,
  }
  if one.allowed and not conversion.model then
    one.calls_beyond = function(path) return calls_beyond(path, target ~= "json") end
  end
  local filtered = { model = conversion.model, operations = {} }
  for position, operation in ipairs(conversion.operations) do
    local waiters = {}
    for _, name in ipairs(sorted(operation.waiters)) do waiters[name] = filter_waiter(one, name, operation.waiters[name]) end
    filtered.operations[position] = { name = operation.name, id = operation.id, waiters = waiters }
  end
  return filtered, lost, mistakes[1]
end

---Chooses the operation of a bare trait value.
local function choose(conversion, name)
  local names = {}
  for _, operation in ipairs(conversion.operations) do
    names[#names + 1] = operation.name
    if operation.name == name or not name and #conversion.operations == 1 then return operation end
  end
  if name then
    return nil, ("--operation: there is no operation %s with waiters; %s"):format(shown.quote(name),
      #names > 0 and "those are " .. table.concat(names, ", ") or "the one that there is has no name")
  end
  return nil, ("a trait value has the waiters of one operation; choose it by --operation: %s"):format(table.concat(names, ", "))
end

---@param conversion bide.Conversion
---@param target "ast"|"idl"|"lua"|"json"
---@param options { operation: string?, lossy: boolean? }
---@return string? text
---@return string[]|string|nil problems the mistake, or with `lossy` what was left out
---@return boolean? is_misuse whether the mistake is one in the options
function M.write(conversion, target, options)
  if options.operation or target == "json" then
    local operation, mistake = choose(conversion, options.operation)
    if not operation then return nil, mistake, true end
    conversion = { model = conversion.model, texts = conversion.texts, operations = { operation } }
  end
  local filtered, lost, unwritable = filter(conversion, target)
  if #lost > 0 and not options.lossy then return nil, table.concat(lost, "\n") end
  if unwritable then return nil, unwritable end
  if not conversion.texts or target ~= "ast" and target ~= "idl" then
    local text, mistake = writers[target](filtered)
    return text, mistake or lost
  end
  local texts, restore = require "bide.model.convert.numbers"(conversion.texts)
  filtered.model = texts and reader.of_texts(texts) or conversion.model
  local text, mistake = writers[target](filtered)
  return text and restore(text), mistake or lost
end

return M
