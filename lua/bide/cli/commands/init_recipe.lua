---bide init: writes a recipe to begin with, and its cases.

local exit_code = require "bide.cli.ending.exit_code"
local file_failure = require "bide.text.file_failure"
local luv = require "luv"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local starting_point = require "bide.cli.files.starting_point"

local M = { summary = "write a commented recipe to begin with, and its cases" }

function M.new_parser()
  local command = parser.new("init", "Write NAME.lua, a commented recipe, and NAME.wait.lua, its cases for bide test. A file "
    .. "that is there already stays as it is, and then neither is written.", "bide init deploy")
  command:argument("NAME", "The name of the recipe, with its folder if that is another one. Default: recipe.")
    :args("?"):target "name"
  command:usage "Usage: bide init [NAME] [options]"
  return command
end

---Returns the path without its ending, and the last part of it.
---@param given string
---@return string path
---@return string name
local function read(given)
  local path = given:gsub("%.lua$", "")
  local name = path:match "[^/]*$"
  if not name:find "^[%w_][%w_-]*$" then
    parser.fail(("NAME: expected letters, digits, _ and -, such as deploy, found %s"):format(shown.quote(given)))
  end
  return path, name
end

---Writes a file that is not there yet. What was written of one that cannot be whole is removed.
---@return boolean? done
---@return string? mistake that names the file
local function write(path, text)
  local descriptor, mistake = luv.fs_open(path, "wx", tonumber("644", 8))
  if not descriptor then return nil, file_failure.named(mistake) end
  local written
  written, mistake = luv.fs_write(descriptor, text)
  luv.fs_close(descriptor)
  if written == #text then return true end
  luv.fs_unlink(path)
  return nil, ("%s: %s"):format(path, mistake or "the disk is full")
end

function M.main(arguments)
  local path, name = read(M.new_parser():parse(arguments).name or "recipe")
  local recipe, cases = path .. ".lua", path .. ".wait.lua"
  for _, file in ipairs { recipe, cases } do
    if luv.fs_lstat(file) then parser.fail(file .. " is there already; nothing was written") end
  end
  local done, mistake = write(recipe, (starting_point.recipe:gsub("NAME", name)))
  if not done then parser.fail(mistake) end
  done, mistake = write(cases, (starting_point.cases:gsub("NAME", name)))
  if not done then
    luv.fs_unlink(recipe)
    parser.fail(mistake)
  end
  local word = shown.word(recipe:find "/" and recipe or "./" .. recipe)
  return exit_code.unless_reported(exit_code.SUCCESS, shown.print(
    ("wrote %s and %s"):format(recipe, cases),
    ("  bide test %s"):format(shown.word(cases)),
    ("  bide run %s 42 --max-wait 10m"):format(word)))
end

return M
