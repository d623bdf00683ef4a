---Waits until Kafka's brokers answer. Or, with TopicReady, until each partition of a topic has a leader; with TopicGone,
---until there is no such topic. No topic is made. A broker that does not know the others yet knows no topic
---either: with TopicGone, brokers is how many it must know.
---Kafka is near, and a poll takes some of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run kafka broker:9092 brokers=3 --max-wait 2m
---    bide run kafka TopicReady broker1,broker2 orders partitions=6 in_sync=2 --max-wait 2m
---    bide run kafka kafka+ssl://app@broker:9093 password=@env:PASSWORD ca=ca.pem --max-wait 2m

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local kafka = require "bide.kafka"
local service = require "bide.service"

local function number(text)
  return { type = "integer", asks = true, default = 1, minimum = 1, documentation = text }
end

local operation = service {
  port = 9092,
  schemes = { "kafka", "kafka+ssl" },
  tls = "kafka+ssl",
  parameters = {},
  needs_user = true,
  urls = {
    example = "broker1,broker2:9092",
    documentation = "The brokers, HOST:PORT,HOST:PORT; kafka+ssl:// before them for TLS. The first that answers counts.",
  },
  inputs = {
    brokers = number "The least number of brokers in the cluster.",
    mechanism = {
      type = "string", values = { "SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN" },
      documentation = "How the password is proved by SASL; PLAIN sends it. Default: the first of these that the broker "
        .. "takes, PLAIN only over TLS that is verified.",
    },
  },
  failures = { "SaslAuthenticationFailed", "UnsupportedSaslMechanism" },
  transient = { "UnexpectedAnswer", "KafkaError" },
}

---Says of an answer whether it is what the inputs ask for.
local function judge(found, input)
  local topic, is_whole = found.topic, #found.brokers >= input.brokers
  found.ready = is_whole and (not topic or topic.exists and topic.leaderless == 0
    and topic.partitions >= input.partitions and topic.inSync >= input.in_sync)
  found.gone = is_whole and topic ~= nil and not topic.exists
  return found
end

---The most bytes of a topic's name.
local LONGEST <const> = 249

---@return string? mistake
local function mistake_of_topic(input)
  if #input.topic <= LONGEST then return nil end
  return ("topic: expected at most %d bytes, found %d"):format(LONGEST, #input.topic)
end

local function prepare(targets, input)
  local function ask(target)
    return kafka {
      host = target.host, port = target.port, user = target.user, password = target.password, tls = target.tls,
      mechanism = input.mechanism, topic = input.topic, timeout = target.timeout,
    }
  end
  return function() return judge(address.ask_each(targets, ask), input) end
end

local output = {
  brokers = { type = "list" },
  cluster = { type = "string" },
  topic = { type = "object" },
  ready = { type = "boolean" },
  gone = { type = "boolean" },
}

return {
  Ask = operation {
    prepare = prepare,
    output = output,
    default = "KafkaReady",
    waitable = {
      KafkaReady = {
        documentation = "Waits until Kafka's brokers answer.",
        countsAsReady = "the first broker that answers Metadata names at least `brokers` brokers of the cluster",
        acceptors = { acceptor.output("success", "ready") },
      },
    },
  },
  AskForTopic = operation {
    prepare = prepare,
    check = mistake_of_topic,
    output = output,
    inputs = {
      topic = { type = "string", required = true, positional = 2, example = "orders", documentation = "The topic." },
      partitions = number "The least number of its partitions.",
      in_sync = number "The least replicas in sync, of each.",
    },
    waitable = {
      TopicReady = {
        documentation = "Waits until each partition of a topic has a leader.",
        countsAsReady =
          "Metadata gives the topic with enough partitions, each with a leader and enough replicas in sync, and enough brokers",
        opposite = "TopicGone",
        acceptors = { acceptor.output("success", "ready") },
      },
      TopicGone = {
        documentation = "Waits until there is no such topic.",
        countsAsGone =
          "Metadata answers UNKNOWN_TOPIC_OR_PARTITION for the topic, from a broker that knows at least `brokers` brokers",
        acceptors = { acceptor.output("success", "gone") },
      },
    },
  },
}
