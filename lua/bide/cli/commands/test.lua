---bide test: runs the cases of recipes on the virtual clock.

local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local script_limits = require "bide.task.script_limits"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local watch = require "bide.wait.watch"

local M = { summary = "run the test cases of recipes, on a virtual clock" }

local function read_output(text)
  local format, file = text:match "^(%l+)=(.+)$"
  format = format or text
  if require("bide.cli.test.results").texts[format] then return { format = format, file = file } end
  return nil, option.expected("text, tap, junit, json or html, and =FILE after it for a file", text)
end

local function read_percent(text)
  local percent = tonumber((text:gsub("%%$", "")))
  if percent and (percent == 0 or percent >= 1 and percent <= 100) then return percent end
  return nil, option.expected("a percentage: 0, or 1 to 100", text)
end

function M.new_parser()
  local command = parser.new("test", "Run the cases of *.wait.lua files: each is one wait of a recipe, on a virtual clock and "
    .. "without network, whose delays and decisions are compared with what the case expects.",
    "bide test things.wait.lua --min-coverage 80")
  command:argument("PATH", "Test files, or folders with some. Default: the current folder."):args("*"):target "paths"
  command:option("--output", "Report as FORMAT: text, tap, junit, json, or html, a page with the course of each case, on "
    .. "standard output or in FILE. May be repeated, once without FILE."):argname("FORMAT[=FILE]"):count("*"):reads(read_output)
  command:option("--min-coverage", "Fail if less than this percentage of the acceptors of all tested recipes decided in some "
    .. "case."):argname("PERCENT"):reads(read_percent)
  command:flag("--update", "Show the differences, and write the actual results into the cases that fail.")
  command:flag("--mutate", "Change each acceptor and delay in turn, and name the changes that no case notices.")
  command:option("--record", "Print a test file whose case is the recording FILE of bide run --record."):argname("FILE")
  command:option("--jobs", "Run the cases in N processes. Default: as many as there are processors."):argname("N")
    :reads(function(text)
      local number = math.tointeger(tonumber(text))
      if number and number >= 1 and number <= 256 then return number end
      return nil, option.expected("a whole number from 1 to 256", text)
    end)
  command:option("--part"):hidden(true)
  command:usage "Usage: bide test [PATH ...] [options]"
  return command
end

---The processor time, in milliseconds, after which an attempt of a case is ended: it would never end by itself.
local LONGEST_ATTEMPT <const> = 5000

---Reads the test files; ends the process if one is broken.
---@return bide.test.File[]
local function read_files(paths)
  local files, list = require "bide.cli.test.files", {}
  local found, mistake = files.find(#paths > 0 and paths or { "." })
  if not found then parser.fail(mistake) end
  for position, path in ipairs(found) do
    list[position], mistake = files.read(path)
    if not list[position] then parser.fail_in_lines(mistake) end
  end
  return list
end

---@param results bide.test.Result[]
---@return integer failed
---@param coverage bide.test.Coverage
---@return boolean is_enough
local function judge_coverage(options, coverage)
  local percent = coverage:percent()
  if not options.min_coverage or percent >= options.min_coverage then return true end
  shown.complain(("the coverage of acceptors is %.1f %%, below --min-coverage %g"):format(percent, options.min_coverage))
  shown.note_in_lines(table.concat(coverage:lines(), "\n"))
  return false
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  local results_of = require "bide.cli.test.results"
  if results_of.mistake(options.output) then parser.fail(results_of.mistake(options.output)) end
  core.loop.use_virtual_clock()
  watch.disable()
  script_limits.set { script_time = LONGEST_ATTEMPT }
  if options.record then return require("bide.cli.test.from_recording").print(options.record) end
  local files = read_files(options.paths)
  local running = require "bide.cli.test.running"
  if options.part then return running.print_part(files, options.part) end
  if options.mutate then return require("bide.cli.test.mutants").run(files) end
  local results, coverage = running.run(files, options)
  local is_written = results_of.write(results, coverage, options.output)
  if options.update then require("bide.cli.test.update").apply(files, results) end
  local is_enough = judge_coverage(options, coverage)
  local is_right = results_of.failed(results) == 0 and is_enough and is_written
  return is_right and exit_code.SUCCESS or exit_code.FAILURE
end

return M
