---PBKDF2 with HMAC, whose key is one digest long (RFC 8018). The loop turns meanwhile, since a server chooses the
---number of iterations.

local await = require "bide.task.await"
local core = require "bide.core"
local digest = require "bide.digest"
local exclusive_or = require "bide.probe.peer.exclusive_or"

---The iterations between two turns of the loop, which take 1 ms.
local SLICE = 4096

---@param password string
---@param salt string
---@param iterations integer
---@param name? bide.digest.Name of the HMAC; sha256 by default
---@return string key
return function(password, salt, iterations, name)
  local block = digest.hmac(password, salt .. "\0\0\0\1", name)
  local sum, left = block, iterations - 1
  while left > 0 do
    local part
    block, part = digest.hmac_chain(password, block, math.min(left, SLICE), name)
    sum, left = exclusive_or(sum, part), left - SLICE
    if left > 0 then await(core.loop.update()) end
  end
  return sum
end
