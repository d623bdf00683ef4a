---Says which wait of many it is, by a member of its input: id, name, or the first string. Secrets never identify a wait.

local columns = require "bide.record.report.progress.columns"
local core = require "bide.core"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local json = core.json

local M = {}

local LONGEST = 40 -- columns

local keys = assert(core.jmespath.compile "keys(@)")

---Returns the members of an input, with their secrets hidden.
local function members_of(document, waiter)
  return json.decode(document:json { redact = secret.of_names(waiter), input = true } or "{}")
end

---Returns the value of a member as text; nil if it identifies nothing.
local function text_of(value)
  if math.type(value) == "integer" then return tostring(value) end
  if type(value) ~= "string" or value == "" or secret.is_masked(value) then return nil end
  return value
end

---Finds the member that identifies an input.
---@param document userdata the input, with its own members only
---@param waiter bide.Waiter
---@return string? name
function M.member_of(document, waiter)
  local members = members_of(document, waiter)
  for _, name in ipairs { "id", "name" } do
    if text_of(members[name]) then return name end
  end
  for _, name in ipairs(keys:query(document):value()) do
    if type(members[name]) == "string" and text_of(members[name]) then return name end
  end
end

---Returns `id=n7`; nil if no member identifies the wait.
---@param one { waiter: bide.Waiter, input: userdata } a wait, or a prepared one
---@param name string? of the member
---@return string?
function M.of(one, name)
  local text = name and text_of(members_of(one.input, one.waiter)[name])
  return text and columns.cut(shown.line(secret.text(("%s=%s"):format(name, text))), LONGEST) or nil
end

return M
