---The proofs of a password for MySQL and MariaDB, by the names of the server's plugins. No proof contains the password; a
---server that requires the password itself gets it only over TLS, and if its certificate is verified.

local digest = require "bide.digest"
local exclusive_or = require "bide.probe.peer.exclusive_or"

local M = {}

---@alias bide.mysql.Proof fun(password: string, salt: string, is_secure: boolean): string?

---@type table<string, bide.mysql.Proof>
local proofs = {
  mysql_native_password = function(password, salt)
    local hash = digest.sha1(password)
    return exclusive_or(hash, digest.sha1(salt .. digest.sha1(hash)))
  end,
  caching_sha2_password = function(password, salt)
    local hash = digest.sha256(password)
    return exclusive_or(hash, digest.sha256(digest.sha256(hash) .. salt))
  end,
  mysql_clear_password = function(password, _, is_secure) return is_secure and password .. "\0" or nil end,
}

---Returns the proof of a password; "" for no password.
---@param plugin string
---@param password string
---@param salt string 20 bytes of the server's
---@param is_secure boolean whether the connection is over TLS, and the certificate verified
---@return string? proof nil if bide does not know the plugin, or must not use it here
function M.prove(plugin, password, salt, is_secure)
  local proof = proofs[plugin]
  if not proof then return nil end
  return password == "" and "" or proof(password, salt, is_secure)
end

---Reports whether bide knows a plugin.
---@param plugin string
---@return boolean
function M.knows(plugin)
  return proofs[plugin] ~= nil
end

return M
