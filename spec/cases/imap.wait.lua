---Cases of the recipe imap. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { host = "mail:143" }

return {
  recipe = "imap",
  shapes.succeeds("ImapReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("ImapReady", "BAD", input),
}
