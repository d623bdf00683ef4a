---The credentials of a request, by the traits of its service (Smithy 2.0, "Authentication traits"): which schemes an
---operation has, which of them the given secrets serve, and where a secret goes.

local option = require "bide.text.option"
local web_address = require "bide.text.web_address"

local M = {}

---Headers that the signer or libcurl owns: a model that sets one would say to which host, and for what, a request counts.
local owned = option.set [[
  authorization connection content-length cookie expect host keep-alive proxy-authorization proxy-connection te trailer
  transfer-encoding upgrade x-amz-content-sha256 x-amz-date x-amz-security-token ]]

---Reports whether a header is the signer's or libcurl's own.
---@param name string
---@return boolean
function M.is_owned(name)
  return owned[name:lower()] ~= nil
end

---Owned headers that a user may have a value for.
local of_users = option.set "authorization cookie"

---Reports whether a member of an input, or a key, may be a header.
---@param name string
---@return boolean
function M.may_be_given(name)
  return not M.is_owned(name) or of_users[name:lower()] ~= nil
end

local AUTH, OPTIONAL, NONE = "smithy.api#auth", "smithy.api#optionalAuth", "smithy.api#noAuth"

M.SIGV4 = "aws.auth#sigv4"

---Schemes with a secret of the user, and the option that has it.
local option_of = {
  ["smithy.api#httpApiKeyAuth"] = "api_key", ["smithy.api#httpBasicAuth"] = "basic",
  ["smithy.api#httpBearerAuth"] = "bearer",
}

---The options with secrets.
M.secrets = { "api_key", "basic", "bearer" }

---Schemes that are known, for services that do not order theirs: it is that of their names.
local known = {
  "aws.auth#sigv4", "aws.auth#sigv4a", "smithy.api#httpApiKeyAuth", "smithy.api#httpBasicAuth",
  "smithy.api#httpBearerAuth", "smithy.api#httpDigestAuth",
}

-- ---- schemes --------------------------------------------------------------------------------

---Returns the ids of the schemes of an operation, the best one first.
---@param service bide.ModelShape
---@param operation bide.ModelShape
---@return string[] schemes
---@return boolean is_optional whether a request without credentials is right as well
local function schemes_of(service, operation)
  local given = operation.traits[AUTH] or service.traits[AUTH]
  local found, is_optional = {}, operation.traits[OPTIONAL] ~= nil
  for _, id in ipairs(type(given) == "table" and given or known) do
    if id == NONE then
      is_optional = true
    elseif type(given) == "table" or service.traits[id] ~= nil then
      found[#found + 1] = id
    end
  end
  return found, is_optional or #found == 0
end

local function name_of(id)
  return id:match "#(.*)$"
end

---Reports whether a value can be a part of the scope of a signature, whose parts slashes divide.
local function is_signing_name(value)
  return type(value) == "string" and value:find "^[%w._-]+$" ~= nil
end

---Returns the mistake of a scheme whose trait does not say where its secret goes, or what a signature is for.
local function broken(service, scheme)
  local trait = service.traits[scheme]
  if scheme == M.SIGV4 and type(trait) == "table" and not is_signing_name(trait.name) then
    return ("the service %s: sigv4: name: %s"):format(name_of(service.id), option.expected("the name to sign for", trait.name))
  end
  if scheme ~= "smithy.api#httpApiKeyAuth" then return nil end
  local is_whole = type(trait) == "table" and type(trait.name) == "string"
    and (trait["in"] == "header" or trait["in"] == "query") and (trait.scheme == nil or type(trait.scheme) == "string")
  if not is_whole then
    return ("the service %s: httpApiKeyAuth: expected a name, and in with header or query"):format(name_of(service.id))
  end
  local is_wrong = trait["in"] == "header" and not M.may_be_given(trait.name)
  return is_wrong and ("the service %s: httpApiKeyAuth: a key may not be in the header %s"):format(
    name_of(service.id), trait.name) or nil
end

---Returns the schemes for a message: `httpBearerAuth (--bearer)`.
local function describe(schemes, words)
  local texts = {}
  for position, id in ipairs(schemes) do
    texts[position] = option_of[id] and ("%s (%s)"):format(name_of(id), words(option_of[id])) or name_of(id)
  end
  return table.concat(texts, " or ")
end

---Returns the mistake of a secret that no scheme takes.
local function surplus(operation, schemes, secrets, words)
  local taken = {}
  for _, id in ipairs(schemes) do taken[option_of[id] or ""] = true end
  for _, name in ipairs(M.secrets) do
    if secrets[name] and not taken[name] then
      return ("%s: the operation %s takes %s"):format(words(name), name_of(operation.id),
        #schemes > 0 and describe(schemes, words) or "no credentials")
    end
  end
end

---Returns the first scheme that the secrets serve. A signature needs no secret that is given here.
local function first_served(schemes, secrets, signs)
  for _, id in ipairs(schemes) do
    if option_of[id] and secrets[option_of[id]] then return id end
  end
  for _, id in ipairs(schemes) do
    if id == M.SIGV4 and signs then return id end
  end
end

---Chooses the scheme of an operation.
---@param service bide.ModelShape
---@param operation bide.ModelShape
---@param secrets table<string, string> by option: bearer, basic, api_key
---@param signs boolean? whether requests are signed; nil if they shall not be
---@param words fun(option: string): string how a message calls an option
---@return string|false|nil scheme false for none
---@return string? mistake
---@return boolean? is_optional whether a request without credentials is right as well
function M.choose(service, operation, secrets, signs, words)
  local schemes, is_optional = schemes_of(service, operation)
  local mistake = surplus(operation, schemes, secrets, words)
  if mistake then return nil, mistake end
  local scheme = first_served(schemes, secrets, signs)
  mistake = scheme and broken(service, scheme)
  if mistake then return nil, mistake end
  if scheme or is_optional or signs == nil then return scheme or false, nil, is_optional end
  return nil, ("the operation %s needs %s, found no credentials"):format(name_of(operation.id), describe(schemes, words))
end

-- ---- requests -------------------------------------------------------------------------------

---Puts a secret into a request, by its scheme and the value of its trait.
local put = {
  ["smithy.api#httpBearerAuth"] = function(request, secret) request.headers.Authorization = "Bearer " .. secret end,
  ["smithy.api#httpBasicAuth"] = function(request, secret)
    request.headers.Authorization = "Basic " .. require("bide.base64").encode(secret)
  end,
  ["smithy.api#httpApiKeyAuth"] = function(request, secret, trait)
    local value = trait.scheme and ("%s %s"):format(trait.scheme, secret) or secret
    if trait["in"] == "query" then
      table.insert(request.query, { trait.name, value })
    else
      request.headers[trait.name] = value
    end
  end,
}

---Returns a function that puts the secret of a scheme into requests; nil if the scheme has none.
---@param service bide.ModelShape
---@param scheme string|false
---@param secrets table<string, string>
---@return fun(request: bide.protocol.Request)?
function M.writer(service, scheme, secrets)
  local write = scheme and put[scheme]
  if not write then return nil end
  local secret, trait = secrets[option_of[scheme]], service.traits[scheme]
  return function(request) write(request, secret, trait) end
end

---Returns the texts by which a secret may be seen: itself, and as it is on the wire.
---@param secret string
---@return string[]
function M.texts_of(secret)
  return { secret, require("bide.base64").encode(secret), web_address.escape(secret) }
end

return M
