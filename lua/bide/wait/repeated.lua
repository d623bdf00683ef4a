---Decides what an answer is worth in which members are given twice with different values. RFC 8259 leaves open which of them
---counts, and a proxy may see the other one: a wait whose conditions name such a member cannot know, so its attempt fails.

local matchers = require "bide.recipe.waiter.matchers"
local retries = require "bide.task.retries"

local M = {}

---Returns the names in an expression: of members, and of functions, whose literals are left out.
---@param path string
---@return fun(): string?
local function names_in(path)
  local left = path:gsub("\\.", ""):gsub("'[^']*'", " "):gsub("`[^`]*`", " ")
  return left:gmatch "[%w_]+"
end

---@param path string
---@param repeated bide.json.Repeated
---@return string? name the first that it has of them
local function name_of(path, repeated)
  if repeated == true then return path end
  for name in names_in(path) do
    if ("\0" .. repeated):find("\0" .. name .. "\0", 1, true) then return name end
  end
end

---Returns the first repeated member of which a condition of the wait asks.
---@param wait bide.Wait
---@param seen bide.Observation
---@param repeated bide.json.Repeated
---@return string? name
local function asked_for(wait, seen, repeated)
  for _, acceptor in ipairs(wait.waiter.acceptors) do
    for _, part in ipairs(matchers.parts(acceptor)) do
      local kind, argument = matchers.of(part.matcher)
      local path = kind.evidence and kind.evidence(argument, wait.input, seen.output)
      local name = path and name_of(path, repeated)
      if name then return name end
    end
  end
end

---Returns what an attempt has seen: an error in place of an output of which conditions ask what cannot be known.
---@param wait bide.Wait
---@param seen bide.Observation of the running task
---@return bide.Observation
function M.judge(wait, seen)
  local repeated = seen.output and retries.repeated()
  local name = repeated and asked_for(wait, seen, repeated)
  if not name then return seen end
  return { retry_after = seen.retry_after, failure = { type = "InvalidResponse", status = seen.status or nil,
    message = ("%s is there twice in the answer, with different values"):format(name) } }
end

return M
