---A word for a kind that two groups have, such as gateway, meant that of the first group: kubernetes gateway/x for=deletion
---succeeded while the Gateway of the other group was there. So did a wait while a group after that of the kind could not be
---read, as that of an aggregated API whose server is down.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide").json

local function resources(...)
  local list = json.array {}
  for position, name in ipairs { ... } do
    list[position] = { name = name:lower() .. "s", singularName = name:lower(), kind = name, namespaced = true,
      shortNames = json.array { name:sub(1, 3):lower() } }
  end
  return { kind = "APIResourceList", resources = list }
end

local function group(name) return { name = name, preferredVersion = { groupVersion = name .. "/v1" } } end

---The answers of the cluster by their paths.
local cluster = {
  ["/api/v1"] = resources "Pod",
  ["/apis"] = { kind = "APIGroupList", groups = json.array { group "gateway.networking.k8s.io", group "networking.istio.io",
    group "crd.projectcalico.org", group "networking.k8s.io", group "broken.example" } },
  ["/apis/gateway.networking.k8s.io/v1"] = resources "Gateway",
  ["/apis/networking.istio.io/v1"] = resources("Sidecar", "Gateway"),
  ["/apis/crd.projectcalico.org/v1"] = resources "Policy",
  ["/apis/networking.k8s.io/v1"] = resources "Policy",
  ["/apis/networking.istio.io/v1/namespaces/n/gateways/x"] = { kind = "Gateway", apiVersion = "networking.istio.io/v1",
    metadata = { name = "x", namespace = "n" } },
  ["/apis/crd.projectcalico.org/v1/namespaces/n/policys/x"] = { kind = "Policy", apiVersion = "crd.projectcalico.org/v1",
    metadata = { name = "x", namespace = "n" } },
}

local function answer(request)
  local found, status = cluster[request.path], 200
  if not found then
    local is_object = request.path:find "/x$"
    status = is_object and 404 or 503
    found = { kind = "Status", status = "Failure", reason = is_object and "NotFound" or "ServiceUnavailable", code = status,
      details = { name = "x" } }
  end
  return { status = status, headers = { ["Content-Type"] = "application/json" }, body = json.encode(found) }
end

local rows = {
  { "gateway/x", 3, "AmbiguousKind: gateway is a kind of several groups: "
    .. "give gateways.gateway.networking.k8s.io or gateways.networking.istio.io" },
  { "gat/x", 3, "give gateways.gateway.networking.k8s.io or gateways.networking.istio.io" },
  { "gateways.networking.istio.io/x", 124, "it exists" },
  { "gateways.gateway.networking.k8s.io/x", 0, "" },
  { "sidecar/x", 124, 'ServiceUnavailable (503): apis/broken.example/v1 cannot be read, and may have a kind "sidecar" too '
    .. "(give sidecars.networking.istio.io for that)" },
  { "sidecars.networking.istio.io/x", 0, "" },
  { "car/x", 124, 'apis/broken.example/v1 cannot be read, and may have a kind "car": ' },
  { "policy/x", 0, "" }, -- the group is Kubernetes' own
  { "policys.crd.projectcalico.org/x", 124, "it exists" },
}

describe("a kind of two groups", function()
  local workspace = Workspace.of_block()
  local server = Server.of_block(answer)

  for _, row in ipairs(rows) do
    it(("%s: %d"):format(row[1], row[2]), function()
      local done = workspace:bide { "kubernetes", row[1], "for=deletion", "-n", "n", "--server", server.url, "--no-watch",
        "--interval", "100ms", "--quiet", "--max-wait", row[2] == 124 and "400ms" or "9s" }
      assert.equal(row[2], done.code, done.stdout .. done.stderr)
      assert.matches(row[3], done.stdout .. done.stderr, 1, true)
    end)
  end
end)
