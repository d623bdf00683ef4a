---Finds out whether expressions call header(), status() or text(): only then does a wait keep the answer of its last output.

local M = {}

local names = { "header", "status", "text" }

---Reports whether a text may be, or contain, an expression that calls one of the functions. A text that only looks like it
---costs nothing but memory.
---@param text string
---@return boolean
function M.may_call(text)
  if not text:find("(", 1, true) then return false end
  for _, name in ipairs(names) do
    if text:find("%f[%w_]" .. name .. "%s*%(") then return true end
  end
  return false
end

---Reports whether any text in a table may call one of them.
---@param value any
---@return boolean
local function may_call_in(value)
  if type(value) == "string" then return M.may_call(value) end
  if type(value) ~= "table" then return false end
  for _, member in pairs(value) do
    if may_call_in(member) then return true end
  end
  return false
end

---Reports whether the acceptors of a waiter, or what else it evaluates, may ask of the answer.
---@param waiter bide.Waiter
---@return boolean
function M.of_waiter(waiter)
  if waiter.keeps_answer then return true end
  for _, acceptor in ipairs(waiter.acceptors) do
    local matcher = acceptor.matcher
    if may_call_in(matcher.output or matcher.inputOutput or matcher.expect or matcher.conditions) then return true end
    if may_call_in(acceptor.message) then return true end
  end
  return may_call_in(waiter.beyond.watched) or may_call_in(waiter.fact)
end

return M
