---Classifies operation errors: transient ones, which may be gone when the operation is tried again, and lasting ones.
---No other module does; policies ask this one and decide for themselves.
---
---The type, which is the service's own word, counts more than the status: a ThrottlingException with status 400 is
---throttling, and an AccessDenied with status 500 is not transient.

local core = require "bide.core"
local option = require "bide.text.option"
local own_error = require "bide.text.own_error"
local own_matcher = require "bide.text.own_matcher"

local set = option.set

local M = {}

---The types that the SDKs treat as throttling, and those of other clouds. LimitExceededException is not among them: at
---most services it is a quota, which waiting does not raise.
local throttling = set [[
  Throttling ThrottlingException ThrottledException RequestThrottled RequestThrottledException
  TooManyRequests TooManyRequestsException ProvisionedThroughputExceededException RequestLimitExceeded
  BandwidthLimitExceeded SlowDown PriorRequestNotComplete EC2ThrottledException TransactionInProgressException
  rateLimitExceeded userRateLimitExceeded RateLimitExceeded RESOURCE_EXHAUSTED ]]

---The types that bide.http, bide.tcp and the other probes raise if no answer came for a transient reason. A refused
---certificate, a wrong URL or a wrong body is not transient.
local connection = set [[
  ConnectionRefused ConnectionReset ConnectionFailed NameNotResolved TransportFailure RequestTimeout ]]

---The types for an exchange that failed, or whose answer cannot be read.
local broken = set "TlsFailure InvalidResponse"

---The types for a service, or a probe, that was not ready in time.
local transient = set [[
  Timeout ExecTimeout RequestTimeoutException GatewayTimeout BadGateway ServiceUnavailable
  ServiceUnavailableException Unavailable UNAVAILABLE DEADLINE_EXCEEDED InternalError InternalFailure
  InternalServerError InternalServerException InternalServiceError ServerFailure ]]

---The types for missing permission and wrong requests, whose answer stays the same.
local final = set [[
  AccessDenied AccessDeniedException AuthFailure Unauthorized UnauthorizedOperation UnauthorizedException
  Forbidden ForbiddenException NotAuthorized InvalidClientTokenId InvalidSignatureException SignatureDoesNotMatch
  ExpiredToken ExpiredTokenException UnrecognizedClientException MissingAuthenticationToken IncompleteSignature
  OptInRequired PERMISSION_DENIED UNAUTHENTICATED ValidationError ValidationException InvalidParameter
  InvalidParameterValue InvalidParameterCombination MissingParameter InvalidInput INVALID_ARGUMENT RedirectRefused ]]

---The types for what bide itself, or its use, lacked, so that nothing was asked, or what was answered could not be judged.
local own = set [[
  AmbiguousKind NoCredentials NoReadiness TaskCancelled TooManyDescriptors InvalidUrl InvalidRequest InvalidAddress InvalidName
  InvalidPath InvalidInput InvalidCommand ProgramNotFound ExecFailed MatchLimit ProcessesHidden ConnectionsHidden
  IdempotentParameterMismatch IdempotentTokenExpired ]]

---Returns the type of an error without namespace and suffix, as acceptors compare it: `ns#Foo:http://…` is Foo.
---@param failure bide.OperationError
---@return string name empty if its type is not a text
function M.name_of(failure)
  local kind = failure.type
  return type(kind) == "string" and core.wait.error_name(kind) or ""
end

local name_of = M.name_of

---Returns the type and the status of an error: `NotFound (404)`. The status may be anything that a script raised.
---@param failure bide.OperationError
---@return string
function M.label(failure)
  local status = math.type(failure.status) and math.tointeger(failure.status)
  return status and ("%s (%d)"):format(failure.type, status) or failure.type
end

local function status_of(failure)
  return math.type(failure.status) and failure.status or 0
end

local function is_good(status)
  return status >= 200 and status < 300
end

---Reports whether a service says that it gets too many requests.
---@param failure bide.OperationError
---@return boolean
function M.is_throttling(failure)
  local name = name_of(failure)
  return throttling[name] or status_of(failure) == 429 and not final[name] or false
end

---The types for an answer that did not come in time.
local timeouts = set "RequestTimeout RequestTimeoutException Timeout TimeoutError ExecTimeout"

---Reports whether an answer did not come in time.
---@param failure bide.OperationError
---@return boolean
function M.is_timeout(failure)
  return timeouts[name_of(failure)] or false
end

---Reports whether no answer came, because of the connection, the name or the time. An error with a status is an answer.
---@param failure bide.OperationError
---@return boolean
function M.is_connection(failure)
  return status_of(failure) == 0 and connection[name_of(failure)] or false
end

---Reports whether there is no answer to examine: the connection or TLS failed, or the answer is not HTTP.
---@param failure bide.OperationError
---@return boolean
function M.is_io(failure)
  return M.is_connection(failure) or status_of(failure) == 0 and broken[name_of(failure)] or false
end

---Reports whether the answer is incomplete or garbled, as a service that starts or stops may send it. An error page that
---was read as JSON is classified by its status.
---@param failure bide.OperationError
---@return boolean
function M.is_broken_answer(failure)
  return name_of(failure) == "InvalidResponse" and status_of(failure) < 300
end

---Reports whether an error is one of bide or of its use, or says that a good answer did not come whole, or could not be read:
---by `success = false` it is not a success. Any other error with a status is an answer of the service.
---@param failure bide.OperationError
---@return boolean
function M.is_own(failure)
  local name, status = name_of(failure), status_of(failure)
  if own_error.is_marked(failure) or own[name] and status == 0 then return true end
  if status == 0 and math.type(failure.began) then return is_good(failure.began) end
  return name == "InvalidResponse" and is_good(status)
end

---Returns the status by which an acceptor may decide. An answer that could not be read, or a bare status of an operation of
---a model, may come from any program: it has none.
---@param failure bide.OperationError
---@return number?
function M.decisive_status(failure)
  local name, status = name_of(failure), failure.status
  local is_bare = name == failure.code and math.type(status) ~= nil and name == "Http" .. status
  if name == "InvalidResponse" or is_bare then return nil end
  return status
end

---Reports whether the service's certificate was refused, which stays so until somebody changes it.
---@param failure bide.OperationError
---@return boolean
function M.is_certificate(failure)
  local message = failure.message
  return name_of(failure) == "TlsFailure" and type(message) == "string" and message:lower():find("certificate", 1, true) ~= nil
end

---Reports whether an error is transient: throttling, a failed connection, a timeout, a failure of the server (5xx, 408);
---never authorization or validation.
---@param failure bide.OperationError
---@return boolean
function M.is_transient(failure)
  local name, status = name_of(failure), status_of(failure)
  if final[name] then return false end
  if throttling[name] or connection[name] or transient[name] or M.is_broken_answer(failure) then return true end
  return status == 408 or status == 429 or status >= 500 and status < 600
end

---Remembers whether statuses fit patterns, by the pattern and the status.
---@type table<string, table<integer, boolean>>
local known_fits = {}

local function fits(status, pattern)
  local known = known_fits[pattern]
  if not known then
    known = {}
    known_fits[pattern] = known
  end
  if known[status] == nil then
    known[status] = ("%d"):format(status):find("^" .. pattern:gsub("[xX]", "%%d") .. "$") ~= nil
  end
  return known[status]
end

---Reports whether a status fits one of some patterns: 503, 5xx.
---@param status any
---@param patterns string[]
---@return boolean
function M.has_status(status, patterns)
  if math.type(status) ~= "integer" then return false end
  for _, pattern in ipairs(patterns) do
    if fits(status, pattern) then return true end
  end
  return false
end

-- ---- matchers for recipes ----------------------------------------------------------------------

---@class bide.ErrorMatcher : bide.DescribedMatcher
---@field kind? string what the errors are that it matches, "transient" by default
---@field types? string[] with which `error_class.matcher` made it

---Makes a matcher of errors.
---@param description bide.ErrorMatcher
local function new_matcher(description)
  description.sees = "error"
  description.observed = description.observed or function(failure, matched)
    return ("the error is %s, which is %s%s"):format(failure.type, matched and "" or "not ", description.kind)
  end
  return own_matcher.new(description)
end

---Raises the mistake in names that a recipe gives: one that is nil would hide those after it.
local function check_names(...)
  for position = 1, select("#", ...) do
    local mistake = option.mistake((select(position, ...)), option.kinds.identifier)
    if mistake then error(("name %d: %s"):format(position, mistake), 4) end
  end
end

---Returns a custom matcher for recipes, which matches transient errors, and errors of some types that the recipe knows to
---be transient.
---@param ... string
---@return fun(context: { error: bide.OperationError? }): boolean
function M.matcher(...)
  check_names(...)
  local passes = {}
  for _, name in ipairs { ... } do passes[core.wait.error_name(name)] = true end
  return new_matcher {
    kind = "transient", types = { ... }, words = table.concat({ "a transient error", ... }, " or "),
    matches = function(context)
      local failure = context.error
      return failure ~= nil and (passes[name_of(failure)] or M.is_transient(failure))
    end,
  }
end

---Returns the types with which `error_class.matcher` made a matcher.
---@param matcher any
---@return string ... nothing for any other value
function M.types_of(matcher)
  local description = own_matcher.of(matcher) --[[@as bide.ErrorMatcher?]]
  return table.unpack(description and description.types or {})
end

---Returns a custom matcher for recipes, which matches errors of a certificate that was refused for one of some problems.
---@param ... string as in the member `problem` of the error; any by default
---@return fun(context: { error: bide.OperationError? }): boolean
function M.certificate_matcher(...)
  check_names(...)
  local wanted, is_any = set(table.concat({ ... }, " ")), select("#", ...) == 0
  return new_matcher {
    words = "a refused certificate" .. (is_any and "" or (" (%s)"):format(table.concat({ ... }, ", "))),
    matches = function(context)
      local problem = context.error and context.error.problem
      return type(problem) == "string" and (is_any or wanted[problem] or false)
    end,
    observed = function(failure)
      return ("the error is %s, the problem %s"):format(failure.type, tostring(failure.problem or "none"))
    end,
  }
end

---Returns a custom matcher for recipes, which matches if all addresses refused the connection, or if a probe's error has one
---of the codes given. An answer does not match, whatever error it names.
---@param ... string "ENOENT"
---@return fun(context: { error: bide.OperationError? }): boolean
function M.refusal_matcher(...)
  check_names(...)
  local codes = set(table.concat({ ... }, " "))
  return new_matcher {
    kind = "refused by all addresses", words = table.concat({ "a connection that all addresses refuse", ... }, " or "),
    matches = function(context)
      local failure = context.error
      if failure == nil or failure.status ~= nil or failure.redirected then return false end
      return name_of(failure) == "ConnectionRefused" or codes[failure.code] or false
    end,
  }
end

---Returns a custom matcher for recipes, which matches errors with a status that an input lists.
---@param member string the input
---@return fun(context: { input: table, error: bide.OperationError? }): boolean
function M.status_matcher(member)
  check_names(member)
  return new_matcher {
    kind = "of a status in " .. member, words = "an answer with a status of the input " .. member,
    matches = function(context)
      local patterns = context.input and context.input[member]
      return context.error ~= nil and patterns ~= nil and M.has_status(context.error.status, patterns)
    end,
  }
end

---Adds to an observation what acceptors may look at in an operation error: its type, its status, whether it is transient.
---@param failure table an operation error
---@param seen bide.Observation
function M.describe(failure, seen)
  seen.error_type, seen.transient, seen.status = failure.type, M.is_transient(failure), M.decisive_status(failure)
  seen.is_own = M.is_own(failure)
end

return M
