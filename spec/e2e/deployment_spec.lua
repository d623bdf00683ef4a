---The examples of docs/deployment.md, as far as a machine without Docker and Kubernetes runs them: every command of bide in
---them is run against servers that stand in for those that it names.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local document = require "spec.support.document"
local process = require "spec.support.process"
local uv = require "luv"

local files = document.read "docs/deployment.md"

describe("docs/deployment.md", function()
  local workspace, server, address

  setup(function()
    workspace = Workspace.make()
    server = Server.start(function(request)
      return request.path == "/jobs/1" and { body = '{"state": "done"}' } or { body = "{}" }
    end)
    address = server.url:match "^http://(.*)$"
    workspace:write("start", "#!/bin/sh\necho started\n")
    workspace:write("run-tests", "#!/bin/sh\necho tested\n")
    workspace:shell "chmod +x start run-tests"
  end)
  teardown(function()
    server:close()
    workspace:remove()
  end)

  ---Puts the stand-in's address in place of those of the page.
  local function local_to(text)
    return (text:gsub("db:5432", address):gsub("api:8080", address):gsub("localhost:8080", address))
  end

  local function shell(line)
    local folder = uv.fs_realpath(process.bide):match "^(.*)/"
    return process.run({ "sh", "-c", ('PATH="%s:$PATH"; %s'):format(folder, line) }, { cwd = workspace.path, tool = true })
  end

  ---Runs the words of a JSON list, as Compose and Kubernetes do.
  local function run(words)
    local quoted = {}
    for position, word in ipairs(words) do quoted[position] = "'" .. word .. "'" end
    return shell(table.concat(quoted, " "))
  end

  it("starts a service of Compose", function()
    local done = run(core.json.decode(local_to(files["compose.yaml"]:match "command: (%[.-%])\n")))
    assert.equal(0, done.code, done.stderr)
    assert.matches("started\n$", done.stdout)
  end)

  it("lets a pod start", function()
    local words = core.json.decode(local_to(files["pod.yaml"]:match "args: (%[.-%])\n"))
    table.insert(words, 1, "bide")
    assert.equal(0, run(words).code)
  end)

  it("runs the steps of a workflow", function()
    local count = 0
    for command in local_to(files["workflow.yaml"]):gmatch "run: (bide [^\n]*)" do
      local done = shell("GITHUB_ACTIONS=true " .. command)
      assert.equal(0, done.code, done.stderr)
      count = count + 1
    end
    assert.equal(2, count)
  end)

  it("runs the Makefile", function()
    workspace:write("Makefile", (local_to(files["Makefile"])))
    local done = shell "make --no-print-directory test"
    assert.equal(0, done.code, done.stderr)
    assert.matches("tested\n$", done.stdout)
  end)

  it("runs the command of the unit", function()
    local command = local_to(files["app.service"]:match "ExecStartPre=/usr/bin/(bide [^\n]*)")
    assert.equal(0, shell(command).code)
  end)

  it("makes an image of what the Makefile makes", function()
    local makefile = assert(io.open ".ci/package.mk"):read "a"
    assert.matches("\ndeb: ", makefile)
    assert.matches(".ci/deps build", files["Dockerfile"], 1, true)
    assert.matches("build/bide_", files["Dockerfile"], 1, true)
  end)
end)
