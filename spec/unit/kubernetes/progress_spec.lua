---How far objects are: the rules of `kubectl wait` and `kubectl rollout status` as a table.

local json = require("bide.core").json
local goals = require "bide.kubernetes.goal"
local kinds = require "bide.kubernetes.kinds"
local progress = require "bide.kubernetes.progress"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math, type = ipairs, math, type

local function of(kind, object, wanted)
  local goal = assert(goals.of(wanted or {}))
  return progress.of(assert(json.read(object)), kinds.find(kind, function() error "asked" end), goal)
end

local condition = '{"status":{"conditions":[{"type":"%s","status":"%s","reason":"R","message":"m"}]}}'

---Kind, object, what is wanted, state, reason.
local rows = {
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
    "currentRevision":"a","updateRevision":"b"}}]], nil, "done" },
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
  { "ingress", condition:format("Ready", "False"), nil, "Ready is False: R: m" },
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
