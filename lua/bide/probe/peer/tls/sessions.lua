---Sessions of TLS, by the options of bide.tls and by the inputs of recipes.

local environment = require("bide.probe.peer.tls.authorities").of_environment()
local files = require "bide.probe.peer.tls.files"
local kinds = require("bide.text.option").kinds
local option = require "bide.text.option"
local tables = require "bide.text.tables"
local uv = require "luv"
local whole_file = require "bide.text.whole_file"

local M = {}

local secure -- libssl, loaded with the first session

-- ---- options ------------------------------------------------------------------------------------

local verify = { 'true, false or "authority"', function(value)
  return type(value) == "boolean" or value == "authority"
end }

local protocols = { "a list of texts, of 1 to 255 bytes each", function(value)
  if type(value) ~= "table" or #value == 0 then return false end
  for _, name in ipairs(value) do
    if type(name) ~= "string" or name == "" or #name > 255 then return false end
  end
  return true
end }

local name = { "a string that is not empty, without NUL bytes", function(value)
  return type(value) == "string" and value ~= "" and not value:find("\0", 1, true)
end }

local kind_of = {
  host = name, verify = verify, ca = kinds.text, certificate = kinds.text, key = kinds.text,
  key_password = name, alpn = protocols, timeout = kinds.seconds,
}

---Returns the mistake of options.
---@param given bide.tls.Options
---@return string? mistake
function M.mistake(given)
  local mistake = option.check(given, kind_of) or files.refusal(given)
  if mistake then return mistake end
  if given.key and not given.certificate then return "key: expected a certificate with it, found none" end
end

---Returns the name by which libcrypto compares: without the zone of an address, and without the dot of the root.
---@param host string
---@return string
function M.host(host)
  return (host:gsub("%%.*$", ""):gsub("%.$", ""))
end

-- ---- authorities --------------------------------------------------------------------------------

---The bundle that has the system's authorities where no folder with hashes does, as in small containers.
local BUNDLE, FOLDER = "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/certs"

---Reports whether a folder has files by which libcrypto finds authorities.
local function has_hashes(folder)
  local scan = uv.fs_scandir(folder)
  local file = scan and uv.fs_scandir_next(scan)
  while file do
    if file:find "^%x%x%x%x%x%x%x%x%.%d+$" then return true end
    file = uv.fs_scandir_next(scan)
  end
  return false
end

---The authorities that were read last, since a bundle takes some 20 ms.
---@type { text: string?, folders: string?, authorities: bide.secure.Authorities }
local latest = {}

---@param text? string PEM
---@param folders? string
---@return bide.secure.Authorities? authorities the system's if both are absent
---@return bide.secure.Failure? failure
local function make_authorities(text, folders)
  if latest.authorities and latest.text == text and latest.folders == folders then return latest.authorities end
  local is_system, bundle = not text and not folders, text
  if is_system and not has_hashes(FOLDER) then bundle = files.read(BUNDLE) end
  local authorities, failure = secure.authorities(bundle, folders, is_system)
  if not authorities then return nil, failure end
  latest = { text = text, folders = folders, authorities = authorities }
  return authorities
end

---@param ca? string a PEM file
---@return bide.secure.Authorities?
---@return string? failure
local function find_authorities(ca)
  local file = ca or environment.ca
  local text, mistake, authorities, failure
  if file and file:find("-----BEGIN", 1, true) then
    file, text = "the program", file
  elseif file then
    text, mistake = files.read(file)
  end
  if mistake then return nil, "the certificates of authorities: " .. mistake end
  authorities, failure = make_authorities(text, not ca and environment.ca_folder or nil)
  if not authorities then return nil, ("the certificates of authorities in %s: %s"):format(file, failure.message) end
  return authorities
end

---Returns why libcrypto could read none of the authorities' files just now, which it does not say itself; nil if it could.
---@param given bide.tls.Options
---@return string? lack
function M.lack(given)
  local folders = not given.ca and (environment.ca_folder or not environment.ca and FOLDER)
  if not folders then return nil end
  local _, failure = whole_file.read_now(folders:match "^[^:]*", 0)
  return failure and files.lack_in(failure)
end

-- ---- sessions -----------------------------------------------------------------------------------

---@param given bide.tls.Options
---@return string? protocols
local function protocols_of(given)
  local packed = {}
  for position, protocol in ipairs(given.alpn or {}) do packed[position] = string.pack("s1", protocol) end
  return given.alpn and table.concat(packed)
end

---@param given bide.tls.Options
---@return string? certificate
---@return string? key
---@return string? failure
local function read_own(given)
  if not given.certificate then return nil end
  local certificate, mistake = files.read(given.certificate)
  if mistake then return nil, nil, "the client's certificate: " .. mistake end
  if not given.key then return certificate, certificate end
  local key
  key, mistake = files.read(given.key)
  return certificate, key, mistake and "the key of the client's certificate: " .. mistake
end

---The content of the files that options name.
---@class bide.tls.Materials
---@field authorities? bide.secure.Authorities nil if anything is trusted
---@field certificate? string
---@field key? string

---@type table<bide.tls.Options, bide.tls.Materials>
local kept = setmetatable({}, { __mode = "k" })

---@param given bide.tls.Options checked
---@return bide.tls.Materials?
---@return string? failure
local function read_all(given)
  secure = secure or require "bide.secure"
  local authorities, failure
  if given.verify ~= false then authorities, failure = find_authorities(given.ca) end
  if failure then return nil, failure end
  local certificate, key, mistake = read_own(given)
  if mistake then return nil, mistake end
  return { authorities = authorities, certificate = certificate, key = key }
end

---Reads the files that options name, and keeps what is in them for all sessions with these options, so that the process may
---lose its files.
---@param given bide.tls.Options checked
---@return string? failure
function M.keep(given)
  local materials, failure = read_all(given)
  kept[given] = materials
  return failure
end

---Returns a session that has not begun.
---@param host string
---@param given bide.tls.Options checked
---@return bide.secure.Session?
---@return string? failure
function M.new(host, given)
  local materials, failure = kept[given], nil
  if not materials then materials, failure = read_all(given) end
  if not materials then return nil, failure end
  local trust = given.verify == false and "anything" or given.verify == "authority" and "authority" or "host"
  local session, problem = secure.session(host, trust, materials.authorities, protocols_of(given), materials.certificate,
    materials.key, given.key_password)
  return session, problem and problem.message
end

-- ---- inputs -------------------------------------------------------------------------------------

---@param own? bide.Inputs
---@return bide.Inputs
function M.inputs(own)
  return tables.merged({
    tls = { type = "boolean", documentation = "Use TLS. Default: if the URL says so, or one of the inputs that belong to it." },
    ca = { type = "string", documentation = "The authorities to trust, a PEM file. Default: the environment's or the system's." },
    certificate = { type = "string", documentation = "The client's certificate, a PEM file." },
    key = { type = "string", documentation = "The key of the certificate, a PEM file. Default: in the same file." },
    key_password = { type = "string", secret = true, documentation = "The password of the key." },
    server_name = { type = "string", documentation = "The name that the certificate must have. Default: the host." },
    insecure = { type = "boolean", documentation = "Trust any certificate." },
  }, own)
end

---@param input table
---@return boolean
local function asks(input)
  if input.tls ~= nil then return input.tls end
  return input.ca ~= nil or input.certificate ~= nil or input.key ~= nil or input.server_name ~= nil
    or input.insecure ~= nil
end

---@param input table
---@param is_asked? boolean
---@return bide.tls.Options?
function M.options(input, is_asked)
  if not asks(input) and (not is_asked or input.tls == false) then return nil end
  return { host = input.server_name, ca = input.ca, certificate = input.certificate, key = input.key,
    key_password = input.key_password, verify = not input.insecure }
end

---The schemes of URLs that ask for TLS from the first byte.
local is_secure = { amqps = true, grpcs = true, https = true, imaps = true, ["kafka+ssl"] = true, ldaps = true, rediss = true,
  smtps = true, tls = true }

---@param input table
---@return string? scheme that asks for TLS
local function secure_scheme(input)
  local text = input.url or input.host or input.sentinels
  local scheme = type(text) == "string" and text:match "^(%a[%w+.-]*)://"
  return scheme and is_secure[scheme:lower()] and scheme:lower() or nil
end

---Returns how inputs refuse TLS while others ask for it. With a scheme, STARTTLS is not needed.
---@param input table
---@return string? mistake
local function contradiction(input)
  local scheme, reason = secure_scheme(input), nil
  local member = input.tls == false and "tls" or not scheme and input.starttls == false and "starttls"
  if not member then return nil end
  for _, other in ipairs { "insecure", "server_name", "key_password", "key", "certificate", "ca" } do
    if input[other] then reason = other .. " is given" end
  end
  reason = scheme and ("the URL begins with %s://"):format(scheme) or reason
  return reason and ("%s: expected true or nothing, since %s; found false"):format(member, reason)
end

---@param input table
---@return string? mistake
function M.mistake_of_inputs(input)
  return contradiction(input) or files.mistake(input) or M.mistake(M.options(input, true) or {})
end

return M
