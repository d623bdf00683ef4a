---Converts the options of a request to those of a transfer. Returns a mistake as a text, for the caller to raise at its own
---level.

local core = require "bide.core"
local duration = require "bide.text.duration"
local policy = require "bide.probe.http.policy"
local option = require "bide.text.option"
local requests = require "bide.probe.http.request"
local web_address = require "bide.text.web_address"

local M = {}

local trusted = require("bide.probe.peer.tls.authorities").of_environment()

local milliseconds, kinds = duration.of_seconds, option.kinds

local proxy = { "a string or false", function(value)
  return type(value) == "string" or value == false
end }

local redirect_kinds = { most = kinds.count, insecure = kinds.flag, bodies = kinds.flag }

---Redirects are followed only to the same host, since another one may have a service of its own, or only to the same page.
local within = { host = "host", page = "page" }

local redirects = { kinds.count[1] .. ', or "host" or "page"', function(value)
  return type(value) == "table" or within[value] or kinds.count[2](value)
end }

local kind_of = {
  url = kinds.text, method = kinds.text, query = kinds.table, headers = kinds.table,
  body = kinds.text, json = kinds.any, bearer = kinds.text, user = kinds.text,
  password = kinds.text, certificate = kinds.text, key = kinds.text, key_password = kinds.text, ca = kinds.text,
  verify = kinds.flag, http2 = kinds.flag, unix_socket = kinds.text, address = kinds.text, proxy = proxy, redirects = redirects,
  timeout = kinds.seconds, connect_timeout = kinds.seconds, idle_timeout = kinds.seconds, body_limit = kinds.size,
  sign = kinds.callable,
}
for _, name in ipairs(policy.members) do kind_of[name] = kinds.any end -- read by themselves

---The options that a transfer takes unchanged.
local verbatim = {
  "body", "bearer", "user", "password", "certificate", "key", "key_password", "ca", "unix_socket", "address", "http2",
  "sign",
}

local function most_of(given)
  if type(given) == "table" then return given.most end
  return not within[given] and given or nil
end

local function check(given)
  local mistake = option.check(given, kind_of)
  if mistake then return mistake end
  mistake = type(given.redirects) == "table" and option.check(given.redirects, redirect_kinds)
  if mistake then return "redirects." .. mistake end
  if given.body ~= nil and given.json ~= nil then
    return "body and json exclude each other"
  end
  if given.sign and given.redirects ~= nil and most_of(given.redirects) ~= 0 then
    return "redirects: a signed request follows none, since its signature holds for its own address"
  end
end

---------------------------------------------------------------- the URL

local function is_scalar(value)
  return type(value) == "string" or type(value) == "number" or type(value) == "boolean"
end

---Returns the elements of a list; any other value is its own element.
local function elements_of(value)
  local is_list = type(value) == "table" and (#value > 0 or next(value) == nil)
  return is_list and value or { value }
end

local function add_pairs(pairs_of_query, name, value)
  for _, item in ipairs(elements_of(value)) do
    if not is_scalar(item) then
      return ("query.%s: %s"):format(name, option.expected("a string, a number, a boolean or a list of them", item))
    end
    table.insert(pairs_of_query, web_address.escape(tostring(name)) .. "=" .. web_address.escape(tostring(item)))
  end
end

---Adds the query to a URL. Its names are sorted, so that equal requests have equal URLs.
---@return string? url, string? mistake
local function add_query(url, query)
  local sorted, pairs_of_query = {}, {}
  for name in pairs(query) do
    if type(name) ~= "string" then return nil, "query: " .. option.expected("names that are strings", name) end
    table.insert(sorted, name)
  end
  table.sort(sorted)
  for _, name in ipairs(sorted) do
    local mistake = add_pairs(pairs_of_query, name, query[name])
    if mistake then return nil, mistake end
  end
  if #pairs_of_query == 0 then return url end
  local address, fragment = url:match("^([^#]*)(.*)$")
  local separator = not address:find("?", 1, true) and "?" or address:find("[?&]$") and "" or "&"
  return address .. separator .. table.concat(pairs_of_query, "&") .. fragment
end

---------------------------------------------------------------- headers and body

local function add_header(list, name, value)
  if type(name) ~= "string" then return "headers: " .. option.expected("names that are strings", name) end
  local refused = requests.refusal_of_header(name)
  if refused then return ("headers.%s: %s"):format(name, refused) end
  for _, item in ipairs(elements_of(value)) do
    if type(item) ~= "string" and type(item) ~= "number" then
      return ("headers.%s: %s"):format(name, option.expected("a string, a number or a list of them", item))
    end
    list[#list + 1] = name
    list[#list + 1] = tostring(item)
  end
end

---@return string[]? list name, value, name, value
---@return string? mistake
local function list_headers(headers)
  local list = {}
  for name, value in pairs(headers) do
    local mistake = add_header(list, name, value)
    if mistake then return nil, mistake end
  end
  return list
end

local function has_content_type(headers)
  for name in pairs(headers) do
    if type(name) == "string" and name:lower() == "content-type" then return true end
  end
  return false
end

---@return string? mistake
local function write_json(prepared, given)
  local text, failure = core.json.encode(given.json)
  if not text then return "json: " .. tostring(failure) end
  prepared.body = text
  if not has_content_type(given.headers or {}) then
    prepared.headers = prepared.headers or {}
    table.insert(prepared.headers, "Content-Type")
    table.insert(prepared.headers, "application/json")
  end
end

---------------------------------------------------------------- the whole

local function fill(prepared, given)
  for _, name in ipairs(verbatim) do prepared[name] = given[name] end
  if given.proxy ~= nil then prepared.proxy = given.proxy or "" end
  local redirect, most = type(given.redirects) == "table" and given.redirects or {}, most_of(given.redirects)
  prepared.redirect_most = given.sign and 0 or most and math.floor(most)
  prepared.redirect_within = within[given.redirects]
  prepared.redirect_insecure, prepared.redirect_bodies = redirect.insecure, redirect.bodies
  if given.verify == false then prepared.insecure = true end
  if not given.ca then prepared.ca, prepared.ca_folder = trusted.ca, trusted.ca_folder end
  if given.user and not given.password and given.user:find(":", 1, true) then
    prepared.user, prepared.password = given.user:match "^(.-):(.*)$"
  end
  prepared.timeout = milliseconds(given.timeout)
  prepared.connect_timeout = milliseconds(given.connect_timeout)
  prepared.idle_timeout = milliseconds(given.idle_timeout)
  prepared.body_limit = given.body_limit and math.floor(given.body_limit)
end

---@return bide.transfer.Request? prepared, string? mistake
local function prepare(given, method, url)
  local prepared, mistake = { method = method, url = url }, nil
  fill(prepared, given)
  if given.headers then
    prepared.headers, mistake = list_headers(given.headers)
    if mistake then return nil, mistake end
  end
  if given.json ~= nil then mistake = write_json(prepared, given) end
  return prepared, mistake
end

---@return string? mistake
local function check_shape(given, method, url)
  if type(given) ~= "table" then return check(given) end
  if type(url) ~= "string" then return "url: " .. option.expected("a string", url) end
  if method and (given.url or given.method) then
    return "url and method are options of http.request only"
  end
  return check(given)
end

local function read(given, method, url)
  local mistake = check_shape(given, method, url)
  if mistake then return nil, mistake end
  local own, member
  own, mistake, member = policy.read(given)
  if mistake then return nil, ("%s: %s"):format(member, mistake) end
  if given.query then
    url, mistake = add_query(url, given.query)
    if mistake then return nil, mistake end
  end
  local prepared
  prepared, mistake = prepare(given, method or (given.method or "GET"):upper(), url)
  if mistake then return nil, mistake end
  return prepared, own
end

---Returns a request without options.
---@param method string
---@param url string
---@return bide.transfer.Request
function M.plain(method, url)
  return { method = method, url = url, ca = trusted.ca, ca_folder = trusted.ca_folder }
end

---Returns what bide.transfer takes, or nil and the mistake.
---@param name string of the function that was called, for the message
---@param given? bide.http.Request|bide.http.Options
---@param method? string where the function's name says it
---@param url? string where it is an argument of its own
---@return bide.transfer.Request? request
---@return bide.SendPolicy|string|nil own the policy in the options, if there is one; or the mistake
function M.read(name, given, method, url)
  if not method and type(given) == "table" then url = given.url end
  local request, own = read(given == nil and {} or given, method, url)
  if not request then return nil, "http." .. name .. ": " .. own end
  return request, own
end

return M
