---Random texts of JSON and random expressions, made to reach what fast code may get wrong: lists of objects with
---nearly the same names, names of one hash, escapes, numbers and surrogates at their bounds, deep nesting.

local collision = require "spec.support.oracle.collision"
local functions = require "spec.support.oracle.functions"

local M = {}

local random = math.random

local function one_of(choices)
  return choices[random(#choices)]
end

local function chance(percent)
  return random(100) <= percent
end

local function list_of(count, f)
  local list = {}
  for i = 1, count do list[i] = f(i) end
  return list
end

-- ---- strings --------------------------------------------------------------------------

---Whether a case has what no strict reader takes, besides what is damaged.
local has_wrong = false

---Now and then, in a case that has it.
local function is_wrong()
  return has_wrong and chance(3)
end

---As they stand in JSON, between quotes.
local all_names = { "a", "b", "c", "id", "name", "State", "", 'a\\"', "a\\u0000", "a\\u0000b", "\\u0061", "\u{e9}",
  "\\u00e9", "\u{1F600}", "\\ud83d\\ude00", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" }
for _, pair in ipairs(collision.pairs_of_names()) do table.move(pair, 1, 2, #all_names + 1, all_names) end

---Those of a case: few, so that expressions find what they ask for. Names of one hash are neighbours.
local names = all_names

local function choose_names()
  local from = random(#all_names - 1)
  names = { all_names[from], all_names[from + 1], one_of(all_names), "a", "b" }
end

local pieces = { "", "x", "text with blanks", "\\n", '\\"', "\\\\", "\\/", "\\b\\f\\r\\t", "\\u0000", "\\u001f", "\x7F",
  "\u{e9}", "\u{FFFF}", "\u{10FFFF}", "\\uD800\\uDC00", "\\uDBFF\\uDFFF", "\\uDBFF\\uDC00", "\\ud7ff", "\\ue000",
  "12", "-1.5e3", "a long text that takes more than one step of sixteen bytes" }

---Those that no strict reader takes.
local wrong_pieces = { "\\uDFFF", "\\uD800", "\\uDBFF\\uE000", "\\uDBFF\\uDBFF", "\\uDC00\\uD800", "\\uD800x", "\\u12", "\\x",
  "\1", "\0", "\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", '"', "\\" }

---Between quotes, as JSON has it; now and then as it has it not.
local function string_content()
  local parts = list_of(random(0, 3), function() return one_of(pieces) end)
  if is_wrong() then table.insert(parts, one_of(wrong_pieces)) end
  return table.concat(parts)
end

local function name_content()
  return chance(1) and string_content() or one_of(chance(10) and all_names or names)
end

-- ---- numbers --------------------------------------------------------------------------

local numbers = { "0", "-0", "1", "-1", "2", "3", "9007199254740991", "9007199254740992", "9007199254740993",
  "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
  "18446744073709551616", "0.0", "-0.0", "0.1", "1.0", "1e2", "1E+2", "1e-2", "1e22", "1e23", "1e15", "1e16", "123456e-10",
  "1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "2e-324", "1e-400", "2.2250738585072011e-308",
  "4.9406564584124654e-324", "0.30000000000000004", "9007199254740993.0", "1000000000000000000000" }

local wrong_numbers = { "1.7976931348623159e308", "-1e309", "1e400", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1",
  "NaN", "-Infinity", "1_0", "--1" }

local function digits(count)
  return table.concat(list_of(count, function() return tostring(random(0, 9)) end))
end

local function number()
  if chance(60) then return one_of(numbers) end
  if is_wrong() then return one_of(wrong_numbers) end
  local text = (chance(30) and "-" or "") .. random(1, 9) .. digits(random(0, 20))
  if chance(50) then text = text .. "." .. digits(random(1, 20)) end
  local largest = is_wrong() and 400 or chance(10) and 280 or 30
  if chance(30) then text = text .. "e" .. one_of { "", "-", "+" } .. random(0, largest) end
  return text
end

-- ---- values ---------------------------------------------------------------------------

local function space()
  return chance(90) and "" or one_of { " ", "\n", "\t", "\r\n", "          ", "\n                  " }
end

local function joined(open, parts, close)
  return open .. space() .. table.concat(parts, space() .. "," .. space()) .. space() .. close
end

local value

local function member(name, depth)
  return ('"%s"%s:%s%s'):format(name, space(), space(), value(depth))
end

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = random(i)
    list[i], list[j] = list[j], list[i]
  end
end

---What the names of the next object of a list are, by those of the one before.
local changes = {
  function() end,
  shuffle,
  function(list) table.remove(list, random(#list)) end,
  function(list) table.insert(list, random(#list + 1), name_content()) end,
  function(list) table.insert(list, random(#list + 1), list[random(#list)]) end,
  function(list) table.insert(list, 1, list[#list]) end,
  function(list) table.insert(list, 1, table.remove(list)) end,
  function(list) for _ = 1, math.min(10, #list - 1) do table.remove(list, random(#list)) end end,
  function(list) list[random(#list)] = name_content() end,
  function(list) list[random(#list)] = 'a\\"' end,
  function(list)
    for position, name in ipairs(list) do list[position] = has_wrong and name:gsub('\\"', '"') or name end
  end,
}

---Names of their own, or some of which repeat.
local function names_of_object()
  local own = one_of { 0, 50, 100, 100 }
  return list_of(chance(5) and one_of { 17, 33, 40, 70 } or random(5), function(i)
    return chance(own) and "n" .. i or name_content()
  end)
end

local function list_of_objects(depth)
  local wanted = names_of_object()
  local objects = list_of(random(2, 4), function()
    if #wanted > 0 then one_of(changes)(wanted) end
    return joined("{", list_of(#wanted, function(i) return member(wanted[i], #wanted > 5 and 0 or depth - 1) end), "}")
  end)
  return joined("[", objects, "]")
end

local function scalar()
  local kind = random(8)
  if kind <= 3 then return number() end
  if kind <= 5 then return '"' .. string_content() .. '"' end
  return one_of { "true", "false", "null" }
end

local function object(depth)
  return joined("{", list_of(random(0, 4), function() return member(name_content(), depth - 1) end), "}")
end

---@param depth integer
---@return string
function value(depth)
  local kind = depth <= 0 and 1 or random(10)
  if kind <= 3 then return scalar() end
  if kind <= 5 then return joined("[", list_of(random(0, 4), function() return value(depth - 1) end), "]") end
  if kind <= 9 then return object(depth) end
  return list_of_objects(depth)
end

local function deep()
  local opening, closing = {}, {}
  for level = 1, random(995, 1005) do
    local is_object = chance(30)
    opening[level] = is_object and '{"a":' or "["
    closing[level] = is_object and "}" or "]"
  end
  return table.concat(opening) .. scalar() .. table.concat(closing):reverse()
end

---Takes a byte out, puts one in, or puts one in place of another.
local function damage(text)
  local at = random(#text + 1)
  local byte = one_of { '"', "\\", ",", ":", "{", "}", "[", "]", "0", "e", ".", "\0", "\xC3", "\xFF", " ", "u", "\x1F" }
  return text:sub(1, at - 1) .. one_of { "", byte } .. text:sub(at + one_of { 0, 1 })
end

---A text that is JSON, of a few names.
---@return string
function M.document()
  choose_names()
  return space() .. (chance(25) and list_of_objects or value)(random(3)) .. space()
end

---A text that mostly is JSON.
---@return string
function M.json()
  if chance(1) then return deep() end
  has_wrong = chance(20)
  local text = M.document()
  has_wrong = false
  return chance(10) and damage(text) or text
end

-- ---- expressions ----------------------------------------------------------------------

local expression

local function field()
  local name = one_of(names)
  return name:find "^[%a_][%w_]*$" and name or '"' .. name .. '"'
end

local function items(depth)
  return list_of(one_of { 1, 1, 2, 3 }, function() return expression(depth) end)
end

local function multi_select(depth)
  if chance(60) then return "[" .. table.concat(items(depth), ", ") .. "]" end
  local members = items(depth)
  for position, item in ipairs(members) do members[position] = field() .. ": " .. item end
  return "{" .. table.concat(members, ", ") .. "}"
end

local function index()
  return one_of { "0", "-1", "1", "2", "-3", "01", "-0", "9223372036854775808", "-9223372036854775809" }
end

local function slice()
  local function bound() return chance(50) and index() or "" end
  local step = chance(40) and ":" .. one_of { "1", "-1", "2", "-2", "", "-9223372036854775808", chance(5) and "0" or "3" } or ""
  return bound() .. ":" .. bound() .. step
end

---What may stand behind an expression.
local function step(depth)
  return one_of {
    function() return "." .. field() end,
    function() return "." .. field() end,
    function() return "." .. multi_select(depth - 1) end,
    function() return "[" .. index() .. "]" end,
    function() return "[" .. slice() .. "]" end,
    function() return "[*]" end,
    function() return "[]" end,
    function() return ".*" end,
    function() return "[?" .. expression(depth - 1) .. "]" end,
    function() return " | " .. expression(depth - 1) end,
  }()
end

local function literal()
  local text = chance(70) and number() or value(1)
  if chance(50) then return "`" .. text:gsub("`", "\\`") .. "`" end
  return "'" .. one_of { "x", "", "it\\'s", "\\\\", "12", "\u{e9}" } .. "'"
end

local references = { map = 1, max_by = 2, min_by = 2, sort_by = 2 }

---Lists of one type, which most functions want.
local function typed_list()
  local make = chance(60) and number or function() return '"' .. string_content() .. '"' end
  return "`[" .. table.concat(list_of(random(0, 4), make), ","):gsub("`", "\\`") .. "]`"
end

local function argument(depth)
  return chance(40) and typed_list() or expression(depth - 1)
end

local function call(depth)
  local name = chance(1) and "nope" or one_of(functions.names)
  local arity = functions.arity[name] or { 1, 1 }
  local count = chance(2) and random(0, 3) or arity[2] == math.huge and random(1, 3) or arity[1]
  return name .. "(" .. table.concat(list_of(count, function(position)
    return (references[name] == position and not chance(2) and "&" or "") .. argument(depth)
  end), ", ") .. ")"
end

local function operand(depth)
  return one_of {
    field, field, function() return "@" end, literal,
    function() return "(" .. expression(depth - 1) .. ")" end,
    function() return "!" .. expression(depth - 1) end,
    function() return multi_select(depth - 1) end,
    function() return call(depth) end,
    function() return call(depth) end,
    function() return one_of { "*", "[]", "[*]", "[?" .. expression(depth - 1) .. "]", "[" .. slice() .. "]" } end,
  }()
end

---@param depth integer
---@return string
function expression(depth)
  if depth <= 0 then return one_of { field, field, literal, function() return "@" end }() end
  local parts = { operand(depth) }
  for _ = 1, one_of { 0, 1, 1, 2, 3, 4 } do parts[#parts + 1] = step(depth) end
  if chance(25) then
    parts[#parts + 1] = one_of { " == ", " != ", " < ", " <= ", " > ", " >= ", " && ", " || " } .. expression(depth - 1)
  end
  return table.concat(parts)
end

local function damage_expression(text)
  local at = random(#text + 1)
  local sign = one_of { "[", "]", "(", ")", "{", "}", ".", ",", ":", "*", "&", "|", "!", "?", "`", "'", '"', "@", "-", " ", "e",
    "=", "<", "0", "\\", "\0", "\xC3" }
  return text:sub(1, at - 1) .. one_of { "", sign } .. text:sub(at + one_of { 0, 1 })
end

---An expression that mostly is one; it has the names of the document that was made before.
---@return string
function M.expression()
  if chance(1) then return "a" .. (" < a"):rep(random(254, 259)) end
  local text = expression(random(1, 3))
  if chance(15) then text = damage_expression(text) end
  return text
end

return M
