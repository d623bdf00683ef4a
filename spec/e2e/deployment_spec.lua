---The files of docs/examples: every command of bide in them is run against servers that stand in for those that it names.
---`make examples` has the tools of other systems check them.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local process = require "spec.support.process"
local uv = require "luv"
local yaml = require "bide.text.yaml"

local function read(name)
  local file <close> = assert(io.open("docs/examples/" .. name))
  return file:read "a"
end

describe("docs/examples", function()
  local workspace = Workspace.of_block()
  local server, address

  setup(function()
    server = Server.start(function(request)
      return request.path == "/jobs/1" and { body = '{"state": "done"}' } or { body = "{}" }
    end)
    address = server.url:match "^http://(.*)$"
    workspace:write("start", "#!/bin/sh\necho started\n")
    workspace:write("run-tests", "#!/bin/sh\necho tested\n")
    workspace:shell "chmod +x start run-tests"
  end)
  teardown(function() server:close() end)

  ---Returns the text of an example with the stand-in's address in place of those that it names.
  local function local_to(name)
    return (read(name):gsub("db:5432", address):gsub("api:8080", address):gsub("localhost:8080", address))
  end

  local function shell(line, env)
    local folder = uv.fs_realpath(process.bide):match "^(.*)/"
    local words = { "sh", "-c", ('PATH="%s:$PATH"; %s'):format(folder, line) }
    return process.run(words, { cwd = workspace.path, tool = true, env = env })
  end

  ---Runs a list of words, as Compose and Kubernetes do.
  local function run(words)
    local quoted = {}
    for position, word in ipairs(words) do quoted[position] = "'" .. word .. "'" end
    local done = shell(table.concat(quoted, " "))
    assert.equal(0, done.code, done.stderr)
    return done
  end

  local function list_after(name, member)
    return core.json.decode((local_to(name):match(member .. ": (%[.-%])\n")))
  end

  local function with_bide(words)
    table.insert(words, 1, "bide")
    return words
  end

  it("start a service of Compose, and say that it is healthy", function()
    assert.matches("started\n$", run(list_after("compose.yaml", "command")).stdout)
    local test = list_after("compose.yaml", "test")
    assert.equal("CMD", table.remove(test, 1))
    assert.equal("", run(test).stdout)
  end)

  it("let a pod start", function()
    run(with_bide(list_after("pod.yaml", "args")))
  end)

  it("name a wait of Kubernetes that bide knows", function()
    local words = with_bide(core.json.decode((read("job.yaml"):match "args: (%[.-%])\n")))
    local done = shell(table.concat(words, " "), { KUBECONFIG = "/nonexistent", HOME = workspace.path })
    assert.not_equal(0, done.code)
    assert.not_matches("usage:", done.stderr:lower())
    assert.matches("kubeconfig", done.stderr)
  end)

  it("are a hook of Helm", function()
    local text = read "helm/templates/wait.yaml"
    for member, value in pairs(assert(yaml.read(read "helm/values.yaml"))) do
      text = text:gsub("{{ %.Values%." .. member .. " | quote }}", '"' .. value .. '"')
    end
    text = text:gsub("db:5432", address)
    run(with_bide(core.json.decode((text:match "args: (%[.-%])\n"))))
  end)

  it("are steps of a workflow", function()
    local count = 0
    for command in local_to("github/workflow.yml"):gmatch "run: (bide [^\n]*)" do
      shell(command, { GITHUB_ACTIONS = "true", GITHUB_STEP_SUMMARY = workspace.path .. "/summary.md" }):ends(0)
      count = count + 1
    end
    assert.equal(2, count)
  end)

  it("are an action", function()
    local line = read("github/action.yml"):match "run: (eval [^\n]*)"
    shell(line, { WAIT = ("http '%s/health' --max-wait 50s"):format(address) }):ends(0)
    assert.equal(2, shell(line, { WAIT = "http" }).code)
  end)

  it("are a component of GitLab", function()
    local wait = ("http %s/health --max-wait 50s"):format(address)
    shell((read("gitlab/bide.yml"):match "%- (bide [^\n]*)":gsub("%$%[%[ inputs%.wait %]%]", wait))):ends(0)
    assert.matches("<testsuite", workspace:read "bide.xml")
  end)

  it("check a recipe before a commit", function()
    workspace:write("jobs.lua", 'return { waiters = { Done = { operation = "Get", acceptors = {} } } }')
    local line = read("pre-commit/.pre-commit-hooks.yaml"):match "entry: ([^\n]*)"
    assert.not_equal(0, shell(line .. " jobs.lua").code)
    assert.equal(0, shell(line .. " " .. uv.fs_realpath "scripts/http.lua").code)
  end)

  it("run the tests by make", function()
    workspace:write("Makefile", (local_to "Makefile"))
    local done = shell "make --no-print-directory test"
    assert.equal(0, done.code, done.stderr)
    assert.matches("tested\n$", done.stdout)
    assert.equal((local_to("Makefile"):match "\t(bide [^\n]*)"), (local_to("justfile"):match "    (bide [^\n]*)"))
  end)

  it("run the command of a unit", function()
    assert.equal(0, shell((local_to("app.service"):match "ExecStartPre=/usr/bin/(bide [^\n]*)")).code)
  end)

  it("run the task of a playbook", function()
    local words = {}
    for word in local_to("playbook.yml"):match "argv: %[(.-)%]":gmatch "[^, ]+" do words[#words + 1] = (word:gsub('"', "")) end
    run(words)
  end)

  it("run the provisioner of Terraform", function()
    local command = read("main.tf"):match 'command = "(bide .-)"\n':gsub('\\"', '"')
    shell(command, { ADDRESS = address }):ends(0)
  end)
end)
