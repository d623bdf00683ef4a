---Cuts the text of a Smithy IDL file into tokens (Smithy 2.0, IDL: the lexical part of the grammar).

local lpeg = require "lpeg"

local C, Cc, Cp, Ct, P, R, S = lpeg.C, lpeg.Cc, lpeg.Cp, lpeg.Ct, lpeg.P, lpeg.R, lpeg.S

local M = {}

---A token with what is in front of it. Blanks, commas and comments are no tokens.
---@class bide.IdlToken
---@field kind "identifier"|"number"|"string"|"block"|"error"|"end"|string a mark is its own kind
---@field text string as it is in the file
---@field at integer the offset of its first byte, from 1
---@field finish integer the offset behind its last byte
---@field is_apart boolean whether a blank, a comma, a comment or a line break is in front of it
---@field line_break boolean whether a line break is in front of it
---@field documentation string? the documentation comments directly in front of it

local letter, digit = R("az", "AZ"), R "09"
local new_line = P "\r" ^ -1 * "\n"
local rest_of_line = (1 - new_line) ^ 0 * (new_line + -1)
local identifier = (P "_" ^ 1 * (letter + digit) + letter) * (letter + digit + "_") ^ 0
local number = P "-" ^ -1 * (P "0" + R "19" * digit ^ 0) * ("." * digit ^ 1) ^ -1 * (S "eE" * S "+-" ^ -1 * digit ^ 1) ^ -1
local quoted = '"' * (P "\\" * 1 + (1 - S '"\\')) ^ 0 * '"'
local block = '"""' * (P "\\" * 1 + (1 - P '"""' - "\\")) ^ 0 * '"""'

local function named(kind, pattern)
  return Ct(Cc(kind) * Cp() * C(pattern) * Cp())
end

local mark = C(P ":=" + S ":={}[]()@$#.")

local byte_order_mark = P "\u{FEFF}" -- a set would be of its three bytes
local blank = S " \t," + byte_order_mark

local lexeme = named("blank", blank ^ 1) + named("break", new_line)
  + named("documentation", "///" * rest_of_line) + named("comment", "//" * rest_of_line)
  + named("block", block) + named("string", quoted) + named("identifier", identifier)
  + named("number", number) + named("mark", mark)
  + named("error", R "\194\244" * R "\128\191" ^ 0 + 1)

local lexemes = Ct(lexeme ^ 0)

---The text of a documentation comment: what is behind the three slashes and one blank.
local function documented(text)
  return (text:gsub("^/// ?", ""):gsub("\r?\n$", ""))
end

---@param text string
---@return bide.IdlToken[] tokens the last one is of the kind "end"
function M.tokens(text)
  local tokens, is_apart, line_break, lines = {}, false, true, {}
  local function add(kind, at, found, finish)
    tokens[#tokens + 1] = {
      kind = kind, text = found, at = at, finish = finish, is_apart = is_apart, line_break = line_break,
      documentation = #lines > 0 and table.concat(lines, "\n") or nil,
    }
    is_apart, line_break, lines = false, false, {}
  end
  for _, one in ipairs(lexemes:match(text)) do
    local kind, at, found, finish = one[1], one[2], one[3], one[#one]
    if kind == "documentation" and line_break then lines[#lines + 1] = documented(found) end -- alone on its line
    if kind == "documentation" or kind == "comment" or kind == "break" then
      is_apart, line_break = true, true
    elseif kind == "blank" then
      is_apart = true
    else
      add(kind == "mark" and found or kind, at, found, finish)
    end
  end
  is_apart, line_break = true, true
  add("end", #text + 1, "", #text + 1)
  return tokens
end

---The line and the column of an offset, both from 1; columns count code points.
---@param text string
---@param at integer
---@return integer line
---@return integer column
function M.place(text, at)
  local line, begin = 1, 1
  for position in text:sub(1, at - 1):gmatch "\n()" do line, begin = line + 1, position end
  local before = text:sub(begin, at - 1)
  return line, (utf8.len(before) or #before) + 1
end

return M
