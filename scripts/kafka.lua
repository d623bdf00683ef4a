---Waits until Kafka's brokers answer. Or, with TopicReady, until each partition of a topic has a leader; with TopicGone,
---until there is no such topic. No topic is made. A broker that does not know the others yet knows no topic
---either: with TopicGone, brokers is how many it must know.
---Kafka is near, and a poll takes some of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run kafka broker:9092 brokers=3 --max-wait 2m
---    bide run kafka TopicReady broker1,broker2 orders partitions=6 in_sync=2 --max-wait 2m
---    bide run kafka kafka+ssl://app@broker:9093 password=@env:PASSWORD ca=ca.pem --max-wait 2m

local acceptor, address, kafka = require "bide.acceptor", require "bide.address", require "bide.kafka"
local port, forms, tls = 9092, { schemes = { "kafka", "kafka+ssl" }, parameters = {}, needs_user = true }, require "bide.tls"

local function ask(input)
  local found = address.ask_each(address.read_list(input.url, port, forms), function(target)
    return kafka { host = target.host, port = target.port, user = input.user or target.user, password = input.password
      or target.password, tls = tls.options(input, target.scheme == "kafka+ssl"), topic = input.topic, timeout = input.timeout }
  end)
  local topic, is_whole = found.topic, #found.brokers >= input.brokers
  found.ready = is_whole and (not topic or topic.exists and topic.leaderless == 0
    and topic.partitions >= input.partitions and topic.inSync >= input.in_sync)
  found.gone = is_whole and topic ~= nil and not topic.exists
  return found
end

local function number(text) return { type = "integer", asks = true, default = 1, minimum = 1, documentation = text } end
local function operation(own, waiters)
  own.url = { type = "string", required = true, positional = 1, example = "broker1,broker2:9092",
    documentation = "The brokers, HOST:PORT,HOST:PORT; kafka+ssl:// before them for TLS. The first that answers counts." }
  own.brokers = number "The least number of brokers in the cluster."
  for _, waiter in pairs(waiters) do
    waiter.minDelay, waiter.maxDelay, waiter.lateness = 0.05, 5, 0.05
  end
  return { call = ask, check = tls.check(address.check_list("url", port, forms)),
    input = tls.inputs(address.list_inputs(own)), waitable = waiters }
end

local function waiter(text, opposite, success, more)
  local definition = { documentation = text, opposite = opposite, acceptors = { acceptor.output("success", success),
    acceptor.error("failure", "SaslAuthenticationFailed"), acceptor.transient("UnexpectedAnswer", "KafkaError") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

local brokers = operation({}, {
  KafkaReady = waiter("Waits until Kafka's brokers answer.", nil, "ready",
    { countsAsReady = "the first broker that answers Metadata names at least `brokers` brokers of the cluster" }),
})
brokers.default = "KafkaReady"

return { Ask = brokers, AskForTopic = operation({
  topic = { type = "string", required = true, positional = 2, example = "orders", documentation = "The topic." },
  partitions = number "The least number of its partitions.",
  in_sync = number "The least replicas in sync, of each.",
}, {
  TopicReady = waiter("Waits until each partition of a topic has a leader.", "TopicGone", "ready", { countsAsReady =
    "Metadata gives the topic with enough partitions, each with a leader and enough replicas in sync, and enough brokers" }),
  TopicGone = waiter("Waits until there is no such topic.", "TopicReady", "gone", { countsAsGone =
    "Metadata answers UNKNOWN_TOPIC_OR_PARTITION for the topic, from a broker that knows at least `brokers` brokers" }),
}) }
