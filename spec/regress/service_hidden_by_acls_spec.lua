---Consul answers with an empty list if the token may not read a service. ServiceGone took that for a service without
---instances and succeeded, and ServicePassing waited in vain. Recorded from Consul 1.17.3, with the default policy "deny".

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"

local denied_to_anyone = "Permission denied: anonymous token lacks permission 'service:read' on \"web\". "
  .. "The anonymous token is used implicitly when a request does not specify a token."
local denied_to_token = "Permission denied: token with AccessorID '37a68075-5662-5e02-2e41-bf8b4ac03218' "
  .. "lacks permission 'service:read' on \"web\""

local function nothing(is_filtered)
  return { body = "[]", headers = { ["Content-Type"] = "application/json", ["X-Consul-Default-Acl-Policy"] = "deny",
    ["X-Consul-Index"] = "22", ["X-Consul-KnownLeader"] = "true",
    ["X-Consul-Results-Filtered-By-Acls"] = is_filtered and "true" or nil } }
end

local function text(status, body)
  return { status = status, body = body, headers = { ["Content-Type"] = "text/plain; charset=utf-8" } }
end

---What Consul answers about the service, what its agent answers, and what the outcome says.
local cases = {
  ["without a token"] = { nothing(false), text(403, denied_to_anyone), "Forbidden (403): " .. denied_to_anyone },
  ["with a token that may not read it"] = { nothing(true), text(403, denied_to_token),
    "Forbidden (403): " .. denied_to_token },
  ["with a token that may not read its nodes, of an old version"] = { nothing(false), { body = "[]" },
    "AccessDenied: the token lacks node:read" },
  ["with a token that may not read its nodes"] = { nothing(true), { body = "[]" }, "AccessDenied: the token lacks node:read" },
}

describe("a service that Consul hides", function()
  local workspace = Workspace.of_each()

  for name, case in pairs(cases) do
    for _, waiter in ipairs { "ServiceGone", "ServicePassing" } do
      it(("is a failure of %s, %s"):format(waiter, name), function()
        local server = Server.start(function(request)
          return request.path == "/v1/agent/health/service/name/web" and case[2] or case[1]
        end)
        local done = workspace:bide { "run", "consul", waiter, server.url, "web", "--max-wait", "50s" }
        server:close()
        done:writes(3, case[3])
      end)
    end
  end
end)
