---`--output FORMAT[=FILE]`: how, and where, a command reports the outcome.

local exit_code = require "bide.cli.ending.exit_code"
local file_failure = require "bide.text.file_failure"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

---@class bide.cli.Output
---@field format string
---@field file string? nil for standard output
---@field handle file*? of the file, once it is open

---A format of reports. One with `of_run` is made of the run as reports show it. One with `own_file` needs a file, which
---that names if the command line does not. A file `beside` the outcome is written by bide.cli.report.telemetry.
---@class bide.cli.Format
---@field text (fun(result: bide.cli.Result): string)?
---@field of_run string? the module that writes it
---@field shows_attempts boolean?
---@field own_file (fun(): string?, string?)?
---@field appends boolean?
---@field beside boolean?

---The file for the summary of a step that runs in a workflow.
local function summary_file()
  local file = os.getenv "GITHUB_STEP_SUMMARY"
  if file and file ~= "" then return file end
  return nil, "--output github: GITHUB_STEP_SUMMARY is not set; outside of a workflow give a file: --output github=FILE"
end

local formats = {}

function formats.text(result)
  return shown.document { result.lines() }
end

function formats.json(result)
  return result.json() .. "\n"
end

---@type table<string, bide.cli.Format>
local rows = {
  text = { text = formats.text },
  json = { text = formats.json },
  junit = { of_run = "bide.record.report.format.junit" },
  tap = { of_run = "bide.record.report.format.tap" },
  html = { of_run = "bide.record.report.format.html", shows_attempts = true },
  github = { of_run = "bide.record.report.format.github", own_file = summary_file, appends = true },
  otlp = { of_run = "bide.record.report.format.otlp", shows_attempts = true, beside = true },
}

---Returns a report as text.
---@param format string
---@param options table of the command line, with the trace of spans
---@param result bide.cli.Result
---@return string
local function text_of(format, options, result)
  local row = rows[format]
  return row.text and row.text(result) or require(row.of_run).document(result.run(), options.trace)
end

---Returns the function that reads `FORMAT[=FILE]`.
---@param names string[] of the formats that a command has
---@return fun(text: string): bide.cli.Output?, string?
local function reader_of(names)
  local words = table.concat(names, ", ", 1, #names - 1) .. " or " .. names[#names]
  return function(text)
    local format, file = text:match "^(%l+)=(.+)$"
    format = format or text
    if file == "-" then file = nil end
    if not tables.has(names, format) then
      return nil, "--output: " .. option.expected(words .. ", and =FILE after it for a file", text)
    end
    if format == "otlp" and (file or ""):find "^[%w.-]+:%d+" then
      return nil, "--output: " .. option.expected("a URL such as otlp=http://" .. file .. ", or the name of a file", text)
    end
    local own_file, mistake = rows[format].own_file, nil
    if own_file and not file then file, mistake = own_file() end
    if mistake then return nil, mistake end
    return { format = format, file = file }
  end
end

---The formats of commands that wait, and of those that only report.
local ALL, DOCUMENTS = { "text", "json", "junit", "tap", "html", "github", "otlp" }, { "html", "junit", "tap", "github" }

---@param command table
function M.add_option(command)
  command:begin_section "Report"
  command:option("--output", "Report the outcome as FORMAT: text, json, junit, tap, html (a page of its own) or otlp (spans), "
    .. "on standard output or in FILE; github, a summary of the job in GITHUB_STEP_SUMMARY or FILE; "
    .. "otlp=URL sends the spans to a collector. With FILE the outcome is printed on standard error as well, as a "
    .. "sentence. May be repeated, once without FILE."):argname("FORMAT[=FILE]"):count("*"):convert(reader_of(ALL))
end

---Reads `FORMAT[=FILE]` for a command that only reports.
---@type fun(text: string): bide.cli.Output?, string?
M.read_document = reader_of(DOCUMENTS)

---Reads `FORMAT[=FILE]` for a plan.
---@type fun(text: string): bide.cli.Output?, string?
M.read_plan = reader_of { "text", "json", "html" }

---Writes a text to the file of an output, or to standard output.
---@param given bide.cli.Output
---@param text string
---@return integer code
function M.deliver(given, text)
  if not given.file then return shown.print_document(text) and exit_code.SUCCESS or exit_code.FAILURE end
  M.open { output = { given } }
  return M.write_file(given, text) and exit_code.SUCCESS or exit_code.FAILURE
end

---Returns a run as a document of DOCUMENTS.
---@param format string
---@param run bide.ReportedRun
---@return string
function M.document(format, run)
  return require(rows[format].of_run).document(run)
end

---Reports whether a report shows what each attempt saw.
---@param options table of the command line
---@return boolean
function M.shows_attempts(options)
  for _, given in ipairs(options.output) do
    if rows[given.format].shows_attempts then return true end
  end
  return false
end

---Returns the report that has no file; nil if each has one.
---@param options table of the command line
---@return bide.cli.Output?
local function on_standard_output(options)
  for _, given in ipairs(options.output) do
    if not given.file then return given end
  end
end

---Returns what is wrong with the outputs of a command, before any file is opened.
---@param options table of the command line
---@return string? mistake
local function mistake_of(options)
  local without_file = 0
  for _, given in ipairs(options.output) do
    without_file = without_file + (given.file and 0 or 1)
    if options.command and not given.file and given.format ~= "text" then
      return ("--output %s: standard output is COMMAND's; give the report a file: --output %s=FILE")
        :format(given.format, given.format)
    end
  end
  if options.command and options.events == "-" then
    return "--events -: standard output is COMMAND's; give the events a file: --events FILE"
  end
  if without_file > 1 then return "--output is given twice without a file; give one of them as FORMAT=FILE" end
end

---@param name string
---@return file*?
---@return string? mistake
local function append_to(name)
  return file_failure.open(name, "ab")
end

---@param file string
---@return file*
local function open_events(file)
  if file == "-" then return io.stdout end
  local handle, mistake = file_failure.create(file)
  return handle or parser.fail("--events: " .. mistake)
end

---Opens the files of --events and --output, once; ends the process if one cannot be opened, or if the outputs cannot be meant.
---@param options table of the command line; keeps the handles
function M.open(options)
  local mistake = mistake_of(options)
  if mistake then parser.fail(mistake) end
  if options.events and not options.events_handle then options.events_handle = open_events(options.events) end
  for _, given in ipairs(options.output) do
    local row = rows[given.format]
    if row.of_run then require(row.of_run) end -- before the walls of the sandbox
    if given.file and not row.beside and not given.handle then
      local handle
      handle, mistake = (row.appends and append_to or file_failure.create)(given.file)
      given.handle = handle or parser.fail("--output: " .. mistake)
    end
  end
end

---Writes a file to its end.
---@param given bide.cli.Output
---@param text string
---@return boolean written
function M.write_file(given, text)
  local written, mistake = given.handle:write(text)
  local closed, mistake_of_close = given.handle:close()
  if written and closed then return true end
  shown.complain(("the outcome cannot be written: %s: %s"):format(given.file, mistake or mistake_of_close))
  return false
end

---Reports whether a file gets the outcome. A file of spans does not count.
---@param options table of the command line
---@return boolean
local function has_files(options)
  for _, given in ipairs(options.output) do
    if given.file and not rows[given.format].beside then return true end
  end
  return false
end

---Prints the outcome as sentences. Those of a success belong to standard output, unless something else is there; those of
---a failure to standard error. A line that is there already, since progress or a report has said it, is left out.
---@param options table of the command line
---@param result bide.cli.Result
---@return boolean written
local function write_sentences(options, result)
  local is_success, report = result.record.state == "success", on_standard_output(options)
  local has_document = report and report.format ~= "text" or options.events == "-"
  local has_file = has_files(options)
  if is_success and (options.silent or has_document and not has_file) then return true end
  if has_document and shown.has_one_output() then return true end
  local lines = { result.lines() }
  if is_success and not has_document and not has_file and not options.command then return shown.print_rest(lines) end
  return shown.note_rest(lines)
end

---Reports the result. If the events are on standard output, the last of them is the outcome.
---@param options table of the command line
---@param result bide.cli.Result
---@return boolean written
function M.write(options, result)
  shown.name_output "the outcome"
  local is_written = true
  for _, given in ipairs(options.output) do
    if given.file and not rows[given.format].beside then
      is_written = M.write_file(given, text_of(given.format, options, result)) and is_written
    elseif not given.file and given.format ~= "text" and options.events ~= "-" then
      local text = text_of(given.format, options, result)
      is_written = shown.print_document(given.format == "json" and shown.json(text) or text) and is_written
    end
  end
  return write_sentences(options, result) and is_written
end

return M
