---The proofs that a server must ask for, as libpq's `require_auth` names them: "scram-sha-256", "scram-sha-256,none", "!none".

local option = require "bide.text.option"

local M = {}

M.SCRAM, M.NONE = "scram-sha-256", "none"

local known = option.set "password md5 gss sspi scram-sha-256 none"

---@alias bide.postgres.Requirement fun(method: string): boolean reports whether a proof is enough

---Reads a requirement. Proofs that bide does not have are known by their names.
---@param text string? nil if any proof will do
---@return bide.postgres.Requirement? is_enough
---@return string? mistake
function M.read(text)
  if text == nil then return function() return true end end
  local listed, signs = {}, {}
  for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
    local sign, method = word:match "^(!?)(.*)$"
    if not known[method] then
      return nil, option.expected("scram-sha-256, none, or a list of such names, each with ! before it or none", text)
    end
    listed[method], signs[sign] = true, true
  end
  if signs["!"] and signs[""] then return nil, option.expected("names that all have ! before them, or none of them", text) end
  local is_negative = signs["!"] == true
  return function(method) return (listed[method] == true) ~= is_negative end
end

return M
