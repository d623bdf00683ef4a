---An idempotency token: a name for a request that no other request has, so that a
---service can tell a retry from a second wish.

local core = require "bide.core"

---A UUID of version 4, from the system's randomness.
---@return string
return function()
  local high, low = core.wait.random_seed(), core.wait.random_seed()
  return ("%08x-%04x-4%03x-%04x-%012x"):format(high >> 32, high >> 16 & 0xFFFF, high & 0xFFF,
    low >> 48 & 0x3FFF | 0x8000, low & 0xFFFFFFFFFFFF)
end
