---bide check: finds what is wrong with waiters before anybody waits.

local bide = require "bide"
local check = require "bide.model.check.files"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local recipe = require "bide.recipe.loader"
local report = require "bide.record.report"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local untrusted = require "bide.cli.words.untrusted"
local web_address = require "bide.text.web_address"

local M = { summary = "check waiters before anybody waits" }

local formats = { "text", "json", "sarif", "github" }

local function read_severity(text)
  for _, name in ipairs(check.severities) do
    if name == text:upper() then return name end
  end
  return nil, ("expected one of %s, found %s"):format(table.concat(check.severities, ", "), shown.quote(text))
end

function M.new_parser()
  local command = parser.new("check", "Check waiters in models, traits and recipes; nothing is sent, and no operation is called.",
    "bide check things.smithy")
  command:argument("FILE", "Smithy models (JSON AST or IDL), waiters as JSON, Lua recipes, or services of AWS (aws:rds). The "
    .. "models are one model.")
    :args("+"):target "files"
  command:usage "Usage: bide check FILE ... [options]"
  command:option("--format", "Print the events as FORMAT: text, json, sarif or github."):argname("FORMAT")
    :one_of(formats):default "text"
  command:option("--severity", "Print events of SEVERITY and above: NOTE, WARNING, DANGER or ERROR.")
    :argname("SEVERITY"):reads(read_severity):default "WARNING"
  command:option("--suppress", "Leave out events with this ID, or below it. An ERROR cannot be left out. May be repeated.")
    :argname("ID"):count("*")
  command:option("--sample", "Take the type of every operation's output from the JSON in FILE."):argname("FILE")
  command:option("--answers", "Take it from the answers in FILE, as bide replay reads them."):argname("FILE")
  shared.add_with(command)
  untrusted.add_options(command)
  return command
end

-- ---- samples ----------------------------------------------------------------------------------

local output_of = assert(core.jmespath.compile "output")

local function read_document(file, text, line)
  local document, mistake = core.json.read(text, { lenient = true })
  if not document then parser.fail(("%s:%d:%d: %s"):format(file, line or mistake.line, mistake.column, mistake.message)) end
  return document
end

---Returns the type that the outputs of all samples have in common: where they differ, anything may be there.
---@return bide.check.Samples?
local function samples_of(options)
  local outputs, number = core.json.array {}, 0
  if options.sample then outputs[1] = read_document(options.sample, parser.read_file(options.sample)):value() end
  local answers = options.answers and parser.read_file(options.answers)
  if answers and not answers:find "%S" then parser.fail(options.answers .. ": expected at least one line, found none") end
  for line in (answers or ""):gmatch "[^\n]*" do
    number = number + 1
    local output = line:find "%S" and output_of:query(read_document(options.answers, line, number))
    if output and output:type() ~= "null" then outputs[#outputs + 1] = output:value() end
  end
  return #outputs > 0 and { output = core.jmespath.shape_of(outputs).array } or nil
end

-- ---- output -----------------------------------------------------------------------------------

local members = { "id", "severity", "shape", "waiter", "acceptor", "message", "file", "line", "column" }

---Every event has all members; those that it lacks are null.
local function as_list(events)
  local null = core.json.null
  local lacking = { shape = null, waiter = null, acceptor = null, line = null, column = null }
  return report.rows(tables.mapped(events, function(event) return tables.merged(lacking, event) end), members)
end

local function place_of(event)
  if not event.line then return event.file end
  return ("%s:%d:%d"):format(event.file, event.line, event.column or 1)
end

---Returns what an event is about: `ThingExists, acceptor 0`.
local function subject_of(event)
  local words = {}
  if event.shape then words[1] = event.shape end
  if event.waiter then words[#words + 1] = event.waiter end
  if event.acceptor then words[#words + 1] = ("acceptor %d"):format(event.acceptor) end
  return #words > 0 and table.concat(words, ", ") .. ": " or ""
end

local function as_text(events)
  local lines = {}
  for _, event in ipairs(events) do
    lines[#lines + 1] = shown.line(("%s: %s %s"):format(place_of(event), event.severity, event.id))
    local text = (subject_of(event) .. event.message):gsub("\t", "  ") -- of tracebacks
    for line in text:gmatch "[^\n]+" do lines[#lines + 1] = "  " .. shown.line(line) end
  end
  return table.concat(lines, "\n")
end

local levels_of_github = { NOTE = "notice", WARNING = "warning", DANGER = "error", ERROR = "error" }

---Escapes a text as the workflow commands of GitHub want it.
local function escaped(text, of_property)
  text = text:gsub("%%", "%%25"):gsub("\r", "%%0D"):gsub("\n", "%%0A")
  return of_property and text:gsub(":", "%%3A"):gsub(",", "%%2C") or text
end

local function as_github(events)
  local lines = {}
  for position, event in ipairs(events) do
    lines[position] = ("::%s file=%s,line=%d,col=%d,title=%s::%s"):format(levels_of_github[event.severity],
      escaped(event.file, true), event.line or 1, event.column or 1, escaped(event.id, true),
      escaped(subject_of(event) .. event.message))
  end
  return table.concat(lines, "\n")
end

local levels_of_sarif = { NOTE = "note", WARNING = "warning", DANGER = "error", ERROR = "error" }

---Returns the reference by which SARIF names a file.
local function uri_of(file)
  local uri = web_address.escape(file, "/")
  return uri:find "^/" and "file://" .. uri or uri
end

local function as_sarif(events)
  local results = core.json.array {}
  for position, event in ipairs(events) do
    results[position] = {
      ruleId = event.id, level = levels_of_sarif[event.severity], message = { text = subject_of(event) .. event.message },
      locations = core.json.array { { physicalLocation = { artifactLocation = { uri = uri_of(event.file) },
        region = { startLine = event.line or 1, startColumn = event.column or 1 } } } },
    }
  end
  return core.json.encode({
    ["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json", version = "2.1.0",
    runs = core.json.array { { tool = { driver = { name = "bide", version = require "bide.version" } },
      columnKind = "unicodeCodePoints", results = results } },
  }, { indent = true, escape = true })
end

local writers = { text = as_text, json = as_list, github = as_github, sarif = as_sarif }

-- ---- the command ------------------------------------------------------------------------------

local function is_suppressed(event, ids)
  for _, id in ipairs(ids) do
    if event.severity ~= "ERROR" and (event.id == id or event.id:sub(1, #id + 1) == id .. ".") then return true end
  end
  return false
end

---@return bide.check.Event[] shown
---@return boolean is_bad
local function choose(events, options)
  local chosen, is_bad = {}, false
  for _, event in ipairs(events) do
    if not is_suppressed(event, options.suppress) then
      is_bad = is_bad or check.is_at_least(event.severity, "DANGER")
      if check.is_at_least(event.severity, options.severity) then chosen[#chosen + 1] = event end
    end
  end
  return chosen, is_bad
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  local read = tables.joined(options.files, options.with)
  untrusted.apply(options, { recipes = read, files = { options.sample, options.answers } })
  process.restrain_recipes()
  local with, mistake = recipe.read_with(options.with)
  if not with then parser.fail_in_lines(mistake) end
  local events
  events, mistake = check.run(parser.files_of(options.files), function(file)
    return bide.load(file:find "/" and file or "./" .. file, { with = with })
  end, samples_of(options), with.vocabulary)
  if not events then parser.fail(mistake) end
  local chosen, is_bad = choose(events, options)
  local text = writers[options.format](chosen)
  if text ~= "" and not shown.print_document(text .. "\n") then return exit_code.FAILURE end
  return is_bad and exit_code.FAILURE or exit_code.SUCCESS
end

return M
