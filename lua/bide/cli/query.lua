---bide query: the result of a JMESPath expression.

local core = require "bide.core"
local exit_code = require "bide.exit_code"
local parser = require "bide.cli.parser"

local M = { summary = "evaluate a JMESPath expression" }

local function new_parser()
  local command = parser.new("query", "Print the result of a JMESPath expression as JSON.",
    "bide query 'Reservations[].Instances[].State.Name' answer.json")
  command:argument("expression", "A JMESPath expression.")
  command:argument("file", "A JSON file; standard input otherwise."):args("?")
  command:flag("-c --compact", "Print on one line.")
  return command
end

local function read(file)
  if not file or file == "-" then return io.stdin:read("a") end
  local handle, mistake = io.open(file, "rb")
  if not handle then parser.fail(mistake) end
  local text = handle:read("a")
  handle:close()
  return text
end

local function fail(mistake)
  io.stderr:write(tostring(mistake.pretty or mistake), "\n")
  return exit_code.FAILURE
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local options = new_parser():parse(arguments)
  local expression, mistake = core.jmespath.compile(options.expression)
  if not expression then return fail(mistake) end
  local document
  document, mistake = core.json.read(read(options.file))
  if not document then parser.fail(("%s: %s"):format(options.file or "standard input", tostring(mistake))) end
  local result
  result, mistake = expression:query(document)
  if not result then return fail(mistake) end
  io.stdout:write(result:json { indent = not options.compact }, "\n")
  return exit_code.SUCCESS
end

return M
