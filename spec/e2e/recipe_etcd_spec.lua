local Workspace = require "spec.support.workspace"
local base64 = require "bide.base64"
local certificates = require "spec.support.certificates"
local free_port = require("spec.support.port").free
local http = require "bide.http"
local service = require "spec.support.service"

require "spec.support.proven"

describe("the recipe etcd, with etcd", function()
  local program, missing = service.find("etcd", "etcd-server")
  if not program then return pending(missing) end

  local workspace = Workspace.of_block()
  local etcd, url, serve

  local function start(...)
    return workspace:start { "run", "etcd", ... }
  end

  local function ask(waiter, ...)
    return start(waiter, "url=" .. url, "--min-delay", "50ms", "--max-delay", "50ms", ...)
  end

  local function put(key, value)
    local answer = http.post(url .. "/v3/kv/put",
      { json = { key = base64.encode(key), value = base64.encode(value) } })
    assert(answer.ok, answer.body)
  end

  setup(function()
    local peer = "http://127.0.0.1:" .. free_port()
    url = "http://127.0.0.1:" .. free_port()
    serve = function()
      etcd = service.start { program, "--data-dir", workspace.path .. "/data", "--listen-client-urls", url,
        "--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
        "--initial-cluster", "default=" .. peer, "--log-level", "error" }
    end
    local started = ask("EtcdHealthy", "--max-wait", "30s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    serve()
    started:wait():prints(0, '"health": "true"')
  end)

  teardown(function() etcd:stop() end)

  it("waits until a key is there", function()
    local started = ask("KeyExists", "key=/new", "--max-wait", "50s", "--output", "json")
    started:wait_for_output "KeyNotFound: there is no key /new"
    put("/new", "\1 any bytes ☃")
    started:wait():prints(0, '"/new": "\\u0001 any bytes ☃"')
  end)

  it("waits until it has a value", function()
    put("/jobs/1", "running")
    local started = ask("KeyExists", "key=/jobs/1", "value=done", "failed=broken", "--max-wait", "50s")
    started:wait_for_output '{"/jobs/1":"running"}'
    put("/jobs/1", "done")
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("fails where the value means that", function()
    put("/jobs/2", "broken")
    local done = ask("KeyExists", "key=/jobs/2", "value=done", "failed=broken", "--max-wait", "50s"):wait()
    done:writes(1, 'KeyFailed: {"/jobs/2":"broken"}')
  end)

  it("waits until a key is gone", function()
    put("/lock", "")
    local started = ask("KeyDeleted", "key=/lock", "--max-wait", "50s")
    started:wait_for_output "attempt 1"
    assert(http.post(url .. "/v3/kv/deleterange", { json = { key = base64.encode "/lock" } }).ok)
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("keeps the value of a key to itself whose name says secret", function()
    put("/db/password", "hunter2")
    local done = ask("KeyExists", "key=/db/password", "--max-wait", "50s", "--output", "json"):wait()
    assert.equal(0, done.code)
    assert.not_matches("hunter2", done.stdout .. done.stderr)
    done = ask("KeyExists", "key=/db/password", "value=x", "--max-attempts", "1", "--max-wait", "20s"):wait()
    assert.equal(4, done.code)
    assert.not_matches("hunter2", done.stdout .. done.stderr)
  end)

  it("fails at once where waiting does not help", function()
    ask("KeyExists", 'key:=""', "--max-wait", "50s"):wait():writes(3, "BadRequest (400): etcdserver: key is not provided")
  end)

  it("waits while it has gone", function()
    etcd:stop()
    local started = ask("KeyExists", "key=/jobs/1", "--max-wait", "30s")
    started:wait_for_output "ConnectionRefused"
    serve()
    assert.equal(0, started:wait().code, started.stderr)
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("--max-wait", "50s"):wait().stderr)
    assert.matches("key: expected .*, found nothing", ask("KeyExists", "--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "vlaue", did you mean "value"%?',
      ask("KeyExists", "key=x", "vlaue=x", "--max-wait", "50s"):wait().stderr)
    assert.matches("key: expected a string, found 3", ask("KeyDeleted", "key:=3", "--max-wait", "50s"):wait().stderr)
  end)

  it("has a plan", function()
    local done = workspace:bide { "plan", "etcd", "--max-wait", "10s" }
    assert.equal(0, done.code, done.stderr)
    assert.matches("Polls: at least %d+", done.stdout .. done.stderr)
  end)
end)

describe("the recipe etcd, over TLS", function()
  local workspace = Workspace.of_each()
  local program, missing = service.find("etcd", "etcd-server")
  if not program then return pending(missing) end

  it("shows its certificate to etcd, and wants one that it trusts", function()
    certificates(workspace)
    local url, peer, path = "https://127.0.0.1:" .. free_port(), "http://127.0.0.1:" .. free_port(), workspace.path
    local etcd = service.start { program, "--data-dir", path .. "/data", "--listen-client-urls", url,
      "--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
      "--initial-cluster", "default=" .. peer, "--log-level", "error", "--cert-file", path .. "/server.pem",
      "--key-file", path .. "/server.key", "--trusted-ca-file", path .. "/ca.pem", "--client-cert-auth" }
    local own = { "certificate=client.pem", "certificate_key=client.key" }
    local function run(...) return workspace:bide { "run", "etcd", "--interval", "50ms", ... } end
    local done = run("EtcdHealthy", url, "ca=ca.pem", own[1], own[2], "--max-wait", "30s")
    local gone = run("KeyDeleted", url, "/jobs/1", "ca=ca.pem", own[1], own[2], "--max-wait", "50s")
    local anonymous = run("KeyDeleted", url, "/jobs/1", "ca=ca.pem", "--max-wait", "50s")
    local distrusting = run("EtcdHealthy", url, own[1], own[2], "--max-wait", "50s")
    local missing_file = run("EtcdHealthy", url, "ca=ca.pem", own[1], "certificate_key=x.key", "--max-wait", "50s")
    etcd:stop()
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.equal(0, gone.code, gone.stdout .. gone.stderr)
    assert.equal(3, anonymous.code, anonymous.stdout)
    assert.equal(3, distrusting.code, distrusting.stdout)
    missing_file:says(2, "key: x.key: no such file")
  end)
end)
