---@meta bide.digest

---SHA-256, and what stands on it. All digests are 32 bytes.
---@class bide.digest
local digest = {}

---@param bytes string
---@return string
function digest.sha256(bytes) end

---HMAC-SHA-256.
---@param key string
---@param bytes string
---@return string
function digest.hmac(key, bytes) end

---The first block of PBKDF2 with HMAC-SHA-256.
---@param password string
---@param salt string
---@param iterations integer 1 to 200000
---@return string
function digest.pbkdf2(password, salt, iterations) end

return digest
