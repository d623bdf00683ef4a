---How far objects are: the rules of `kubectl wait` and `kubectl rollout status` as a table.

local json = require("bide.core").json
local goals = require "bide.probe.kubernetes.goal"
local kinds = require "bide.probe.kubernetes.kinds"
local progress = require "bide.probe.kubernetes.progress"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math, type = ipairs, math, type

---The answers of a cluster that has more kinds than bide knows, and some of their words with other groups.
local discovery = {
  ["api/v1"] = { resources = json.array {} },
  apis = { groups = {} },
}

for group, row in pairs {
  ["cert-manager.io"] = { "Certificate", "certificates" }, ["serving.knative.dev"] = { "Service", "services" },
  ["batch.volcano.sh"] = { "Job", "jobs" }, ["metrics.k8s.io"] = { "Node", "nodes" }, ["example.com"] = { "Pod", "pods" },
  ["apps.example.com"] = { "Deployment", "deployments" }, ["ns.example.com"] = { "Namespace", "namespaces" },
} do
  table.insert(discovery.apis.groups, { name = group, preferredVersion = { groupVersion = group .. "/v1" } })
  discovery["apis/" .. group .. "/v1"] = { resources = { { name = row[2], kind = row[1], namespaced = true } } }
end

local function of(kind, object, wanted)
  local goal = assert(goals.of(wanted or {}))
  local found = assert(kinds.find(kind, function(path) return assert(json.document(discovery[path])) end))
  return progress.of(assert(json.read(object)), found, goal)
end

local condition = '{"status":{"conditions":[{"type":"%s","status":"%s","reason":"R","message":"m"}]}}'

local stale = "the controller has not seen the newest specification"
local unknown = "give condition= or --until: it has neither the condition Ready nor Available"

---An object of generation 2, with a status that has seen `observed` and a condition Ready that has seen `of_condition`.
local function seen(observed, of_condition, name)
  return ([[{"metadata":{"generation":2},"status":{%s"conditions":[{"type":"%s","status":"True"%s}]}}]]):format(
    observed and ('"observedGeneration":%s,'):format(observed) or "", name or "Ready",
    of_condition and (',"observedGeneration":%s'):format(of_condition) or "")
end

local deleted = '"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z","generation":1}'
local dying_pod = "{" .. deleted .. ',"status":{"phase":"Running","conditions":[{"type":"Ready","status":"%s"},'
  .. '{"type":"DisruptionTarget","status":"True"}]}}'
local dying_deployment = "{" .. deleted .. [[,"spec":{"replicas":1},"status":{"observedGeneration":1,"replicas":1,
  "updatedReplicas":1,"availableReplicas":1,"conditions":[{"type":"Progressing","status":"False",
  "reason":"ProgressDeadlineExceeded"}]}}]]
local by_hand = "the update strategy is OnDelete: its pods become new ones when somebody deletes them; say what ready means "
  .. "with condition= or --until, for example --until '%s'"

---Kind, object, what is wanted, state, reason.
local rows = {
  -- the word of a kind with another group is another kind
  { "services.serving.knative.dev", condition:format("Ready", "False"), nil, "Ready is False: R: m" },
  { "services.serving.knative.dev", "{}", nil, unknown },
  { "jobs.batch.volcano.sh", condition:format("Failed", "True"), nil, unknown },
  { "jobs.batch.volcano.sh", condition:format("Complete", "True"), nil, unknown },
  { "nodes.metrics.k8s.io", "{}", nil, unknown },
  { "pods.example.com", '{"status":{"phase":"Succeeded"}}', nil, unknown },
  { "deployments.apps.example.com", '{"spec":{"replicas":0},"status":{"observedGeneration":1}}', nil, unknown },
  { "namespaces.ns.example.com", '{"status":{"phase":"Active"}}', nil, unknown },
  { "jobs.batch", condition:format("Complete", "True"), nil, "done" },
  { "jobs.v1.batch", condition:format("Failed", "True"), nil, "failed", "R: m" },
  { "services.v1.", '{"spec":{"type":"ClusterIP"}}', nil, "done" }, { "services.v1.", "{}", nil, "its type is not known" },
  -- what has not spoken yet
  { "certificate", '{"metadata":{"generation":1},"spec":{}}', nil, unknown },
  { "certificate", '{"status":{"conditions":[]}}', nil, unknown },
  { "certificate", '{"metadata":{"generation":5},"status":{"observedGeneration":1}}', nil, unknown },
  { "certificate", condition:format("Synced", "False"), nil, unknown },
  { "certificate", condition:format("Available", "True"), nil, "done" },
  { "certificate", '{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"ready","status":"True"}]}}', nil,
    "Ready is False: no reason is given" },
  { "deploy", '{"status":{"observedGeneration":1}}', nil, "0 of 1 replicas are updated" },
  { "rs", '{"status":{"observedGeneration":1}}', nil, "0 of 1 replicas are ready" },
  { "sts", '{"spec":{"replicas":1},"status":{"observedGeneration":1,"readyReplicas":1}}', nil, "0 of 1 pods are updated" },
  { "ds", '{"status":{"observedGeneration":1}}', nil, "the number of its pods is not known yet" },
  { "svc", '{"spec":{"type":"LoadBalancer"},"status":{"loadBalancer":{"ingress":[{}]}}}', nil,
    "the load balancer has no address" },
  { "ingress", "{}", nil, "it has no address" },
  { "ingress", '{"status":{"loadBalancer":{"ingress":[{"hostname":"a.example"}]}}}', nil, "done" },
  { "endpoints", '{"subsets":[{"notReadyAddresses":[{"ip":"10.0.0.1"}]}]}', nil, "there is no address of a ready pod" },
  { "endpoints", '{"subsets":[{"addresses":[{"ip":"10.0.0.1"}]}]}', nil, "done" },
  { "hpa", condition:format("AbleToScale", "True"), nil, "there is no condition ScalingActive" },
  { "hpa", condition:format("ScalingActive", "True"), nil, "done" },
  -- the generation of the condition counts, else that of the status, else the condition is believed
  { "certificate", seen(), nil, "done" },
  { "certificate", seen(1), nil, stale },
  { "certificate", seen(2), nil, "done" },
  { "certificate", seen(3), nil, "done" },
  { "certificate", seen(1, 2), nil, "done" },
  { "certificate", seen(2, 1), nil, stale },
  { "certificate", seen(1, "null"), nil, stale },
  { "certificate", seen("null", "null"), nil, "done" },
  { "certificate", seen('"1"'), nil, stale },
  { "certificate", seen('"2"'), nil, "done" },
  { "certificate", seen '"6bb4f8d"', nil, stale },
  { "certificate", seen "0", { condition = "Ready" }, stale },
  { "deploy", seen(1, nil, "Available"), { condition = "Available" }, stale },
  { "deploy", seen(1, nil, "Available"), { ["for"] = "condition=available" }, stale },
  { "deploy", seen(2, nil, "Available"), { condition = "Available" }, "done" },
  { "deploy", seen(nil, nil, "Available"), { condition = "Available" }, "done" },
  { "crd", seen(1, nil, "Established"), nil, stale },
  { "apiservice", seen(1, nil, "Available"), nil, stale },
  { "node", seen(1), nil, stale },
  { "job", seen(1, nil, "Complete"), nil, stale },
  { "job", seen(1, nil, "Failed"), nil, "there is no condition Complete" },
  { "job", seen(2, 1, "Failed"), nil, "there is no condition Complete" },
  { "hpa", seen(1, nil, "ScalingActive"), nil, stale },
  { "pvc", '{"metadata":{"generation":2},"status":{"observedGeneration":1,"phase":"Bound"}}', nil, stale },
  { "ns", '{"metadata":{"generation":2},"status":{"observedGeneration":1,"phase":"Active"}}', nil, stale },
  -- an object that is being deleted
  { "pod", dying_pod:format "True", nil, "it is being deleted" },
  { "pod", dying_pod:format "True", { condition = "Ready" }, "it is being deleted" },
  { "pod", dying_pod:format "True", { ["for"] = "creation" }, "it is being deleted" },
  { "pod", dying_pod:format "False", { condition = "Ready=False" }, "done" },
  { "pod", dying_pod:format "False", { condition = "DisruptionTarget" }, "done" },
  { "pod", "{" .. deleted .. ',"status":{"phase":"Failed"}}', nil, "it is being deleted" },
  { "pod", "{" .. deleted .. ',"status":{"phase":"Succeeded"}}', nil, "it is being deleted" },
  { "deploy", dying_deployment, nil, "it is being deleted" },
  { "deploy", dying_deployment, { condition = "Progressing=False" }, "done" },
  { "certificate", "{" .. deleted .. ',"status":{"conditions":[{"type":"Ready","status":"True"}]}}', nil, "it is being deleted" },
  { "certificate", "{" .. deleted .. ',"status":{"conditions":[{"type":"Degraded","status":"False"}]}}',
    { condition = "Degraded=False" }, "it is being deleted" },
  { "pvc", "{" .. deleted .. ',"status":{"phase":"Bound"}}', nil, "it is being deleted" },
  { "ns", "{" .. deleted .. ',"status":{"phase":"Active"}}', nil, "it is being deleted" },
  { "cm", "{" .. deleted .. "}", nil, "it is being deleted" },
  { "sts", "{" .. deleted .. ',"spec":{"updateStrategy":{"type":"OnDelete"}}}', nil, "it is being deleted" },
  -- workloads whose pods somebody replaces by hand
  { "ds", '{"spec":{"updateStrategy":{"type":"OnDelete"}},"status":{"observedGeneration":1,"desiredNumberScheduled":0}}', nil,
    "unsupported", by_hand:format "status.updatedNumberScheduled == status.desiredNumberScheduled" },
  { "ds", '{"spec":{"updateStrategy":{"type":"OnDelete"}},"status":{"conditions":[{"type":"Ok","status":"True"}]}}',
    { condition = "Ok" }, "done" },
  { "sts", '{"spec":{"updateStrategy":{"type":"OnDelete"}}}', { ["for"] = "creation" }, "done" },
  -- what may surprise, and is as for kubectl
  { "ds", '{"status":{"observedGeneration":1,"desiredNumberScheduled":0}}', nil, "done" },
  { "node", '{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}}', nil, "done" },
  -- a rollout that is paused
  { "deploy", '{"spec":{"replicas":1,"paused":true},"status":{"observedGeneration":1,"replicas":1}}', nil,
    "0 of 1 replicas are updated; the rollout is paused" },
  { "deploy", '{"spec":{"replicas":0,"paused":true},"status":{"observedGeneration":1}}', nil, "done" },
  { "deploy", '{"spec":{"replicas":1}}', nil, "the controller has not seen the newest specification" },
  { "deploy", '{"metadata":{"generation":2},"spec":{"replicas":1},"status":{"observedGeneration":1,"updatedReplicas":1}}', nil,
    "the controller has not seen the newest specification" },
  { "deploy", '{"spec":{"replicas":0},"status":{"observedGeneration":1}}', nil, "done" },
  { "deploy", '{"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":3,"updatedReplicas":2,"availableReplicas":3}}',
    nil, "1 old replicas are left" },
  { "sts", '{"spec":{"replicas":2},"status":{"observedGeneration":1,"readyReplicas":1}}', nil, "1 of 2 pods are ready" },
  { "sts", [[{"spec":{"replicas":2},"status":{"observedGeneration":1,"readyReplicas":2,"updatedReplicas":1,
    "currentRevision":"a","updateRevision":"b"}}]], nil, "1 of 2 pods are updated" },
  { "sts", [[{"spec":{"replicas":2,"updateStrategy":{"rollingUpdate":{"partition":1}}},"status":{"observedGeneration":1,
    "readyReplicas":2,"updatedReplicas":1,"currentRevision":"a","updateRevision":"b"}}]], nil, "done" },
  { "sts", [[{"spec":{"replicas":1,"updateStrategy":{"type":"OnDelete"}},"status":{"observedGeneration":1,"readyReplicas":1,
    "currentRevision":"a","updateRevision":"b"}}]], nil, "unsupported",
    by_hand:format "status.updatedReplicas == spec.replicas" },
  { "ds", '{"status":{"observedGeneration":1,"desiredNumberScheduled":3,"updatedNumberScheduled":2}}', nil,
    "2 of 3 pods are updated" },
  { "ds", '{"status":{"observedGeneration":1,"desiredNumberScheduled":1,"updatedNumberScheduled":1,"numberAvailable":1}}', nil,
    "done" },
  { "rs", '{"spec":{"replicas":2},"status":{"observedGeneration":1,"readyReplicas":2}}', nil, "done" },
  { "job", condition:format("Complete", "True"), nil, "done" },
  { "job", condition:format("Failed", "True"), nil, "failed", "R: m" },
  { "job", condition:format("Failed", "True"), { condition = "Failed" }, "done" },
  { "job", condition:format("Suspended", "True"), nil, "there is no condition Complete" },
  { "pod", condition:format("Ready", "True"), nil, "done" },
  { "pod", condition:format("Ready", "False"), nil, "Ready is False: R: m" },
  { "pod", condition:format("Ready", "False"), { condition = "ready=false" }, "done" },
  { "pod", '{"status":{"phase":"Succeeded"}}', nil, "done" },
  { "pod", '{"status":{"phase":"Succeeded"}}', { condition = "Ready" }, "failed", "the pod has ended: its phase is Succeeded" },
  { "pod", '{"status":{"phase":"Failed","reason":"Evicted","message":"no memory"}}', nil, "failed",
    "the pod has failed: Evicted: no memory" },
  { "pod", '{"status":{"phase":"Failed"}}', { ["for"] = "deletion" }, "it exists" },
  { "pod", '{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}', { ["for"] = "delete" }, "it is being deleted" },
  { "pod", "{}", { ["for"] = "create" }, "done" },
  { "pvc", '{"status":{"phase":"Pending"}}', nil, "the phase is Pending" },
  { "pvc", '{"status":{"phase":"Bound"}}', nil, "done" },
  { "pvc", '{"status":{"phase":"Lost"}}', nil, "failed", "the phase is Lost" },
  { "svc", '{"spec":{"type":"ClusterIP"}}', nil, "done" },
  { "svc", '{"spec":{"type":"LoadBalancer"},"status":{"loadBalancer":{}}}', nil, "the load balancer has no address" },
  { "svc", '{"spec":{"type":"LoadBalancer"},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}', nil, "done" },
  { "crd", condition:format("NamesAccepted", "False"), nil, "failed", "R: m" },
  { "ns", '{"status":{"phase":"Terminating"}}', nil, "the phase is Terminating" },
  { "cm", "{}", nil, "done" },
  { "certificate", condition:format("Ready", "False"), nil, "Ready is False: R: m" },
}

describe("an object of Kubernetes", function()
  for _, row in ipairs(rows) do
    local kind, object, wanted, state, reason = table.unpack(row, 1, 5)
    it(("%s is %q: %s"):format(kind, state, object:sub(1, 60)), function()
      local found = of(kind, object, wanted)
      assert.equal(state, found.state)
      assert.equal(reason, found.reason)
    end)
  end

  it("has a stuck rollout only by the newest specification", function()
    local stuck = [[{"metadata":{"generation":%d},"spec":{"replicas":1},"status":{"observedGeneration":1,"conditions":
      [{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"m"}]}}]]
    assert.equal("failed", of("deploy", stuck:format(1)).state)
    assert.equal("the controller has not seen the newest specification", of("deploy", stuck:format(2)).state)
  end)

  it("may be anything", function()
    local values = { "null", "5", '"x"', "[]", "{}", "[1]", "true", '{"type":1}', '[{"type":"Ready","status":"True"}]', "1e300" }
    math.randomseed(11)
    for _ = 1, 2000 do
      local function any() return values[math.random(#values)] end
      local object = ('{"kind":%s,"metadata":{"generation":%s,"deletionTimestamp":%s},"spec":{"replicas":%s,"type":%s,'
        .. '"updateStrategy":%s},"status":{"observedGeneration":%s,"phase":%s,"conditions":%s,"loadBalancer":%s,'
        .. '"readyReplicas":%s,"updatedReplicas":%s}}'):format(any(), any(), any(), any(), any(), any(), any(), any(), any(),
          any(), any(), any())
      for _, kind in ipairs { "deploy", "sts", "ds", "rs", "job", "pod", "svc", "pvc", "crd", "ingress" } do
        check.equal("string", type(of(kind, object).state))
      end
    end
  end)
end)
