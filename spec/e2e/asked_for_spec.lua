---The page "what others are asked for": each of its rows has a spec or a reason, and the lines that no other spec runs are
---run here.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local port = require "spec.support.port"

local page = "docs/reference/asked-for.md"

---The rows of the page: what was asked for, what bide does, and the spec.
local function rows_of_page()
  local rows = {}
  for line in io.lines(page) do
    local number, asked, answer, spec = line:match "^| (%d+) | (.-) | (.*) | ([^|]*) |$"
    if number then rows[#rows + 1] = { number = tonumber(number), asked = asked, answer = answer, spec = spec } end
  end
  return rows
end

describe("what others are asked for", function()
  it("has 64 rows, each with a spec that is there, or declined", function()
    local rows = rows_of_page()
    assert.equal(64, #rows)
    for position, row in ipairs(rows) do
      assert.equal(position, row.number)
      local name = row.spec:match "^`(e2e/[%w_]+)`$"
      assert.is_true(name ~= nil or row.answer:find "^declined" ~= nil, row.asked)
      local file = name and io.open(("spec/%s_spec.lua"):format(name))
      assert.is_true(name == nil or file ~= nil, row.spec)
      if file then file:close() end
    end
  end)
end)

describe("the lines of what others are asked for", function()
  local workspace, server, answer

  setup(function()
    workspace = Workspace.make()
    server = Server.start(function(request) return answer(request) end)
  end)
  teardown(function()
    server:close()
    workspace:remove()
  end)

  local function run(...)
    return workspace:bide { "run", ... }
  end

  local function http(...)
    return run("http", server.url, "--max-wait", "5s", "--quiet", ...)
  end

  ---Replays answers of a service of AWS, or of Kubernetes.
  local function replay(recipe, waiter, lines, ...)
    workspace:write("answers.jsonl", table.concat(lines, "\n") .. "\n")
    return workspace:bide { "replay", recipe, waiter, "answers.jsonl", "--max-wait", "1h", "--quiet", ... }
  end

  it("take 'or' in an expression", function()
    answer = function() return { body = '{"status": {"failed": 1}}' } end
    assert.equal(0, http("--until", "status.succeeded == `1` || status.failed == `1`").code)
    answer = function() return { body = '{"status": {"failed": 0}}' } end
    assert.equal(124, run("http", server.url, "--max-wait", "200ms", "--until",
      "status.succeeded == `1` || status.failed == `1`").code)
  end)

  it("let a success last", function()
    local count = 0
    answer = function()
      count = count + 1
      return { status = count == 2 and 503 or 200, body = "{}" }
    end
    local done = http("--hold", "3", "--interval", "20ms")
    assert.equal(0, done.code, done.stderr)
    assert.equal(5, count)
  end)

  it("find states of AWS that no waiter lists, with their reason", function()
    local stack = '{"output": {"Stacks": [{"StackStatus": "%s", "StackStatusReason": "no room"}]}}'
    local lines = { stack:format "UPDATE_IN_PROGRESS", stack:format "REVIEW_IN_PROGRESS" }
    local done = replay("aws:cloudformation", "StackUpdateComplete", lines, "StackName=shop",
      "--fail", "Stacks[0].StackStatus=REVIEW_IN_PROGRESS", "--fail-message", "Stacks[0].StackStatusReason")
    assert.equal(1, done.code, done.stdout .. done.stderr)
    assert.matches(": no room", done.stderr, 1, true)
  end)

  it("find a deployment of ECS that has failed", function()
    local service = '{"output": {"services": [{"status": "ACTIVE", "runningCount": 0, "desiredCount": 1, "deployments": '
      .. '[{"rolloutState": "%s", "rolloutStateReason": "tasks failed to start"}, {"rolloutState": "COMPLETED"}]}]}}'
    local words = { "services=web", "--fail", "services[].deployments[] | [?rolloutState=='FAILED']", "--fail-message",
      "services[].deployments[] | [?rolloutState=='FAILED'].rolloutStateReason | [0]" }
    local done = replay("aws:ecs", "ServicesStable", { service:format "IN_PROGRESS", service:format "FAILED" },
      table.unpack(words))
    assert.equal(1, done.code, done.stdout .. done.stderr)
    assert.matches("failed after 2 attempts in .*: tasks failed to start", done.stderr)
  end)

  it("send GET, and count the statuses that are named", function()
    answer = function(request) return { status = request.method == "GET" and 200 or 405, body = "{}" } end
    assert.equal(0, http().code)
    answer = function() return { status = 302, headers = { location = "/elsewhere" } } end
    assert.equal(0, http("status=302", "follow=false").code)
  end)

  it("try again after an error that is named, and show the last body", function()
    local count = 0
    answer = function()
      count = count + 1
      return { status = count < 3 and 403 or 200, body = '{"message": "step 3 of 9"}' }
    end
    assert.equal(0, http("--retry-on", "Forbidden", "--interval", "20ms").code)
    answer = function() return { status = 503, body = '{"message": "step 3 of 9"}' } end
    local done = run("http", server.url, "--max-wait", "200ms", "--quiet")
    assert.equal(124, done.code)
    assert.matches("step 3 of 9", done.stderr, 1, true)
  end)

  it("look into headers and pages", function()
    answer = function() return { body = "<!DOCTYPE html><p id=state>up", headers = { ["x-state"] = "ready" } } end
    assert.equal(0, http("--until", "header('x-state')=ready").code)
    assert.equal(0, http("xpath=//p[@id='state']", "expect=up").code)
  end)

  it("wait for several hosts, and for a port that becomes free", function()
    answer = function() return { body = "{}" } end
    local address = server.url:match "//([^/]*)"
    assert.equal(0, run("tcp", address, "+", "tcp", address, "--max-wait", "5s").code)
    assert.equal(0, run("tcp", "PortClosed", "127.0.0.1:" .. port.free(), "--max-wait", "5s").code)
    assert.equal(124, run("tcp", "PortClosed", address, "--max-wait", "200ms").code)
  end)

  it("start a server, wait, run a command, and end the server", function()
    local free = port.free()
    local done = workspace:bide { "http", "127.0.0.1:" .. free, "--start",
      ("exec python3 -m http.server %d --bind 127.0.0.1"):format(free), "--max-wait", "20s", "--quiet", "--", "echo", "tested" }
    assert.equal(0, done.code, done.stderr)
    assert.matches("tested\n", done.stdout, 1, true)
    assert.equal(0, run("tcp", "PortClosed", "127.0.0.1:" .. free, "--max-wait", "5s").code)
  end)

  it("wait for a line that a program shows", function()
    workspace:write("log", "starting\ndatabase is ready to accept connections\n")
    assert.equal(0, run("command", "cat log", "matches=(?m)ready to accept", "--max-wait", "5s").code)
    assert.equal(124, run("command", "cat log", "matches=(?m)^ready", "--max-wait", "200ms").code)
  end)
end)
