---`--until` asked the status of an object of Kubernetes that was of an older specification, or of an object that was being
---deleted: right after `kubectl apply` the old status opened the gate.

local json = require("bide.core").json
local kubernetes_objects = require "spec.support.kubernetes_objects"
local process = require "spec.support.process"

local DELETED = "2026-01-01T00:00:00Z"

local function object(kind, version, observed, deleted)
  return { kind = kind, apiVersion = version,
    metadata = { name = "web", namespace = "n", uid = "u", generation = 2, labels = { app = "web" },
      deletionTimestamp = deleted },
    spec = { replicas = 1 },
    status = { observedGeneration = observed, replicas = 1, updatedReplicas = 1, phase = "Running" } }
end

local DEPLOYMENT, POD, JOB = "/apis/apps/v1/namespaces/n/deployments/web", "/api/v1/namespaces/n/pods/web",
  "/apis/batch/v1/namespaces/n/jobs/web"
local PODS = "/api/v1/namespaces/n/pods?labelSelector=app%3Dweb"

local function deployment(...) return { [DEPLOYMENT] = object("Deployment", "apps/v1", ...) } end

local function pod(...) return { [POD] = object("Pod", "v1", ...) } end

local function pods(...)
  return { [PODS] = { kind = "PodList", apiVersion = "v1", metadata = {}, items = json.array { object("Pod", "v1", ...) } } }
end

local function job(...) return { [JOB] = object("Job", "batch/v1", ...) } end

local UNSEEN, DELETING = "web: the controller has not seen the newest specification", "web: it is being deleted"
local replicas = "--until 'status.updatedReplicas == spec.replicas'"
local running = "--until status.phase=Running"

---The objects, words, the exit code, a part of the sentence.
local rows = {
  { deployment(1), "kubernetes deployment/web " .. replicas, 124, UNSEEN },
  { deployment(nil), "kubernetes deployment/web " .. replicas, 124, UNSEEN },
  { deployment(2), "kubernetes deployment/web " .. replicas, 0, "succeeded" },
  { deployment(2, DELETED), "kubernetes deployment/web " .. replicas, 124, DELETING },
  { deployment(1), "kubernetes deployment/web --until spec.replicas=1 --until status.replicas=1", 124, UNSEEN },
  { deployment(1), "kubernetes deployment/web --until 'metadata.generation == `2`'", 0, "succeeded" },
  { deployment(2, DELETED), "kubernetes deployment/web --until 'metadata.deletionTimestamp != `null`'", 0, "succeeded" },
  { deployment(1), "kubernetes_rollout web " .. replicas, 124, UNSEEN },
  { deployment(2), "kubernetes_rollout web " .. replicas, 0, "succeeded" },
  { deployment(2, DELETED), "kubernetes_rollout web " .. replicas, 124, DELETING },
  { job(nil, DELETED), "kubernetes_job web " .. running, 124, DELETING },
  { job(), "kubernetes_job web " .. running, 0, "succeeded" },
  { pod(nil, DELETED), "kubernetes pod/web " .. running, 124, DELETING },
  { pod(), "kubernetes pod/web " .. running, 0, "succeeded" },
  { pods(nil, DELETED), "kubernetes pod -l app=web --until \"items[0].status.phase=Running\"", 124, DELETING },
  { pods(), "kubernetes pod -l app=web --until \"items[0].status.phase=Running\"", 0, "succeeded" },
}

describe("--until over the status of an object", function()
  local server, answers

  setup(function()
    server = kubernetes_objects.start(function(request) return answers[request.target] end, "forbidden")
  end)

  teardown(function() server:close() end)

  for position, row in ipairs(rows) do
    local objects, words, code, text = table.unpack(row, 1, 4)
    it(("%s: %d (%d)"):format(words, code, position), function()
      answers = objects
      local recipe, rest = words:match "^(%S+) (.*)$"
      local done = process.run { "sh", "-c", ("%s %s server=%s -n n --max-wait 300ms --interval 100ms --no-watch --quiet %s")
        :format(process.bide, recipe, server.url, rest) }
      done:writes(code, text)
    end)
  end
end)
