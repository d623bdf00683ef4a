local Directory = require "spec.support.directory"
local Nginx = require "spec.support.nginx"
local Server = require "spec.support.server"
local make_certificates = require "spec.support.certificates"
local port = require "spec.support.port"
local process = require "spec.support.process"
local recorded = require "spec.support.recorded"

---How the API words an error.
local function body_of_error(failure)
  return {
    kind = "Status", apiVersion = "v1", metadata = {}, status = "Failure", message = failure.message,
    reason = failure.type, code = failure.status,
  }
end

---What becomes of each recipe with each recording: exit code, a part of what is printed.
local cases = {
  { "kubernetes_rollout", "rollout", 0, "RolledOut succeeded after 5 attempts" },
  { "kubernetes_rollout", "rollout-stuck", 1, 'ReplicaSet "web-7d4b9c6f58" has timed out progressing.' },
  { "kubernetes_rollout", "rollout-after-failure", 0, "after 3 attempts" },
  { "kubernetes_rollout", "rollout-new", 0, "after 3 attempts" },
  { "kubernetes_rollout", "rollout-to-zero", 0, "after 1 attempt " },
  { "kubernetes_rollout", "rollout-busy", 0, "after 2 attempts" },
  { "kubernetes_rollout", "rollout-missing", 4, 'NotFound (404): deployments.apps "web" not found' },
  { "kubernetes_job", "job", 0, "JobComplete succeeded after 5 attempts" },
  { "kubernetes_job", "job-failed", 1, "Job has reached the specified backoff limit" },
  { "kubernetes_job", "job-suspended", 0, "after 3 attempts" },
  { "kubernetes_job", "job-missing", 4, 'NotFound (404): jobs.batch "migration" not found' },
}

local targets = {
  kubernetes_rollout = "/apis/apps/v1/namespaces/shop/deployments/web",
  kubernetes_job = "/apis/batch/v1/namespaces/shop/jobs/migration",
}

local names = { kubernetes_rollout = "web", kubernetes_job = "migration" }

local waiters = { kubernetes_rollout = "RolledOut", kubernetes_job = "JobComplete" }

local function start(recipe, words, options)
  local command = { process.bide, "run", recipe, "--min-delay", "20ms", "--max-delay", "20ms", "--max-wait", "50s",
    "--max-attempts", "20", "--no-watch" }
  return process.start(table.move(words, 1, #words, #command + 1, command), options)
end

local function run(...) return start(...):wait() end

require "spec.support.proven"

describe("the recipes for Kubernetes, with recorded answers of the API:", function()
  for _, case in ipairs(cases) do
    local recipe, recording, code, text = table.unpack(case)

    it(("%s, %s, over HTTP"):format(recipe, recording), function()
      local server = Server.start(recorded.handler("kubernetes/" .. recording, body_of_error))
      local done = run(recipe, { "name=" .. names[recipe], "namespace=shop", "server=" .. server.url })
      server:close()
      done:writes(code, text)
      assert.equal(targets[recipe], server.requests[1].target)
    end)

    it(("%s, %s, by replay"):format(recipe, recording), function()
      local answers = recorded.file("kubernetes/" .. recording)
      local done = process.run { process.bide, "replay", recipe, waiters[recipe], answers, "web", "--max-wait", "1h",
        "--max-attempts", "20" }
      done:writes(code, text)
    end)
  end

  it("waits for a server that is not there for a moment", function()
    local number = port.free()
    local started = start("kubernetes_job", { "name=migration", "namespace=shop", "server=http://127.0.0.1:" .. number })
    started:wait_for_output "ConnectionRefused"
    local server = Server.start(recorded.handler("kubernetes/job", body_of_error), { port = number })
    started:wait()
    server:close()
    assert.equal(0, started.code, started.stderr)
    assert.equal("/apis/batch/v1/namespaces/shop/jobs/migration", server.requests[1].target)
  end)

  it("names an input that is mistyped or missing, and says that this is no pod", function()
    local no_pod = { env = { KUBERNETES_SERVICE_HOST = false, KUBECONFIG = "/none" } }
    assert.matches("name: expected .*, found nothing", run("kubernetes_job", {}).stderr)
    assert.matches('unknown input "namspace", did you mean "namespace"%?', run("kubernetes_job", { "namspace=x" }).stderr)
    local done = run("kubernetes_rollout", { "name=web", "namespace=shop" }, no_pod)
    assert.equal(2, done.code)
    assert.matches("bide: no cluster: server= is missing, there is no kubeconfig .*, and bide is not running in a pod",
      done.stderr)
  end)
end)

---The API behind TLS: jobs are for who has the token, deployments for who has a certificate.
local blocks = [[
  server {
    listen 127.0.0.1:PORT ssl;
    ssl_certificate server.pem;
    ssl_certificate_key server.key;
    ssl_client_certificate ca.pem;
    ssl_verify_client optional;
    default_type application/json;
    location /apis/batch/ {
      if ($http_authorization != "Bearer first.second.third") { return 401 '{"kind":"Status","message":"Unauthorized"}'; }
      return 200 '{"kind":"Job","metadata":{"name":"web"},"status":{"conditions":[{"type":"Complete","status":"True"}]}}';
    }
    location /apis/apps/ {
      if ($ssl_client_verify != SUCCESS) { return 403 '{"kind":"Status","message":"deployments is forbidden"}'; }
      return 200 '{"kind":"Deployment","metadata":{"name":"web","generation":1},
        "spec":{"replicas":0},"status":{"observedGeneration":1}}';
    }
  }
]]

describe("the recipes for Kubernetes, with the API behind TLS:", function()
  local directory = Directory.of_block()
  local nginx, server

  setup(function()
    make_certificates(directory)
    directory:write("token", "first.second.third\n")
    directory:write("stale", "another\n")
    directory:write("namespace", "shop")
    directory:write("ca.crt", directory:read "ca.pem")
    nginx = Nginx.start(directory, blocks)
    server = "server=https://127.0.0.1:" .. nginx.port
  end)

  teardown(function() nginx:stop() end)

  local function path(name, file) return ("%s=%s/%s"):format(name, directory.path, file) end

  it("takes the token from a file, and the authority that is named", function()
    local done = run("kubernetes_job", { "name=web", server, path("token_file", "token"), path("ca", "ca.pem") })
    assert.equal(0, done.code, done.stdout)
    assert.not_matches("first.second", done.stdout .. done.stderr, 1, true)
  end)

  it("fails at once with another token, with none, and where it cannot be read", function()
    local done = run("kubernetes_job", { "name=web", server, path("token_file", "stale"), path("ca", "ca.pem") })
    done:writes(3, "Unauthorized (401)")
    assert.equal(3, run("kubernetes_job", { "name=web", server, path("ca", "ca.pem") }).code)
    done = run("kubernetes_job", { "name=web", server, path("token_file", "none"), path("ca", "ca.pem") })
    assert.equal(3, done.code)
    assert.matches("NoCredentials: .*/none: no such file", done.stdout .. done.stderr)
  end)

  it("fails at once where the authority is unknown, and sends it no token", function()
    run("kubernetes_job", { "name=web", server, path("token_file", "token") }):writes(3, "TlsFailure")
  end)

  it("takes the certificate of a client", function()
    local words = { "name=web", server, path("ca", "ca.pem"), path("certificate", "client.pem"), path("key", "client.key") }
    assert.equal(0, run("kubernetes_rollout", words).code)
    assert.equal(3, run("kubernetes_rollout", { "name=web", server, path("ca", "ca.pem") }).code)
  end)

  it("takes the service account of a pod, and its server", function()
    local pod = { env = { KUBERNETES_SERVICE_HOST = "127.0.0.1", KUBERNETES_SERVICE_PORT = tostring(nginx.port) } }
    local done = run("kubernetes_job", { "name=web", "account=" .. directory.path }, pod)
    assert.equal(0, done.code, done.stdout)
    if io.open("/var/run/secrets/kubernetes.io/serviceaccount/token") then return end
    done = run("kubernetes_job", { "name=web" }, pod)
    done:writes(3, "NoCredentials: /var/run/secrets/kubernetes.io/serviceaccount/namespace")
  end)
end)
