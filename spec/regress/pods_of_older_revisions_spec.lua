---Right after a fix was applied, a wait failed for the pods of the broken revision: the controller had not seen the fix, or
---was about to replace them. And a StatefulSet or a DaemonSet whose pods somebody replaces by hand was ready.

local json = require("bide.core").json
local kubernetes_objects = require "spec.support.kubernetes_objects"
local process = require "spec.support.process"

local SELECTOR = { matchLabels = { app = "web" } }

local function pods(hash, reason)
  return { kind = "PodList", items = { {
    metadata = { name = "web-" .. hash }, status = { phase = "Pending", conditions = { { type = "Ready", status = "False" } },
      containerStatuses = { { name = "c", restartCount = 9, state = { waiting = { reason = reason or "CrashLoopBackOff" } } } } },
  } } }
end

local function owner(uid)
  return { { uid = uid or "u", controller = true } }
end

local function deployment(observed, more)
  local value = { kind = "Deployment",
    metadata = { name = "web", uid = "u", generation = 2, annotations = { ["deployment.kubernetes.io/revision"] = "1" } },
    spec = { replicas = 1, selector = SELECTOR }, status = { observedGeneration = observed, replicas = 1 } }
  for name, member in pairs(more or {}) do value[name] = member end
  return value
end

local function replica_set(revision, hash, uid, conditions)
  return { metadata = { name = "web-" .. hash, uid = hash, ownerReferences = owner(uid),
    labels = { ["pod-template-hash"] = hash },
    annotations = { ["deployment.kubernetes.io/revision"] = revision } }, status = { conditions = conditions } }
end

local refused = { { type = "ReplicaFailure", status = "True", reason = "FailedCreate", message = "exceeded quota",
  lastTransitionTime = "2020-01-01T00:00:00Z" } }

local PODS = "/api/v1/namespaces/n/pods?labelSelector=app%3Dweb%2C"
local DEPLOYMENT = "/apis/apps/v1/namespaces/n/deployments/web"
local SETS = "/apis/apps/v1/namespaces/n/replicasets?labelSelector=app%3Dweb"

local function of_deployment(object, ...)
  return { [DEPLOYMENT] = object, [SETS] = { kind = "ReplicaSetList", items = { ... } },
    [PODS .. "pod-template-hash%3Dold"] = pods "old", [PODS .. "pod-template-hash%3Dnew"] = pods "new",
    [PODS .. "pod-template-hash%3Dempty"] = { kind = "PodList", items = json.array {} } }
end

local function stateful_set(observed, updated)
  return { kind = "StatefulSet", metadata = { name = "web", uid = "u", generation = 2 },
    spec = { replicas = 1, selector = SELECTOR },
    status = { observedGeneration = observed, currentRevision = "web-old", updateRevision = updated } }
end

local function of_stateful_set(object)
  return { ["/apis/apps/v1/namespaces/n/statefulsets/web"] = object,
    ["/api/v1/namespaces/n/pods?labelSelector=app%3Dweb"] = pods "old",
    [PODS .. "controller-revision-hash%3Dweb-old"] = pods "old",
    [PODS .. "controller-revision-hash%3Dweb-new"] = { kind = "PodList", items = json.array {} },
    [PODS .. "controller-revision-hash%3Dweb-bad"] = pods "bad" }
end

local function revision(number, hash, uid)
  return { metadata = { name = "web-" .. hash, ownerReferences = owner(uid), labels = { ["controller-revision-hash"] = hash } },
    revision = number }
end

local function of_daemon_set(observed, ...)
  local object = { kind = "DaemonSet", metadata = { name = "web", uid = "u", generation = 2 }, spec = { selector = SELECTOR },
    status = { observedGeneration = observed, desiredNumberScheduled = 1 } }
  return { ["/apis/apps/v1/namespaces/n/daemonsets/web"] = object,
    ["/apis/apps/v1/namespaces/n/controllerrevisions?labelSelector=app%3Dweb"] =
      { kind = "ControllerRevisionList", items = json.array { ... } },
    ["/api/v1/namespaces/n/pods?labelSelector=app%3Dweb"] = pods "old",
    [PODS .. "controller-revision-hash%3Dold"] = pods "old",
    [PODS .. "controller-revision-hash%3Dnew"] = { kind = "PodList", items = json.array {} },
    [PODS .. "controller-revision-hash%3Dbad"] = pods "bad" }
end

local old, new = replica_set("1", "old"), replica_set("2", "new")
local paused = { spec = { replicas = 1, paused = true, selector = SELECTOR } }
local stale_failure = { status = { observedGeneration = 1, conditions = refused } }
local dying = { metadata = { name = "web", uid = "u", generation = 2, deletionTimestamp = "2026-01-01T00:00:00Z",
  annotations = { ["deployment.kubernetes.io/revision"] = "1" } } }

---What it is, the objects by their targets, words, the exit code, a part of the sentence.
local rows = {
  { "broken, and seen", of_deployment(deployment(2), old), "deployment/web", 1, "pod web-old: container c: CrashLoopBackOff" },
  { "mended, and not seen yet", of_deployment(deployment(1), old), "deployment/web", 124, "has not seen the newest" },
  { "without any status", of_deployment(deployment(nil), old), "deployment/web", 124, "has not seen the newest" },
  { "mended, and not seen yet, by condition", of_deployment(deployment(1), old), "deployment/web condition=Available", 124,
    "there is no condition Available" },
  { "of a newer revision", of_deployment(deployment(2), new), "deployment/web", 124, "0 of 1 replicas are updated" },
  { "of the revision of another owner", of_deployment(deployment(2), replica_set("1", "old", "other")), "deployment/web", 124,
    "0 of 1 replicas are updated" },
  { "paused", of_deployment(deployment(2, paused), old), "deployment/web", 124, "the rollout is paused" },
  { "being deleted", of_deployment(deployment(2, dying), old), "deployment/web", 124, "it is being deleted" },
  { "refused by a quota that is not asked any more", of_deployment(deployment(1, stale_failure), old), "deployment/web", 124,
    "has not seen the newest" },
  { "refused by a quota before this revision",
    of_deployment(deployment(2, { status = { observedGeneration = 2, conditions = refused } }), replica_set("1", "empty"),
      replica_set("0", "old", "u", refused)), "deployment/web", 124, "0 of 1 replicas are updated" },
  { "refused by a quota", of_deployment(deployment(2), replica_set("1", "empty", "u", refused)), "deployment/web", 1,
    "exceeded quota" },
  { "broken, and seen", of_stateful_set(stateful_set(2, "web-bad")), "sts/web", 1, "pod web-bad: container c" },
  { "mended, and not seen yet", of_stateful_set(stateful_set(1, "web-old")), "sts/web", 124, "has not seen the newest" },
  { "about to replace its old pods", of_stateful_set(stateful_set(2, "web-new")), "sts/web", 124, "0 of 1 pods are ready" },
  { "without a revision", of_stateful_set(stateful_set(2)), "sts/web", 124, "0 of 1 pods are ready" },
  { "broken, and seen", of_daemon_set(2, revision(2, "bad"), revision(1, "old")), "ds/web", 1, "pod web-bad: container c" },
  { "mended, and not seen yet", of_daemon_set(1, revision(1, "old")), "ds/web", 124, "has not seen the newest" },
  { "about to replace its old pods", of_daemon_set(2, revision(1, "old"), revision(2, "new")), "ds/web", 124,
    "0 of 1 pods are updated" },
  { "beside the revision of another owner", of_daemon_set(2, revision(1, "new"), revision(2, "bad", "other")), "ds/web", 124,
    "0 of 1 pods are updated" },
  { "of unknown revisions", of_daemon_set(2), "ds/web", 124, "0 of 1 pods are updated" },
}

local by_hand = { kind = "StatefulSet", metadata = { name = "web", generation = 1 },
  spec = { replicas = 1, updateStrategy = { type = "OnDelete" } },
  status = { observedGeneration = 1, readyReplicas = 1, conditions = { { type = "Ok", status = "True" } } } }

for _, row in ipairs {
  { "sts/web", 3, "NoReadiness: StatefulSet web: the update strategy is OnDelete" },
  { "sts/web", 3, "--until 'status.updatedReplicas == spec.replicas'" },
  { "sts/web for=ready", 3, "NoReadiness" },
  { "sts/web condition=Ok", 0, '"done"' },
  { "sts/web for=creation", 0, '"done"' },
  { "sts/web --until 'status.readyReplicas == spec.replicas'", 0, "is true" },
  { "sts/web --until 'status.readyReplicas == `5`'", 124, "is false" },
  { "sts/web for=ready --until 'status.readyReplicas == spec.replicas'", 3, "NoReadiness" },
  { "sts/web condition=Ok --until 'status.readyReplicas == spec.replicas'", 0, "succeeded" },
  { "sts/web condition=Ok --until 'status.readyReplicas == `5`'", 124, "gave up" },
  { "sts/web condition=Bad --until 'status.readyReplicas == spec.replicas'", 124, "gave up" },
} do
  rows[#rows + 1] = { "replaced by hand", { ["/apis/apps/v1/namespaces/n/statefulsets/web"] = by_hand }, table.unpack(row) }
end

describe("a workload", function()
  local server, answers

  setup(function()
    server = kubernetes_objects.start(function(request) return answers[request.target] end, "forbidden")
  end)

  teardown(function()
    server:close()
  end)

  for _, row in ipairs(rows) do
    local name, objects, words, code, text = table.unpack(row)
    it(("%s is %s: %d"):format(words, name, code), function()
      answers = objects
      local line = "%s kubernetes server=%s -n n --max-wait 1s --no-watch --quiet %s"
      process.run({ "sh", "-c", line:format(process.bide, server.url, words) }):writes(code, text)
    end)
  end
end)
