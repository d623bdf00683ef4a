---Expressions of other languages, such as `.state` of jq, `{.state}` of JSONPath, or `state is done`, where JMESPath is read:
---the mistake then says what to write.

local jmespath = require("bide.core").jmespath

local M = {}

---Patterns of what JMESPath has not, and what it has in their place. All that are found are replaced, in this order.
local forms = {
  { "^“(.+)”$", "%1" }, { "“", "'" }, { "”", "'" }, { "‘", "'" }, { "’", "'" },
  { "^jsonpath=", "" }, { "^{%$?%.([^{}]+)}", "%1" }, { "^%$?%.", "" },
  { "^not%s+", "!" },
  { "^([%w_.]+)%s+is%s+([%w_-]+)$", "%1=%2" }, { "^([%w_.]+)%s+eq%s+([%w_-]+)$", "%1=%2" },
  { "^([%w_.]+)===%s*([%w_-]+)$", "%1=%2" }, { "^([%w_.]+):%s*([%w_-]+)$", "%1=%2" },
  { "headers?%[[\"']([%w-]+)[\"']%]", "header('%1')" }, { "header%((%a[%w-]*)%)", "header('%1')" },
  { '([!=]=%s*)"([^"`\']*)"', "%1'%2'" }, { "([<>!=]=?%s*)(%-?%d+%.?%d*)%f[^%w_.]", "%1`%2`" },
}

---Returns the expression that a text may mean, and the text that its value is to be, if it has one.
---@param text string that does not compile as JMESPath
---@return string? expression
---@return string? wanted
local function meaning(text)
  for _, form in ipairs(forms) do text = text:gsub(form[1], form[2]) end
  if jmespath.compile(text) then return text end
  local expression, wanted = text:match "^(.*[^=!<>%s])=([^=%s][^=]*)$"
  if expression and jmespath.compile(expression) then return expression, wanted end
end

---Returns a mistake of syntax whose first line ends with what to write in place of the text.
---@param mistake string
---@param text string that does not compile as JMESPath
---@param written fun(expression: string, wanted: string?): string? how an expression is given there, with what it is to be
---@return string
function M.explain(mistake, text, written)
  local expression, wanted = meaning(text)
  local words = expression and written(expression, wanted)
  local is_curly = text:find "“" or text:find "”" or text:find "‘" or text:find "’"
  if not words and not is_curly then return mistake end
  local hint = words and "; write " .. words or "; quotes are straight: '"
  return (mistake:gsub("^[^\n]*", function(line) return line:gsub("; write '=='$", "") .. hint end, 1))
end

return M
