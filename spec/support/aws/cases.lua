---Checks bide over cases of AWS's protocols, in the form of the conformance data: each says what botocore makes of it.

local core = require "bide.core"
local endpoint = require "bide.aws.endpoint"
local http_date = require "bide.text.http_date"
local protocols = require "spec.support.protocols"
local sigv4 = require "bide.aws.sigv4"

local json = core.json

local M = {}

-- ---- requests -------------------------------------------------------------------------------

---Returns the given body and the wanted one in a form in which equal ones are equal.
local function body_texts(case, request)
  if case.body.form then return protocols.pairs_of(request.body), protocols.joined(case.body.form) end
  local text = case.body.text
  if text:find "^<" and request.body:find "^<" then return protocols.tree(request.body), protocols.tree(text) end
  local wanted = json.decode(text)
  if type(wanted) ~= "table" then return request.body, text end
  return protocols.canonical(json.decode(request.body) or request.body), protocols.canonical(wanted)
end

local function header_difference(case, request)
  for name, value in pairs(case.headers) do
    local given = protocols.header(request.headers, name)
    if given ~= value then return ("%s: %s, expected %s"):format(name, given, value) end
  end
  for name in pairs(request.headers) do
    if not protocols.header(case.headers, name) then return "has the header " .. name end
  end
end

---@param operation bide.ModelOperation
---@return string? difference
function M.request(operation, case)
  local request, mistake = operation:request(case.params)
  if not request then return mistake end
  if request.method ~= case.method then return request.method end
  if request.path ~= case.path then return request.path .. ", expected " .. case.path end
  local query, wanted = protocols.joined(request.query), protocols.joined(case.query)
  if query ~= wanted then return ("query %s, expected %s"):format(query, wanted) end
  local difference = header_difference(case, request)
  if difference then return difference end
  local given
  given, wanted = body_texts(case, request)
  if given ~= wanted then return ("body %s, expected %s"):format(given, wanted) end
end

---@param operation bide.ModelOperation
---@return string? difference
function M.answer(operation, case)
  local output, failure = operation:answer(case)
  if not output then return failure.type .. ": " .. failure.message end
  local given, wanted = protocols.canonical(output), protocols.canonical(case.want)
  if given ~= wanted then return ("%s\n  expected %s"):format(given, wanted) end
end

-- ---- signatures and endpoints -----------------------------------------------------------------

---@return string? difference
function M.signature(case)
  local time = case.time:gsub("^(%d%d%d%d)(%d%d)(%d%dT%d%d)(%d%d)(%d%dZ)$", "%1-%2-%3:%4:%5")
  local added = sigv4.sign({
    method = case.method, url = "https://host.example.com" .. case.path .. "?" .. case.query, headers = case.headers,
    body = case.body:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end),
    time = math.tointeger(http_date.read_timestamp(time)),
  }, {
    access_key = "AK", secret_key = "SK", session_token = case.token ~= json.null and case.token or nil,
  }, { region = "eu-west-1", service = case.s3 and "s3" or "svc" })
  if added.Authorization ~= case.auth then return added.Authorization .. ", expected " .. case.auth end
end

---@param rules table
---@param partitions table
---@return string? difference
function M.endpoint(rules, partitions, case)
  local found, mistake = endpoint.resolve(rules, partitions, case.kw)
  if case.error then return found and found.url or mistake:find "^no rule" and mistake or nil end
  if not found then return mistake end
  local given, wanted = protocols.canonical { found.url, found.properties }, protocols.canonical { case.url, case.props }
  if given ~= wanted then return ("%s, expected %s"):format(given, wanted) end
end

return M
