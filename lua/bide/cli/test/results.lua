---Reports the results of test cases: for people, as TAP, as JUnit's XML, or as JSON.

local core = require "bide.core"
local escaped = require("bide.record.report.format.junit").escaped
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local tap = require "bide.record.report.format.tap"

local M = {}

---@param results bide.test.Result[]
---@return integer count
function M.failed(results)
  local failed = 0
  for _, result in ipairs(results) do failed = failed + (#result.faults > 0 and 1 or 0) end
  return failed
end

---Returns the words of a failed case: its differences, and the attempts if they help.
local function words_of(result)
  return tables.mapped(tables.joined(result.faults, result.path_taken), shown.line)
end

---@type table<string, fun(results: bide.test.Result[], coverage: bide.test.Coverage): string>
local texts = {}

function texts.text(results, coverage)
  local lines = {}
  for _, result in ipairs(results) do
    if #result.faults > 0 then
      lines[#lines + 1] = shown.line(("%s: %s: %s"):format(result.path, result.name, result.faults[1]))
      local words = words_of(result)
      for position = 2, #words do lines[#lines + 1] = "  " .. words[position] end
    end
  end
  local decided, count = coverage:sum()
  local failed, seconds = M.failed(results), 0
  for _, result in ipairs(results) do seconds = seconds + result.elapsed end
  lines[#lines + 1] = ("%d case%s, %d failed; %d of %d acceptors decided; %.1f virtual hours"):format(#results,
    #results == 1 and "" or "s", failed, decided, count, seconds / 3600)
  return table.concat(lines, "\n") .. "\n"
end

function texts.tap(results)
  local lines = { "TAP version 13", ("1..%d"):format(#results) }
  for position, result in ipairs(results) do
    local name = tap.escaped(("%s: %s"):format(result.path, result.name))
    lines[#lines + 1] = ("%s %d - %s"):format(#result.faults == 0 and "ok" or "not ok", position, name)
    for _, line in ipairs(#result.faults > 0 and words_of(result) or {}) do lines[#lines + 1] = "# " .. line end
  end
  return table.concat(lines, "\n") .. "\n"
end

function texts.junit(results)
  local lines = {
    '<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>",
    ('  <testsuite name="bide test" tests="%d" failures="%d">'):format(#results, M.failed(results)),
  }
  for _, result in ipairs(results) do
    local head = ('    <testcase classname="%s" name="%s" time="%.3f"'):format(escaped(result.path), escaped(result.name),
      result.elapsed)
    if #result.faults == 0 then
      lines[#lines + 1] = head .. "/>"
    else
      local words = tables.mapped(words_of(result), escaped)
      lines[#lines + 1] = ('%s>\n      <failure message="%s">%s</failure>\n    </testcase>'):format(head,
        escaped(result.faults[1]), table.concat(words, "\n"))
    end
  end
  lines[#lines + 1] = "  </testsuite>\n</testsuites>"
  return table.concat(lines, "\n") .. "\n"
end

function texts.json(results, coverage)
  local list, decided, count = {}, coverage:sum()
  for position, result in ipairs(results) do
    list[position] = {
      file = result.path, name = result.name, passed = #result.faults == 0, elapsed = result.elapsed,
      faults = core.json.array(result.faults), attempts = core.json.array(result.path_taken),
    }
  end
  return assert(core.json.encode({
    cases = core.json.array(list), failed = M.failed(results),
    coverage = { decided = decided, acceptors = count, missing = core.json.array(coverage:lines()) },
  }, { indent = true, escape = true })) .. "\n"
end

---The record of a case that ended before its wait did.
local function record_of(result)
  return result.record
    or { waiter = result.name, state = "failure", attempts = 0, elapsed = 0, message = "the case did not run", history = {} }
end

function texts.html(results)
  local records, failed = tables.mapped(results, record_of), M.failed(results)
  local run = require("bide.record.report.format.run").new {
    title = ("%d case%s"):format(#results, #results == 1 and "" or "s"), noun = "case", is_fleet = true, records = records,
    state = failed == 0 and "success" or "failure",
    message = ("%d passed, %d failed"):format(#results - failed, failed),
    name_of = function(position) return ("%s: %s"):format(results[position].path, results[position].name) end,
    lines_of = function(position) return #results[position].faults > 0 and words_of(results[position]) or nil end,
    judge = function(position) return #results[position].faults == 0 and "success" or "failure" end,
  }
  return require("bide.record.report.format.html").document(run)
end

---The formats.
M.texts = texts

---Returns what is wrong with several outputs.
---@param outputs { format: string, file: string? }[]
---@return string? mistake
function M.mistake(outputs)
  local known = {}
  for _, output in ipairs(outputs) do
    local place = output.file or ""
    if known[place] and place == "" then return "--output is given twice without a file; give one of them as FORMAT=FILE" end
    if known[place] then return ("--output: %s is given for two outputs"):format(shown.line(place)) end
    known[place] = true
  end
end

---Reports whether an output shows the course of each case.
---@param outputs { format: string, file: string? }[]
---@return boolean
function M.shows_waits(outputs)
  for _, output in ipairs(outputs) do
    if output.format == "html" then return true end
  end
  return false
end

---@param output { format: string, file: string? }
---@param text string
---@return boolean written
local function write_one(output, text)
  if not output.file then return shown.print_document(text) end
  local done, mistake = require "bide.record.replace_file"(output.file, text)
  if not done then shown.complain("the report cannot be written: " .. mistake) end
  return done or false
end

---Writes the reports: text on standard output, if there is no other. Beside files the text is on standard error.
---@param results bide.test.Result[]
---@param coverage bide.test.Coverage
---@param outputs { format: string, file: string? }[]
---@return boolean written
function M.write(results, coverage, outputs)
  local is_written, has_file = true, false
  for _, output in ipairs(#outputs > 0 and outputs or { { format = "text" } }) do
    is_written = write_one(output, texts[output.format](results, coverage)) and is_written
    has_file = has_file or output.file ~= nil
  end
  if has_file then shown.note_in_lines((texts.text(results, coverage):gsub("\n$", ""))) end
  return is_written
end

return M
