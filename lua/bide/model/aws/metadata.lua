---Credentials of the machine: those of a container (ECS, EKS), and those of an EC2 instance, by version 2 of its
---metadata service. Requests go straight to it, without a proxy, and have a second.

local address = require "bide.address"
local ask = require "bide.model.aws.ask"
local home = require "bide.model.aws.home"
local identity = require "bide.model.aws.identity"
local secret = require "bide.text.secret"
local switch = require "bide.model.aws.switch"
local web_address = require "bide.text.web_address"

local M = {}

local TIMEOUT = 1 -- seconds

---The largest file with a token, in bytes.
local LARGEST_TOKEN = 64 * 1024

---@return bide.http.Response?
---@return string? mistake
local function request(method, url, headers, meant)
  local response, mistake = ask({ method = method, url = url, headers = headers, proxy = false, timeout = TIMEOUT }, meant)
  if not response then return nil, ("%s: %s"):format(url, mistake) end
  if response.status ~= 200 then return nil, ("%s answered with the status %d"):format(url, response.status) end
  return response
end

---@return bide.aws.Identity?
---@return string? mistake
local function read_keys(response, source)
  local object, mistake = identity.decode(response.body)
  if not object then return nil, ("%s: %s"):format(source, mistake) end
  return identity.of_object(object, source)
end

-- ---- containers -------------------------------------------------------------------------------

---The services of ECS and EKS, which are reached without TLS.
local services = { ["169.254.170.2"] = true, ["169.254.170.23"] = true, ["fd00:ec2::23"] = true }

---@param place bide.Address
---@return string
local function origin_of(place)
  local host = place.host:find(":", 1, true) and ("[%s]"):format(place.host) or place.host
  return ("%s://%s%s"):format(place.scheme, host, place.port and ":" .. place.port or "")
end

---Returns the URL of the container's service. Without TLS it must be on this machine, since the answer has keys.
---@param getenv bide.aws.Getenv
---@return string? url
---@return string? mistake
---@return string? meant a URL of the origin that was checked
local function container_url(getenv)
  local relative = getenv "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"
  if relative then
    if relative:sub(1, 1) == "/" then return "http://169.254.170.2" .. relative, nil, "http://169.254.170.2" end
    return nil, "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: expected a path that begins with /"
  end
  local full = getenv "AWS_CONTAINER_CREDENTIALS_FULL_URI" --[[@as string]]
  local place = address.read(full, { schemes = { "http", "https" } })
  if not place or not place.scheme or place.user then
    return nil, "AWS_CONTAINER_CREDENTIALS_FULL_URI: expected an http or https URL"
  end
  local host = place.host:lower()
  if place.scheme == "https" or services[host] or web_address.is_loopback(host) then return full, nil, origin_of(place) end
  return nil, ("AWS_CONTAINER_CREDENTIALS_FULL_URI: expected https, or the host of this machine, found http to %s")
    :format(place.host)
end

---@param getenv bide.aws.Getenv
---@return string? token
---@return string? mistake
local function container_token(getenv)
  local path, token = getenv "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", getenv "AWS_CONTAINER_AUTHORIZATION_TOKEN"
  if path then
    local text, mistake = home.read(path, LARGEST_TOKEN)
    if not text then
      return nil, ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: %s: %s"):format(path, mistake or "no such file")
    end
    token = text:match "^.*[^%s]"
    if not token then return nil, ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: %s: the file is empty"):format(path) end
  end
  if not token then return nil end
  secret.remember_latest("the container's token", token)
  if token:find "%c" then return nil, "the authorization token of the container has a control character in it" end
  return token
end

---Reports whether the environment names a container's service.
---@param getenv bide.aws.Getenv
---@return boolean
function M.is_container(getenv)
  return (getenv "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI" or getenv "AWS_CONTAINER_CREDENTIALS_FULL_URI") ~= nil
end

---Finds what is wrong with the environment of a container before anything is sent.
---@param getenv bide.aws.Getenv
---@return string? mistake
function M.container_mistake(getenv)
  local _, mistake = container_url(getenv)
  return mistake
end

---Asks the container's service for keys.
---@param getenv bide.aws.Getenv
---@return bide.aws.Identity?
---@return string? mistake
function M.of_container(getenv)
  local url, mistake, meant = container_url(getenv)
  if not url then return nil, mistake end
  local token, response
  token, mistake = container_token(getenv)
  if mistake then return nil, mistake end
  response, mistake = request("GET", url, { Accept = "application/json", Authorization = token }, meant)
  if not response then return nil, mistake end
  return read_keys(response, "the container's credentials")
end

-- ---- instances --------------------------------------------------------------------------------

---@param getenv bide.aws.Getenv
---@return string url without a slash at its end
local function service_of(getenv)
  local url = getenv "AWS_EC2_METADATA_SERVICE_ENDPOINT"
  if url then return (url:gsub("/+$", "")) end
  local is_ipv6 = (getenv "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE" or ""):lower() == "ipv6"
  return is_ipv6 and "http://[fd00:ec2::254]" or "http://169.254.169.254"
end

---Returns why the service is not asked: the user has forbidden it, or may have.
---@param getenv bide.aws.Getenv
---@return string? why
function M.refusal(getenv)
  local is_disabled, mistake = switch("AWS_EC2_METADATA_DISABLED", getenv "AWS_EC2_METADATA_DISABLED")
  return is_disabled and "AWS_EC2_METADATA_DISABLED is set" or mistake
end

---Gets documents of the metadata service, with one session.
---@param getenv bide.aws.Getenv
---@return (fun(path: string): bide.http.Response?, string?)? get
---@return string? mistake
local function session(getenv)
  local service = service_of(getenv)
  local lifetime = { ["X-aws-ec2-metadata-token-ttl-seconds"] = "21600" }
  local response, mistake = request("PUT", service .. "/latest/api/token", lifetime, service)
  if not response then return nil, mistake end
  local token = response.body
  secret.remember_latest("the token of the metadata service", token)
  if token == "" or token:find "[^!-~]" then return nil, service .. " answered with no token" end
  return function(path)
    return request("GET", service .. "/latest/meta-data/" .. path, { ["X-aws-ec2-metadata-token"] = token }, service)
  end
end

local ROLES = "iam/security-credentials/"

---Asks the instance for the keys of its role.
---@param getenv bide.aws.Getenv
---@return bide.aws.Identity?
---@return string? mistake
function M.of_instance(getenv)
  local get, mistake = session(getenv)
  if not get then return nil, mistake end
  local roles, response
  roles, mistake = get(ROLES)
  if not roles then return nil, mistake end
  local role = roles.body:match "^%s*([^\r\n]+)"
  if not role then return nil, "the instance has no role" end
  response, mistake = get(ROLES .. web_address.escape(role))
  if not response then return nil, mistake end
  return read_keys(response, "the role of the instance")
end

---Asks the instance for its region.
---@param getenv bide.aws.Getenv
---@return string? region
---@return string? mistake
function M.region(getenv)
  local get, mistake = session(getenv)
  if not get then return nil, mistake end
  local response
  response, mistake = get "placement/region"
  return response and response.body, mistake
end

return M
