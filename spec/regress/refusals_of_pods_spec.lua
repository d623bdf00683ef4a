---A StatefulSet failed for a refusal that was over: its pods had been made since. One that may not make its third pod was
---waited for until the deadline, and what refuses it was not said before the grace was over.

local json = require("bide.core").json
local kubernetes_objects = require "spec.support.kubernetes_objects"
local process = require "spec.support.process"

local SELECTOR = { matchLabels = { app = "db" } }

local function pod(name)
  return { kind = "Pod", metadata = { name = name, uid = name },
    status = { phase = "Running", conditions = { { type = "Ready", status = "True" } } } }
end

---A creation of a pod that was tried, from the first time to the last.
local function event(reason, first, last, more)
  local value = { metadata = { name = reason .. tostring(last) }, reason = reason,
    message = reason == "FailedCreate" and "exceeded quota" or "created",
    firstTimestamp = first, lastTimestamp = last, involvedObject = { kind = "StatefulSet", name = "db", uid = "u" } }
  for name, member in pairs(more or {}) do value[name] = member end
  return value
end

local function stateful_set(replicas, made)
  return { kind = "StatefulSet", metadata = { name = "db", uid = "u", generation = 1 },
    spec = { replicas = replicas, selector = SELECTOR },
    status = { observedGeneration = 1, updateRevision = "db-1", replicas = made, readyReplicas = made } }
end

local function daemon_set(wanted, made)
  return { kind = "DaemonSet", metadata = { name = "db", uid = "u", generation = 1 }, spec = { selector = SELECTOR },
    status = { observedGeneration = 1, desiredNumberScheduled = wanted, currentNumberScheduled = made,
      updatedNumberScheduled = made, numberAvailable = made } }
end

local job = { kind = "Job", metadata = { name = "db", uid = "u", generation = 1 },
  spec = { parallelism = 3, selector = SELECTOR }, status = { active = 1 } }

local ONE, TWO, NINE = "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:09Z"
local long_ago = { event("FailedCreate", ONE, TWO) }
local now = os.date "!%Y-%m-%dT%H:%M:%SZ"

---What it is, the object, its pods, its events, the exit code, a part of the sentence.
local rows = {
  { "no pod may be made", "sts", stateful_set(1, 0), {}, long_ago, 1, "FailedCreate: exceeded quota" },
  { "none might be made, and the pod is there since", "sts", stateful_set(1, 0), {},
    { event("FailedCreate", ONE, TWO), event("SuccessfulCreate", NINE, NINE) }, 124, "0 of 1 pods are ready" },
  { "the order of the list does not matter", "sts", stateful_set(1, 0), {},
    { event("SuccessfulCreate", NINE, NINE), event("FailedCreate", ONE, TWO) }, 124, "0 of 1 pods are ready" },
  { "a pod was made before", "sts", stateful_set(1, 0), {},
    { event("SuccessfulCreate", ONE, ONE), event("FailedCreate", TWO, NINE) }, 1, "FailedCreate: exceeded quota" },
  { "refused again only now", "sts", stateful_set(1, 0), {},
    { event("FailedCreate", ONE, now), event("SuccessfulCreate", now, now) }, 124, "FailedCreate: exceeded quota" },
  { "the first refusal counts", "sts", stateful_set(1, 0), {},
    { event("FailedCreate", ONE, ONE), event("FailedCreate", now, now) }, 1, "FailedCreate: exceeded quota" },
  { "it is said before the grace is over", "sts", stateful_set(1, 0), {}, { event("FailedCreate", now, now) }, 124,
    "FailedCreate: exceeded quota" },
  { "the third pod may not be made", "sts", stateful_set(3, 2), { pod "db-0", pod "db-1" }, long_ago, 1,
    "FailedCreate: exceeded quota" },
  { "the third node gets no pod", "ds", daemon_set(3, 2), { pod "db-0", pod "db-1" }, long_ago, 1,
    "FailedCreate: exceeded quota" },
  { "no node gets a pod", "ds", daemon_set(3, 0), {}, long_ago, 1, "FailedCreate: exceeded quota" },
  { "all pods are made", "sts", stateful_set(2, 2), { pod "db-0" }, long_ago, 124, "0 of 2 pods are updated" },
  { "a Job goes on with the pods that it has", "job", job, { pod "db-x" }, long_ago, 124, "there is no condition Complete" },
  { "a Job may make none", "job", job, {}, long_ago, 1, "FailedCreate: exceeded quota" },
  { "events of another object", "sts", stateful_set(1, 0), {},
    { event("FailedCreate", ONE, TWO, { involvedObject = { uid = "v" } }) }, 124, "0 of 1 pods are ready" },
  { "events of no use", "sts", stateful_set(1, 0), {},
    { event("FailedCreate", 7, json.null, { message = 7 }), event("SuccessfulCreate", json.null, 9) }, 124,
    "0 of 1 pods are ready" },
}

local folders = { sts = "/apis/apps/v1/namespaces/n/statefulsets/", ds = "/apis/apps/v1/namespaces/n/daemonsets/",
  job = "/apis/batch/v1/namespaces/n/jobs/" }

describe("pods that may not be made:", function()
  local server, answers

  setup(function()
    server = kubernetes_objects.start(function(request) return answers[request.path] end, "missing")
  end)

  teardown(function()
    server:close()
  end)

  for _, row in ipairs(rows) do
    local name, kind, object, pods, events, code, text = table.unpack(row)
    it(("%s: %s: %d"):format(kind, name, code), function()
      answers = {
        [folders[kind] .. "db"] = object,
        ["/api/v1/namespaces/n/pods"] = { kind = "PodList", items = json.array(pods) },
        ["/api/v1/namespaces/n/events"] = { kind = "EventList", items = json.array(events) },
        ["/apis/apps/v1/namespaces/n/controllerrevisions"] = { kind = "ControllerRevisionList", items = { {
          metadata = { name = "db-1", labels = { ["controller-revision-hash"] = "db-1" },
            ownerReferences = { { uid = "u", controller = true } } }, revision = 1 } } },
      }
      local done = process.run { process.bide, "kubernetes", kind .. "/db", "server=" .. server.url, "-n", "n", "--no-watch",
        "--quiet", "--interval", "0.5s", "--max-wait", code == 1 and "10s" or process.is_sanitized and "5s" or "2s" }
      done:writes(code, text)
    end)
  end
end)
