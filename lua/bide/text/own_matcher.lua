---Matchers of bide's own: functions as the custom matchers of scripts are, each with a description, so that reports show
---them as they show the matchers of the specification. They raise nothing.

local M = {}

---The view of an attempt that such a matcher has. It may change nothing of it.
---@class bide.OwnContext
---@field input any
---@field document userdata? the output
---@field error table? an operation error
---@field memory table what the matchers of the wait keep
---@field unread string? the reason why the output has no members
---@field allowMissing boolean? whether conditions may rest on members that no answer has had
---@field before userdata? the last output that an earlier process has seen

---@class bide.DescribedMatcher
---@field matches fun(context: bide.OwnContext): boolean, string?
---@field words string the words for what it matches
---@field sees? "output"|"error" what alone it may match
---@field observed? fun(failure: table, matched: boolean): string the words for an error at which it looked, if it sees errors
---@field path? fun(input: any): string? the JMESPath over the output whose value it compares
---@field message? fun(input: any): string? a JMESPath over the output: the reason of a failure
---@field notice? fun(input: any): string? words beside the value of the path
---@field advice? fun(input: any, found: any): string? words after the value of the path, on how to compare it

---@type table<function, bide.DescribedMatcher>
local descriptions = setmetatable({}, { __mode = "k" })

---Returns a matcher that is shown as it is described.
---@param description bide.DescribedMatcher
---@return fun(context: bide.OwnContext): boolean, string?
function M.new(description)
  descriptions[description.matches] = description
  return description.matches
end

---@param matcher any
---@return bide.DescribedMatcher? description nil if the matcher is not bide's own
function M.of(matcher)
  return descriptions[matcher]
end

return M
