---The `prepare` of a model's operation: writes the request of an input by the protocol of its service, which each attempt
---sends to the endpoint, and reads the answers.

local answer = require "bide.probe.asking.answer"
local core = require "bide.core"
local endpoint = require "bide.model.protocol.endpoint"
local http = require "bide.http"
local operation_of = require "bide.probe.asking.operation"
local retry_after = require("bide.text.http_date").retry_after
local retries = require "bide.task.retries"
local traits = require "bide.model.protocol.traits"

local M = {}

---Seconds for one try. A service that answers no sooner is asked again by the waiter.
local TIMEOUT = 60

---The way of the requests of an operation to their service.
---@class bide.protocol.Route
---@field locate fun(input: table): bide.protocol.Place?, string? finds the endpoint for an input, or what is wrong
---@field authorize? fun(request: bide.protocol.Request) puts credentials into a request
---@field edit? fun(request: bide.protocol.Request) adapts it to its endpoint
---@field send? fun(exchange: (fun(): bide.http.Response), method: string, place: bide.protocol.Place): bide.http.Response
---sends a request by calling exchange, more than once if need be
---@field retry? string
---@field share? boolean
---@field mark? string with which the name of a header begins that each answer of the service has

---@class bide.protocol.Place
---@field url string
---@field headers? table<string, string> for all requests to the endpoint
---@field ca? string a file with the authorities to trust
---@field sign? bide.http.Sign
---@field signer? bide.aws.Signer
---@field takes_parts? boolean whether a prefix may be a part of the host's first label: "data-" makes another host

local is_cached = { GET = true, HEAD = true }

---@param headers table<string, string>
---@param wanted string in small letters
local function has_header(headers, wanted)
  for name in pairs(headers) do
    if name:lower() == wanted then return true end
  end
  return false
end

---Asks caches for what the service itself says, unless the operation has a wish of its own. A header that a proxy may change
---is not among those that are signed, and no cache answers a request with a signature.
---@param place bide.protocol.Place
---@param request bide.protocol.Request
local function pass_caches(place, request)
  if place.sign or not is_cached[request.method] or has_header(request.headers, "cache-control") then return end
  request.headers["Cache-Control"] = "no-cache"
end

---@param route bide.protocol.Route
---@param place bide.protocol.Place
---@param request bide.protocol.Request
---@return bide.http.Request?
---@return string? mistake
local function http_request(route, place, request)
  for name, value in pairs(place.headers or {}) do request.headers[name] = value end
  pass_caches(place, request)
  local url, mistake = endpoint.url(place.url, request, place.takes_parts)
  if not url then return nil, mistake end
  return {
    method = request.method, url = url, headers = request.headers,
    body = request.body ~= "" and request.body or nil, redirects = 0, timeout = TIMEOUT,
    ca = place.ca, sign = place.sign, retry = route.retry, share = route.share,
  }
end

---Warns of an answer to a HEAD, which has only a status and headers, if none of these is the service's own.
---@param response bide.http.Response
---@param mark string
local function warn_of_bare_head(response, mark)
  for name in pairs(response.headers) do
    if name:lower():sub(1, #mark) == mark then return end
  end
  retries.caution(("the answer has no header %s…, so that any server or proxy may have given its status %d"):format(
    mark, response.status))
end

---@param operation bide.ModelOperation
---@param route bide.protocol.Route
---@param input table
---@return bide.http.Request?
---@return string|bide.protocol.Place mistake of the input, or where the request goes
local function build(operation, route, input)
  local request, mistake = operation:request(input)
  if not request then return nil, mistake --[[@as string]] end
  local place
  place, mistake = route.locate(input)
  if not place then return nil, mistake --[[@as string]] end
  if route.edit then route.edit(request) end
  if route.authorize then route.authorize(request) end
  local sent
  sent, mistake = http_request(route, place, request)
  return sent, sent and place or mistake --[[@as string]]
end

---Reports whether a waiter of the operation succeeds by the mere answer, without looking into it.
---@param operation bide.ModelOperation
local function has_blind_waiter(operation)
  local waiters = operation.traits[traits.waitable]
  for _, waiter in pairs(type(waiters) == "table" and waiters or {}) do
    for _, acceptor in ipairs(waiter.acceptors) do
      local is_blind = acceptor.matcher.success == true or acceptor.matcher.status ~= nil
      if acceptor.state == "success" and is_blind then return true end
    end
  end
  return false
end

---Reports whether an answer must have a member of the output, by which it is known to come from the service. The answer to
---a HEAD has only headers, which any program sends.
---@param operation bide.ModelOperation
local function needs_member(operation)
  local http_trait = operation.traits[traits.http]
  local is_head = type(http_trait) == "table" and http_trait.method == "HEAD"
  return #operation.output.members > 0 and not is_head and has_blind_waiter(operation)
end

local PARTIAL <const> = 206

---Reports whether 206 answers a request: it asks for a range, or, as S3 has it, for a part of an object by its number.
---@param operation bide.ModelOperation
---@param request bide.http.Request
local function asks_for_part(operation, request)
  local http_trait = operation.traits[traits.http]
  return type(http_trait) == "table" and http_trait.code == PARTIAL or has_header(request.headers, "range")
    or request.url:find "[?&]partNumber=" ~= nil
end

---Returns the output of an answer, or raises the operation error.
---@param operation bide.ModelOperation
---@param response bide.http.Response
---@param is_strict boolean whether the output must have a member
---@param takes_part boolean whether the answer may be a part of one
---@return any answer
local function read(operation, response, is_strict, takes_part)
  local output, failure, has_member = operation:answer(response)
  local mistake
  if is_strict and not has_member then
    mistake = ("the answer has no member of %s"):format(operation.output.id:match "#(.*)$")
  elseif response.status == PARTIAL and not takes_part then
    mistake = "the answer is a part of one, for which nothing has asked"
  end
  if output and mistake then failure = require("bide.model.protocol.errors").invalid(mistake, response) end
  if failure then error(retries.with_tries(failure, retries.of_response(response)), 0) end
  answer.warn_of_age(response:header "age")
  return operation_of.answer(assert(core.json.document(output)), retry_after(response.headers), response.status)
end

---@param operation bide.ModelOperation
---@param route bide.protocol.Route
---@return fun(input: table): (fun(): any)?, string? prepare
function M.of(operation, route)
  local send, is_strict = route.send, needs_member(operation)
  return function(input)
    local request, place = build(operation, route, input)
    if not request then return nil, place --[[@as string]] end
    local exchange, method = http.prepare(request), request.method
    local mark, takes_part = method == "HEAD" and route.mark, asks_for_part(operation, request)
    return function()
      local response = send and send(exchange, method, place) or exchange()
      if mark then warn_of_bare_head(response, mark) end
      return read(operation, response, is_strict, takes_part)
    end
  end
end

return M
