---What libcurl copies of a request, body and headers, did not count on --memory: thirty requests with one body of
---60 MB took 1.8 GB within a limit of 128 MB.

local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

---A server that takes requests and does not answer.
local function listen()
  local listener, clients = uv.new_tcp(), {}
  assert(listener:bind("127.0.0.1", 0))
  listener:listen(64, function()
    local client = uv.new_tcp()
    listener:accept(client)
    clients[#clients + 1] = client
  end)
  return listener:getsockname().port, function()
    for _, handle in ipairs { listener, table.unpack(clients) } do handle:close() end
    uv.run "nowait"
  end
end

local many_bodies = [[
  local bide, http = require "bide", require "bide.http"
  local body, tasks = ("x"):rep(60000000), {}
  for i = 1, 30 do
    tasks[i] = bide.spawn(function() pcall(http.post, "http://127.0.0.1:%d/", { body = body, timeout = 2 }) end)
  end
  for i = 1, 30 do tasks[i]:join() end]]

local many_headers = [[
  local bide, http = require "bide", require "bide.http"
  local headers, big, tasks = {}, ("x"):rep(1000000), {}
  for i = 1, 50 do headers["X-" .. i] = big end
  for i = 1, 20 do
    tasks[i] = bide.spawn(function() pcall(http.get, "http://127.0.0.1:%d/", { headers = headers, timeout = 2 }) end)
  end
  for i = 1, 20 do tasks[i]:join() end]]

local bodies_in_turn = [[
  local http = require "bide.http"
  for i = 1, 12 do pcall(http.post, "http://127.0.0.1:%d/", { body = ("x"):rep(20000000), timeout = 0.01 }) end
  print "all were sent"]]

describe("requests within --memory", function()
  local workspace = Workspace.of_block()
  local port, close

  setup(function() port, close = listen() end)

  teardown(function() close() end)

  ---Runs a script and looks at the most memory that it has taken, in MB.
  local function run(script)
    workspace:write("script.lua", script:format(port))
    local running, most = workspace:start { "exec", "--sandbox", "--memory", "128M", "script.lua" }, 0
    local timer = uv.new_timer()
    timer:start(5, 5, function()
      local status = io.open(("/proc/%d/status"):format(running.pid))
      if not status then return end
      most = math.max(most, (tonumber(status:read("a"):match("VmHWM:%s+(%d+)")) or 0) // 1024)
      status:close()
    end)
    running:wait()
    timer:close()
    uv.run "nowait"
    return running, most
  end

  for name, script in pairs { bodies = many_bodies, headers = many_headers } do
    it("count with their " .. name, function()
      local done, most = run(script)
      done:says(5, "memory limit exceeded")
      if not process.is_sanitized then assert.is_true(most < 400, most .. " MB") end
    end)
  end

  it("give back what they took", function()
    local done = run(bodies_in_turn)
    assert.equal("all were sent\n", done.stdout, done.stderr)
  end)
end)
