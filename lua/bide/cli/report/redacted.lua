---Prints what a journal or a store holds as JSON without secrets. A journal of bide 0.1.0 or a record of bide.once may hold
---them in clear.

local core = require "bide.core"
local secret = require "bide.text.secret"

---@param printed table
---@param with_tokens table[] the records that have an idempotency token
---@return string
return function(printed, with_tokens)
  local mask = core.secret.mask()
  for _, one in ipairs(with_tokens) do
    if one.token then mask:open(one.token) end
  end
  mask:collect(assert(core.json.document(printed)))
  return assert(core.json.encode(printed, { indent = true, redact = not secret.are_shown and mask, escape = true })) .. "\n"
end
