---The `path` of an input, which decides on answers as a condition of the command line does. A yes that rests on a member
---which no answer has had does not count: the memory of a wait keeps which members they had, and the conditions of one path
---share that.

local core = require "bide.core"

local M = {}

---The keys in the memory of a wait: the path with its state, and the members that an earlier process has seen, as bits.
local OF_PATH, EARLIER = {}, {}

---@param path string
---@param is_compared boolean whether its value is compared with another one, so that any may be a yes
---@param allow_missing boolean?
---@return bide.WaitState
local function new_state(path, is_compared, allow_missing)
  local conditions = { rule = is_compared and "any" or "success", all = { { path = path } }, allowMissing = allow_missing }
  local compiled = core.wait.definition(1, 1, { { state = "success", matcher = { conditions = conditions } } })
  return core.wait.kind(compiled, { min_delay = 1, max_delay = 1, max_wait = math.maxinteger }):start(0, 0)
end

---Decides on a document as on an answer.
---@return boolean is_yes
---@return string? why the document cannot be looked into, or the yes does not count
local function observe(state, document)
  state:begin()
  local verdict, _, _, note = state:observe(0, { input = document, output = document })
  return verdict == "success", note and note:match "^no%-member: (.*)$"
end

---Evaluates a path over a document, as if no answer came before it.
---@param path string
---@param expression userdata it, compiled
---@param document userdata
---@return userdata? value a document
---@return string? why there is no value
function M.value_in(path, expression, document)
  local state = new_state(path, false)
  local _, why = observe(state, document)
  if state:is_blind() then return nil, ("%s: %s"):format(path, why) end
  local value, failure = expression:query(document)
  if not value then return nil, ("%s cannot be evaluated: %s"):format(path, failure.kind) end
  return value
end

---Reports whether null says nothing of an answer: header() and status() are null without one of HTTP, too.
---@param expression userdata
---@param document userdata
---@return boolean
local function is_null_of_no_answer(expression, document)
  local parts = expression:asks_answer() and (core.response.answer(document) or {})
  return parts and not parts.headers
end

---Evaluates the input's path over the output of an attempt.
---@param context bide.OwnContext
---@return userdata? value a document; nil if the path cannot be evaluated
---@return boolean is_yes by the rule of a success; with `expect`, whether the value counts
---@return string? why the answer cannot be looked into, or the yes does not count
function M.evaluate(context)
  local path, memory = context.input.path, context.memory or {}
  local known = memory[OF_PATH]
  if not known or known.path ~= path then
    local expression = core.jmespath.compile(path)
    if not expression then return nil, false end
    local state = new_state(path, context.input.expect ~= nil, context.allowMissing)
    known = { path = path, expression = expression, state = state }
    if context.before then known.state:recall(context.before) end
    if memory[EARLIER] then known.state:recall_members(table.unpack(memory[EARLIER])) end
    memory[OF_PATH] = known
  end
  local _, is_of_answer = known.expression:asks_answer()
  if context.unread and not is_of_answer then return nil, false, context.unread end
  local is_yes, why = observe(known.state, context.document)
  if known.state:is_blind() then return nil, false, why end
  if context.input.expect == core.json.null and is_null_of_no_answer(known.expression, context.document) then
    is_yes, why = false, "there is no answer of HTTP"
  end
  return (known.expression:query(context.document)), is_yes, why
end

---Returns which members the path asks for, and which of them answers had, as bits.
---@param memory table? of a wait
---@return integer asked
---@return integer had
function M.members(memory)
  if not memory then return 0, 0 end
  if memory[OF_PATH] then return memory[OF_PATH].state:members() end
  return table.unpack(memory[EARLIER] or { 0, 0 })
end

---Returns the memory of a wait for which an earlier process has kept members.
---@param asked integer
---@param had integer
---@return table
function M.recall(asked, had)
  return { [EARLIER] = { asked, had } }
end

return M
