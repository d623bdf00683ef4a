---Cases of the recipe kafka. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "kafka",
  {
    name = "KafkaReady tries again until it succeeds",
    waiter = "KafkaReady",
    input = { url = "broker1,broker2:9092" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { ready = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "KafkaReady fails: SaslAuthenticationFailed",
    waiter = "KafkaReady",
    input = { url = "broker1,broker2:9092" },
    answers = { { error = { type = "SaslAuthenticationFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "KafkaReady fails: UnsupportedSaslMechanism",
    waiter = "KafkaReady",
    input = { url = "broker1,broker2:9092" },
    answers = { { error = { type = "UnsupportedSaslMechanism" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "TopicGone tries again until it succeeds",
    waiter = "TopicGone",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { gone = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "TopicGone fails: SaslAuthenticationFailed",
    waiter = "TopicGone",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = { { error = { type = "SaslAuthenticationFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "TopicGone fails: UnsupportedSaslMechanism",
    waiter = "TopicGone",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = { { error = { type = "UnsupportedSaslMechanism" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "TopicReady tries again until it succeeds",
    waiter = "TopicReady",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { ready = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "TopicReady fails: SaslAuthenticationFailed",
    waiter = "TopicReady",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = { { error = { type = "SaslAuthenticationFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "TopicReady fails: UnsupportedSaslMechanism",
    waiter = "TopicReady",
    input = { topic = "orders", url = "broker1,broker2:9092" },
    answers = { { error = { type = "UnsupportedSaslMechanism" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
