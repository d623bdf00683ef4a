---Measures how long after an event bide ends that hears of it, beside a peer that hears of the same one in the same run. Then
---what waits for pods ask of an API server of Kubernetes. Prints one JSON object for each. Run by `make bench-events`.
---
---    lua5.4 spec/bench/soon/events.lua BUILD [EVENTS] [SECONDS]
---
---What is missing is skipped: inotifywait (inotify-tools), etcdctl (etcd-client), docker, kubectl with BIDE_KUBE_APISERVER.
---bide polls every 20 s, so that only an event can end it.

local Cluster = require "spec.support.kubernetes_watch"
local Kube = require "spec.support.kube"
local Workspace = require "spec.support.workspace"
local base64 = require "bide.base64"
local core = require "bide.core"
local dockerd = require "spec.support.dockerd"
local free_port = require("spec.support.port").free
local http = require "bide.http"
local process = require "spec.support.process"
local service = require "spec.support.service"
local turns = require "spec.support.turns"
local uv = require "luv"

local build, events, rollout = arg[1], math.tointeger(tonumber(arg[2] or 30)), tonumber(arg[3] or 120)
process.bide = build .. "/bide"

local GOAL_P50, GOAL_P99 = 10, 50 -- milliseconds after the peer
local SETTLED = 400 -- milliseconds after which a peer hears of events

local function report(line)
  line.bench, line.load = "events", math.floor(uv.loadavg() * 100 + 0.5) / 100
  print(core.json.encode(line))
end

-- ---- one event ----------------------------------------------------------------------------------

---Starts a program, and notes when it says something and when it ends.
local function start(command)
  local output, errors, started = uv.new_pipe(false), uv.new_pipe(false), { text = "" }
  local path, words = command[1], table.move(command, 2, #command, 1, {})
  started.handle = assert(uv.spawn(path, { args = words, stdio = { nil, output, errors } }, function(code)
    started.code, started.ended = code, uv.hrtime()
  end))
  output:read_start(function(_, bytes)
    if bytes then started.said = started.said or uv.hrtime() else output:close() end
  end)
  errors:read_start(function(_, bytes)
    if bytes then started.text = started.text .. bytes else errors:close() end
  end)
  return started
end

---Waits until something holds.
---@param seconds? number 30 by default
local function await(is_true, what, seconds)
  local limit = uv.hrtime() + (seconds or 30) * 1e9
  local timer = uv.new_timer()
  timer:start(5, 5, function() end)
  while not is_true() do
    assert(uv.hrtime() < limit, what)
    uv.run "once"
  end
  timer:close()
end

---Lets both hear of an event. Returns the milliseconds after which they did.
---@param case table
---@param number integer
local function run(case, number)
  local words = table.move(case.bide(number), 1, 99, 2, { process.bide })
  for _, word in ipairs { "--interval", "20s", "--max-wait", "1m", "--verbose" } do words[#words + 1] = word end
  local of_peer = case.peer(number)
  local peer, bide = start(of_peer), start(words)
  await(function() return bide.text:find "attempt 2" end, "bide does not hear: " .. bide.text)
  turns.pass(case.settled or SETTLED)
  peer.said = nil
  local began = uv.hrtime()
  case.happen(number)
  local heard = case.ends and "ended" or "said"
  await(function() return bide.ended and peer[heard] end, ("%s has not ended: %s %s"):format(case.name, bide.text, peer.text))
  assert(bide.code == 0, bide.text)
  if not peer.ended then peer.handle:kill "sigkill" end
  return (bide.ended - began) / 1e6, (peer[heard] - began) / 1e6
end

local function quantile(list, part)
  table.sort(list)
  return math.floor(list[math.max(1, math.ceil(#list * part))] * 100 + 0.5) / 100
end

local function measure(case)
  if case.missing then return report { of = case.name, skipped = case.missing } end
  local own, peers, after = {}, {}, {}
  for number = 1, events do
    own[number], peers[number] = run(case, number)
    after[number] = own[number] - peers[number]
  end
  report { of = case.name, events = events, bide_p50 = quantile(own, 0.5), bide_p99 = quantile(own, 0.99),
    peer_p50 = quantile(peers, 0.5), peer_p99 = quantile(peers, 0.99), after_peer_p50 = quantile(after, 0.5),
    after_peer_p99 = quantile(after, 0.99), goal_p50 = GOAL_P50, goal_p99 = GOAL_P99 }
end

-- ---- the cases ----------------------------------------------------------------------------------

local workspace = Workspace.make()
local place = workspace.path

local function program(name, package)
  local path, missing = service.find(name, package)
  return path, missing
end

local function of_files()
  local inotifywait, missing = program("inotifywait", "inotify-tools")
  return { name = "a file, beside inotifywait", missing = missing, ends = true,
    bide = function(number) return { "file", place .. "/f" .. number } end,
    peer = function(number)
      return { inotifywait, "-q", "-e", "create", "--include", "f" .. number .. "$", place }
    end,
    happen = function(number) workspace:write("f" .. number, "") end }
end

local function of_etcd()
  local server, missing = program("etcd", "etcd-server")
  local client, other = program("etcdctl", "etcd-client")
  if not server or not client then return { name = "etcd", missing = missing or other } end
  local peer, url = "http://127.0.0.1:" .. free_port(), "http://127.0.0.1:" .. free_port()
  local etcd = service.start { server, "--data-dir", place .. "/etcd", "--listen-client-urls", url, "--advertise-client-urls",
    url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default=" .. peer,
    "--log-level", "error", "--unsafe-no-fsync" }
  assert(workspace:bide({ "etcd", url, "--max-wait", "30s" }).code == 0)
  return { name = "a key, beside etcdctl watch", server = etcd,
    bide = function(number) return { "etcd", "KeyExists", url, "k" .. number } end,
    peer = function(number) return { "/usr/bin/env", "ETCDCTL_API=3", client, "--endpoints", url, "watch", "k" .. number } end,
    happen = function(number)
      http.post(url .. "/v3/kv/put", { json = { key = base64.encode("k" .. number), value = "eA==" } })
    end }
end

local function of_docker()
  local daemon, missing = dockerd.start()
  if not daemon then return { name = "Docker", missing = missing } end
  return { name = "a container, beside docker events", server = daemon,
    bide = function(number)
      daemon:docker("create", "--network", "none", "--name", "c" .. number, "busybox:spec", "sleep", "100")
      return { "docker", "c" .. number, "socket=" .. daemon.socket }
    end,
    peer = function(number)
      return { "/usr/bin/docker", "-H", "unix://" .. daemon.socket, "events", "--filter", "container=c" .. number,
        "--filter", "event=start" }
    end,
    happen = function(number)
      http.post(("http://docker/containers/c%d/start"):format(number), { unix_socket = daemon.socket })
    end }
end

local PODS = "/api/v1/namespaces/default/pods"

local function of_kubernetes()
  local kubectl, missing = program("kubectl", "kubectl")
  local cluster, other = Kube.start()
  if not kubectl or not cluster then return { name = "Kubernetes", missing = missing or other } end
  return { name = "a pod, beside kubectl wait", server = cluster, settled = 1500, ends = true,
    bide = function(number)
      cluster:make(PODS, { apiVersion = "v1", kind = "Pod", metadata = { name = "p" .. number },
        spec = { nodeName = "n1", containers = { { name = "app", image = "app" } } } })
      return { "kubernetes", "pod/p" .. number, "condition=Ready", "server=" .. cluster.url,
        "token_file=" .. cluster.workspace.path .. "/token", "insecure=true" }
    end,
    peer = function(number)
      return { kubectl, "--server", cluster.url, "--token", "spec-of-bide", "--insecure-skip-tls-verify=true", "wait",
        "--for=condition=Ready", "--timeout=60s", "pod/p" .. number }
    end,
    happen = function(number)
      cluster:say(PODS .. "/p" .. number, { phase = "Running", conditions = { { type = "Ready", status = "True" } } })
    end }
end

for _, make in ipairs { of_files, of_etcd, of_docker, of_kubernetes } do
  local case = make()
  measure(case)
  if case.server then case.server:stop() end
end

-- ---- what waits for pods ask of the API server -----------------------------------------------------

local PODS_OF_FLEET = 1000

---Lets a fleet wait for pods that become ready one after another. Returns the requests for each.
local function requests_a_pod(count)
  local cluster, lines = Cluster.start(), {}
  for number = 1, count do
    cluster:set("pod-" .. number, "False")
    lines[number] = ('{"resource":"pod/pod-%d"}'):format(number)
  end
  workspace:write("pods.jsonl", table.concat(lines, "\n"))
  local running = workspace:start { "kubernetes", "server=" .. cluster.url, "--interval", "20s", "--max-wait", "50s", "--quiet",
    "--rate", "1000/s", "--each", "pods.jsonl" }
  await(function() return cluster.watches == 1 and cluster.gets["pod-" .. count] ~= nil end, "the fleet does not hear")
  turns.pass(500)
  for number = 1, count do
    cluster:set("pod-" .. number, "True")
    uv.run "nowait"
  end
  running:wait()
  assert(running.code == 0, running.stderr)
  local gets = 0
  for _, number in pairs(cluster.gets) do gets = gets + number end
  cluster:close()
  return (gets + cluster.lists + cluster.watches) / count, cluster.watches
end

---Measures what a sleeping wait takes.
local function bytes_a_wait(count)
  local cluster = Cluster.start()
  for number = 1, count do cluster:set("pod-" .. number, "False") end
  local done = workspace:bide { "exec", uv.cwd() .. "/spec/bench/soon/pods.lua", cluster.url, tostring(count) }
  assert(done.code == 0, done.stderr)
  cluster:close()
  return core.json.decode(done.stdout)
end

local requests, watches = requests_a_pod(PODS_OF_FLEET)
local bytes = bytes_a_wait(PODS_OF_FLEET)
report { of = "pods of one namespace", waits = PODS_OF_FLEET, watches = watches, requests_a_pod = requests,
  heap_of_a_wait = math.floor(bytes.heap), goal_watches = 1, goal_requests_a_pod = 3, goal_heap_of_a_wait = 4096 }

---Counts the requests of two waits for what changes three times and is not ready within the time: one hears of it, the
---other only polls.
---@param of string
---@param change fun(cluster: spec.Cluster)
local function compare_rollouts(of, change, seconds)
  local clusters, running = { Cluster.start(), Cluster.start() }, {}
  for number, cluster in ipairs(clusters) do
    cluster.ends_watches = true
    change(cluster)
    running[number] = workspace:start({ "kubernetes", of, "server=" .. cluster.url, "--max-wait", seconds .. "s",
      "--quiet", number == 2 and "--no-watch" or nil }, { longest = seconds + 60 })
  end
  for _ = 1, 3 do
    turns.pass(seconds * 250)
    for _, cluster in ipairs(clusters) do change(cluster) end
  end
  local sums = {}
  for number, cluster in ipairs(clusters) do
    await(function() return running[number].code end, "the wait does not end", seconds)
    assert(running[number].code == 124, running[number].stderr)
    sums[number] = cluster.requests
    cluster:close()
  end
  report { of = "a rollout of " .. of, seconds = seconds, requests = sums[1], requests_without_watch = sums[2],
    part = sums[1] / sums[2], goal_part = 0.2 }
end

compare_rollouts("deployment/web", function(cluster) cluster:roll(1, 3) end, rollout)
compare_rollouts("pod/web", function(cluster) cluster:set("web", "False") end, rollout)

workspace:remove()
while uv.run "nowait" do uv.sleep(1) end
