---The page "How to come from another tool": each line of bide in its tables is run, against servers that stand in for those
---that it names, and succeeds.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local port = require "spec.support.port"
local process = require "spec.support.process"
local uv = require "luv"

local page = "docs/how-to/come-from-another-tool.md"

---Returns the lines of bide in the right column of the tables, each with its section.
local function read_lines()
  local lines, section = {}, nil
  for line in io.lines(page) do
    section = line:match "^## (.*)$" or section
    local there, with_bide = line:match "^| (.+) | (.-) |$"
    if there and there ~= "there" then
      local code = with_bide:match "^`(bide .*)`$"
      lines[#lines + 1] = { section = section, there = there, code = code, text = with_bide }
    end
  end
  return lines
end

local function read_recording(name)
  local file <close> = assert(io.open("spec/e2e/data/kubernetes/cluster/" .. name .. ".json"))
  return json.decode(file:read "a")
end

---A pod as the API server has it, and what the server says of one that it does not have.
local pod = { kind = "Pod", apiVersion = "v1",
  metadata = { name = "web", namespace = "default", uid = "1", labels = { app = "web" } },
  status = { phase = "Running", conditions = { { type = "Ready", status = "True" } } } }
local no_pod = { kind = "Status", apiVersion = "v1", status = "Failure", reason = "NotFound", code = 404,
  message = 'pods "old" not found', details = { name = "old", kind = "pods" } }

local function new_api()
  local recorded = read_recording "rolled-out"
  local pods = { ["/api/v1/namespaces/default/pods/web"] = pod, ["/api/v1/namespaces/default/pods"] =
    { kind = "PodList", apiVersion = "v1", metadata = { resourceVersion = "1" }, items = { pod } } }
  return Server.start(function(request)
    local answer = recorded[request.target]
    local body = answer and answer.body or pods[request.path] or no_pod
    return { status = answer and answer.status or body.code or 200, body = json.encode(body),
      headers = { ["Content-Type"] = "application/json", Date = answer and answer.date } }
  end)
end

---What the services of AWS answer, by what a request has.
local function new_aws()
  local instance = "<DBInstanceStatus>available</DBInstanceStatus><DBInstanceIdentifier>shop</DBInstanceIdentifier>"
  local described = ("<DescribeDBInstancesResponse><DescribeDBInstancesResult><DBInstances><DBInstance>%s</DBInstance>"
    .. "</DBInstances></DescribeDBInstancesResult></DescribeDBInstancesResponse>"):format(instance)
  return Server.start(function(request)
    if request.headers["x-amz-target"] then
      return { body = '{"Table": {"TableStatus": "ACTIVE"}}', headers = { ["Content-Type"] = "application/x-amz-json-1.0" } }
    end
    return { body = request.method == "HEAD" and "" or described, headers = { ["Content-Type"] = "text/xml" } }
  end)
end

local function answer_web(request)
  if request.path == "/jobs/1" then return { body = '{"state": "done"}' } end
  if request.path == "/echo" then
    return { status = request.body == '{"a": 1}' and 200 or 400, body = request.body }
  end
  if request.path == "/page" then return { body = "<!DOCTYPE html><h1>up</h1>", headers = { ["Content-Type"] = "text/html" } } end
  return { body = "{}" }
end

describe(page, function()
  local workspace = Workspace.of_block()
  local web, api, aws

  setup(function()
    web, api, aws = Server.start(answer_web), new_api(), new_aws()
    for name, text in pairs {
      start = "echo started", check = "exit 0", query = [[echo '{"state": "done"}']], ["run-tests"] = "echo tested",
      serve = "exec python3 -m http.server $PORT --bind 127.0.0.1 --directory .",
    } do
      workspace:write(name, "#!/bin/sh\n" .. text .. "\n")
    end
    workspace:shell "chmod +x start check query run-tests serve; : > build.done; echo 'ready in 3 s' > app.log"
    workspace:write("kubeconfig", json.encode {
      ["current-context"] = "spec", contexts = { { name = "spec", context = { cluster = "spec", user = "spec" } } },
      clusters = { { name = "spec", cluster = { server = api.url } } }, users = { { name = "spec", user = { token = "t" } } },
    })
  end)

  teardown(function()
    for _, server in ipairs { web, api, aws } do server:close() end
  end)

  ---Puts the stand-ins in place of the addresses of the page.
  local function local_to(code, own)
    local up = web.url:match "^http://(.*)$"
    return (code:gsub("db:5432", up):gsub("localhost:8080", own and ("127.0.0.1:%d"):format(own) or up)
      :gsub("connections 8080", "connections " .. web.port):gsub("localhost:9 ", "127.0.0.1:9 ")
      :gsub("^bide aws %S+ %S+", "%0 --endpoint " .. aws.url):gsub("\\|", "|"))
  end

  ---Holds a connection to the server for a while, which is to be drained.
  local function hold_connection(seconds)
    local connection, timer = uv.new_tcp(), uv.new_timer()
    connection:connect("127.0.0.1", web.port)
    timer:start(math.ceil(seconds * 1000), 0, function()
      connection:close()
      timer:close()
    end)
  end

  local function run(code)
    local own = code:find("./serve", 1, true) and port.free()
    local folder = uv.fs_realpath(process.bide):match "^(.*)/"
    local env = { KUBECONFIG = workspace.path .. "/kubeconfig", LOGIN = "me:secret", PORT = tostring(own or 0), PID = "4194304",
      AWS_ACCESS_KEY_ID = "a", AWS_SECRET_ACCESS_KEY = "b", AWS_REGION = "us-east-1", AWS_MAX_ATTEMPTS = "1" }
    local line = ('PATH="%s:$PATH"; exec %s'):format(folder, local_to(code, own))
    if code:find("^bide connections") then hold_connection(0.3) end
    return process.run({ "sh", "-c", line }, { cwd = workspace.path, tool = true, env = env })
  end

  for _, line in ipairs(read_lines()) do
    if line.code then
      it(("%s: %s"):format(line.section, line.code), function()
        local done = run(line.code)
        assert.equal(0, done.code, done.stdout .. done.stderr)
        local command = line.code:match "%-%- %./(%S+)$"
        if command then assert.matches(command == "start" and "started\n" or "tested\n", done.stdout, 1, true) end
      end)
    else
      it(("%s: %s has no line, and says why"):format(line.section, line.there), function()
        assert.is_true(#line.text > 20, line.text)
      end)
    end
  end
end)
