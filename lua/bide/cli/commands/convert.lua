---bide convert: writes waiters in another form.

local bide = require "bide"
local convert = require "bide.model.convert.conversion"
local exit_code = require "bide.cli.ending.exit_code"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local replace_file = require "bide.record.replace_file"
local shown = require "bide.text.shown"
local untrusted = require "bide.cli.words.untrusted"

local M = { summary = "write waiters in another form" }

function M.new_parser()
  local command = parser.new("convert", "Write waiters in another form: a Smithy JSON AST, the Smithy IDL, a Lua recipe or a "
    .. "trait value.", "bide convert waiters-2.json --to lua")
  command:argument("FILE", "One file with waiters, a service of AWS (aws:rds), or several Smithy models.")
    :args("+"):target "files"
  command:usage "Usage: bide convert FILE ... --to FORM [options]"
  command:option("--to", "Write them as FORM: ast, idl, lua or json."):argname("FORM"):one_of(convert.targets)
  command:option("-o --output-file", "Write into FILE, which is written whole or not at all."):argname("FILE"):target("out")
  command:option("--operation", "Take the waiters of the operation NAME only."):argname("NAME")
  command:flag("--lossy", "Leave out members that FORM cannot have, with a warning for each.")
  untrusted.add_options(command)
  return command
end

local function fail(text)
  shown.complain_in_lines(text)
  return exit_code.FAILURE
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  if not options.to then parser.fail("--to is missing: expected one of " .. table.concat(convert.targets, ", ")) end
  untrusted.apply(options, { recipes = options.files })
  process.restrain_recipes()
  local texts = {}
  for position, file in ipairs(parser.files_of(options.files)) do
    texts[position] = { file = file, text = parser.read_file(file) }
  end
  local conversion, mistake = convert.read(texts, function(file) return bide.load(file:find "/" and file or "./" .. file) end)
  if not conversion then parser.fail_in_lines(mistake) end
  local text, problems, is_misuse = convert.write(conversion, options.to, options)
  if is_misuse then parser.fail(problems) end
  if not text then return fail(problems) end
  for _, problem in ipairs(problems) do shown.warn(problem) end
  if not options.out then return shown.print_document(text) and exit_code.SUCCESS or exit_code.FAILURE end
  local done
  done, mistake = replace_file(options.out, text)
  return done and exit_code.SUCCESS or fail(mistake)
end

return M
