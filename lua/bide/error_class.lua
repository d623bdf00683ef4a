---What kind of trouble an operation error is: one that passes, so that asking again helps, or
---one that stays. The only place that knows; a policy asks it and decides for itself.
---
---The type, which is the service's own word, goes before the status: a ThrottlingException that
---comes with 400 is throttling, and an AccessDenied that comes with 500 does not pass.

local core = require "bide.core"
local set = require("bide.option").set

local M = {}

---What the SDKs take for throttling, and the words of other clouds for it. Not LimitExceededException,
---which at most services is a quota that waiting does not raise.
local throttling = set [[
  Throttling ThrottlingException ThrottledException RequestThrottled RequestThrottledException
  TooManyRequests TooManyRequestsException ProvisionedThroughputExceededException RequestLimitExceeded
  BandwidthLimitExceeded SlowDown PriorRequestNotComplete EC2ThrottledException TransactionInProgressException
  rateLimitExceeded userRateLimitExceeded RateLimitExceeded RESOURCE_EXHAUSTED ]]

---No answer came, for a reason that may pass: what bide.http, bide.tcp and their like raise. A certificate
---that is refused, a URL or a body that is wrong will be so again.
local connection = set [[
  ConnectionRefused ConnectionReset ConnectionFailed NameNotResolved TransportFailure RequestTimeout ]]

---The exchange failed, or its answer cannot be read.
local broken = set "TlsFailure InvalidResponse"

---A service, or a probe, that did not get round to it.
local transient = set [[
  Timeout ExecTimeout RequestTimeoutException GatewayTimeout BadGateway ServiceUnavailable
  ServiceUnavailableException Unavailable UNAVAILABLE DEADLINE_EXCEEDED InternalError InternalFailure
  InternalServerError InternalServerException InternalServiceError ServerFailure ]]

---Who may not, and who asks wrongly, will not be answered otherwise the next time.
local final = set [[
  AccessDenied AccessDeniedException AuthFailure Unauthorized UnauthorizedOperation UnauthorizedException
  Forbidden ForbiddenException NotAuthorized InvalidClientTokenId InvalidSignatureException SignatureDoesNotMatch
  ExpiredToken ExpiredTokenException UnrecognizedClientException MissingAuthenticationToken IncompleteSignature
  OptInRequired PERMISSION_DENIED UNAUTHENTICATED ValidationError ValidationException InvalidParameter
  InvalidParameterValue InvalidParameterCombination MissingParameter InvalidInput INVALID_ARGUMENT RedirectRefused ]]

---`ns#Foo:http://…` is Foo, as acceptors have it.
---@param failure bide.OperationError
---@return string name empty where its type is no text
function M.name_of(failure)
  local kind = failure.type
  return type(kind) == "string" and core.wait.error_name(kind) or ""
end

local name_of = M.name_of

---`NotFound (404)`: its type, and its status, which may be anything that a script raised.
---@param failure bide.OperationError
---@return string
function M.label(failure)
  local status = math.type(failure.status) and math.tointeger(failure.status)
  return status and ("%s (%d)"):format(failure.type, status) or failure.type
end

---Types of the last release that have another name now.
M.renamed = { InvalidBody = "InvalidResponse" }

local function status_of(failure)
  return math.type(failure.status) and failure.status or 0
end

---The service says that it is asked too often.
---@param failure bide.OperationError
---@return boolean
function M.is_throttling(failure)
  local name = name_of(failure)
  return throttling[name] or status_of(failure) == 429 and not final[name] or false
end

---No answer came: the connection, the name or the time failed. What has a status was answered.
---@param failure bide.OperationError
---@return boolean
function M.is_connection(failure)
  return status_of(failure) == 0 and connection[name_of(failure)] or false
end

---The exchange gave no answer to look at: the connection or TLS failed, or what came is no HTTP.
---@param failure bide.OperationError
---@return boolean
function M.is_io(failure)
  return M.is_connection(failure) or status_of(failure) == 0 and broken[name_of(failure)] or false
end

---An answer came of which a part is missing or garbled, as a service sends that starts or is being stopped. An
---error page that was read as JSON is what its status says.
---@param failure bide.OperationError
---@return boolean
function M.is_broken_answer(failure)
  return name_of(failure) == "InvalidResponse" and status_of(failure) < 300
end

---It may be otherwise when asked again: throttling, a failure of the connection, a timeout, a
---failure of the server (5xx, 408). Never authorization or validation.
---@param failure bide.OperationError
---@return boolean
function M.is_transient(failure)
  local name, status = name_of(failure), status_of(failure)
  if final[name] then return false end
  if throttling[name] or connection[name] or transient[name] or M.is_broken_answer(failure) then return true end
  return status == 408 or status == 429 or status >= 500 and status < 600
end

---The types that a matcher was made with.
local types_of = setmetatable({}, { __mode = "k" })

---@param matcher function
---@return string ... nothing where M.matcher did not make it
function M.types_of(matcher)
  return table.unpack(types_of[matcher] or {})
end

---Returns what a matcher that M.matcher made matches, for people; nil for another one.
---@param matcher any
---@return string?
function M.words(matcher)
  local types = types_of[matcher]
  return types and table.concat({ "a transient error", table.unpack(types) }, " or ") or nil
end

---A custom matcher for recipes: the attempt failed in a way that may pass, or with an error of one of these types,
---of which the recipe knows that they do.
---@param ... string
---@return fun(context: { error: bide.OperationError? }): boolean
function M.matcher(...)
  local passes = {}
  for _, name in ipairs { ... } do passes[core.wait.error_name(name)] = true end
  local function matcher(context)
    local failure = context.error
    return failure ~= nil and (passes[name_of(failure)] or M.is_transient(failure))
  end
  types_of[matcher] = { ... }
  return matcher
end

return M
