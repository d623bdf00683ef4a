---The certificate authorities that the environment names, by the rules of curl: CURL_CA_BUNDLE, a PEM file, or
---else SSL_CERT_FILE, a PEM file, and SSL_CERT_DIR, a folder. An empty variable counts as unset.

local M = {}

local function variable(name)
  local value = os.getenv(name)
  return value ~= "" and value or nil
end

---@return { ca: string?, ca_folder: string? }
function M.of_environment()
  local bundle = variable "CURL_CA_BUNDLE"
  if bundle then return { ca = bundle } end
  return { ca = variable "SSL_CERT_FILE", ca_folder = variable "SSL_CERT_DIR" }
end

return M
