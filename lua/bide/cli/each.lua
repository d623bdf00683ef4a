---`bide run --each FILE.jsonl`: one wait for each line. The line is the input of the wait.

local branch = require "bide.cli.branch"
local core = require "bide.core"
local fleet_progress = require "bide.report.fleet_progress"
local fleet_summary = require "bide.report.fleet_summary"
local identity = require "bide.report.identity"
local parser = require "bide.cli.parser"
local script_error = require "bide.script_error"
local new_gate = require("bide.tasks.line").new_gate

local M = {}

-- ---- options and inputs -----------------------------------------------------------------------

---@param command table
function M.add_options(command)
  command:option("--each", "Run one wait for each line of a JSON Lines file. The line is the input. - is "
    .. "standard input.")
    :argname("FILE")
  command:mutex(
    command:flag("--all", "With --each: succeed once every wait has succeeded (the default)."),
    command:flag("--any", "With --each: succeed once one wait has succeeded."),
    parser.add_count(command, "--some", "With --each: succeed once K waits have succeeded."):argname("K"))
  parser.add_count(command, "--jobs", "With --each: run at most N attempts at a time.")
end

---@param options table
function M.refuse_options(options)
  for _, name in ipairs { "all", "any", "some", "jobs" } do
    if options[name] then parser.fail(("--%s needs --each FILE"):format(name)) end
  end
end

local function lines_of(file)
  if file == "-" then return io.stdin:lines() end
  local ok, lines = pcall(io.lines, file)
  if ok then return lines end
  script_error.pass_out_of_memory(lines)
  parser.fail("--each: " .. tostring(lines))
end

---Reads the inputs and the numbers of their lines. The members of a line override those of the command line.
local function read_inputs(file, common)
  local inputs, numbers, number = {}, {}, 0
  for line in lines_of(file) do
    number = number + 1
    if line:find("%S") then
      local value, mistake = core.json.decode(line)
      if mistake then parser.fail(("%s:%d:%d: %s"):format(file, number, mistake.column, mistake.message)) end
      if type(value) ~= "table" or core.json.is_array(value) then
        parser.fail(("%s:%d: expected a JSON object, the input of a wait"):format(file, number))
      end
      for name, member in pairs(common:value()) do
        if value[name] == nil then value[name] = member end
      end
      inputs[#inputs + 1] = assert(core.json.document(value))
      numbers[#inputs] = number
    end
  end
  if #inputs == 0 then parser.fail(("%s: expected at least one line, with the input of a wait, found none"):format(file)) end
  return inputs, numbers
end

local function needed(options, count)
  if options.any then return 1 end
  if not options.some then return count end
  if options.some > count then
    parser.fail(("--some: expected at most %d, the number of waits, found %d"):format(count, options.some))
  end
  return options.some
end

---Returns one wait for each line of the file; ends the process if one of them is refused.
---@param options table of the command line
---@param common bide.cli.Branch its input is the part that all waits share
---@return bide.cli.Waits
function M.waits(options, common)
  if common.codes then parser.fail("--exit-code is for one wait, and --each makes several") end
  local inputs, numbers = read_inputs(options.each, common.input)
  common.limits.gate = options.jobs and new_gate(options.jobs)
  local prepared = {}
  for position, input in ipairs(inputs) do
    prepared[position] = branch.prepare(common, input, ("%s:%d"):format(options.each, numbers[position]))
  end
  local function label(one, position)
    local member = identity.of(one)
    return member and ("line %d (%s)"):format(numbers[position], member) or ("line %d"):format(numbers[position])
  end
  return {
    prepared = prepared, needed = needed(options, #inputs), label = label,
    new_progress = function(is_live)
      return fleet_progress.new { count = #inputs, live = is_live, verbose = options.verbose, label = label }
    end,
    lines = function(record)
      return fleet_summary.lines(record, function(position) return label(prepared[position], position) end, options.verbose)
    end,
  }
end

return M
