---@meta bide.digest

---SHA-256, HMAC and chains of it, whose digests are 32 bytes, and SHA-1.
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

---Makes a chain of HMACs: each is that of the one before. A chain of PBKDF2 is made in several calls.
---@param key string
---@param block string 32 bytes, before the first
---@param rounds integer 0 to 4096
---@return string block the last one
---@return string sum of all, by exclusive or
function digest.hmac_chain(key, block, rounds) end

return digest
