---The services of AWS that give out keys, on one port: STS, the portal of SSO, the service of a container, the metadata of
---an instance. Requests to STS are checked as AWS does it: the signature has to be the one that their secret key gives.
---
---    local server = AwsServer.start { keys = { AKID = "secret" } }
---    server.url, server.requests

local Server = require "spec.support.server"
local json = require("bide.core").json
local sigv4 = require "bide.aws.sigv4"
local time = require "bide.model.protocol.time"

local M = {}

---@class spec.AwsServerOptions
---@field keys? table<string, string> secret keys by their access keys; STS adds those that it gives out
---@field lifetime? number seconds, 3600 by default
---@field ahead? integer seconds by which the clock of STS is ahead
---@field answer? fun(request: table): table? goes before the usual answers

local function unescape(text)
  return (text:gsub("+", " "):gsub("%%(%x%x)", function(digits) return string.char(tonumber(digits, 16)) end))
end

---@return table<string, string>
function M.form(body)
  local form = {}
  for name, value in body:gmatch "([^&=]+)=([^&]*)" do form[unescape(name)] = unescape(value) end
  return form
end

local function date(seconds)
  return os.date("!%Y-%m-%dT%H:%M:%SZ", os.time() + seconds)
end

---Makes keys that no one had before.
local function new_keys(server)
  server.count = server.count + 1
  local keys = {
    access = "ASIA" .. server.count, secret = "given-secret-" .. server.count, token = "given-token-" .. server.count,
    expiration = date(server.options.lifetime or 3600),
  }
  server.keys[keys.access] = keys.secret
  return keys
end

---Reads the time of a signature.
local function time_of(stamp)
  return time.read((stamp:gsub("^(%d%d%d%d)(%d%d)(%d%d)T(%d%d)(%d%d)", "%1-%2-%3T%4:%5:")))
end

---Signs a request again, with the headers that were signed, and compares.
local function is_signed(server, request)
  local authorization = request.headers.authorization or ""
  local access, day, region, names =
    authorization:match "Credential=([^/]+)/(%d+)/([^/]+)/sts/aws4_request, SignedHeaders=([^,]+)"
  local secret = server.keys[access]
  if not secret then return false end
  local headers = {}
  for name in names:gmatch "[^;]+" do headers[name] = request.headers[name] end
  local stamp = request.headers["x-amz-date"]
  assert(day == stamp:sub(1, 8))
  local token = headers["x-amz-security-token"]
  headers["x-amz-security-token"], headers["x-amz-date"] = nil, nil
  local again = sigv4.sign({ method = request.method, url = server.url .. request.target, headers = headers,
    body = request.body, time = time_of(stamp) }, { access_key = access, secret_key = secret, session_token = token },
    { region = region, service = "sts" })
  return again.Authorization == authorization
end

local function refuse_sts(code, message)
  return { status = 403, body = ("<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>%s</Message></Error>"
    .. "<RequestId>1</RequestId></ErrorResponse>"):format(code, message) }
end

local function sts(server, request)
  local form, now = M.form(request.body), os.time() + (server.options.ahead or 0)
  local stamp = request.headers["x-amz-date"]
  if stamp and math.abs(time_of(stamp) - now) > 300 then
    local refused = refuse_sts("SignatureDoesNotMatch", "Signature expired")
    refused.headers = { Date = os.date("!%a, %d %b %Y %H:%M:%S GMT", now) }
    return refused
  end
  if form.Action == "AssumeRole" and not is_signed(server, request) then
    return refuse_sts("SignatureDoesNotMatch", "The signature does not match.")
  end
  if form.RoleArn:find "denied" then return refuse_sts("AccessDenied", "not authorized to assume " .. form.RoleArn) end
  local keys = new_keys(server)
  return { body = ([[<?xml version="1.0"?>
<%sResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><%sResult><Credentials>
  <AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken>
  <Expiration>%s</Expiration></Credentials></%sResult></%sResponse>]]):format(form.Action, form.Action, keys.access,
    keys.secret, keys.token, keys.expiration, form.Action, form.Action) }
end

local function machine_keys(server)
  local keys = new_keys(server)
  return { body = json.encode { Code = "Success", AccessKeyId = keys.access, SecretAccessKey = keys.secret,
    Token = keys.token, Expiration = keys.expiration } }
end

local function sso(server, request)
  if request.headers["x-amz-sso_bearer_token"] ~= "sso-token-valid" then
    return { status = 401, body = '{"message":"Session token not found or invalid"}' }
  end
  local keys = new_keys(server)
  return { body = json.encode { roleCredentials = { accessKeyId = keys.access, secretAccessKey = keys.secret,
    sessionToken = keys.token, expiration = (os.time() + (server.options.lifetime or 3600)) * 1000 } } }
end

local function instance(server, request)
  if request.path == "/latest/api/token" then
    return request.method == "PUT" and { body = "metadata-token" } or { status = 405 }
  elseif request.headers["x-aws-ec2-metadata-token"] ~= "metadata-token" then
    return { status = 401 }
  elseif request.path == "/latest/meta-data/iam/security-credentials/" then
    return { body = "my-role" }
  elseif request.path == "/latest/meta-data/iam/security-credentials/my-role" then
    return machine_keys(server)
  end
  return { status = 404 }
end

local function answer(server, request)
  local own = server.options.answer and server.options.answer(request)
  if own then return own end
  if request.path == "/federation/credentials" then return sso(server, request) end
  if request.path == "/container" then return machine_keys(server) end
  if request.path:find "^/latest/" then return instance(server, request) end
  return sts(server, request)
end

---@param options? spec.AwsServerOptions
---@return spec.Server
function M.start(options)
  local server
  server = Server.start(function(request) return answer(server, request) end)
  server.options, server.keys, server.count = {}, {}, 0
  for name, value in pairs(options or {}) do server.options[name] = value end
  for access, secret in pairs(server.options.keys or {}) do server.keys[access] = secret end
  return server
end

return M
