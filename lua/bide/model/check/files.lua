---Checks files with waiters before anybody waits: models, traits, recipes. The Smithy models of one call are one model;
---every other file is checked alone, packed data too.
---
---    local events = require("bide.model.check.files").run({ "things.smithy" }, bide.load)

local core = require "bide.core"
local check_model = require "bide.model.check.model"
local check_recipe = require "bide.model.check.recipe"
local form_of = require "bide.recipe.file.form"
local reader = require "bide.model.assembly.reader"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"
local read = require("bide.recipe.file.chunk").read

local M = {}

---The severities of events, from the least.
M.severities = { "NOTE", "WARNING", "DANGER", "ERROR" }

local rank = {}
for position, name in ipairs(M.severities) do rank[name] = position end

---Reports whether one severity is at least as bad as another.
---@param severity string
---@param least string
---@return boolean
function M.is_at_least(severity, least)
  return rank[severity] >= rank[least]
end

local function model_error(file, mistake)
  return {
    id = "Model", severity = "ERROR", file = file, line = mistake.line, column = mistake.column, message = mistake.message,
  }
end

---Tells what a file is: of a model the text, of a recipe that it is one.
---@return "model"|"packed"|"botocore"|"recipe"|"broken"|nil kind
---@return string|table text or the event of a broken file, or why it is of no known kind
local function classify(file)
  local text, mistake = read(file)
  if not text then return nil, mistake end
  if file:find "%.smithy$" then
    if text:find "%S" then return "model", text end
    return "broken", model_error(file, { line = 1, column = 1, message = "expected a model, found nothing" })
  end
  if file:find "%.lua$" then return "recipe", text end
  if not file:find "%.json$" and not text:gsub("^\u{FEFF}", ""):find "^%s*[{%[]" then
    return nil, ("%s: expected a file of the kind .smithy, .json or .lua"):format(file)
  end
  local document, failure = core.json.read(text, { lenient = true, unique = true })
  if not document then return "broken", model_error(file, failure) end
  local kind = form_of(document)
  if kind == "model" or kind == "packed" or kind == "botocore" then return kind, text end
  if kind == "service" then return "model", text end
  if kind == "object" then return "recipe", text end
  return nil, ("%s: expected a model, a trait value or a recipe, found JSON of the type %s"):format(file, kind)
end

local function precedes(a, b)
  for _, name in ipairs { "file", "line", "id", "waiter", "acceptor", "column", "message" } do
    local one, other = a[name] or 0, b[name] or 0
    if type(one) ~= type(other) then one, other = tostring(one), tostring(other) end
    if one ~= other then return one < other end
  end
  return false
end

---Returns the event of a model in which nothing was checked, since it has no waiter: it may be the wrong file. A model may be
---of shapes alone; a file of botocore's waiters is for nothing else.
local function without_waiter(file, is_of_waiters)
  local message = "expected at least one waiter, found none"
  if is_of_waiters then return model_error(file, { line = 1, column = 1, message = message }) end
  return { id = "bide.NoWaiter", severity = "WARNING", file = file, line = 1, column = 1,
    message = message .. ": no operation has the trait smithy.waiters#waitable" }
end

---@param files string[]
---@param load fun(file: string): bide.Recipe?, string? how a recipe is loaded
---@param samples? bide.check.Samples outputs that a Lua recipe's operations give
---@param own bide.Vocabulary of models and traits: that of the files for --with
---@return bide.check.Event[]? events sorted by file, line and id; suppressed ones are left out
---@return string? mistake for a file that cannot be read or is of no known kind
function M.run(files, load, samples, own)
  local events, texts, check_whole = {}, {}, vocabulary.within(own, check_model.check)
  local function add_model(model, file)
    tables.append(events, check_whole(model))
    if #model.problems == 0 and #model:waitable_ids() == 0 then
      events[#events + 1] = without_waiter(file, model.is_botocore)
    end
  end
  for _, file in ipairs(files) do
    local kind, text = classify(file)
    if not kind then return nil, text end
    if kind == "model" then texts[#texts + 1] = { file = file, text = text } end
    if kind == "broken" then events[#events + 1] = text end
    local alone = kind == "botocore" and reader.of_botocore(file, text, reader.service_beside(file))
      or kind == "packed" and reader.of_texts { { file = file, text = text } }
    if alone then add_model(alone, file) end
    if kind == "recipe" then check_recipe.check(file, text, load, samples, events, own) end
  end
  if #texts > 0 then add_model(reader.of_texts(texts), texts[1].file) end
  table.sort(events, precedes)
  return events
end

return M
