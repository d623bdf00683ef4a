---The parser that all parts of the IDL's grammar use: the next token, its expected kind, and a mistake at its place.

local lexer = require "bide.model.syntax.lexer"
local shown = require "bide.text.shown"

---@class bide.IdlParser
---@field text string
---@field tokens bide.IdlToken[]
---@field position integer of the next token
---@field depth integer of values within values
---@field version "1.0"|"2.0"
local Parser = {}
Parser.__index = Parser

---A mistake, which is raised and ends a statement.
---@class bide.IdlMistake
---@field at integer the offset in the text
---@field message string
local Mistake = {}
Mistake.__index = Mistake

---@param text string
---@return bide.IdlParser
function Parser.new(text)
  return setmetatable({ text = text, tokens = lexer.tokens(text), position = 1, depth = 0, version = "1.0" }, Parser)
end

---@param value any that was raised
---@return boolean
function Parser.is_mistake(value)
  return getmetatable(value) == Mistake
end

---@param at integer
---@param message string
function Parser.fail_at(_, at, message)
  error(setmetatable({ at = at, message = message }, Mistake), 0)
end

local names_of_kinds = { string = "a string", block = "a text block", number = "a number", identifier = "a name",
  ["end"] = "the end of the file" }

---@param token bide.IdlToken
local function describe(token)
  if token.kind == "end" then return names_of_kinds["end"] end
  if token.kind == "error" and token.text == '"' then return "a string that is not closed" end
  local text = #token.text > 40 and token.text:sub(1, 40) .. "…" or token.text
  return names_of_kinds[token.kind] and ("%s, %s"):format(names_of_kinds[token.kind], text) or shown.quote(text)
end

---@param expected string
function Parser:fail_expected(expected)
  local token = self:peek()
  self:fail_at(token.at, ("expected %s, found %s"):format(expected, describe(token)))
end

---@return bide.IdlToken
function Parser:peek()
  return self.tokens[self.position]
end

---@return bide.IdlToken
function Parser:take()
  local token = self.tokens[self.position]
  if token.kind ~= "end" then self.position = self.position + 1 end
  return token
end

---Takes the next token if it has this kind, which for a word may be its text.
---@param kind string
---@param text? string
---@return bide.IdlToken?
function Parser:accept(kind, text)
  local token = self:peek()
  if token.kind == kind and (not text or token.text == text) then return self:take() end
end

---@param kind string
---@param expected string what a message calls it
---@return bide.IdlToken
function Parser:expect(kind, expected)
  return self:accept(kind) or self:fail_expected(expected)
end

---Fails where the next token is on another line than the one before it.
---@param expected string
function Parser:same_line(expected)
  local token = self:peek()
  if token.line_break and token.kind ~= "end" then
    self:fail_at(self.tokens[self.position - 1].finish, ("expected %s on the same line, found a line break"):format(expected))
  end
end

---Fails where the next token is on the line of the one before it.
function Parser:line_ends()
  if not self:peek().line_break then self:fail_expected "a line break" end
end

---Fails where nothing is between the next token and the one before it.
---@param expected? string
function Parser:apart(expected)
  if not self:peek().is_apart then self:fail_expected(expected or "a blank") end
end

local function adjoining(parser, kind)
  local token = parser:peek()
  return token.kind == kind and not token.is_apart
end

local function continue_with(parser, parts, mark)
  parts[#parts + 1] = mark
  parser:take()
  if not adjoining(parser, "identifier") then parser:fail_expected "a name" end
  parts[#parts + 1] = parser:take().text
end

---Reads a namespace: names with dots between them, and nothing else.
---@return string
function Parser:namespace()
  local parts = { self:expect("identifier", "a name").text }
  while adjoining(self, ".") do continue_with(self, parts, ".") end
  return table.concat(parts)
end

---Reads a shape id, absolute or relative, with or without a member.
---@return string
function Parser:shape_id()
  local parts = { self:namespace() }
  if adjoining(self, "#") then
    continue_with(self, parts, "#")
  elseif parts[1]:find(".", 1, true) then
    self:fail_expected '"#"'
  end
  if adjoining(self, "$") then continue_with(self, parts, "$") end
  return table.concat(parts)
end

return Parser
