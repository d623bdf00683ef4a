---Writes what came into the cases that failed: into the members of `expect` that differ.

local replace_file = require "bide.record.replace_file"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local written = require "bide.cli.test.written"

local M = {}

---Returns the end of the text or comment that begins at a position; the position itself if none does.
local function end_of_words(text, at)
  local byte = text:sub(at, at)
  if byte == '"' or byte == "'" then
    local from = at + 1
    while text:sub(from, from) ~= byte and from <= #text do from = from + (text:sub(from, from) == "\\" and 2 or 1) end
    return from
  end
  local level = text:match("^%-%-%[(=*)%[", at) or text:match("^%[(=*)%[", at)
  if level then return select(2, text:find("]" .. level .. "]", at, true)) or #text + 1 end
  return text:find("^%-%-", at) and (text:find("\n", at, true) or #text) or at
end

---Returns the end of the table that begins at a position; nil if it does not end.
local function end_of_table(text, at)
  local depth = 0
  while at <= #text do
    local byte = text:sub(at, at)
    if byte == "{" then
      depth = depth + 1
    elseif byte == "}" then
      depth = depth - 1
      if depth == 0 then return at end
    end
    at = end_of_words(text, at) + 1
  end
end

---Finds the expectation of a case in the text of its file: a member of the same table as its name, after it.
---@return integer? first
---@return integer? last
local function find_expectation(text, name)
  local mark = ("%%f[%%w_]name%%s*=%%s*[\"']%s[\"']"):format((name:gsub("%p", "%%%0")))
  local at = select(2, text:find(mark))
  if not at or text:find(mark, at + 1) then return nil end
  at = at + 1
  while at and at <= #text and text:sub(at, at) ~= "}" do
    local first = text:match("^%f[%w_]expect%s*=%s*(){", at)
    if first then return first, end_of_table(text, first) end
    local last = text:sub(at, at) == "{" and end_of_table(text, at) or end_of_words(text, at)
    at = last + 1
  end
end

local order = {
  "state", "reason", "acceptor", "attempts", "delays", "exit_code", "message", "matches", "output", "requests", "notes", "events",
}

---Returns a text in which the expectation of a case has what came, where it differed.
---@param text string
---@param case bide.test.Case
---@param renewed table<string, any>
---@return string? text
local function with_renewed(text, case, renewed)
  local first, last = find_expectation(text, case.name)
  if not first or not last then return nil end
  local members = tables.merged(case.expect, renewed)
  if renewed.matches then members.message, members.matches = renewed.matches, nil end
  return text:sub(1, first - 1) .. written.value(members, order) .. text:sub(last + 1)
end

---@param files bide.test.File[]
---@param results bide.test.Result[]
function M.apply(files, results)
  local texts = {}
  for _, result in ipairs(results) do
    if next(result.renewed) then
      local file = files[result.file]
      local text = with_renewed(texts[file] or file.text, file.cases[result.case], result.renewed)
      if text then
        texts[file] = text
      else
        shown.complain(("%s: %s: its expect is not found as one table after a name of its own, and stays"):format(file.path,
          result.name))
      end
    end
  end
  for _, file in ipairs(files) do
    local done, mistake = true, nil
    if texts[file] then done, mistake = replace_file(file.path, texts[file]) end
    if not done then shown.complain(mistake) elseif texts[file] then shown.note(file.path .. ": updated") end
  end
end

return M
