---Finds out what each acceptor looked at in an attempt, and whether it matched.

local evidence = require "bide.wait.evidence"
local matchers = require "bide.recipe.waiter.matchers"

local M = {}

---The view of one acceptor, or of one of the conditions that have to hold together.
---@class bide.View
---@field acceptor integer its position, from 1
---@field state "success"|"failure"|"retry" what it decides
---@field words string when it matches
---@field matched boolean? nil if it was not asked
---@field saw string? the value that it looked at

---Reports whether an acceptor matched; nil for one that was not tried: one after the deciding acceptor, and --until, which
---is tried last, after a failure. Once that has decided, the others are asked again; of those that only the attempt itself
---could answer, one for success matched and none of the rest.
local function has_matched(wait, entry, position)
  local acceptors, decided = wait.waiter.acceptors, entry.acceptor
  local acceptor, by = acceptors[position], acceptors[decided]
  if by == acceptor then return true end
  if acceptor["until"] then
    if entry.state == "failure" or wait.error then return nil end
    return false
  end
  if by and by["until"] then
    if acceptor.state == "failure" then return false end
    if acceptor.matcher.output or acceptor.matcher.expect then return matchers.holds(acceptor, wait.output) end
    return acceptor.state == "success"
  end
  if decided and position > decided then return nil end
  return false
end

---Adds what an acceptor looked at, or each of the conditions that have to hold together.
local function add(list, wait, entry, position, mask)
  local acceptor, matched = wait.waiter.acceptors[position], has_matched(wait, entry, position)
  for _, part in ipairs(matchers.parts(acceptor)) do
    local holds = matched
    if matched == false and acceptor.parts and #acceptor.parts > 1 and wait.output and not wait.state:is_blind() then
      holds = matchers.holds(part, wait.output)
    end
    list[#list + 1] = {
      acceptor = position, state = part.state, words = matchers.words(part), matched = holds,
      saw = evidence.of(wait, mask):of_acceptor(part, holds),
    }
  end
end

---@param wait bide.Wait after an attempt
---@param entry table the attempt, which was decided on
---@param mask bide.SecretMask? hides the secrets; nil if secrets are shown
---@return bide.View[]
function M.of_attempt(wait, entry, mask)
  local list = {}
  for position in ipairs(wait.waiter.acceptors) do add(list, wait, entry, position, mask) end
  return list
end

return M
