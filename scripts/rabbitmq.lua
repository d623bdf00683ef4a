---Waits until all RabbitMQ nodes run without an alarm, as reported by the management plugin. Or, with QueueExists, until
---a queue exists; with QueueDrained, until it holds no message. A message counts until it is acknowledged.
---RabbitMQ is near, and a poll takes some of its time: the delays are 50 ms to 500 ms.
---
---    bide run rabbitmq localhost:15672 --max-wait 2m
---    bide run rabbitmq QueueDrained localhost:15672 jobs user=ops password=@env:PASSWORD --max-wait 1h

local acceptor, address, http = require "bide.acceptor", require "bide.address", require "bide.http"
local server, user = "localhost:15672", { type = "string", default = "guest", documentation = "The user." }
local password = { type = "string", default = "guest", secret = true, documentation = "The user's password." }
local function get(input, path, query, expression)
  return http.find(http.get(address.http(input.url) .. path, { query = query, timeout = input.timeout, user = input.user,
    password = input.password }), expression, "RabbitMQ")
end

local columns, nodes = { columns = "name,running,mem_alarm,disk_free_alarm" }, "[?name] | [0] && @"
local function list_nodes(input) return { nodes = get(input, "/api/nodes", columns, nodes) } end

---The list of queues counts now, where the page of one queue has figures that are seconds old.
local function get_queue(input)
  local vhost = input.vhost:gsub("[^%w]", function(byte) return ("%%%02X"):format(byte:byte()) end)
  local found = get(input, "/api/queues/" .. vhost, { name = "^\\Q" .. input.queue .. "\\E$", use_regex = true, page = 1,
    page_size = 1, disable_stats = true, enable_queue_totals = true }, "type(items) == 'array' && {list: items[?name]}").list
  return found[1] or error { type = "QueueNotFound", message = "there is no queue " .. input.queue }
end

local function waiter(text, ...) return { documentation = text, minDelay = 0.05, maxDelay = 0.5, acceptors = { ... } } end

return { ListNodes = { call = list_nodes, check = address.check_http, input = address.http_inputs({
  user = user, password = password }, server), default = "ClusterHealthy", waitable = {
  ClusterHealthy = waiter("Waits until all nodes run without an alarm.", acceptor.transient("NotFound", "Gone"), -- at first
    acceptor.output("success", "length(nodes[?!running || mem_alarm || disk_free_alarm]) == `0`")),
} }, GetQueue = { call = get_queue, check = address.check_http, input = address.http_inputs({
  queue = { type = "string", required = true, positional = 2, example = "jobs", documentation = "The queue." },
  user = user, password = password, vhost = { type = "string", pattern = ".",
    expected = "the name of a vhost", default = "/", documentation = "Its vhost." } }, server),
  waitable = { QueueExists = waiter("Waits until a queue exists.", acceptor.success(), acceptor.transient "QueueNotFound"),
  QueueDrained = waiter("Waits until a queue is empty.", acceptor.output("failure", "state", "crashed"),
    acceptor.output("success", "messages == `0`"), acceptor.transient()),
} } }
