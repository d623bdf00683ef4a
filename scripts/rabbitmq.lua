---Waits until all RabbitMQ nodes run without an alarm, as reported by the management plugin. Or, with QueueExists, until
---a queue exists; with QueueDrained, until it holds no message. A message counts until it is acknowledged.
---RabbitMQ is near, and a poll takes some of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run rabbitmq localhost:15672 nodes=3 --max-wait 2m
---    bide run rabbitmq QueueDrained localhost:15672 jobs user=ops password=@env:PASSWORD --max-wait 1h
---
---RabbitMQ counts the messages of a quorum queue or a stream every 5 s, so QueueDrained believes a 0 of those only if the
---wait has lasted for longer: `settle` is the time. A queue that is down, or without a majority of its members, is not
---drained.

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local service = require "bide.service"

local operation = service {
  http = "localhost:15672",
  inputs = {
    user = { type = "string", documentation = "The user. Default: that of the URL, or guest." },
    password = { type = "string", secret = true, documentation = "The user's password. Default: that of the URL, or guest." },
  },
}

---Returns a function that sends a request, and returns what an expression finds in the answer.
local function getting(input, path, query, expression)
  local request = http.request_of(input, path, query)
  local has_user = request.url:find "^%a+://[^/?#]*@"
  request.user = input.user or not has_user and "guest" or nil
  request.password = input.password or request.user and "guest"
  local send = http.prepare(request)
  return function() return http.find(send(), expression, "RabbitMQ") end
end

local columns = { columns = "name,running,mem_alarm,disk_free_alarm,partitions,being_drained" }

---Each element must be a node: one without its name would not count.
local NODES = "length(@) == length([?type(name) == 'string' && name]) && length(@) > `0` && @"

local function prepare_nodes(input)
  local get = getting(input, "/api/nodes", columns, NODES)
  return function()
    local nodes, known = get(), {}
    for _, node in ipairs(nodes) do
      if known[node.name] then error { type = "InvalidAnswer", message = node.name .. " is named twice" } end
      known[node.name] = true
    end
    return { nodes = nodes }
  end
end

---A quorum queue without a majority of its members keeps its figures, and takes no more messages.
local function has_majority(queue)
  local members, online = queue.members, queue.online
  return type(members) ~= "table" or type(online) ~= "table" or 2 * #online > #members
end

---The most items that RabbitMQ puts on a page.
local MOST_OF_PAGE <const> = 500

---Finds a queue in a list, whose filter takes small letters for capital ones.
local function queue_of(list, input)
  for _, queue in ipairs(list) do
    if queue.name == input.queue and queue.vhost == input.vhost then return queue end
  end
  error { type = "QueueNotFound", message = "there is no queue " .. input.queue }
end

---Returns a function that gets the queues of a vhost whose names match a regular expression. Their list counts now, where the
---page of one queue has figures that are seconds old.
local function getting_queues(input, names, expression)
  local vhost = input.vhost:gsub("[^%w]", function(byte) return ("%%%02X"):format(byte:byte()) end)
  local query = {
    name = names, use_regex = true, page = 1, page_size = MOST_OF_PAGE, disable_stats = true, enable_queue_totals = true,
  }
  return getting(input, "/api/queues/" .. vhost, query, expression)
end

local function prepare_queue(input)
  local get = getting_queues(input, "^\\Q" .. input.queue .. "\\E$", "type(items) == 'array' && {list: items[?name]}")
  return function()
    local queue = queue_of(get().list, input)
    if queue.state == "running" and not has_majority(queue) then queue.state = "minority" end
    return queue
  end
end

---No name matches the expression, so RabbitMQ lists none.
local function selects_queues(context)
  return getting_queues(context.input, "(?!)", "items == `[]` && filtered_count == `0`")()
end

local node_is_healthy = "running == `true` && mem_alarm == `false` && disk_free_alarm == `false` "
  .. "&& not_null(partitions, `[]`) == `[]` && not_null(being_drained, `false`) == `false`"
local is_healthy = ("length(output.nodes) >= input.nodes && length(output.nodes[?!(%s)]) == `0`"):format(node_is_healthy)
local is_drained = "messages == `0` && not_null(messages_ready, `0`) == `0` && not_null(messages_unacknowledged, `0`) == `0` "
  .. "&& contains(['running', 'idle', 'flow'], not_null(state, 'running'))"

---The 0 of a queue whose messages are counted now and then may be older than the wait.
local function is_early(context)
  local queue = context.output
  return type(queue) == "table" and queue.type ~= nil and queue.type ~= "classic" and queue.messages == 0
    and context.elapsed < context.input.settle
end

return {
  ListNodes = operation {
    prepare = prepare_nodes,
    output = {
      nodes = { type = "list" },
    },
    inputs = {
      nodes = {
        type = "integer", asks = true, minimum = 1, default = 1,
        documentation = "The least number of nodes in the cluster.",
      },
    },
    default = "ClusterHealthy",
    waitable = {
      ClusterHealthy = {
        documentation = "Waits until all nodes run without an alarm.",
        countsAsReady = "/api/nodes names each node as running, without an alarm of memory or disk (false, and not missing), "
          .. "without a partition, and not in maintenance",
        acceptors = {
          acceptor.input_output("success", is_healthy),
          acceptor.error("retry", "NotFound"), -- at first
          acceptor.error("retry", "Gone"),
        },
      },
    },
  },
  GetQueue = operation {
    prepare = prepare_queue,
    witness = selects_queues,
    fact = "'the queue is there'",
    inputs = {
      queue = { type = "string", required = true, positional = 2, example = "jobs", documentation = "The queue." },
      vhost = { type = "string", pattern = ".", expected = "the name of a vhost", default = "/", documentation = "Its vhost." },
      settle = {
        type = "duration", default = 6,
        documentation =
          "The time after which an empty quorum queue or stream is believed; more than its tick interval, which is 5 s.",
      },
    },
    waitable = {
      QueueExists = {
        documentation = "Waits until a queue exists.",
        countsAsReady = "/api/queues of the vhost lists the queue by its name, also one whose node is down, and none for another "
          .. "name",
        acceptors = { acceptor.success(), acceptor.error("retry", "QueueNotFound") },
      },
      QueueDrained = {
        documentation = "Waits until a queue is empty.",
        countsAsGone = "/api/queues counts no messages of the queue, whose state is running, with a majority of its members; "
          .. "a quorum queue or stream after the time `settle`; and it lists no queue for another name",
        acceptors = {
          acceptor.output("failure", "state", "crashed"),
          { state = "retry", matcher = { lua = is_early } },
          acceptor.output("success", is_drained),
        },
      },
    },
  },
}
