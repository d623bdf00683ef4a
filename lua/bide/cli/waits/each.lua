---`bide run --each FILE.jsonl`: one wait for each line. The line is the input of the wait.

local core = require "bide.core"
local declaration = require "bide.recipe.input.declaration"
local luv = require "luv"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local shown = require "bide.text.shown"
local whole_file = require "bide.text.whole_file"

local M = {}

---The copies of what can be read once, by their names.
---@type table<string, file*>
local kept = {}

---Opens a file; ends the process if that fails.
local function open(file)
  if kept[file] then
    kept[file]:seek "set"
    return kept[file]
  end
  local handle, mistake = io.stdin, nil
  if file ~= "-" then handle, mistake = whole_file.open(file) end
  return handle or parser.fail("--each: " .. mistake)
end

---Copies a pipe into a file without a name, so that its lines come at once, and again; ends the process if that fails.
---@param file string
function M.keep(file)
  local handle = open(file)
  if file ~= "-" and handle:seek() then return handle:close() end
  local copy, mistake = io.tmpfile()
  local piece, size, done = 65536, 0, copy
  while done do
    local text
    text, mistake = handle:read(piece)
    size = size + #(text or "")
    if size > whole_file.LIST then mistake = whole_file.too_large(whole_file.LIST) end
    if mistake then parser.fail(("--each: %s: %s"):format(file, mistake)) end
    if not text then break end
    done, mistake = copy:write(text)
  end
  done = done and copy:flush()
  if not done then parser.fail(("--each: no copy of %s: %s"):format(file, mistake or "it cannot be written")) end
  kept[file] = copy
end

---Reports whether a program has written to a file since its state was that. A file that has taken its place is another one.
---@param before table? of luv
local function was_written(file, before)
  local now = before and before.type == "file" and luv.fs_stat(file)
  return now and now.dev == before.dev and now.ino == before.ino
    and (now.size ~= before.size or now.mtime.sec ~= before.mtime.sec or now.mtime.nsec ~= before.mtime.nsec)
end

---Returns an iterator over the lines of a file; ends the process if it cannot be read, as a folder, or if it is written to
---meanwhile: a list that is cut short has too few waits.
local function lines_of(file)
  local before = file ~= "-" and luv.fs_stat(file) or nil
  local next_line, size = whole_file.lines(open(file), whole_file.DOCUMENT), 0
  return function()
    local line, mistake = next_line()
    size = size + #(line or "")
    if size > whole_file.LIST then mistake = whole_file.too_large(whole_file.LIST) end
    if not line and was_written(file, before) then mistake = mistake or "it was written to while it was read" end
    if mistake then parser.fail(("--each: %s: %s"):format(file, mistake)) end
    return line
  end
end

---Ends the process for a line that is not an object, with the program that makes objects of what was found.
---@param input string? that a text may mean
local function fail_of_line(file, number, line, input)
  local program = line:find "^%s*%[" and "-c '.[]'" or input and ("-Rc '{%s: .}'"):format(input)
  local advice = program and ("; jq %s %s prints such lines"):format(program, shown.word(file)) or ""
  parser.fail(("%s:%d: %s%s"):format(file, number,
    option.expected("a JSON object on each line, the input of a wait", line), advice))
end

---@param input string? the input that a text may mean
local function read_line(file, number, line, input)
  if not line:find "^[%s\xEF\xBB\xBF]*{" then fail_of_line(file, number, line, input) end
  local document, mistake = core.json.read(line, { unique = true })
  if not document then parser.fail(("%s:%d:%d: %s"):format(file, number, mistake.column, mistake.message)) end
  mistake = require "bide.text.rounded"(line)
  if mistake then parser.fail(("%s:%d: %s"):format(file, number, mistake)) end
  return document
end

---Reads the objects in the lines of a file; ends the process if there is another value, or none.
---@param file string
---@param input? string the input that a text may mean
---@return fun(): (userdata?, integer) next the document, and the number of its line
function M.documents(file, input)
  local next_line, number, count = lines_of(file), 0, 0
  return function()
    for line in next_line do
      number = number + 1
      if line:find("%S") then
        count = count + 1
        return read_line(file, number, line, input), number
      end
    end
    if count == 0 then parser.fail(("%s: expected at least one line, with the input of a wait, found none"):format(file)) end
  end
end

---Adds one wait for each line of the file. The members of a line override those of the command line.
---@param file string
---@param common bide.cli.Branch its input is the part that all waits share
---@param group bide.cli.Group
function M.read(file, common, group)
  local identity = require "bide.record.report.progress.identity"
  local input = declaration.positional(common.waiter.inputs)[1]
  for document, number in M.documents(file, input) do
    local value, identifying = document:value(), identity.member_of(document, common.waiter)
    for name, member in pairs(common.input:value()) do
      if value[name] == nil then value[name] = member end
    end
    parser.set_place(("%s:%d"):format(file, number))
    group:add_line(common, assert(core.json.document(value)), number, identifying)
    parser.set_place(nil)
  end
end

return M
