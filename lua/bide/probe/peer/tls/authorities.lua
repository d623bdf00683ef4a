---The certificate authorities that the environment names, by the rules of curl: CURL_CA_BUNDLE, a PEM file, or
---else SSL_CERT_FILE, a PEM file, and SSL_CERT_DIR, a folder. An empty variable counts as unset.

local luv = require "luv"
local own_files = require "bide.text.own_files"
local variable = require "bide.text.environment"

local M = {}

---The files with the authorities that systems trust. The first is Debian's.
M.bundles = {
  "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
}

---Returns the authorities that are within the program, as PEM; nil if there are none.
---@return string?
function M.own()
  return own_files.read(own_files.folder "certificates.pem")
end

---Returns what the libraries of a distribution know by themselves, for a program that has libraries of its own: the file
---of this system, or else the authorities within the program.
---@return string? ca a file or PEM; nil if the libraries' default will do
local function of_system()
  if not own_files.are_within() then return nil end
  for position, path in ipairs(M.bundles) do
    if luv.fs_stat(path) then return position > 1 and path or nil end
  end
  return M.own()
end

---@return { ca: string?, ca_folder: string? } where `ca` is a file, or PEM
function M.of_environment()
  local bundle = variable "CURL_CA_BUNDLE"
  if bundle then return { ca = bundle } end
  local file, folder = variable "SSL_CERT_FILE", variable "SSL_CERT_DIR"
  return { ca = file or not folder and of_system() or nil, ca_folder = folder }
end

return M
