---Cases of the recipe smtp. `answers` are in place of its requests, so they test acceptors and delays;
---with `dialogue` it sends them.

local shapes = require "shapes"

local input = { host = "mail:587" }

return {
  recipe = "smtp",
  shapes.succeeds("SmtpReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("SmtpReady", "554", input),
  {
    name = "SmtpReady greets, and waits where the server is busy",
    waiter = "SmtpReady",
    input = { host = "127.0.0.1" },
    dialogue = {
      { { send = "421 busy\r\n", close = true } },
      {
        { send = "220 mail ESMTP\r\n" },
        { receive = "EHLO localhost\r\n", send = "250 mail\r\n" },
        { receive = "QUIT\r\n", send = "221 bye\r\n" },
      },
    },
    expect = { state = "success", attempts = 2 },
  },
}
