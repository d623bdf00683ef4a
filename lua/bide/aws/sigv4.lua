---Signs requests to AWS: Signature Version 4, with a header Authorization.
---
---    local sigv4 = require "bide.aws.sigv4"
---    local added = sigv4.sign({ method = "GET", url = url, time = os.time() }, credentials,
---      { region = "eu-west-1", service = "ec2" })
---    for name, value in pairs(added) do headers[name] = value end
---
---The request has to be sent as it was signed: with these headers, without a redirect, and with its path as it is. No
---error of this module shows a value of the credentials.

local core = require "bide.core"
local digest = require "bide.digest"
local option = require "bide.text.option"
local web_address = require "bide.text.web_address"

local M = {}

local hex, kinds = core.text.hex, option.kinds

---@class bide.aws.Request
---@field method string
---@field url string absolute, encoded as it is sent
---@field headers? table<string, string|string[]>|string[] by name, or names and values by turns. If Host is missing, it
---is that of the URL
---@field body? string
---@field time? integer seconds since 1970; by default now

---@class bide.aws.Credentials
---@field access_key string
---@field secret_key string
---@field session_token? string

---@class bide.aws.Scope
---@field region string
---@field service string the signing name, as "s3" or "ec2"
---@field normalize? boolean take dot segments and repeated slashes out of the signed path; S3 does not
---@field double_encode? boolean encode the signed path once more; S3 does not
---@field sign_body? boolean add X-Amz-Content-Sha256; S3 does

local request_kinds = {
  method = kinds.identifier, url = kinds.text, headers = kinds.table, body = kinds.text, time = kinds.integer,
}
local scope_kinds = {
  region = kinds.identifier, service = kinds.identifier,
  normalize = kinds.flag, double_encode = kinds.flag, sign_body = kinds.flag,
}

---The signing names of S3, whose rules for paths and bodies differ from those of all other services.
local is_s3 = option.set "s3 s3express s3-object-lambda s3-outposts"

---Headers that proxies and libcurl change or add on the way, and those of an earlier signature.
local is_unsigned = option.set("authorization connection expect keep-alive proxy-authorization te transfer-encoding "
  .. "upgrade user-agent x-amz-date x-amzn-trace-id")

local EMPTY = hex(digest.sha256 "")

-- ---- the canonical request --------------------------------------------------------------------

---Resolves dot segments and repeated slashes. A path keeps a slash at its end, if a segment is left.
local function normalized(path)
  if not path:find "/[./]" then return path end
  local segments = {}
  for segment in path:gmatch "[^/]+" do
    if segment == ".." then
      segments[#segments] = nil
    elseif segment ~= "." then
      segments[#segments + 1] = segment
    end
  end
  return "/" .. table.concat(segments, "/") .. (#segments > 0 and path:find "/$" and "/" or "")
end

---Returns the path that is signed. S3's is the path as sent: decoding it would lose %2F. That of others is encoded a second
---time, but for its slashes.
local function canonical_path(path, rules)
  if path == "" then return "/" end
  if rules.normalize then path = normalized(path) end
  return rules.double_encode and web_address.escape(path, "/") or web_address.escape(path, "/%%")
end

local function precedes(a, b)
  if a[1] ~= b[1] then return a[1] < b[1] end
  return a[2] < b[2]
end

---Returns a part of a query in its one form, whichever way it was encoded. A plus sign is a blank, as services read it.
local function canonical_part(part)
  return web_address.escape(web_address.unescape((part:gsub("+", " "))))
end

---Sorts the parameters by name and then by value: joined texts would put "a-b=" before "a=".
local function canonical_query(query)
  if query == "" then return "" end
  local parameters = {}
  for parameter in query:gmatch "[^&]+" do
    local name, value = parameter:match "^([^=]*)=?(.*)$"
    parameters[#parameters + 1] = { canonical_part(name), canonical_part(value) }
  end
  table.sort(parameters, precedes)
  for position, parameter in ipairs(parameters) do parameters[position] = parameter[1] .. "=" .. parameter[2] end
  return table.concat(parameters, "&")
end

---Returns a header's value without blanks at its ends, and with one blank for several.
local function trimmed(value)
  value = tostring(value)
  return value:find "%s" and value:gsub("%s+", " "):match "^ ?(.-) ?$" or value
end

---Adds a header to those that are signed: `fields` has their names as a list, and their values by name.
local function add_field(fields, name, value)
  if type(name) ~= "string" or type(value) ~= "string" and type(value) ~= "number" then
    error("request.headers: expected names and values that are strings", 0)
  end
  name, value = name:lower(), trimmed(value)
  if is_unsigned[name] then return end
  if fields[name] then
    fields[name] = fields[name] .. "," .. value
  else
    fields[#fields + 1], fields[name] = name, value
  end
end

local function add_fields(fields, headers)
  for position = 1, #headers, 2 do add_field(fields, headers[position], headers[position + 1]) end
  if headers[1] then return end
  for name, value in pairs(headers) do
    for _, item in ipairs(type(value) == "table" and value or { value }) do add_field(fields, name, item) end
  end
end

---Replaces a header, and adds it to those that the request has to be sent with.
local function put(fields, added, name, value)
  local lower = name:lower()
  if not fields[lower] then fields[#fields + 1] = lower end
  fields[lower], added[name] = trimmed(value), value
end

---Returns the signed headers, and their names.
local function canonical_headers(fields)
  table.sort(fields)
  local lines = {}
  for position, name in ipairs(fields) do lines[position] = name .. ":" .. fields[name] .. "\n" end
  return table.concat(lines), table.concat(fields, ";")
end

-- ---- the parts of a URL -----------------------------------------------------------------------

local default_ports = { http = ":80$", https = ":443$" }

---@return string? host nil if the URL is not absolute
---@return string path
---@return string query
local function split(url)
  local scheme, authority, path, query = url:match "^(%a[%w+.-]*)://([^/?#]*)([^?#]*)%??([^#]*)"
  if not authority or authority == "" then return nil, "", "" end
  local host = authority:gsub("^.*@", ""):gsub(default_ports[scheme:lower()] or ":$", "")
  return host, path, query
end

-- ---- the key ----------------------------------------------------------------------------------

---The most signing keys that are kept.
local MOST_KEPT = 64

local kept, count = {}, 0

---Returns the signing key of a day, region and service. Deriving it takes four HMACs, so it is kept.
local function signing_key(secret_key, day, scope)
  local name = table.concat({ day, scope.region, scope.service, secret_key }, "\n")
  local key = kept[name]
  if key then return key end
  key = digest.hmac("AWS4" .. secret_key, day)
  for _, part in ipairs { scope.region, scope.service, "aws4_request" } do key = digest.hmac(key, part) end
  if count >= MOST_KEPT then kept, count = {}, 0 end
  kept[name], count = key, count + 1
  return key
end

-- ---- signing ----------------------------------------------------------------------------------

local function check_credentials(credentials)
  if type(credentials) ~= "table" then error("credentials: expected a table", 4) end
  for _, name in ipairs { "access_key", "secret_key" } do
    local value = credentials[name]
    if type(value) ~= "string" or value == "" then
      error(("credentials.%s: expected a string that is not empty"):format(name), 4)
    end
  end
  local token = credentials.session_token
  if token ~= nil and type(token) ~= "string" then error("credentials.session_token: expected a string", 4) end
end

local request_names, scope_names = { "method", "url" }, { "region", "service" }

local function check(request, credentials, scope)
  local mistake = option.check(request, request_kinds, request_names)
  if mistake then error("request." .. mistake, 3) end
  mistake = option.check(scope, scope_kinds, scope_names)
  if mistake then error("scope." .. mistake, 3) end
  check_credentials(credentials)
end

---Returns the rules of a scope: what it says, else those of its service.
local function rules_of(scope)
  local is_usual = not is_s3[scope.service]
  local function rule(name, usual)
    if scope[name] == nil then return usual end
    return scope[name]
  end
  return {
    normalize = rule("normalize", is_usual), double_encode = rule("double_encode", is_usual),
    sign_body = rule("sign_body", not is_usual),
  }
end

---Puts the headers that are signed into `added` and `fields`, and returns the digest of the body.
local function complete(fields, added, request, credentials, rules)
  local token = credentials.session_token
  if token and token ~= "" then put(fields, added, "X-Amz-Security-Token", token) end
  local body = request.body or ""
  local given = fields["x-amz-content-sha256"]
  if given then return given end
  local hash = body == "" and EMPTY or hex(digest.sha256(body))
  if rules.sign_body then put(fields, added, "X-Amz-Content-Sha256", hash) end
  return hash
end

---Returns the headers to add to a request; they replace headers of the same names.
---@param request bide.aws.Request
---@param credentials bide.aws.Credentials
---@param scope bide.aws.Scope
---@return table<string, string> headers Authorization, X-Amz-Date; X-Amz-Security-Token and X-Amz-Content-Sha256 if needed
function M.sign(request, credentials, scope)
  check(request, credentials, scope)
  local host, path, query = split(request.url)
  if not host then error("request.url: expected an absolute URL", 2) end
  local rules, fields, added = rules_of(scope), {}, {}
  add_fields(fields, request.headers or {})
  if not fields.host then add_field(fields, "host", host) end
  local stamp = os.date("!%Y%m%dT%H%M%SZ", request.time) --[[@as string]]
  put(fields, added, "X-Amz-Date", stamp)
  local hash = complete(fields, added, request, credentials, rules)
  local headers, names = canonical_headers(fields)
  local canonical = table.concat({
    request.method, canonical_path(path, rules), canonical_query(query), headers, names, hash,
  }, "\n")
  local day = stamp:sub(1, 8)
  local place = ("%s/%s/%s/aws4_request"):format(day, scope.region, scope.service)
  local text = ("AWS4-HMAC-SHA256\n%s\n%s\n%s"):format(stamp, place, hex(digest.sha256(canonical)))
  local signature = hex(digest.hmac(signing_key(credentials.secret_key, day, scope), text))
  added.Authorization = ("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%s")
    :format(credentials.access_key, place, names, signature)
  return added
end

return M
