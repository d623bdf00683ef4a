---`kubernetes.inspect` of a script ended with "attempt to compare nil with number" at the first pod in trouble, since only the
---inputs of a recipe had their defaults. A misspelt `namespace` was ignored, so that a Pod of another namespace was gone.

local Server = require "spec.support.server"
local json = require("bide.core").json
local kubernetes = require "bide.kubernetes"

local UNSCHEDULED = { type = "PodScheduled", status = "False", reason = "Unschedulable", message = "no node",
  lastTransitionTime = "2020-01-01T00:00:00Z" }

local function pod_with(status)
  return { kind = "Pod", apiVersion = "v1", metadata = { name = "x", namespace = "default" }, status = status }
end

local function loop(restarts)
  return pod_with { phase = "Running", startTime = "2020-01-01T00:00:00Z", containerStatuses = {
    { name = "c", restartCount = restarts, state = { waiting = { reason = "CrashLoopBackOff" } } } } }
end

describe("the inspection of Kubernetes that a script asks for", function()
  local object
  local server = Server.of_each(function()
    return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(object) }
  end)

  local function wait_of(input, wait)
    input.server, input.resource = server.url, input.resource or "pod/x"
    return kubernetes.inspect(input, wait):value().wait
  end

  it("has the defaults of the recipe", function()
    object = pod_with { phase = "Pending", conditions = { UNSCHEDULED } }
    assert.same({ state = "failed", reason = "pod x: Unschedulable: no node" }, wait_of {})
    assert.equal("failed", wait_of({}, { own_success = true }).state)
    object = loop(2)
    assert.not_equal("failed", wait_of({}).state)
    object = loop(3)
    assert.matches("CrashLoopBackOff after 3 restarts", wait_of({}).reason)
    assert.not_equal("failed", wait_of({ restarts = 4 }).state)
    local inspect = kubernetes.prepare_inspect { server = server.url, resource = "pod/x" }
    assert.equal("failed", inspect():value().wait.state)
  end)

  it("refuses what it does not know, before it asks", function()
    local wrong = {
      { { namspace = "shop" }, 'namspace: unknown option, did you mean "namespace"?' },
      { { namespace = "" }, "namespace: expected a name of lower-case letters" },
      { { resource = "pod" }, "resource: which pod?" }, { { resource = "pod", selector = " " }, "selector: expected labels" },
      { { ["for"] = "gone" }, "for: expected deletion, creation" }, { { grace = "30s" }, "grace: expected a number of seconds" },
    }
    for _, row in ipairs(wrong) do
      local ok, mistake = pcall(wait_of, row[1])
      assert.is_false(ok)
      assert.matches("kubernetes.inspect: " .. row[2], mistake, 1, true)
    end
    assert.equal(0, #server.requests)
  end)

  it("takes the further inputs of an operation", function()
    object = pod_with { phase = "Running", conditions = { { type = "Ready", status = "True" } } }
    assert.equal("done", wait_of({ of_mine = "x" }, { own_success = true }).state)
  end)
end)

describe("an object of Kubernetes that a script gets", function()
  local function get(server, name, more)
    local given = more or {}
    given.server, given.name = server.url, name
    return kubernetes.get("apis/apps/v1", "deployments", given)
  end

  it("is the one that was asked for", function()
    local answer = { kind = "Deployment", metadata = { name = "web", namespace = "shop" } }
    local server = Server.start(function()
      return { headers = { ["Content-Type"] = "application/json" }, body = json.encode(answer) }
    end)
    assert.equal("web", get(server, "web", { namespace = "shop" }):json().metadata.name)
    assert.equal("/apis/apps/v1/namespaces/shop/deployments/web", server.requests[1].path)
    for _, other in ipairs { { "web", { namespace = "other" } }, { "api", { namespace = "shop" } } } do
      local ok, failure = pcall(get, server, table.unpack(other))
      assert.same({ false, "InvalidResponse" }, { ok, failure.type })
    end
    local count = #server.requests
    for _, row in ipairs {
      { "", {}, "name: expected a name of lower-case letters" }, { "..", {}, "name: expected" }, { nil, {}, "name: expected" },
      { "web", { namespace = ".." }, "namespace: expected" }, { "web", { namespace = "" }, "namespace: expected" },
      { "web", { namspace = "shop" }, "namspace: unknown option" },
    } do
      local ok, mistake = pcall(get, server, row[1], row[2])
      assert.is_false(ok)
      assert.matches("kubernetes.get: " .. row[3], mistake, 1, true)
    end
    assert.equal(count, #server.requests)
    server:close()
  end)
end)
