---Decides what an answer is worth of which members are in doubt: given twice with different values, or of another type than
---the model of the service says. RFC 8259 leaves open which of two values counts, and a proxy may see the other one; and of a
---value that is not what the model says, no expression of the model's can be asked. A wait whose conditions name such a member
---cannot know, so its attempt fails.

local matchers = require "bide.recipe.waiter.matchers"
local retries = require "bide.task.retries"

local M = {}

---Returns an expression without its literals: what is left are names of members and of functions.
---@param path string
---@return string
local function without_literals(path)
  return (path:gsub("\\.", ""):gsub("'[^']*'", " "):gsub("`[^`]*`", " "))
end

---@param text string an expression without literals
---@param repeated bide.json.Repeated
---@return string? name the first that it has of them
local function repeated_in(text, repeated)
  if repeated == true then return text end
  for name in text:gmatch "[%w_]+" do
    if ("\0" .. repeated):find("\0" .. name .. "\0", 1, true) then return name end
  end
end

---Reports whether an expression may reach a member: it has the names that lead there, or all members of something.
---@param text string an expression without literals
---@param names string[]
local function may_reach(text, names)
  local has_all = text:find("*", 1, true) or text:find("values", 1, true)
  for position = has_all and #names or 1, #names do
    if not text:find("%f[%w_]" .. names[position] .. "%f[^%w_]") then return false end
  end
  return true
end

---Returns why an expression cannot be asked of an answer.
---@param path string
---@param repeated bide.json.Repeated?
---@param odd bide.OddMember[]?
---@return string? words
local function doubt_of(path, repeated, odd)
  local text = without_literals(path)
  local name = repeated and repeated_in(text, repeated)
  if name then return ("%s is there twice in the answer, with different values"):format(name) end
  for _, one in ipairs(odd or {}) do
    if may_reach(text, one.names) then return one.words end
  end
end

---Returns why a condition of the wait cannot be asked.
---@param wait bide.Wait
---@param seen bide.Observation of the running task
---@return string? words
local function asked_for(wait, seen)
  local repeated, odd = retries.doubts()
  if not repeated and not odd then return nil end
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local kind, argument = matchers.of(part.matcher)
      local path = kind.evidence and kind.evidence(argument, wait.input, seen.output)
      local words = path and doubt_of(path, repeated, odd)
      if words then return words end
    end
  end
end

---Returns what an attempt has seen: an error in place of an output of which conditions ask what cannot be known.
---@param wait bide.Wait
---@param seen bide.Observation of the running task
---@return bide.Observation
function M.judge(wait, seen)
  local words = seen.output and asked_for(wait, seen)
  if not words then return seen end
  return { retry_after = seen.retry_after,
    failure = { type = "InvalidResponse", status = seen.status or nil, message = words } }
end

return M
