---The examples of docs/how-to/let-an-engine-keep-the-time.md, in their engines as far as they are there. BIDE_ENGINES is a
---Python with apache-airflow-core, apache-airflow-providers-standard and temporalio, BIDE_TEMPORAL the program temporal,
---BIDE_TEMPORAL_GO the page's workflow in Go, BIDE_ASL the program asl-validator; `make engines` gets them all.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local document = require "spec.support.document"
local process = require "spec.support.process"
local python = require "spec.support.python"
local read = require "spec.support.read"
local uv = require "luv"
local yaml = require "bide.text.yaml"

local json = core.json

local files = document.read "docs/how-to/let-an-engine-keep-the-time.md"

local SCRIPT = assert(uv.fs_realpath "spec/support/engines.py")

describe("docs/how-to/let-an-engine-keep-the-time.md", function()
  local workspace = Workspace.of_each()
  local server, asked, last

  before_each(function()
    asked, last = 0, "done"
    server = Server.start(function(request)
      assert.equal("/jobs/1", request.path)
      asked = asked + 1
      return { body = ('{"state": "%s"}'):format(asked < 3 and "pending" or last) }
    end)
    local address = server.url:match "^http://(.*)$"
    for name, text in pairs(files) do
      workspace:write(name, (text:gsub("api:8080", address):gsub("/shared/", workspace.path .. "/")))
    end
  end)
  after_each(function() server:close() end)

  local function run(command, env)
    local folder = uv.fs_realpath(process.bide):match "^(.*)/"
    local variables = { PATH = folder .. ":" .. os.getenv "PATH", AIRFLOW_HOME = workspace.path }
    for name, value in pairs(env or {}) do variables[name] = value end
    return process.run(command, { cwd = workspace.path, tool = true, env = variables })
  end

  ---@param statement string what the Python has to import
  ---@return fun(...): spec.Process?
  local function engine(statement)
    local found = python.that_runs(statement, os.getenv "BIDE_ENGINES")
    return found and function(...) return run { found, SCRIPT, ... } end
  end

  local function words_of(name)
    local text = read(workspace.path .. "/" .. name)
    assert(text:find "image: bide\n")
    return json.decode((text:match "args: (%[.-%])\n":gsub("{{workflow.uid}}", "u1"))), text
  end

  ---Makes steps until one does not end with 75.
  local function chain(words)
    local codes = {}
    for number = 1, 9 do
      codes[number] = workspace:bide(words).code
      if codes[number] ~= 75 then return codes end
      workspace:shell "sleep 0.1"
    end
    return codes
  end

  for _, name in ipairs { "argo.yaml", "cronjob.yaml" } do
    it(name .. " has a step that ends with 75 until the job is done", function()
      local words, text = words_of(name)
      assert.same({ 75, 75, 0 }, chain(words))
      assert.equal(0, workspace:bide(words).code)
      assert.equal(3, asked)
      local value = assert(yaml.read(text))
      assert.equal(name == "argo.yaml" and "Workflow" or "CronJob", value.kind)
    end)

    it(name .. " ends with 1 if the job has failed", function()
      last = "failed"
      assert.same({ 75, 75, 1 }, chain((words_of(name))))
    end)
  end

  it("is a sensor of Airflow", function()
    local airflow = engine "import airflow.providers.standard.sensors.bash"
    if not airflow then return pending "Airflow is missing: BIDE_ENGINES" end
    local done = airflow "airflow"
    assert.matches("done %d", done.stdout, 1, false)
    assert.equal(3, asked)
    last, asked = "failed", 0
    workspace:shell "rm *.state*"
    done = airflow "airflow"
    assert.matches("AirflowFailException: Command exited with return code 1", done.stderr, 1, true)
  end)

  it("is a state machine of Step Functions", function()
    local found = assert(python.that_runs "import subprocess")
    local done = run { found, SCRIPT, "lambda" }
    assert.matches("^Done %d", done.stdout)
    assert.equal(3, asked)
    last, asked = "failed", 0
    done = run { found, SCRIPT, "lambda" }
    assert.matches("^Failed %d ServiceHealthy failed after 3 attempts", done.stdout)
  end)

  it("is a valid state machine", function()
    local validator = os.getenv "BIDE_ASL"
    if not validator then return pending "asl-validator is missing: BIDE_ASL" end
    run({ validator, "--json-path", "machine.json" }):ends(0)
  end)

  it("is an activity of Temporal", function()
    local temporal = engine "import temporalio.testing"
    if not temporal then return pending "temporalio is missing: BIDE_ENGINES" end
    local address = server.url:match "^http://(.*)$"
    local words = { "http", address .. "/jobs/1", "--until", "state=done", "--max-wait", "1m" }
    local done = temporal("activity", table.unpack(words))
    assert.matches("^success %d", done.stdout, 1, false)
    assert.equal(3, asked)
    if not os.getenv "BIDE_TEMPORAL" then return end
    asked = 0
    done = temporal("temporal", table.unpack(words))
    assert.matches("success 3\n$", done.stdout)
    assert.equal(3, asked)
  end)

  it("is an activity of Temporal in Go", function()
    local waits = os.getenv "BIDE_TEMPORAL" and os.getenv "BIDE_TEMPORAL_GO"
    if not waits then return pending "Temporal is missing: BIDE_TEMPORAL, BIDE_TEMPORAL_GO" end
    local address = server.url:match "^http://(.*)$"
    local done = run { waits, "http", address .. "/jobs/1", "--until", "state=done", "--max-wait", "1m" }
    assert.matches("success 3\n", done.stdout, 1, true)
    assert.equal(3, asked)
    last, asked = "failed", 0
    done = run { waits, "http", address .. "/jobs/1", "--until", "state=done", "--fail", "state=failed", "--max-wait", "1m" }
    assert.matches("failure 3\n", done.stdout, 1, true)
    done = run { waits, "http", address .. "/jobs/1", "--unti" }
    assert.matches("unknown option '--unti'", done.stderr, 1, true)
  end)
end)
