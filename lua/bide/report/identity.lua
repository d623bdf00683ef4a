---Says which wait of many it is, by a member of its input: id, name, or the first string. Secrets never identify a wait.

local columns = require "bide.report.columns"
local core = require "bide.core"
local secret = require "bide.secret"
local shown = require "bide.shown"

local json = core.json

local M = {}

local LONGEST = 40 -- columns

local keys = assert(core.jmespath.compile "keys(@)")

---Returns the value of a member as text; nil if it identifies nothing.
local function text_of(value, may_be_number)
  if math.type(value) == "integer" and may_be_number then return tostring(value) end
  if type(value) ~= "string" or value == "" or value:find("[redacted]", 1, true) then return nil end
  return value
end

---Returns `id=n7`; nil if no member of the input identifies it.
---@param one { waiter: bide.Waiter, input: userdata } a wait, or a prepared one
---@return string?
function M.of(one)
  local members = json.decode(one.input:json { redact = secret.of_names(one.waiter), input = true } or "")
  if type(members) ~= "table" then return nil end
  local names = { "id", "name", table.unpack(keys:query(one.input):value()) }
  for position, name in ipairs(names) do
    local text = text_of(members[name], position <= 2)
    if text then return columns.cut(shown.line(secret.text(("%s=%s"):format(name, text))), LONGEST) end
  end
end

return M
