---The recipes rabbitmq and amqp, with one node: one takes longer to start than all the cases.

local Workspace = require "spec.support.workspace"
local http = require "bide.http"
local rabbitmq = require "spec.support.rabbitmq"

require "spec.support.proven"

describe("with RabbitMQ, the recipe rabbitmq", function()
  local programs, missing = rabbitmq.find()
  if not programs then return pending(missing) end

  local workspace = Workspace.of_block()
  local node, at

  local function start(...)
    return workspace:start { "run", "rabbitmq", "--min-delay", "100ms", "--max-delay", "100ms", ... }
  end

  local function start_amqp(...)
    return workspace:start { "run", "amqp", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function ask(waiter, ...)
    return start(waiter, "url=" .. node.url, "user=ops", "password=open sesame", ...)
  end

  local function send(method, path, body)
    local answer = http.request { method = method, url = node.url .. "/api/" .. path, json = body,
      user = "ops", password = "open sesame" }
    assert(answer.ok, ("%s: %d %s"):format(path, answer.status, answer.body))
    return answer
  end

  local function publish(queue)
    send("POST", "exchanges/%2F/amq.default/publish",
      { properties = { delivery_mode = 1 }, routing_key = queue, payload = "x", payload_encoding = "string" })
  end

  setup(function()
    node = rabbitmq.new(programs, workspace)
    at = "127.0.0.1:" .. node.port
    local limits = { "--max-wait", "10m", "--output", "json" } -- of a machine that does much else
    local management = workspace:start({ "rabbitmq", "ClusterHealthy", "url=" .. node.url, "user=ops", "password=open sesame",
      table.unpack(limits) }, { longest = 600 })
    local amqp = workspace:start({ "amqp", "amqp://ops@" .. at, "password=open sesame", table.unpack(limits) }, { longest = 600 })
    for _, started in ipairs { management, amqp } do started:wait_for_output "ConnectionRefused" end
    node:start()
    for _, started in ipairs { management, amqp } do
      assert.equal(0, started:wait().code, started.stderr)
      assert.not_matches("sesame", started.stdout, 1, true)
    end
    assert.matches('"mem_alarm": false', management.stdout)
    assert.matches('"product": "RabbitMQ"', amqp.stdout, 1, true)
  end)

  teardown(function() node:stop() end)

  it("waits until a queue is there", function()
    local started = ask("QueueExists", "queue=a.new+one", "--max-wait", "20s", "--output", "json")
    started:wait_for_output "QueueNotFound: there is no queue a.new%+one"
    send("PUT", "queues/%2F/axnew+one", { durable = false })
    send("PUT", "queues/%2F/a.new+one", { durable = false })
    started:wait():prints(0, '"name": "a.new+one"')
  end)

  it("waits until a queue is empty, to the last message that is not acknowledged", function()
    send("PUT", "queues/%2F/jobs", { durable = false })
    publish "jobs"
    local started = ask("QueueDrained", "queue=jobs", "--max-wait", "20s", "--output", "json")
    started:wait_for_output "is false"
    send("DELETE", "queues/%2F/jobs/contents")
    assert.equal(0, started:wait().code, started.stderr)
    publish "jobs"
    assert.equal(124, ask("QueueDrained", "queue=jobs", "--max-wait", "300ms"):wait().code)
  end)

  it("asks the virtual host that is named", function()
    send("PUT", "vhosts/a%2Fb")
    send("PUT", "permissions/a%2Fb/ops", { configure = ".*", write = ".*", read = ".*" })
    send("PUT", "queues/a%2Fb/other", { durable = false })
    assert.equal(0, ask("QueueExists", "queue=other", "vhost=a/b", "--max-wait", "20s"):wait().code)
    assert.equal(124, ask("QueueExists", "queue=other", "--max-wait", "150ms"):wait().code)
  end)

  it("fails at once where waiting does not help", function()
    local done = start("url=" .. node.url, "--max-wait", "50s"):wait()
    done:writes(3, "(401)")
    done = ask("QueueExists", "queue=jobs", "vhost=nowhere", "--max-wait", "50s"):wait()
    done:writes(3, "NotFound (404)")
    done = ask("QueueDrained", "queue=nothing", "--max-wait", "50s"):wait()
    done:writes(3, "there is no queue nothing")
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("ClusterHealthy", "--max-wait", "50s"):wait().stderr)
    assert.matches("queue: expected .*, found nothing", ask("QueueExists", "--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "vhots", did you mean "vhost"%?',
      ask("QueueExists", "queue=x", "vhots=x", "--max-wait", "50s"):wait().stderr)
    assert.matches("queue: expected a string, found 5", ask("QueueExists", "queue:=5", "--max-wait", "50s"):wait().stderr)
  end)

  it("replays a queue that crashed, and a node with an alarm", function()
    workspace:write("queue.jsonl", '{"output": {"messages": 3, "state": "running"}}\n{"output": {"state": "crashed"}}\n')
    local outcome = workspace:outcome { "replay", "rabbitmq", "QueueDrained", "queue.jsonl", "x", "jobs", "--max-wait", "1h" }
    assert.same({ "failure", "acceptor", 2 }, { outcome.state, outcome.reason, outcome.attempts })
    workspace:write("nodes.jsonl", [[
{"output": {"nodes": [{"running": true, "mem_alarm": false}, {"running": false}]}}
{"output": {"nodes": [{"running": true, "mem_alarm": true}, {"running": true}]}}
{"output": {"nodes": [{"running": true, "mem_alarm": false}, {"running": true}]}}
]])
    outcome = workspace:outcome { "replay", "rabbitmq", "ClusterHealthy", "nodes.jsonl", "x", "--max-wait", "10s" }
    assert.same({ "failure", "maxWait" }, { outcome.state, outcome.reason })
  end)

  ---The state of replaying nodes or a queue that stay so, as JSON.
  local function replay(waiter, ...)
    workspace:write("answers.jsonl", ('{"output": %s}\n'):format(...))
    local line = { "replay", "rabbitmq", waiter, "answers.jsonl", "x", waiter:find "^Queue" and "jobs" or "user=x",
      "--max-wait", "20s", select(2, ...) }
    return workspace:outcome(line)
  end

  it("hears of each node that it has no alarm", function()
    local well = '{"name": "a", "running": true, "mem_alarm": false, "disk_free_alarm": false%s}'
    local rows = {
      { well:format "", "success" },
      { well:format ', "partitions": [], "being_drained": false', "success" },
      { well:format ', "partitions": ["b"]', "failure" },
      { well:format ', "being_drained": true', "failure" },
      { well:format "" .. ', {"name": "c", "running": true}', "failure" }, -- has joined just now
      { well:format "" .. ', {"name": "c", "running": true, "mem_alarm": false}', "failure" },
      { well:format "" .. ', {"name": "c", "running": false}', "failure" },
    }
    for _, row in ipairs(rows) do
      assert.equal(row[2], replay("ClusterHealthy", ('{"nodes": [%s]}'):format(row[1])).state, row[1])
    end
    local two = ('{"nodes": [%s, %s]}'):format(well:format "", well:format "")
    assert.equal("success", replay("ClusterHealthy", two, "nodes:=2").state)
    assert.equal("failure", replay("ClusterHealthy", two, "nodes:=3").state)
  end)

  it("believes the 0 of a queue whose node is up", function()
    local rows = {
      { '{"messages": 0, "state": "running", "type": "classic"}', "success" },
      { '{"messages": 0}', "success" },
      { '{"messages": 0, "state": "down", "type": "classic"}', "failure" },
      { '{"messages": 0, "state": "stopped", "type": "classic"}', "failure" },
      { '{"messages": 0, "state": "minority", "type": "quorum"}', "failure" },
      { '{"state": "down"}', "failure" },
      { '{"messages": null, "state": "running"}', "failure" },
    }
    for _, row in ipairs(rows) do assert.equal(row[2], replay("QueueDrained", row[1]).state, row[1]) end
  end)

  it("believes the 0 of a quorum queue once it is younger than the wait", function()
    local empty = '{"messages": 0, "state": "running", "type": "quorum"}'
    local outcome = replay("QueueDrained", empty)
    assert.equal("success", outcome.state)
    assert.is_true(outcome.elapsed >= 6, outcome.elapsed)
    assert.is_true(replay("QueueDrained", empty, "settle=1ms").elapsed < 1)
  end)

  it("waits for a quorum queue that was filled just now", function()
    send("PUT", "queues/%2F/fresh", { durable = true, arguments = { ["x-queue-type"] = "quorum" } })
    publish "fresh"
    ask("QueueDrained", "queue=fresh", "--max-wait", "2s"):wait():ends(124)
    assert.equal(0, ask("QueueExists", "queue=fresh", "--max-wait", "20s"):wait().code)
    send("DELETE", "queues/%2F/fresh")
  end)

  describe("and the recipe amqp", function()
    it("takes a refused guest for ready", function()
      start_amqp(at, "--max-wait", "20s", "--output", "json"):wait():writes(0, '"answer": "credentialsWanted"')
    end)

    it("takes a refused guest for no word about a virtual host", function()
      start_amqp(("amqp://%s/nowhere"):format(at), "--max-wait", "20s"):wait():writes(1, "AccessRefused")
    end)

    it("fails at once by wrong credentials, or a virtual host that is not there", function()
      local done = start_amqp("amqp://ops@" .. at, "password=sesame street", "--max-wait", "20s"):wait()
      done:writes(1, "AccessRefused")
      assert.not_matches("street", done.stdout .. done.stderr, 1, true)
      done = start_amqp(("amqp://ops@%s/nowhere"):format(at), "password=open sesame", "--max-wait", "20s"):wait()
      done:writes(1, "NotAllowed")
      assert.equal(2, start_amqp("nats://" .. at, "--max-wait", "1s"):wait().code)
    end)

    it("waits until a queue is there, and until it is gone", function()
      local function queue(waiter)
        return start_amqp(waiter, "amqp://ops@" .. at, "steps", "password=open sesame", "--max-wait", "20s")
      end
      assert.equal(0, queue "QueueGone":wait().code)
      local started = queue "QueueExists"
      started:wait_for_output "NotFound"
      send("PUT", "queues/%2F/steps", { durable = false })
      assert.equal(0, started:wait().code, started.stderr)
      started = queue "QueueGone"
      started:wait_for_output "the queue is there, next"
      send("DELETE", "queues/%2F/steps")
      assert.equal(0, started:wait().code, started.stderr)
    end)
  end)
end)
