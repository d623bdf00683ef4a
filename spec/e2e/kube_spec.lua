---The recipe kubernetes, with a real API server.

local json = require("bide.core").json
local kube = require "spec.support.kube"

local PODS = "/api/v1/namespaces/default/pods"
local NOT_READY = { { type = "Ready", status = "False" } }

describe("the API of Kubernetes", function()
  local cluster, missing

  setup(function()
    cluster, missing = kube.start()
    if not cluster then return end
    cluster:serve_logs(([[
      location = /containerLogs/default/crash/app {
        if ($arg_previous != "true") { return 400; }
        return 200 "starting\n\033[31mno such database\033[0m\npassword=hunter2hunter2\n";
      }
      location = /containerLogs/default/broken-1/main { return 200 "cannot migrate"; }
      location / { return 404; }]]):gsub("\\033", "\27"))
  end)

  teardown(function()
    if cluster then cluster:stop() end
  end)

  ---A spec that needs the API server.
  local function with_cluster(name, body)
    it(name, function()
      if not cluster then return pending(missing) end
      body()
    end)
  end

  local function check(started, code, text)
    started:wait():writes(code, text)
  end

  local function make_pod(name, labels)
    return cluster:make(PODS, { apiVersion = "v1", kind = "Pod", metadata = { name = name, labels = labels },
      spec = { nodeName = "n1", containers = { { name = "app", image = "app" } } } })
  end

  with_cluster("lets an object come that is not there yet", function()
    local started = cluster:start "configmap/late"
    started:wait_for_output 'NotFound %(404%): ConfigMap "late" does not exist in the namespace "default"'
    cluster:make("/api/v1/namespaces/default/configmaps", { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "late" } })
    check(started, 0, "succeeded")
  end)

  with_cluster("lets a kind come that is not there yet, and then its object and its condition", function()
    local started = cluster:start("widgets.example.com/x", "condition=Ready")
    started:wait_for_output 'the cluster has no kind'
    cluster:make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion = "apiextensions.k8s.io/v1", kind = "CustomResourceDefinition",
      metadata = { name = "widgets.example.com" },
      spec = { group = "example.com", scope = "Namespaced", names = { plural = "widgets", singular = "widget", kind = "Widget" },
        versions = { { name = "v1", served = true, storage = true, subresources = { status = json.decode "{}" },
          schema = { openAPIV3Schema = { type = "object", ["x-kubernetes-preserve-unknown-fields"] = true } } } } } })
    started:wait_for_output 'Widget "x" does not exist'
    local path = "/apis/example.com/v1/namespaces/default/widgets"
    cluster:make(path, { apiVersion = "example.com/v1", kind = "Widget", metadata = { name = "x" } })
    started:wait_for_output "there is no condition Ready"
    cluster:say(path .. "/x", { conditions = { { type = "Ready", status = "True" } } })
    check(started, 0, "succeeded")
  end)

  with_cluster("has the last lines of a container that crashes again and again", function()
    make_pod "crash"
    cluster:say(PODS .. "/crash", { phase = "Running", conditions = NOT_READY, containerStatuses = { {
      name = "app", image = "app", imageID = "", ready = false, restartCount = 5,
      state = { waiting = { reason = "CrashLoopBackOff" } },
      lastState = { terminated = { exitCode = 1, reason = "Error" } } } } })
    check(cluster:start "pod/crash", 1, "pod crash: container app: CrashLoopBackOff after 5 restarts, exit code 1 (Error); "
      .. "its last lines: starting | no such database | password=[redacted]")
  end)

  with_cluster("has the last lines of the pod of a failed Job", function()
    local jobs = "/apis/batch/v1/namespaces/default/jobs"
    local job = cluster:make(jobs, { apiVersion = "batch/v1", kind = "Job", metadata = { name = "broken" },
      spec = { template = { spec = { restartPolicy = "Never", containers = { { name = "main", image = "x" } } } } } })
    cluster:make(PODS, { apiVersion = "v1", kind = "Pod", metadata = { name = "broken-1",
      labels = job.spec.selector.matchLabels }, spec = { nodeName = "n1", containers = { { name = "main", image = "x" } } } })
    cluster:say(PODS .. "/broken-1", { phase = "Failed", containerStatuses = { { name = "main", image = "x", imageID = "",
      ready = false, restartCount = 0, state = { terminated = { exitCode = 3, reason = "Error",
        finishedAt = "2026-01-01T00:00:00Z" } } } } })
    cluster:say(jobs .. "/broken", { failed = 1, startTime = "2026-01-01T00:00:00Z", conditions = { { type = "Failed",
      status = "True", reason = "BackoffLimitExceeded", message = "too many" } } })
    check(cluster:start "job/broken", 1, "BackoffLimitExceeded: too many; pod broken-1: container main: exit code 3 (Error); "
      .. "its last lines: cannot migrate")
  end)

  with_cluster("has the reasons of a pod that is not ready, and its warnings where it says none", function()
    make_pod("slow", { app = "slow" })
    local pulling = { name = "app", image = "app", imageID = "", ready = false, restartCount = 0,
      state = { waiting = { reason = "ErrImagePull", message = "no such image" } } }
    cluster:say(PODS .. "/slow", { phase = "Pending", conditions = NOT_READY, containerStatuses = { pulling },
      startTime = os.date "!%Y-%m-%dT%H:%M:%SZ" })
    check(cluster:start("pod", "-l", "app=slow", "grace=1h", "--max-attempts", "2", "--no-watch"), 4,
      "pod slow: container app: ErrImagePull: no such image")
    pulling.state = { waiting = { reason = "ContainerCreating" } }
    local pod = cluster:say(PODS .. "/slow", { containerStatuses = { pulling } })
    for number, reason in ipairs { "Older", "FailedMount" } do
      cluster:make("/api/v1/namespaces/default/events", { apiVersion = "v1", kind = "Event",
        metadata = { name = "slow." .. number }, type = "Warning", reason = reason,
        message = "volume not found: password=hunter2hunter2",
        lastTimestamp = ("2026-01-01T00:00:0%dZ"):format(number),
        involvedObject = { kind = "Pod", namespace = "default", name = "slow", uid = pod.metadata.uid } })
    end
    check(cluster:start_every("6s", "pod/slow", "grace=1h", "--max-attempts", "3", "--no-watch"), 4,
      "pod slow: FailedMount: volume not found: password=[redacted]")
  end)

  with_cluster("has several objects by their names, and all of a kind", function()
    local path = "/api/v1/namespaces/default/persistentvolumeclaims"
    local function make(name)
      cluster:make(path, { apiVersion = "v1", kind = "PersistentVolumeClaim", metadata = { name = name },
        spec = { accessModes = { "ReadWriteOnce" }, resources = { requests = { storage = "1Gi" } } } })
      cluster:say(path .. "/" .. name, { phase = "Bound" })
    end
    make "a"
    local named = cluster:start("pvc/a", "pvc/b")
    named:wait_for_output 'PersistentVolumeClaim "b" does not exist'
    make "b"
    check(named, 0, "succeeded")
    check(cluster:start("pvc", "--all"), 0, "succeeded")
    check(cluster:start("pvc", "a", "b", "--for=delete", "--max-attempts", "2", "--no-watch"), 4,
      "0 of 2 are done; a: it exists")
  end)

  with_cluster("sees that a quota refuses the pods of a StatefulSet, a DaemonSet and a Job, by their controllers", function()
    local controllers, no_manager = cluster:control "statefulset,daemonset,job"
    if not controllers then return pending(no_manager) end
    local place = "/namespaces/full"
    cluster:make("/api/v1/namespaces", { apiVersion = "v1", kind = "Namespace", metadata = { name = "full" } })
    cluster:make("/api/v1" .. place .. "/resourcequotas", { apiVersion = "v1", kind = "ResourceQuota", metadata = { name = "q" },
      spec = { hard = { pods = "1" } } })
    cluster:say("/api/v1" .. place .. "/resourcequotas/q", { hard = { pods = "1" }, used = { pods = "1" } })
    local template = { metadata = { labels = { app = "db" } }, spec = { containers = { { name = "app", image = "app" } } } }
    local selector = { matchLabels = { app = "db" } }
    local function make(kind, path, spec)
      cluster:make(path, { apiVersion = path:match "^/apis/(.-)/namespaces", kind = kind, metadata = { name = "db" },
        spec = spec })
    end
    local running = {}
    for _, kind in ipairs { "statefulset", "daemonset", "job" } do
      running[#running + 1] = cluster:start_every("20s", kind .. "/db", "-n", "full", "grace=3s", "--verbose")
    end
    for _, each in ipairs(running) do each:wait_for_output "attempt 2" end
    make("StatefulSet", "/apis/apps/v1" .. place .. "/statefulsets", { replicas = 1, serviceName = "db", selector = selector,
      template = template })
    make("DaemonSet", "/apis/apps/v1" .. place .. "/daemonsets", { selector = selector, template = template })
    template.spec.restartPolicy = "Never"
    make("Job", "/apis/batch/v1" .. place .. "/jobs", { template = template })
    for _, each in ipairs(running) do
      check(each, 1, "is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1")
      assert.is_true(each.elapsed < 19, "it was found by a poll")
    end
    controllers:stop()
  end)
end)
