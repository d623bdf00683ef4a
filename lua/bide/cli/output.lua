---`--output FORMAT[=FILE]`: how, and where, a command reports the outcome.

local core = require "bide.core"
local option = require "bide.option"
local parser = require "bide.cli.parser"
local shown = require "bide.shown"

local M = {}

---@class bide.cli.Output
---@field format "text"|"json"|"junit"
---@field file string? nil for standard output
---@field handle file*? of the file, once it is open

---@type table<string, fun(result: bide.cli.Result): string>
local texts = {}

function texts.text(result)
  local lines = { result.lines() }
  for position, line in ipairs(lines) do lines[position] = shown.line(line) .. "\n" end
  return table.concat(lines)
end

function texts.json(result)
  return result.json() .. "\n"
end

function texts.junit(result)
  return require("bide.report.junit").document(result.cases(), result.record.state == "success")
end

local function read(text)
  local format, file = text:match "^(%l+)=(.+)$"
  format = format or text
  if texts[format] then return { format = format, file = file } end
  return nil, "--output: " .. option.expected("text, json or junit, and =FILE after it for a file", text)
end

---@param command table
function M.add_option(command)
  command:begin_section "Report"
  command:option("--output", "Report the outcome as FORMAT: text, json or junit, on standard output or in FILE. "
    .. "With FILE the outcome is printed on standard error as well, as a sentence."):argname("FORMAT[=FILE]"):convert(read)
end

---Opens the file of --output, once; ends the process if it cannot be opened.
---@param options table of the command line
function M.open(options)
  local given = options.output
  if not given or not given.file or given.handle then return end
  local handle, mistake = core.process.create_file(given.file)
  given.handle = handle or parser.fail("--output: " .. mistake)
end

---Writes a file to its end.
---@param given bide.cli.Output
---@param text string
---@return boolean written
local function write_file(given, text)
  local written, mistake = given.handle:write(text)
  local closed, mistake_of_close = given.handle:close()
  if written and closed then return true end
  shown.complain(("the outcome cannot be written: %s: %s"):format(given.file, mistake or mistake_of_close))
  return false
end

---Reports the result. If the events are on standard output, the last of them is the outcome.
---@param options table of the command line
---@param result bide.cli.Result
---@return boolean written
function M.write(options, result)
  local given = options.output or { format = "text" }
  local text = (given.file or options.events ~= "-") and texts[given.format](result)
  if given.file then
    for _, line in ipairs { result.lines() } do shown.note(line) end
    return write_file(given, text)
  end
  if not text then return true end
  shown.name_output "the outcome"
  if given.format == "text" then return shown.print(result.lines()) end
  return shown.print_document(given.format == "json" and shown.json(text) or text)
end

return M
