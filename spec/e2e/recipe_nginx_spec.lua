local Workspace = require "spec.support.workspace"
local Nginx = require "spec.support.nginx"
local uv = require "luv"

local blocks = [[
  server {
    listen 127.0.0.1:PORT;
    location = /status { stub_status; }
    location = /page { return 200 "hello\n"; }
    location = /private { return 403; }
    location = /slow { limit_rate 1; root .; }
  }
]]

require "spec.support.proven"

describe("the recipe nginx, with nginx", function()
  local workspace = Workspace.of_block()
  local nginx, url

  setup(function()
    nginx = Nginx.start(workspace, blocks)
    url = "url=http://127.0.0.1:" .. nginx.port
    workspace:write("slow", ("x"):rep(1000))
  end)

  teardown(function() nginx:stop() end)

  local function start(...)
    return workspace:start { "run", "nginx", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  ---Connects, and asks for what nginx takes long to send; returns the connection.
  local function ask_slowly(path)
    local connection, answered = uv.new_tcp(), false
    connection:connect("127.0.0.1", nginx.port, function(failure)
      assert(not failure, failure)
      connection:read_start(function() answered = true end)
      connection:write(("GET %s HTTP/1.1\r\nHost: x\r\n\r\n"):format(path))
    end)
    while not answered do uv.run "once" end
    return connection
  end

  it("waits until the requests in flight are answered", function()
    local connection = ask_slowly "/slow"
    local started = start(url .. "/status", "--max-wait", "20s", "--output", "json", "--verbose")
    started:wait_for_output "drained is false"
    connection:close()
    started:wait():prints(0, '"waiter": "RequestsDrained"', '"inFlight": 0')
  end)

  it("does not wait for idle connections, nor for as many requests as do not matter", function()
    local idle = ask_slowly "/page"
    assert.equal(0, start(url .. "/status", "--max-wait", "10s"):wait().code)
    local slow = ask_slowly "/slow"
    assert.equal(124, start(url .. "/status", "--max-wait", "150ms"):wait().code)
    local done = start(url .. "/status", "most=1", "--max-wait", "10s", "--output", "json"):wait()
    idle:close()
    slow:close()
    uv.run "nowait"
    assert.equal(0, done.code, done.stderr)
    assert.matches('"active": 3,%s+"drained": true,%s+"inFlight": 1', done.stdout)
  end)

  it("waits until nginx serves", function()
    local later = Workspace.make()
    local other = Nginx.start(later, blocks)
    other:stop()
    local started = start("NginxServing", ("url=http://127.0.0.1:%d/status"):format(other.port), "--max-wait", "20s")
    started:wait_for_output "ConnectionRefused"
    other:restart()
    assert.equal(0, started:wait().code, started.stderr)
    other:stop()
    later:remove()
  end)

  it("fails at once where waiting does not help", function()
    local done = start(url .. "/page", "--max-wait", "50s"):wait()
    done:says(3, "/page is not a stub_status page")
    done = start(url .. "/private", "--max-wait", "50s"):wait()
    done:says(3, "Forbidden (403)")
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "mots", did you mean "most"%?', start(url, "mots=1", "--max-wait", "50s"):wait().stderr)
    assert.matches('most: expected an integer, at least 0, found "few"', start(url, "most=few", "--max-wait", "1s"):wait().stderr)
    assert.matches("url: expected a string, found 80", start("url:=80", "--max-wait", "50s"):wait().stderr)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"output": {"active": 12, "inFlight": 3, "drained": false}}
{"error": {"type": "ConnectionReset"}}
{"output": {"active": 9, "inFlight": 0, "drained": true}}
]])
    local outcome = workspace:outcome { "replay", "nginx", "RequestsDrained", "answers.jsonl", "url=x", "--max-wait", "1h" }
    assert.same({ "success", 3 }, { outcome.state, outcome.attempts })
  end)
end)
