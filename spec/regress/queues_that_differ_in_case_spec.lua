---A queue beside one whose name differs in case alone never drained: RabbitMQ's filter takes both, and its page had room for
---one.

local Server = require "spec.support.server"
local json = require("bide.core").json
local process = require "spec.support.process"

describe("queues whose names differ in case", function()
  local queues

  local server = Server.of_each(function(request)
    local size, list = tonumber(request.target:match "page_size=(%d+)"), json.array {}
    if not request.target:find "%%5CQ" then return { body = json.encode { items = list, filtered_count = 0 } } end
    for position, name in ipairs(queues) do
      if position <= size then
        list[position] = { name = name, vhost = "/", type = "classic", state = "running", messages = name == "jobs" and 0 or 3 }
      end
    end
    return { body = json.encode { items = list } }
  end)

  local function run(waiter, queue)
    return process.run { process.bide, "rabbitmq", waiter, server.url, queue, "--max-attempts", "2", "--max-wait", "50s" }
  end

  it("are told apart", function()
    queues = { "JOBS", "Jobs", "jobs" }
    assert.equal(0, run("QueueDrained", "jobs").code)
    assert.equal(4, run("QueueDrained", "Jobs").code)
    assert.equal(0, run("QueueExists", "Jobs").code)
    queues = { "Jobs" }
    run("QueueExists", "jobs"):says(4, "there is no queue jobs")
  end)
end)
