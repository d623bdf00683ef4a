---Cases of the recipe http. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "http",
  {
    name = "ServiceDown tries again until it succeeds",
    waiter = "ServiceDown",
    input = { url = "localhost:8080/health" },
    answers = {
      { error = { type = "Http404", status = 404 } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "ConnectionRefused" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05 } },
  },
}
