---Sends a request for credentials. A redirect is never followed, since the request carries a secret.

local http = require "bide.http"
local script_error = require "bide.script_error"

local BODY_LIMIT = 128 * 1024

---@param request bide.http.Request
---@return bide.http.Response? response whatever its status
---@return string? mistake why there is none
return function(request)
  request.redirects, request.body_limit = 0, BODY_LIMIT
  local ok, response = pcall(http.request, request)
  if ok then return response end
  script_error.pass_out_of_memory(response)
  if not script_error.is_operation_error(response) then error(response, 0) end
  return nil, ("%s: %s"):format(response.type, response.message or "no message")
end
