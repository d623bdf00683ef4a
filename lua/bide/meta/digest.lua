---@meta bide.digest

---SHA-256, HMAC and PBKDF2, whose digests are 32 bytes, and SHA-1.
---@class bide.digest
local digest = {}

---@param bytes string
---@return string
function digest.sha256(bytes) end

---Returns the SHA-1 of bytes, 20 bytes. It is broken, and only for protocols that require it.
---@param bytes string
---@return string
function digest.sha1(bytes) end

---Returns the HMAC-SHA-256 of bytes.
---@param key string
---@param bytes string
---@return string
function digest.hmac(key, bytes) end

---Returns the first block of PBKDF2 with HMAC-SHA-256.
---@param password string
---@param salt string
---@param iterations integer 1 to 200000
---@return string
function digest.pbkdf2(password, salt, iterations) end

return digest
