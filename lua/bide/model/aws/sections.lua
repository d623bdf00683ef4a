---Reads the form of ~/.aws/config and ~/.aws/credentials:
---
---    # a comment
---    [profile dev]
---    region = eu-west-1      ; another one
---    s3 =
---      endpoint_url = http://localhost:9000
---
---A line that is indented more than its property continues it. A section that comes again adds to the first one, a
---property replaces the first one. Since a line may hold a secret, a mistake names the line and does not show it.

local tables = require "bide.text.tables"

local M = {}

---@alias bide.aws.Section table<string, string> the values of properties by their names in lower case

---Properties in whose values a blank and "#" or ";" begin no comment, since a shell reads them.
local is_verbatim = { credential_process = true }

---@class bide.aws.SectionReader
---@field sections table<string, bide.aws.Section>
---@field section bide.aws.Section?
---@field name string? the property that is being read
---@field lines string[] its value
---@field indent integer its indentation

---Returns a text without the blanks at its ends. One pattern for both would take quadratic time.
local function trim(text)
  local first = text:find "%S"
  return first and text:match("^.*%S", first) or ""
end

local function without_comment(line)
  local comment = (" " .. line):find "%s[#;]"
  return comment and trim(line:sub(1, comment - 1)) or line
end

---Stores the property that was read.
local function finish_property(reader)
  if not reader.name then return end
  local lines = reader.lines
  if not is_verbatim[reader.name] then lines = tables.mapped(lines, without_comment) end
  reader.section[reader.name], reader.name = table.concat(lines, "\n"), nil
end

---@return string? mistake
local function begin_section(reader, text)
  finish_property(reader)
  local name, rest = text:match "^%[([^%]]*)%](.*)$"
  name = name and trim(name)
  if not name or name == "" or without_comment(trim(rest)) ~= "" then
    return "expected a section such as [profile dev]"
  end
  reader.sections[name] = reader.sections[name] or {}
  reader.section = reader.sections[name]
end

---@return string? mistake
local function begin_property(reader, text, indent)
  finish_property(reader)
  local equals = text:find "[=:]"
  local name = equals and trim(text:sub(1, equals - 1)):lower()
  if not name or name == "" then return "expected [section] or name = value" end
  if not reader.section then return "expected a [section] before the first property" end
  reader.name, reader.lines, reader.indent = name, { trim(text:sub(equals + 1)) }, indent
end

---@return string? mistake
local function read_line(reader, line)
  if line:find("\0", 1, true) then return "expected text, found a NUL byte; is the file in UTF-16?" end
  local first = line:find "%S"
  local character = first and line:sub(first, first)
  if not first or character == "#" or character == ";" then return nil end
  local text = trim(line)
  if reader.name and first - 1 > reader.indent then
    table.insert(reader.lines, text)
  elseif character == "[" then
    return begin_section(reader, text)
  else
    return begin_property(reader, text, first - 1)
  end
end

---@param text string of a file
---@return table<string, bide.aws.Section>? sections by their names, as `profile dev`
---@return string? mistake "line 3: …"
function M.read(text)
  local reader, number = { sections = {} }, 0
  for line in text:gsub("^\xEF\xBB\xBF", ""):gmatch "[^\n]*" do
    number = number + 1
    local mistake = read_line(reader, line)
    if mistake then return nil, ("line %d: %s"):format(number, mistake) end
  end
  finish_property(reader)
  return reader.sections
end

---Reads the properties that a value of several lines has, as that of `s3` in a section of services.
---@param value string
---@return bide.aws.Section
function M.nested(value)
  local section = {}
  for line in value:gmatch "[^\n]+" do
    local name, own = line:match "^([^=:]*)[=:](.*)$"
    if name then section[trim(name):lower()] = trim(own) end
  end
  return section
end

return M
