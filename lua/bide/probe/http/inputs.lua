---A request as people write it on a command line: the inputs of the recipe `http`, for other recipes too.

local core = require "bide.core"
local error_class = require "bide.error_class"
local files = require "bide.probe.peer.tls.files"
local answer = require "bide.probe.asking.answer"
local json_hint = require "bide.text.json_hint"
local operation = require "bide.probe.asking.operation"
local option = require "bide.text.option"
local options = require "bide.probe.http.options"
local tables = require "bide.text.tables"
local uv = require "luv"
local web_address = require "bide.text.web_address"

local json = core.json

local M = {}

---@return table<string, bide.InputMember>
local function declaration()
  return {
    url = { type = "string", required = true, positional = 1, origin = true, example = "localhost:8080/health",
      documentation = "The address; http:// may be left out." },
    method = { type = "string", pattern = "^%a[%w_-]*$", expected = "a method, such as HEAD", example = "HEAD",
      documentation = "Default: GET, or POST if there is a body." },
    body = { type = "string", empty = true, documentation = "The body, sent as it is." },
    json = { type = "any", example = { dry = true }, documentation = "The body, JSON." },
    headers = { type = "any", example = "Accept: text/plain",
      documentation = "Request headers: lines of the form `Name: value`, a list of such lines, or an object." },
    bearer = { type = "string", secret = true, pattern = "^%S+$", expected = "a token alone, without the word Bearer",
      documentation = "A bearer token." },
    user = { type = "string", secret = true, documentation = "`name:password` for basic authentication." },
    ca = { type = "string", documentation = "The authorities to trust, a PEM file. Default: the environment's or the system's." },
    certificate = { type = "string", documentation = "The client's certificate, a PEM file." },
    key = { type = "string", documentation = "The key of the certificate, a PEM file." },
    key_password = { type = "string", secret = true, documentation = "The password of the key." },
    insecure = { type = "boolean", documentation = "Trust any certificate." },
    proxy = { type = "string", empty = true,
      documentation = "The URL of a proxy, or nothing for none. Default: the environment's." },
    follow = { type = "boolean", documentation = "Whether redirects are followed. Default: true." },
    http2 = { type = "boolean", documentation = "true: HTTP/2 without TLS too; false: HTTP/1.1." },
    unix = { type = "path", documentation = "A Unix socket to connect to in place of the URL's host.",
      pattern = "^[^~@]", expected = "a path, without ~ and @ before it (./~ is a name)" },
    status = { type = "list", of = { type = "string", pattern = "^[1-9][%dxX][%dxX]$", expected = "a status such as 200 or 2xx" },
      default = { "2xx" },
      documentation = "The statuses of a good answer; x is any digit." },
    timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
  }
end

---Adds the declarations of a request to those of a recipe, which come first.
---@param own? table<string, bide.InputMember>
---@return table<string, bide.InputMember>
function M.declare(own)
  return tables.merged(declaration(), own)
end

---Declares the inputs of a service whose paths a recipe knows: its address, and what all requests need. Where the recipe
---has a `key` of its own, or false in place of it, the key of the certificate is called certificate_key.
---@param example string an address
---@param own? table<string, bide.InputMember>
---@return table<string, bide.InputMember>
function M.declare_service(example, own)
  local all = M.declare()
  for _, name in ipairs { "method", "body", "json", "status", "follow", "http2" } do all[name] = nil end
  all.url = { type = "string", required = true, positional = 1, origin = true, example = example,
    documentation = "The address." }
  for name, member in pairs(own or {}) do all[name] = member or nil end
  if own and own.key ~= nil then
    all.certificate_key = { type = "string", default = "", documentation = "The key of the certificate, a PEM file." }
  end
  return all
end

---Returns inputs in which `key` is the key of the certificate.
local function of_certificate(input)
  if not input.certificate_key then return input end
  local copy = tables.merged(input)
  copy.key = input.certificate_key ~= "" and input.certificate_key or nil
  return copy
end

-- ---- the request -------------------------------------------------------------------------------

---Returns what is wrong with the path of a Unix socket: the system says that another file refuses, as a socket does.
---@return string? mistake
local function mistake_of_socket(path)
  local stat = path and uv.fs_stat(path)
  if not stat or stat.type == "socket" then return nil end
  return ("unix: expected a socket, found a %s: %s"):format(stat.type, path)
end

---Returns the URL of a request; `/path` is enough beside a Unix socket.
---@return string? url
---@return string? mistake
local function url_of(input)
  local mistake_of_unix = mistake_of_socket(input.unix)
  if mistake_of_unix then return nil, mistake_of_unix end
  if input.unix and input.url:find "^/" then return "http://localhost" .. input.url end
  local url, mistake = web_address.http(input.url)
  return url, mistake and "url: " .. mistake
end

---Adds a line `Name: value`; a name that comes again has a list of values.
---@return boolean added
local function add_header(headers, line)
  local name, value = line:match "^%s*([^%s:{}%[%]\"]+):%s*(.-)%s*$"
  if not name then return false end
  headers[name] = headers[name] or {}
  table.insert(headers[name], value)
  return true
end

---@param given any lines in a text or in a list; a table of names is taken as it is
---@return table? headers
---@return string? mistake
local function read_headers(given)
  if tables.is_object(given) or given == nil then return given end
  local headers, count = {}, 0
  if type(given) ~= "table" then given = { given } end
  for _, text in ipairs(given) do
    for line in tostring(text):gmatch "[^\r\n]+" do
      count = count + 1
      if not add_header(headers, line) then
        return nil, ("headers: expected lines of the form \"Name: value\", found none in line %d%s"):format(count,
          json_hint(line))
      end
    end
  end
  return headers
end

---A text is JSON already.
---@return any value
---@return string? mistake
local function read_json(given)
  if type(given) ~= "string" then return given end
  local document, mistake = json.read(given, { unique = true })
  return document, mistake and ("json: %s%s"):format(tostring(mistake), json_hint(given))
end

local verbatim = {
  "method", "body", "bearer", "user", "ca", "certificate", "key", "key_password", "proxy", "http2", "timeout",
}

---@return bide.http.Request? request
---@return string? mistake
local function read(input)
  local url, headers, value
  local proxy = type(input.proxy) == "string" and input.proxy:gsub("^%a[%w+.-]*://", ""):match "^[^/]*"
  local mistake = proxy and web_address.missing_host(proxy)
  if mistake then return nil, "proxy: " .. mistake end
  url, mistake = url_of(input)
  if mistake then return nil, mistake end
  headers, mistake = read_headers(input.headers)
  if mistake then return nil, mistake end
  value, mistake = read_json(input.json)
  if mistake then return nil, mistake end
  local request = { url = url, headers = headers, json = value, unix_socket = input.unix }
  for _, name in ipairs(verbatim) do request[name] = input[name] end
  request.method = input.method or (input.body or value ~= nil) and "POST" or "GET"
  if input.insecure then request.verify = false end
  if input.follow == false then request.redirects = 0 end
  return request
end

---@param input table of declared inputs
---@return string? mistake
function M.mistake(input)
  input = of_certificate(input)
  local request, mistake = read(input)
  mistake = mistake or files.mistake(input)
  if mistake then return mistake end
  local valid, problem = options.read("request", request)
  return not valid and problem:gsub("^http.request: ", "") or nil
end

---Lets caches ask the service itself, unless the headers say what caches shall do.
---@param headers table<string, any>?
---@return table<string, any>
local function without_cache(headers)
  local all = {}
  for name, value in pairs(headers or {}) do
    if name:lower() == "cache-control" or name:lower() == "pragma" then return headers end
    all[name] = value
  end
  all["Cache-Control"] = "no-cache"
  return all
end

---Returns the request of an input. With a path it is a question to one service, so redirects are followed within its host.
---@param input table of declared inputs
---@param path? string added to the URL
---@param query? table<string, any>
---@return bide.http.Request
function M.request(input, path, query)
  local request, mistake = read(of_certificate(input))
  if not request then error({ type = "InvalidInput", message = mistake }, 0) end
  request.headers = without_cache(request.headers)
  if path then
    local base, behind = request.url:match "^([^?#]*)(.*)$"
    request.url, request.redirects = base:gsub("/+$", "") .. path .. behind, request.redirects or "host"
  end
  request.query = query
  return request
end

-- ---- the answer --------------------------------------------------------------------------------

---The status of an answer that is a part, and is good only where the input names it: the rest may say something else.
local PARTIAL <const>, OF_PARTIAL = 206, option.set "206 20x 20X"

---@param status integer
---@param wanted string[]
local function is_wanted(status, wanted)
  if status ~= PARTIAL then return error_class.has_status(status, wanted) end
  for _, one in ipairs(wanted) do
    if OF_PARTIAL[one] then return true end
  end
  return false
end

---Returns the output of an answer: its JSON, `{}` without any. Raises an operation error if its status is not one of
---the input's.
---@param response bide.http.Response
---@param wanted string[] statuses, "2xx"
---@return any output
function M.output(response, wanted)
  local status = response.status
  if not is_wanted(status, wanted) then
    error(response:operation_error()
      or { type = "UnexpectedStatus", message = ("the status is %d"):format(status), status = status }, 0)
  end
  answer.warn_of_age(response:header "age")
  local document, failure = response:document()
  if status < 300 and (document or not answer.is_announced_as_json(response)) then return response end
  local wish = response:header "retry-after"
  if response.body == "" then return operation.unread(operation.EMPTY_BODY, wish, status, response) end
  if document then return operation.answer(document, wish, status, nil, response) end
  return operation.unread(operation.unread_body(response, failure), wish, status, response)
end

---@type table<string, fun(response: bide.http.Response): any> by the statuses
local outputs = setmetatable({}, { __mode = "v" })

---Returns the function that makes the output of answers.
---@param wanted string[]
---@return fun(response: bide.http.Response): any
function M.output_of(wanted)
  local name = table.concat(wanted, " ")
  local output = outputs[name] or function(response) return M.output(response, wanted) end
  outputs[name] = output
  return output
end

return M
