---@meta bide.digest

---SHA-2, HMAC and chains of it, and SHA-1 and MD5, which are broken, and only for protocols that require them.
---@class bide.digest
local digest = {}

---@alias bide.digest.Name "sha256"|"sha512"|"sha1"|"md5"

---@param bytes string
---@param name bide.digest.Name
---@return string
function digest.of(bytes, name) end

---Returns the SHA-256 of bytes, 32 bytes.
---@param bytes string
---@return string
function digest.sha256(bytes) end

---Returns the SHA-1 of bytes, 20 bytes.
---@param bytes string
---@return string
function digest.sha1(bytes) end

---Returns the HMAC of bytes.
---@param key string
---@param bytes string
---@param name? bide.digest.Name sha256 by default
---@return string
function digest.hmac(key, bytes, name) end

---Makes a chain of HMACs: each is that of the one before. A chain of PBKDF2 is made in several calls.
---@param key string
---@param block string as long as the digest, before the first
---@param rounds integer 0 to 4096
---@param name? bide.digest.Name sha256 by default
---@return string block the last one
---@return string sum of all, by exclusive or
function digest.hmac_chain(key, block, rounds, name) end

return digest
