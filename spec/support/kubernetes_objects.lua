---A Kubernetes that has the objects that a spec names, and nothing else.

local Server = require "spec.support.server"
local json = require("bide.core").json

local M = {}

---What an API server says of other objects.
local refusals = {
  forbidden = { status = 403, body = { kind = "Status", reason = "Forbidden" } },
  missing = { status = 404, body = { kind = "Status", reason = "NotFound", code = 404 } },
}

---@param find fun(request: table): table? the object that is asked for
---@param otherwise "forbidden"|"missing"
---@return table server
function M.start(find, otherwise)
  local refusal = refusals[otherwise]
  return Server.start(function(request)
    local object = find(request)
    return { status = object and 200 or refusal.status, body = json.encode(object or refusal.body),
      headers = { ["Content-Type"] = "application/json" } }
  end)
end

return M
