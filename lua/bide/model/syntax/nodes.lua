---Reads node values of the Smithy IDL: the JSON of metadata, traits, defaults and bodies of services.

local shown = require "bide.text.shown"

local M = {}

---A node keeps where it was, so that a mistake in a trait can be placed.
---@class bide.IdlNode
---@field kind "string"|"number"|"keyword"|"reference"|"list"|"object"
---@field at integer the offset of its first byte
---@field text string? of a string, decoded; of a number and a keyword, as JSON has it; of a reference, as it was written
---@field items bide.IdlNode[]? of a list
---@field pairs { key: string, at: integer, value: bide.IdlNode }[]? of an object

-- ---- strings --------------------------------------------------------------------------------

local escapes = { ["\\"] = "\\", ['"'] = '"', b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ["/"] = "/" }

---Joins the two halves that JSON writes for a code point beyond the basic plane.
local function join_surrogates(high, low)
  if high < 0xD800 or high > 0xDBFF or not low or low < 0xDC00 or low > 0xDFFF then return nil end
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
end

---@return string? decoded
---@return integer? following the offset behind the escape
---@return string? mistake
local function decode_escape(text, at)
  local letter = text:sub(at + 1, at + 1)
  if letter == "\n" then return "", at + 2 end
  if letter == "\r" then return "", at + (text:sub(at + 2, at + 2) == "\n" and 3 or 2) end
  if escapes[letter] then return escapes[letter], at + 2 end
  local digits = letter == "u" and text:match("^%x%x%x%x", at + 2)
  if letter == "u" and not digits then return nil, nil, "expected four hexadecimal digits after \\u" end
  if not digits then return nil, nil, ("expected an escape, found \\%s"):format(letter) end
  local code, second = tonumber(digits, 16), text:match("^\\u(%x%x%x%x)", at + 6)
  local joined = join_surrogates(code, second and tonumber(second, 16))
  if joined then return utf8.char(joined), at + 12 end
  return utf8.char(code >= 0xD800 and code <= 0xDFFF and 0xFFFD or code), at + 6
end

---@param text string between the quotes
---@return string? decoded
---@return string? mistake
---@return integer? at where it is, from 1
local function unescape(text)
  local parts, from = {}, 1
  while true do
    local at = text:find("\\", from, true)
    if not at then break end
    parts[#parts + 1] = text:sub(from, at - 1)
    local decoded, following, mistake = decode_escape(text, at)
    if not decoded then return nil, mistake, at end
    parts[#parts + 1], from = decoded, following
  end
  parts[#parts + 1] = text:sub(from)
  return table.concat(parts)
end

local function lines_of(text)
  local lines = {}
  for line in (text .. "\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

---The blanks that all lines begin with; a line of blanks counts only where it is the last.
local function indentation(lines)
  local least
  for position, line in ipairs(lines) do
    local blanks = #line:match "^[ \t]*"
    if (blanks < #line or position == #lines) and (not least or blanks < least) then least = blanks end
  end
  return least or 0
end

---Takes the common indentation from a text block, and the blanks at the ends of its lines.
---@param text string between the three quotes
---@return string? dedented
local function dedent(text)
  local body = text:match "^[ \t]*\r?\n(.*)$"
  if not body then return nil end
  local lines = lines_of((body:gsub("\r\n", "\n")))
  local cut = indentation(lines)
  for position, line in ipairs(lines) do
    lines[position] = line:find "%S" and line:sub(cut + 1):match "^.*[^ \t]" or ""
  end
  return table.concat(lines, "\n")
end

---@param parser bide.IdlParser
local function read_string(parser)
  local token = parser:take()
  local text, mistake, at = unescape(token.text:sub(2, -2))
  if not text then parser:fail_at(token.at + at, mistake) end
  return { kind = "string", at = token.at, text = text }
end

local function read_block(parser)
  local token = parser:take()
  local body = dedent(token.text:sub(4, -4))
  if not body then parser:fail_at(token.at + 3, 'expected a line break after """') end
  local text, mistake = unescape(body)
  if not text then parser:fail_at(token.at, mistake) end
  return { kind = "string", at = token.at, text = text }
end

-- ---- values ---------------------------------------------------------------------------------

local keywords = { ["true"] = true, ["false"] = true, null = true }

local function read_word(parser)
  local token = parser:peek()
  local name = parser:shape_id()
  return { kind = keywords[name] and "keyword" or "reference", at = token.at, text = name }
end

local function read_number(parser)
  local token = parser:take()
  local following = parser:peek()
  if following.kind == "." and not following.is_apart then
    parser:fail_at(following.at + 1, "expected a digit after the decimal point")
  end
  return { kind = "number", at = token.at, text = token.text }
end

local function read_list(parser)
  local list = { kind = "list", at = parser:take().at, items = {} }
  while not parser:accept "]" do list.items[#list.items + 1] = M.value(parser) end
  return list
end

---@param parser bide.IdlParser
---@return string key
---@return integer at
function M.key(parser)
  local token = parser:peek()
  if token.kind == "string" then return read_string(parser).text, token.at end
  return parser:expect("identifier", "a name").text, token.at
end

local function check_unique(object, parser, key, at)
  for _, pair in ipairs(object.pairs) do
    if pair.key == key then parser:fail_at(at, ("the member %s is there already"):format(shown.quote(key))) end
  end
end

---Reads `key: value` into an object.
---@param object bide.IdlNode
function M.pair(parser, object)
  local key, at = M.key(parser)
  check_unique(object, parser, key, at)
  parser:expect(":", '":"')
  table.insert(object.pairs, { key = key, at = at, value = M.value(parser) })
end

local function read_object(parser)
  local object = { kind = "object", at = parser:take().at, pairs = {} }
  while not parser:accept "}" do M.pair(parser, object) end
  return object
end

local readers = {
  string = read_string, block = read_block, number = read_number, identifier = read_word,
  ["["] = read_list, ["{"] = read_object,
}

local LONGEST_CHAIN = 500 -- of values within values

---@param parser bide.IdlParser
---@return bide.IdlNode
function M.value(parser)
  local read = readers[parser:peek().kind]
  if not read then parser:fail_expected "a value" end
  parser.depth = parser.depth + 1
  if parser.depth > LONGEST_CHAIN then
    parser:fail_expected(("at most %d values within each other"):format(LONGEST_CHAIN))
  end
  local node = read(parser)
  parser.depth = parser.depth - 1
  return node
end

return M
