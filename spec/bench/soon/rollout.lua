---Counts what two waits for one rollout ask of a real API server, with the controllers of Kubernetes: one hears of the events,
---the other only polls. The bench stands in for the kubelet and makes one pod after another ready. Prints one JSON object.
---
---    BIDE_KUBE_APISERVER=… BIDE_KUBE_CONTROLLER_MANAGER=… lua5.4 spec/bench/soon/rollout.lua BUILD [SECONDS]
---
---`go build` makes both programs of the module `k8s.io/kubernetes`. Requests are counted by the server's audit log.

local Kube = require "spec.support.kube"
local core = require "bide.core"
local process = require "spec.support.process"
local turns = require "spec.support.turns"
local uv = require "luv"

local build, seconds = arg[1], tonumber(arg[2] or 600)
process.bide = build .. "/bide"

local REPLICAS, GOAL = 10, 0.2
local PODS, DEPLOYMENTS = "/api/v1/namespaces/default/pods", "/apis/apps/v1/namespaces/default/deployments"
local names = { "hears", "polls" }

local function skip(why)
  print(core.json.encode { bench = "rollout", skipped = why })
  os.exit(0)
end

if not os.getenv "BIDE_KUBE_CONTROLLER_MANAGER" then skip "BIDE_KUBE_CONTROLLER_MANAGER is not set" end
local cluster, missing = Kube.start { users = names }
if not cluster then skip(missing) end
local workspace = cluster.workspace

local function make_deployment()
  local labels = { app = "web" }
  cluster:make(DEPLOYMENTS, { apiVersion = "apps/v1", kind = "Deployment", metadata = { name = "web" },
    spec = { replicas = REPLICAS, progressDeadlineSeconds = 3600, selector = { matchLabels = labels }, template = {
      metadata = { labels = labels }, spec = { nodeName = "n1", containers = { { name = "app", image = "app" } } } } } })
end

local function list_pods()
  local list = cluster:ask("GET", PODS).items
  table.sort(list, function(one, other) return one.metadata.name < other.metadata.name end)
  return list
end

local function say_ready(pod)
  cluster:say(("%s/%s"):format(PODS, pod.metadata.name), { phase = "Running", startTime = os.date "!%Y-%m-%dT%H:%M:%SZ",
    conditions = { { type = "Ready", status = "True", lastTransitionTime = os.date "!%Y-%m-%dT%H:%M:%SZ" } },
    containerStatuses = { { name = "app", image = "app", imageID = "", ready = true, restartCount = 0,
      state = { running = { startedAt = os.date "!%Y-%m-%dT%H:%M:%SZ" } } } } })
end

---Returns the requests of each user, by the audit log. A watch has two lines, of which the second is its end.
local function count_requests()
  local counts = {}
  for line in io.lines(workspace.path .. "/audit.log") do
    local entry = core.json.decode(line)
    local user = entry.user.username
    counts[user] = (counts[user] or 0) + (entry.stage == "ResponseComplete" and entry.verb ~= "watch" and 1 or 0)
      + (entry.stage == "ResponseStarted" and entry.verb == "watch" and 1 or 0)
  end
  return counts
end

local controllers = assert(cluster:control "deployment,replicaset")
make_deployment()
local running = {}
for number, name in ipairs(names) do
  running[number] = process.start({ process.bide, "kubernetes", "deployment/web", "server=" .. cluster.url, "insecure=true",
    "token_file=" .. workspace.path .. "/" .. name, "--max-wait", seconds + 600 .. "s",
    table.unpack(number == 2 and { "--no-watch" } or {}) }, { longest = seconds + 630, tool = true })
end
while #list_pods() < REPLICAS do turns.pass(200) end
for number = 1, REPLICAS do
  turns.pass(seconds * 1000 // REPLICAS)
  say_ready(list_pods()[number])
end
while not (running[1].code and running[2].code) do uv.run "once" end
assert(running[1].code == 0 and running[2].code == 0, running[1].stderr .. running[2].stderr)
turns.pass(1000)
local counts = count_requests()
print(core.json.encode { bench = "rollout", seconds = seconds, replicas = REPLICAS, requests = counts.hears,
  requests_without_watch = counts.polls, part = counts.hears / counts.polls, goal_part = GOAL, load = uv.loadavg() })
controllers:stop()
cluster:stop()
