---The watch of the recipe `kubernetes`: an event brings the next attempt forward, and whatever a watch does, polling goes on.

local Cluster = require "spec.support.kubernetes_watch"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

describe("a watch of Kubernetes", function()
  local workspace = Workspace.of_block()
  local cluster

  before_each(function() cluster = Cluster.start() end)
  after_each(function() cluster:close() end)

  local function words(name, ...)
    return { "kubernetes", name, "server=" .. cluster.url, "--interval", "60s", "--max-wait", "150s", "--verbose", ... }
  end

  local function start(name, ...)
    local list = words(name, ...)
    table.move({ "--output", "json" }, 1, 2, #list + 1, list)
    local running = workspace:start(list)
    running:wait_for_output "attempt 2"
    return running
  end

  local function outcome_of(running)
    running:wait()
    assert.equal(0, running.code, running.stderr)
    return require("bide").json.decode(running.stdout)
  end

  it("ends the wait at once, and costs three requests for the pod", function()
    cluster:set("web-0", "False")
    local running = start "pod/web-0"
    cluster:set("other", "True")
    cluster:set("web-0", "True")
    local outcome = outcome_of(running)
    assert.is_true(outcome.elapsed < 50)
    assert.is_true(outcome.history[#outcome.history].woken)
    assert.same({ 3, 1, 1 }, { cluster.gets["web-0"], cluster.lists, cluster.watches })
  end)

  it("sees a pod that does not exist yet", function()
    local running = start "pod/web-0"
    cluster:set("web-0", "True")
    assert.is_true(outcome_of(running).elapsed < 50)
  end)

  it("serves all waits of a namespace and kind, with three requests a pod", function()
    local COUNT = 100
    local lines = {}
    for number = 1, COUNT do
      cluster:set("pod-" .. number, "False")
      lines[number] = ('{"resource":"pod/pod-%d"}'):format(number)
    end
    workspace:write("pods.jsonl", table.concat(lines, "\n"))
    local running = workspace:start(words(nil, "--each", "pods.jsonl"))
    running:wait_for_output "attempt"
    while cluster.watches ~= 1 or not cluster.gets["pod-" .. COUNT] do process.run({ "sleep", "0.05" }, { tool = true }) end
    for number = 1, COUNT do cluster:set("pod-" .. number, "True") end
    running:wait()
    assert.equal(0, running.code, running.stderr)
    assert.is_true(running.elapsed < 50)
    assert.same({ 1, 1 }, { cluster.watches, cluster.lists })
    for number = 1, COUNT do assert.is_true(cluster.gets["pod-" .. number] <= 3) end
  end)

  it("reads the version again after 410, in an answer and in an event", function()
    local expired = 0
    function cluster.on_watch(peer)
      expired = expired + 1
      if expired == 2 then cluster.on_watch = nil end
      Cluster.begin_answer(peer, expired == 1 and 410 or 200)
      Cluster.send(peer, { type = "ERROR", object = { kind = "Status", code = 410, reason = "Expired", message = "too old" } })
      Cluster.finish(peer)
      if expired == 2 then peer:later(0.5, function() cluster:set("web-0", "True") end) end
    end
    cluster:set("web-0", "False")
    local outcome = outcome_of(start "pod/web-0")
    assert.is_true(outcome.elapsed < 50)
    assert.is_true(cluster.lists >= 3)
  end)

  it("goes on from a bookmark where the server ends it", function()
    local versions = {}
    function cluster.on_watch(peer, version)
      versions[#versions + 1] = version
      Cluster.begin_answer(peer, 200)
      if #versions == 2 then
        cluster.on_watch = nil
        cluster.watching[peer] = "Pod"
        return cluster:set("web-0", "True")
      end
      Cluster.send(peer, { type = "BOOKMARK", object = { kind = "Pod", metadata = { resourceVersion = "4711" } } })
      peer:later(5.2, function() Cluster.finish(peer) end)
    end
    cluster:set("web-0", "False")
    local outcome = outcome_of(start "pod/web-0")
    assert.is_true(outcome.elapsed < 50)
    assert.same({ 101, 4711 }, versions)
  end)

  ---Runs a wait that polls each second, beside a watch that does no good; the pod is ready after the second poll.
  local function run_beside(on_watch)
    cluster.on_watch = on_watch
    cluster:set("web-0", "False")
    local running = start("pod/web-0", "--interval", "1s")
    cluster.pods["web-0"].status.conditions[1].status = "True"
    local outcome = outcome_of(running)
    assert.is_true(outcome.elapsed < 50)
    local notes = {}
    for _, entry in ipairs(outcome.history) do notes[#notes + 1] = entry.note end
    return table.concat(notes, "|")
  end

  it("that is refused leaves the polls as they are, and a note", function()
    assert.matches("the watch failed: WatchFailed: the watch was answered with 403; it begins again in [12] s", run_beside(
      function(peer)
        Cluster.begin_answer(peer, 403)
        Cluster.finish(peer)
      end))
  end)

  it("that is closed at once leaves the polls as they are", function()
    assert.matches("the server ended the watch after less than 5 s", run_beside(function(peer)
      Cluster.begin_answer(peer, 200)
      Cluster.finish(peer)
    end), 1, true)
  end)

  it("that speaks of anything else is refused", function()
    assert.matches("this is no watch: expected events in JSON", run_beside(function(peer)
      Cluster.begin_answer(peer, 200)
      peer:write "5\r\nhello\r\n2\r\n!\n\r\n"
    end), 1, true)
  end)

  it("that never ends its line does not count as alive", function()
    run_beside(function(peer)
      peer:write "HTTP/1.1 503 x\r\nTransfer-Encoding: chunked\r\n\r\n"
      peer:later(0.01, function() peer:write "4\r\nhalf\r\n" end, true)
    end)
  end)

  it("of the pods beside a Deployment sees at once that they crash", function()
    cluster:roll(1, 3)
    local running = workspace:start(words "deployment/web")
    running:wait_for_output "attempt 2"
    while cluster.watches < 2 do process.run({ "sleep", "0.05" }, { tool = true }) end
    cluster:crash("web-5d-x", 1)
    cluster:crash("web-5d-x", 9)
    running:wait()
    assert.equal(1, running.code, running.stderr)
    assert.is_true(running.elapsed < 50)
    assert.matches("pod web%-5d%-x: container app: CrashLoopBackOff after 9 restarts, exit code 1", running.stderr)
  end)

  it("of pods in no trouble lets progress of their Deployment cost one request, until one of them crashes", function()
    cluster:grow "web-5d-y"
    cluster:roll(0, 5)
    local running = workspace:start(words "deployment/web")
    running:wait_for_output "attempt 2"
    while cluster.watches < 2 do process.run({ "sleep", "0.05" }, { tool = true }) end
    process.run({ "sleep", "0.5" }, { tool = true })
    local costs = {}
    for ready = 1, 4 do
      local before = cluster.requests
      cluster:roll(ready, 5)
      running:wait_for_output(("%d of 5 updated replicas are available"):format(ready))
      costs[ready] = cluster.requests - before
    end
    assert.is_true(costs[1] <= 3) -- the pods are looked at once after their watch stands
    assert.same({ 1, 1, 1 }, { table.unpack(costs, 2) })
    cluster:crash("web-5d-x", 9)
    running:wait()
    assert.equal(1, running.code, running.stderr)
    assert.is_true(running.elapsed < 50)
    assert.matches("CrashLoopBackOff after 9 restarts", running.stderr, 1, true)
  end)

  it("of pods that is refused leaves that of the Deployment as it is", function()
    cluster:roll(1, 3)
    function cluster.on_watch(peer, version, kind)
      if kind == "Deployment" then
        local refuse = cluster.on_watch
        cluster.on_watch = nil
        cluster:watch(peer, "resourceVersion=" .. version, kind)
        cluster.on_watch = refuse
        return
      end
      Cluster.begin_answer(peer, 403)
      Cluster.finish(peer)
    end
    local running = start "deployment/web"
    cluster:roll(3, 3)
    assert.is_true(outcome_of(running).elapsed < 50)
  end)

  ---Starts a wait for a workload without pods, and waits until the watches of it, its pods and its events are there.
  local function start_without_pods(kind, ...)
    cluster:begin(kind)
    local running = workspace:start(words(kind:lower() .. "/db", ...))
    running:wait_for_output "attempt 2"
    while cluster.watches < 3 do process.run({ "sleep", "0.05" }, { tool = true }) end
    return running
  end

  for _, kind in ipairs { "StatefulSet", "DaemonSet", "Job" } do
    it("of events sees at once that a pod of a " .. kind .. " may not be made, and when its grace is over", function()
      local running = start_without_pods(kind, "grace=3s")
      local before = cluster.requests
      cluster:refuse(kind, "exceeded quota: q")
      running:wait_for_output "FailedCreate: exceeded quota: q"
      assert.is_true(cluster.requests - before <= 5, tostring(cluster.requests - before))
      running:wait()
      assert.equal(1, running.code, running.stderr)
      assert.is_true(running.elapsed < 18, tostring(running.elapsed))
      assert.matches("FailedCreate: exceeded quota: q", running.stderr, 1, true)
    end)
  end

  it("of events that are refused, or of another kind, leaves the other watches as they are", function()
    function cluster.on_watch(peer, version, kind)
      if kind == "Event" then
        Cluster.begin_answer(peer, 403)
        return Cluster.finish(peer)
      end
      local refuse = cluster.on_watch
      cluster.on_watch = nil
      cluster:watch(peer, "resourceVersion=" .. version, kind)
      cluster.on_watch = refuse
    end
    local running = start_without_pods("StatefulSet", "--max-wait", "8s")
    cluster:refuse("Job", "exceeded quota: q")
    running:wait()
    assert.equal(124, running.code, running.stderr)
    assert.is_nil(running.stderr:find("FailedCreate", 1, true))
  end)

  it("that floods makes no more attempts than its bound", function()
    cluster:set("web-0", "False")
    local line = require("bide").json.encode({ type = "MODIFIED", object = cluster.pods["web-0"] }) .. "\n"
    local many = ("%x\r\n%s\r\n"):format(#line * 100, line:rep(100))
    function cluster.on_watch(peer)
      Cluster.begin_answer(peer, 200)
      peer:later(0.01, function() peer:write(many) end, true)
    end
    workspace:bide(words("pod/web-0", "--interval", "0.5s", "--max-wait", "3s")):ends(124)
    assert.is_true(cluster.gets["web-0"] <= 3 / 0.5 + 10, tostring(cluster.gets["web-0"]))
  end)

  it("that floods with another pod wakes nobody", function()
    cluster:set("web-0", "False")
    local event = require("bide").json.encode { type = "MODIFIED", object = cluster.pods["web-0"] }
    local line = event:gsub("web%-0", "web-7") .. "\n"
    local many = ("%x\r\n%s\r\n"):format(#line * 100, line:rep(100))
    function cluster.on_watch(peer)
      Cluster.begin_answer(peer, 200)
      peer:later(0.01, function() peer:write(many) end, true)
    end
    workspace:bide(words("pod/web-0", "--interval", "20s", "--max-wait", "3s")):ends(124)
    assert.is_true(cluster.gets["web-0"] <= 3, tostring(cluster.gets["web-0"]))
  end)
end)
