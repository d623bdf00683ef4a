---The examples of docs/how-to/run-workers.md: the commands in them run, over a real database, and the files are what their
---programs read.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local document = require "spec.support.document"
local metrics = require "bide.record.worker.metrics"
local process = require "spec.support.process"
local service = require "spec.support.service"
local yaml = require "bide.text.yaml"

local page = "docs/how-to/run-workers.md"
local files = document.read(page)

---Returns the documents of a file of YAML.
local function documents(text)
  local list = {}
  for part in (text .. "\n---\n"):gmatch "(.-)\n%-%-%-\n" do list[#list + 1] = assert(yaml.read(part)) end
  return list
end

describe("docs/how-to/run-workers.md", function()
  local cluster = Cluster.installed()
  if not cluster then return end
  local workspace = Workspace.of_block()

  ---Runs the words of a worker until it serves, and ends it as its manager would.
  local function assert_works(words)
    for position, word in ipairs(words) do
      words[position] = word:gsub("^postgres://worker@db/waits$", cluster:url "wim")
        :gsub("^[%d.]+:9464$", "127.0.0.1:0"):gsub("^%-%-quiet$", "--jobs=100")
    end
    local worker = workspace:start(words)
    worker:wait_for_output "metrics at http"
    worker:kill "sigterm"
    worker:wait()
    assert.equal(0, worker.code, worker.stderr)
  end

  it("has a unit that systemd takes", function()
    local program, lack = service.find("systemd-analyze", "systemd")
    if not program then return pending(lack) end
    local bide = process.run({ "realpath", process.bide }).stdout:match "[^\n]*"
    local unit = files["bide-worker.service"]:gsub("/usr/bin/bide", bide)
    local done = process.run { program, "verify", workspace:write("bide-worker.service", unit) }
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.is_nil((done.stdout .. done.stderr):find("bide-worker.service", 1, true), done.stderr)
  end)

  it("has a unit whose command works", function()
    local words = {}
    for word in files["bide-worker.service"]:match "ExecStart=/usr/bin/bide ([^\n]*)":gmatch "%S+" do words[#words + 1] = word end
    assert_works(words)
  end)

  it("has workers for Kubernetes", function()
    local deployment, budget, scaler = table.unpack(documents(files["workers.yaml"]))
    local pod = deployment.spec.template
    for _, selector in ipairs { deployment.spec.selector, budget.spec.selector } do
      assert.same(pod.metadata.labels, selector.matchLabels)
    end
    assert.equal(deployment.metadata.name, scaler.spec.scaleTargetRef.name)
    local container = pod.spec.containers[1]
    local drain = tonumber(container.args[7]:match "^(%d+)s$")
    assert.is_true(pod.spec.terminationGracePeriodSeconds > drain)
    assert.equal(container.ports[1].containerPort, container.readinessProbe.httpGet.port)
    assert_works(container.args)
  end)

  it("has workers for Compose", function()
    assert_works(documents(files["compose.yaml"])[1].services.worker.command)
  end)

  it("names the metrics that there are, and the query that KEDA sends", function()
    local handle <close> = assert(io.open(page))
    local text, count = handle:read "a", 0
    for name in metrics.new({}):text():gmatch "# TYPE (%S+)" do
      count = count + 1
      assert.is_truthy(text:find(("\n| `%s"):format(name), 1, true), name)
    end
    assert.equal(8, count)
    assert.equal("0", cluster:sql("wim", text:match "`(SELECT bide[^`]*)`"))
  end)
end)
