---Sends a request for credentials. It goes to the origin that was meant and to no other, and a redirect is never followed,
---since the request carries a secret.

local http = require "bide.http"
local origin = require "bide.probe.http.origin"
local script_error = require "bide.text.script_error"

local BODY_LIMIT = 128 * 1024

---@param request bide.http.Request
---@param meant string a URL of the origin that was meant
---@param before? string|table what its host may begin with, as origin.stray has it
---@return bide.http.Response? response whatever its status
---@return string? mistake why there is none
return function(request, meant, before)
  local stray = origin.stray_url(request.url, meant, before)
  if stray then return nil, stray end
  request.redirects, request.body_limit = 0, BODY_LIMIT
  local ok, response = pcall(http.request, request)
  if ok then return response end
  script_error.pass_out_of_memory(response)
  if not script_error.is_operation_error(response) then error(response, 0) end
  return nil, ("%s: %s"):format(response.type, response.message or "no message")
end
