---Decides what an answer is worth of which members are in doubt: given twice with different values, or of another type than
---the model of the service says. RFC 8259 leaves open which of two values counts, and a proxy may see the other one; and of a
---value that is not what the model says, no expression of the model's can be asked. A wait whose conditions name such a member
---cannot know, so its attempt fails.

local json = require("bide.core").json
local matchers = require "bide.recipe.waiter.matchers"
local own_error = require "bide.text.own_error"
local retries = require "bide.task.retries"
local shown_value = require "bide.wait.shown_value"

local M = {}

---The functions that reach the members of an object without their names.
local reaches_all = { values = true, to_string = true }

---Returns the position of the quote that ends a text in an expression.
---@param path string
---@param at integer of the quote that begins it
local function end_of_quoted(path, at)
  local special, from = "[\\" .. path:sub(at, at) .. "]", at + 1
  while true do
    local found = path:find(special, from) or #path
    if path:sub(found, found) ~= "\\" then return found end
    from = found + 2
  end
end

---Adds the names of an expression to a set: those of functions too, and those in objects that are written in it.
---@param names table<string, true>
---@param path string
---@return boolean has_all whether it may reach members that it does not name
local function add_names(names, path)
  local has_all, at = false, path:find "[%a_\"'`*]"
  while at do
    local last, first = at, path:sub(at, at)
    if first == "*" then -- those of a list alone, but of an object where `.` is before it
      has_all = has_all or path:sub(at - 1, at + 1) ~= "[*]" or path:find("^%.%s*%[%*", at - 2) ~= nil
    elseif first:find "[%a_]" then
      last = path:match("^[%w_]*()", at) - 1
      local name = path:sub(at, last)
      names[name] = true
      has_all = has_all or reaches_all[name] and path:find("^%s*%(", last + 1) ~= nil
    else
      last = end_of_quoted(path, at)
      local text = path:sub(at + 1, last - 1)
      if first == '"' then names[json.decode(('"%s"'):format(text))] = true end
      if first == "`" and text:find "{" then add_names(names, (text:gsub("\\`", "`"))) end
    end
    at = path:find("[%a_\"'`*]", last + 1)
  end
  return has_all
end

---Returns whether an expression compares two values of the answer. If they are objects, all their members count.
---@param path string
local function compares_values(path)
  for before, after in path:gmatch "([^%s!=])%s*[!=]=%s*(.)" do
    if not (before .. after):find "['`]" then return true end
  end
  for arguments in path:gmatch "contains%s*(%b())" do
    if not arguments:find "^%(%s*['`]" and not arguments:find "['`]%s*%)$" then return true end
  end
  return false
end

---Returns why an expression cannot be asked of an answer.
---@param path string
---@param repeated bide.json.Repeated?
---@param odd bide.OddMember[]?
---@return string? words
local function doubt_of(path, repeated, odd)
  local names = {}
  local has_all = add_names(names, path) or compares_values(path) or shown_value.calls_script(path)
  for name in (repeated == true and path .. "\0" or repeated or ""):gmatch "([^\0]*)\0" do
    if has_all or repeated == true or names[name] then return retries.words_of_repeated(name) end
  end
  for _, one in ipairs(odd or {}) do
    local is_reached = true
    for _, name in ipairs(has_all and {} or one.names) do is_reached = is_reached and names[name] end
    if is_reached then return one.words end
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
      local reads_all = kind.reads_all and kind.reads_all(argument)
      local path = reads_all and "*" or kind.evidence and kind.evidence(argument, wait.input, seen.output)
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
  local failure = own_error.mark { type = "InvalidResponse", status = seen.status or nil, message = words }
  return { retry_after = seen.retry_after, failure = failure } -- which the operation did not answer with
end

return M
