---A plain parser of JMESPath: operator precedence with the binding powers of the specification, as the reference has
---it. Nodes are { type, … }; what a projection goes over, and what is piped, is its `left`.

local lexer = require "spec.support.oracle.lexer"

local M = {}

---How tightly a token binds to what stands left of it.
local powers = {
  ["|"] = 1, ["||"] = 2, ["&&"] = 3,
  ["=="] = 5, ["!="] = 5, ["<"] = 5, ["<="] = 5, [">"] = 5, [">="] = 5,
  ["[]"] = 9, ["*"] = 20, ["[?"] = 21, ["."] = 40, ["!"] = 45, ["{"] = 50, ["["] = 55, ["("] = 60,
}

---What binds less ends a projection.
local PROJECTION_STOP = 10

---Comparators in a row.
M.MOST_COMPARATORS = 256

local CURRENT = { type = "current" }

local function fail(kind)
  error({ kind = kind }, 0)
end

---@class spec.Parser
---@field token table
---@field arity table<string, { [1]: integer, [2]: integer }> of the functions
---@field mistake string? the kind of the first mistake that is none of syntax
local Parser = {}
Parser.__index = Parser

function Parser:advance()
  local token = self.token
  self.token, self.at = lexer.next(self.text, self.at)
  return token
end

function Parser:take(kind)
  return self.token.type == kind and self:advance() or nil
end

function Parser:expect(kind)
  return self:take(kind) or fail "syntax"
end

function Parser:note(kind)
  self.mistake = self.mistake or kind
end

-- ---- projections ----------------------------------------------------------------------

function Parser:behind_dot(power)
  local kind = self.token.type
  if self:take "[" then return self:list() end
  if kind == "{" then return self:hash() end
  if kind == "name" or kind == "quoted name" or kind == "*" then return self:expression(power) end
  fail "syntax"
end

---What is applied to each element.
function Parser:body(power)
  local kind = self.token.type
  if (powers[kind] or 0) < PROJECTION_STOP then return CURRENT end
  if kind == "[" then return self:infixes(self:bracket(CURRENT), power) end
  if kind == "[?" then return self:expression(power) end
  if self:take "." then return self:behind_dot(power) end
  fail "syntax"
end

function Parser:projection(over, left, power)
  return { type = "projection", over = over, left = left, body = self:body(power) }
end

function Parser:filter(left)
  local condition = self:expression(0)
  self:expect "]"
  return { type = "filter", left = left, condition = condition, body = self:body(powers["[?"]) }
end

function Parser:slice(left, parts)
  if parts[3] == 0 then self:note "invalid-value" end
  return { type = "slice", left = left, start = parts[1], stop = parts[2], step = parts[3] or 1, body = self:body(20) }
end

---[1], [1:2:3]; the opening bracket has been read.
function Parser:index(left)
  local parts, colons = {}, 0
  while not self:take "]" do
    if self.token.type == ":" and colons < 2 then
      colons = colons + 1
    elseif self.token.type == "integer" and not parts[colons + 1] then
      parts[colons + 1] = self.token.value
    else
      fail "syntax"
    end
    self:advance()
  end
  if colons > 0 then return self:slice(left, parts) end
  return { type = "index", left = left, index = parts[1] }
end

function Parser:is_at_index()
  return self.token.type == "integer" or self.token.type == ":"
end

---A bracket behind an expression.
function Parser:bracket(left)
  self:expect "["
  if self:is_at_index() then return self:index(left) end
  self:expect "*"
  self:expect "]"
  return self:projection("list", left, 20)
end

-- ---- what an expression begins with ---------------------------------------------------

---[a, b], whose opening bracket has been read.
function Parser:list()
  local items = {}
  repeat
    items[#items + 1] = self:expression(0)
  until not self:take ","
  self:expect "]"
  return { type = "multi-select list", items = items }
end

function Parser:hash()
  local names, items = {}, {}
  self:expect "{"
  repeat
    local name = self:take "name" or self:expect "quoted name"
    self:expect ":"
    names[#names + 1], items[#items + 1] = name.value, self:expression(0)
  until not self:take ","
  self:expect "}"
  return { type = "multi-select hash", names = names, items = items }
end

function Parser:argument()
  if self:take "&" then return { type = "reference", body = self:expression(0) } end
  return self:expression(0)
end

---A call, whose opening parenthesis has been read.
function Parser:call(name)
  local arguments = {}
  if not self:take ")" then
    repeat
      arguments[#arguments + 1] = self:argument()
    until not self:take ","
    self:expect ")"
  end
  local arity = self.arity[name]
  if not arity then
    self:note "unknown-function"
  elseif #arguments < arity[1] or #arguments > arity[2] then
    self:note "invalid-arity"
  end
  return { type = "call", name = name, arguments = arguments }
end

function Parser:name()
  local name = self:advance().value
  if self:take "(" then return self:call(name) end
  return { type = "field", name = name }
end

function Parser:quoted_name()
  local name = self:advance().value
  if self.token.type == "(" then fail "syntax" end
  return { type = "field", name = name }
end

function Parser:first_bracket()
  self:advance()
  if self:is_at_index() then return self:index(CURRENT) end
  if self.token.type == "*" and lexer.next(self.text, self.at).type == "]" then
    self:advance()
    self:advance()
    return self:projection("list", CURRENT, 20)
  end
  return self:list()
end

local prefixes = {
  name = Parser.name, ["quoted name"] = Parser.quoted_name, ["["] = Parser.first_bracket, ["{"] = Parser.hash,
  literal = function(self) return { type = "literal", value = self:advance().value } end,
  ["@"] = function(self)
    self:advance()
    return CURRENT
  end,
  ["*"] = function(self)
    self:advance()
    return self:projection("values", CURRENT, 20)
  end,
  ["[]"] = function(self)
    self:advance()
    return self:projection("flatten", CURRENT, 9)
  end,
  ["[?"] = function(self)
    self:advance()
    return self:filter(CURRENT)
  end,
  ["!"] = function(self)
    self:advance()
    return { type = "not", operand = self:expression(powers["!"]) }
  end,
  ["("] = function(self)
    self:advance()
    local inner = self:expression(0)
    self:expect ")"
    return inner
  end,
}

-- ---- what it goes on with -------------------------------------------------------------

local function binary(kind)
  return function(self, left)
    local sign = self:advance().type
    return { type = kind, sign = sign, left = left, right = self:expression(powers[sign]) }
  end
end

local function comparison(self, left)
  local row = left.type == "comparison" and left.row + 1 or 1
  if row > M.MOST_COMPARATORS then fail "limit" end
  local node = binary "comparison"(self, left)
  node.row = row
  return node
end

local infixes = {
  ["|"] = binary "then", ["||"] = binary "or", ["&&"] = binary "and",
  ["["] = Parser.bracket,
  ["[]"] = function(self, left)
    self:advance()
    return self:projection("flatten", left, 9)
  end,
  ["[?"] = function(self, left)
    self:advance()
    return self:filter(left)
  end,
  ["."] = function(self, left)
    self:advance()
    if self:take "*" then return self:projection("values", left, 20) end
    return { type = "then", left = left, right = self:behind_dot(powers["."]) }
  end,
}
for _, sign in ipairs { "==", "!=", "<", "<=", ">", ">=" } do infixes[sign] = comparison end

function Parser:infixes(left, power)
  while power < (powers[self.token.type] or 0) do
    left = (infixes[self.token.type] or fail "syntax")(self, left)
  end
  return left
end

function Parser:expression(power)
  local prefix = prefixes[self.token.type] or fail "syntax"
  return self:infixes(prefix(self), power)
end

---Raises { kind = … } where the expression is none.
---@param text string
---@param arity table<string, { [1]: integer, [2]: integer }>
---@return table node
function M.parse(text, arity)
  if not utf8.len(text) then fail "syntax" end
  local parser = setmetatable({ text = text, at = 1, arity = arity }, Parser)
  parser:advance()
  local node = parser:expression(0)
  if parser.token.type ~= "end" then fail "syntax" end
  if parser.mistake then fail(parser.mistake) end
  return node
end

return M
