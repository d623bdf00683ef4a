---The recipe `kubernetes`, with what kube-apiserver 1.29 answered: each file in data/kubernetes/cluster has the requests
---of one attempt, and their answers.

local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

---What the API says of an object that it does not have.
local function absence_of(target)
  local plural, name = target:match "/([^/]+)/([^/?]+)$"
  return { kind = "Status", apiVersion = "v1", metadata = json.decode "{}", status = "Failure", reason = "NotFound",
    code = 404, message = ("%s %q not found"):format(plural, name), details = { name = name, kind = plural } }
end

---A server that gives recorded answers, and says of what was not asked then that it does not exist.
local function serve(name)
  local handle = assert(io.open(("spec/e2e/data/kubernetes/cluster/%s.json"):format(name)))
  local answers = json.decode(handle:read "a")
  handle:close()
  return Server.start(function(request)
    local answer = answers[request.target]
    if not answer then return { status = 404, body = json.encode(absence_of(request.target)) } end
    return { status = answer.status, body = json.encode(answer.body),
      headers = { ["Content-Type"] = "application/json", Date = answer.date } }
  end)
end

local function run(words, options)
  local command = { process.bide, "kubernetes", "--max-wait", "1s", "--no-watch", "--quiet" }
  return process.run(table.move(words, 1, #words, #command + 1, command), options)
end

---What becomes of each recording: words, exit code, a part of the sentence.
local cases = {
  { "rolled-out", { "deployment/web" }, 0, 'wait.state is "done"' },
  { "rolled-out", { "deploy", "web" }, 0, 'wait.state is "done"' },
  { "rolled-out", { "deployments.apps/web", "condition=available" }, 0, 'wait.state is "done"' },
  { "rolled-out", { "deployment/web", "condition=Gone" }, 124, "there is no condition Gone" },
  { "rolled-out", { "deployment/web", "for=deletion" }, 124, "it exists" },
  { "rolled-out", { "deployment/none", "--for=delete" }, 0, 'wait.state is "done"' },
  { "rolled-out", { "deployment/none", "--for", "creation" }, 124, "it does not exist" },
  { "rolled-out", { "deployment/none" }, 124, 'NotFound (404): Deployment "none" does not exist in the namespace "default"' },
  { "rolled-out", { "deployment/web", "deployment/none" }, 124, 'Deployment "none" does not exist' },
  { "rolled-out", { "deployment", "web", "none", "for=creation" }, 124, "1 of 2 are done; none: it does not exist" },
  { "rolled-out", { "deployment", "web", "none", "for=deletion" }, 124, "1 of 2 are done; web: it exists" },
  { "rolled-out", { "deployment", "no", "none", "for=deletion" }, 0, 'wait.state is "done"' },
  { "rolled-out", { "deployment", "names=web" }, 0, 'wait.state is "done"' },
  { "job-failed", { "job/none", "job/broken" }, 1, "broken: BackoffLimitExceeded: Job has reached" },
  { "rolled-out", { "deployment/web", "--until", "status.readyReplicas == `2`" }, 0, "status.readyReplicas == `2` is true" },
  { "image", { "deployment/web", "grace=1h" }, 1, 'container app: ImagePullBackOff: Back-off pulling image "nginx:1.99"' },
  { "crash-loop", { "deployment/web" }, 1, "container app: CrashLoopBackOff after 5 restarts, exit code 1 (Error)" },
  { "crash-loop", { "deployment/web", "restarts=6", "grace=1h" }, 124, "1 of 2 updated replicas are available" },
  { "unschedulable", { "deployment/web" }, 1, "Unschedulable: no nodes available to schedule pods" },
  { "unschedulable", { "deployment/web", "grace=1h" }, 124, "0 of 2 updated replicas are available" },
  { "quota", { "deployment/nope", "namespace=kube-public" }, 1, "exceeded quota: q, requested: pods=1" },
  { "quota", { "deployment/nope", "-n", "kube-public", "grace=1h" }, 124, "0 of 1 replicas are updated" },
  { "quota-of-a-set", { "sts/db", "--namespace=kube-public", "grace=1s" }, 1, "FailedCreate: create Pod db-0 in StatefulSet db" },
  { "job-failed", { "job/broken" }, 1, "BackoffLimitExceeded: Job has reached the specified backoff limit" },
  { "job-failed", { "job/broken", "condition=Failed" }, 0, 'wait.state is "done"' },
  { "pods", { "pod", "-l", "app=web", "condition=Ready" }, 1, "Unschedulable" },
  { "pods", { "pod", "-l", "app=web", "condition=Ready", "grace=1h" }, 124, "0 of 2 are done; web-" },
  { "pods-ready", { "pod", "--selector=app=web", "condition=Ready" }, 0, 'wait.state is "done"' },
  { "custom", { "ct/mine" }, 124, "Ready is False: Starting" },
  { "custom", { "crontabs.example.com/mine" }, 124, "Ready is False: Starting" },
  { "custom", { "crontabs.v1.example.com/mine", "condition=Ready=False" }, 0, 'wait.state is "done"' },
  { "custom", { "crontabz/mine" }, 3, 'the cluster has no kind "crontabz", did you mean "crontabs"?' },
  { "custom", { "crontabz/mine", "for=deletion" }, 3, 'the cluster has no kind "crontabz"' },
  { "custom", { "crontabz/mine", "for=creation" }, 124, [[the cluster has no kind \"crontabz\", did you mean]] },
  { "custom", { "crontabz/mine", "condition=Ready" }, 124, [[the cluster has no kind \"crontabz\"]] },
}

describe("the recipe kubernetes:", function()
  for _, case in ipairs(cases) do
    local recording, words, code, text = table.unpack(case)
    it(("%s: %s"):format(recording, table.concat(words, " ")), function()
      local server = serve(recording)
      local done = run { "server=" .. server.url, table.unpack(words) }
      server:close()
      done:writes(code, text)
    end)
  end

  it("names what is wrong with the words before anything is asked", function()
    local wrong = {
      ["which pod? Give pod/NAME, selector=LABELS or all=true"] = { "pod" },
      ['resource: expected KIND/NAME, found "a/b/c"'] = { "a/b/c" },
      ['the name is "web" already'] = { "pod/web", "name=x" },
      ["a name, and selector or all, exclude each other"] = { "pod/web", "-l", "a=b" },
      ["condition and for exclude each other"] = { "pod/web", "condition=Ready", "for=deletion" },
      ['for: expected deletion, creation, ready or condition=NAME, found "ever"'] = { "pod/web", "for=ever" },
      ["bide reads JMESPath, not JSONPath"] = { "pod/web", "--for=jsonpath={.status.phase}=Running" },
      ['names: expected pod/NAME, found "b"'] = { "pod/a", "b" },
      ["names: expected names of the kind wait: leave the word wait out, as in bide kubernetes job/b"] = { "wait", "job/b" },
      ['names: expected pod/NAME, found "job/b"; + joins waits for objects of several kinds'] = { "pod/a", "job/b" },
      ['names: expected names of the kind pod, found "pod/b"'] = { "pod", "a", "pod/b" },
      ['names: "a" is given twice'] = { "pod", "a", "b", "a" },
      ['names: expected a name of lower-case letters, digits, - and ., found "web-*"'] = { "pod", "a", "web-*" },
      ["name and names exclude each other"] = { "pod", "a", "name=b" },
      ["unknown option '--selectr'"] = { "pod", "--selectr", "a=b" },
      ["restarts: expected"] = { "pod/web", "restarts=none" },
    }
    for text, words in pairs(wrong) do
      run({ "server=http://127.0.0.1:1", table.unpack(words) }):says(2, text)
    end
  end)

  it("waits until an object is there, and until all objects of several names or of a kind are ready", function()
    local asked = 0
    local function pod(name)
      return { kind = "Pod", metadata = { name = name }, status = { conditions = { { type = "Ready", status = "True" } } } }
    end
    local server = Server.start(function(request)
      local name = request.target:match "pods/(.*)$"
      if not name then return { body = json.encode { kind = "PodList", items = { pod "a", pod "b" } } } end
      if name == "late" then asked = asked + 1 end
      if name == "late" and asked < 3 then return { status = 404, body = json.encode(absence_of(request.target)) } end
      return { body = json.encode(pod(name)) }
    end)
    for _, words in ipairs { { "pod/late" }, { "pod", "a", "late", "b" }, { "pod/a", "pod/late" }, { "pod", "--all" } } do
      asked = 0
      run({ "server=" .. server.url, "--interval", "10ms", table.unpack(words) }):ends(0)
      assert.equal(words[2] == "--all" and 0 or 3, asked)
    end
    server:close()
  end)

  it("waits for a kind that comes later, and asks for nothing else meanwhile", function()
    local asked = 0
    local server = Server.start(function(request)
      if request.target == "/apis" then
        asked = asked + 1
        return { body = json.encode { kind = "APIGroupList", groups = json.array(asked > 1 and {
          { name = "example.com", preferredVersion = { groupVersion = "example.com/v1" } } } or {}) } }
      end
      if request.target == "/apis/example.com/v1" and asked > 2 then
        return { body = json.encode { kind = "APIResourceList", resources = {
          { name = "widgets", singularName = "widget", kind = "Widget", namespaced = true } } } }
      end
      if request.target:find "/widgets/x$" then
        return { body = json.encode { kind = "Widget", apiVersion = "example.com/v1", metadata = { name = "x" } } }
      end
      return { status = 404, body = "404 page not found" }
    end)
    local done = run { "server=" .. server.url, "widgets.example.com/x", "for=creation", "--interval", "10ms" }
    server:close()
    done:prints(0, "after 3 attempts")
  end)

  it("takes every command line of its page", function()
    local count, config = 0, Directory.make()
    config:write("config", "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
      .. 'clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]\n')
    for line in io.lines "docs/kubernetes.md" do
      for text in ("`" .. line:gsub(" +# .*", "") .. "`"):gmatch "`(bide kubernetes %w[^`]*%-%-max%-wait) [^`]*`" do
        local done = process.run({ "sh", "-c", text:gsub("^bide", process.bide) .. " 10ms -q" },
          { env = { KUBECONFIG = config.path .. "/config" } })
        assert.equal(124, done.code, text .. done.stdout .. done.stderr)
        count = count + 1
      end
    end
    config:remove()
    assert.is_true(count >= 8, count)
  end)

  it("has the last lines of a container's log, and says why a pod is not ready", function()
    local state, log = { waiting = { reason = "CrashLoopBackOff" } }, { body = "one\n\27[1mtwo\27[0m\a\npassword=hunter2hunter2" }
    local server = Server.start(function(request)
      if request.target:find "/log" then return log end
      return { body = json.encode { kind = "Pod", metadata = { name = "web", uid = "u" }, status = { phase = "Pending",
        conditions = { { type = "Ready", status = "False" } }, startTime = "2999-01-01T00:00:00Z", containerStatuses = { {
          name = "c", restartCount = 3, state = state, lastState = { terminated = { exitCode = 7 } } } } } } }
    end)
    local function check(code, text)
      run({ "server=" .. server.url, "pod/web" }):writes(code, text)
    end
    check(1, "CrashLoopBackOff after 3 restarts, exit code 7; its last lines: one | two\\x07 | password=[redacted]\n")
    assert.equal("/api/v1/namespaces/default/pods/web/log?container=c&limitBytes=65536&previous=true&tailLines=20",
      server.requests[#server.requests].target)
    for _, answer in ipairs { { status = 403, body = "{}" }, { status = 400, body = "previous terminated container not found" },
      { body = "" }, { body = "\n\n" } } do
      log = answer
      check(1, "CrashLoopBackOff after 3 restarts, exit code 7\n")
    end
    log = { body = ("x"):rep(70000) }
    check(1, "its last lines: " .. ("x"):rep(200) .. "…\n")
    state = { waiting = { reason = "ErrImagePull", message = "no such image" } }
    check(124, "; pod web: container c: ErrImagePull: no such image, exit code 7")
    server:close()
  end)

  it("waits on where it may not see why", function()
    local server = Server.start(function(request)
      if request.target:find "/deployments/web$" then
        return { body = [[{"kind":"Deployment","metadata":{"name":"web","generation":1},
          "spec":{"replicas":1,"selector":{"matchLabels":{"a":"b"}}},
          "status":{"observedGeneration":1}}]] }
      end
      return { status = 403, body = '{"kind":"Status","message":"pods is forbidden"}' }
    end)
    local done = run { "server=" .. server.url, "deployment/web" }
    server:close()
    done:writes(124, "0 of 1 replicas are updated")
  end)

  it("takes any answer that is no object of Kubernetes as one that is not ready, or as no answer", function()
    for _, body in ipairs { "[]", "5", '"web"', "{}", '{"status":7,"metadata":[]}', '{"status":{"conditions":{"type":1}}}',
      '{"status":{"conditions":[1,{"type":2,"status":[]}]},"spec":{"selector":3}}', '{"items":5}', "" } do
      local server = Server.start(function() return { body = body, headers = { ["Content-Type"] = "application/json" } } end)
      for _, words in ipairs { { "pod/web" }, { "deployment/web" }, { "pod", "-l", "a=b" }, { "things/web" }, { "job/x" } } do
        local done = run { "server=" .. server.url, table.unpack(words) }
        assert.is_true(done.code == 124 or done.code == 3, ("%s %s: %d %s%s"):format(body, words[1], done.code, done.stdout,
          done.stderr))
      end
      server:close()
    end
  end)
end)

describe("a kubeconfig", function()
  local directory = Directory.of_block()
  local server, asked

  setup(function()
    server = Server.start(function(request)
      asked = request
      if request.headers.authorization ~= "Bearer first.second" then return { status = 401, body = "{}" } end
      local name = request.target:match "[^/]*$"
      return { body = ('{"kind":"Namespace","metadata":{"name":"%s"},"status":{"phase":"Active"}}'):format(name) }
    end)
    directory:write("config", ([[
apiVersion: v1
kind: Config
current-context: token
clusters:
- name: here
  cluster: {server: "%s"}
users:
- {name: token, user: {token: first.second}}
- {name: file, user: {tokenFile: token}}
- name: program
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: ./give, args: [once], installHint: see the manual}
contexts:
- {name: token, context: {cluster: here, user: token, namespace: shop}}
- {name: file, context: {cluster: here, user: file}}
- {name: program, context: {cluster: here, user: program}}
- {name: lost, context: {cluster: there, user: token}}
]]):format(server.url))
    directory:write("token", "first.second\n")
  end)

  teardown(function() server:close() end)

  local function give(text)
    directory:write("give", "#!/bin/sh\n" .. text .. "\n")
    os.execute("chmod +x " .. directory.path .. "/give")
  end

  local function with_config(...)
    return run({ ... }, { env = { KUBECONFIG = directory.path .. "/config" } })
  end

  it("names the cluster, the user and the namespace", function()
    assert.equal(0, with_config("ns/x").code)
    assert.equal("/api/v1/namespaces/x", asked.target)
    with_config "pod/web"
    assert.equal("/api/v1/namespaces/shop/pods/web", asked.target)
  end)

  it("has other contexts: a token in a file, a program that gives one", function()
    assert.equal(0, with_config("ns/x", "--context", "file").code)
    give [[echo "$1 $KUBERNETES_EXEC_INFO" >"$(dirname "$0")/told"
      echo '{"kind":"ExecCredential","status":{"token":"first.second"}}']]
    local done = with_config("ns/x", "context=program", "--output", "json")
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.matches('^once {"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"', directory:read "told")
    assert.not_matches("first.second", done.stdout .. done.stderr, 1, true)
  end)

  it("runs the program again once the cluster refuses its token", function()
    give [[n=$(cat "$(dirname "$0")/count" 2>/dev/null || echo stale); echo first.second >"$(dirname "$0")/count"
      printf '{"status":{"token":"%s"}}' "$n"]]
    assert.equal(0, with_config("ns/x", "context=program").code)
  end)

  describe("with a program", function()
    ---Makes a program that counts its runs, and gives a status in each, the last one in all later ones.
    local function count_runs(...)
      local told = directory.path .. "/runs"
      os.remove(told)
      local branches = { ... }
      for run_number, status in ipairs(branches) do
        local pattern = run_number == #branches and "*" or tostring(run_number)
        branches[run_number] = ("%s) echo '{\"status\":{%s}}' ;;"):format(pattern, status)
      end
      give(('echo x >>%s; sleep 0.1; case $(wc -l <%s) in %s esac'):format(told, told, table.concat(branches, " ")))
    end

    local function runs()
      return #directory:read "runs" // 2
    end

    local function fleet(...)
      local command = { process.bide, "run", "--max-wait", "5s", "--min-delay", "0.01s", "--max-delay", "0.01s", "--quiet" }
      if select("#", ...) > 1 then command[#command + 1] = "--keep-going" end
      for position, words in ipairs { ... } do
        if position > 1 then command[#command + 1] = "+" end
        command[#command + 1] = "kubernetes"
        table.move(words, 1, #words, #command + 1, command)
        command[#command + 1] = "context=program"
      end
      return process.run(command, { env = { KUBECONFIG = directory.path .. "/config" } })
    end

    local first, stale = '"token":"first.second"', '"token":"stale.token"'

    it("runs it once for several waits that begin at once", function()
      count_runs(first)
      fleet({ "ns/a" }, { "ns/b" }, { "ns/c" }):ends(0)
      assert.equal(1, runs())
    end)

    it("runs it once more for several waits whose token the cluster refuses", function()
      count_runs(stale, first)
      fleet({ "ns/a" }, { "ns/b" }, { "ns/c" }):ends(0)
      assert.equal(2, runs())
    end)

    it("fails all waits that asked for one run", function()
      count_runs ""
      local done = fleet({ "ns/a" }, { "ns/b" })
      assert.equal(3, done.code)
      assert.equal(1, runs())
      assert.matches("kubernetes#1: .-neither a token nor a certificate.-\nkubernetes#2: .-neither a token",
        done.stdout .. done.stderr)
    end)

    ---A wait of three attempts.
    local function three_attempts()
      return fleet { "ns/a", "--until", "status.phase == 'Never'", "--max-attempts", "3" }
    end

    it("keeps its token until it expires", function()
      count_runs(first .. ',"expirationTimestamp":"2999-01-01T00:00:00Z"')
      assert.equal(4, three_attempts().code)
      assert.equal(1, runs())
    end)

    it("runs it anew once the token has expired", function()
      count_runs(first .. ',"expirationTimestamp":"2001-01-01T00:00:00Z"')
      assert.equal(4, three_attempts().code)
      assert.equal(3, runs())
    end)
  end)

  it("names a program that gives nothing until the deadline", function()
    give "sleep 1000"
    local done = with_config("ns/x", "context=program")
    assert.equal(124, done.code, done.stderr)
    assert.matches("bide itself had no credentials yet from .*/give, the program of .*/config\n", done.stdout .. done.stderr)
  end)

  it("says what the program did wrong", function()
    local wrong = {
      ['status.expirationTimestamp: expected a time of RFC 3339, found "soon"'] =
        [[echo '{"status":{"token":"first.second","expirationTimestamp":"soon"}}']],
      ["exit code 3: no login; see the manual"] = "echo no login >&2; exit 3",
      ["expected an ExecCredential with a status"] = "echo nonsense",
      ["it gave neither a token nor a certificate"] = [[echo '{"status":{}}']],
    }
    for text, script in pairs(wrong) do
      give(script)
      with_config("ns/x", "context=program"):writes(3, "/give: " .. text)
    end
  end)

  it("is refused with the place where it is wrong", function()
    local done = with_config("ns/x", "context=lost")
    done:says(2, '/config: no cluster is called "there"')
    assert.matches('no context is called "tokn", did you mean "token"?', with_config("ns/x", "context=tokn").stderr, 1, true)
    done = run { "ns/x", "--kubeconfig", directory.path .. "/none" }
    done:says(2, "/none: no such file or directory")
  end)
end)
