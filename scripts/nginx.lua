---Waits until nginx has answered all in-flight requests, so that it can be stopped or updated: its stub_status page
---counts no request but bide's own. Or, with NginxServing, until that page is available.
---nginx is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run nginx localhost:8080/status --max-wait 5m -- nginx -s stop
---    bide run nginx NginxServing localhost:8080/status --max-wait 30s
---
---Idle connections do not count. A page that does not count bide's own request is a kept or an old one, and is a failure.

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local service = require "bide.service"

local operation = service { http = "localhost:8080" }

---The digits of the largest number of requests that is believed: all such numbers are integers, and so are their sums.
local MOST_DIGITS = 15

local OK <const> = 200

---The whole page, since the end of one that was cut may be a smaller number.
local PAGE = "^Active connections: (%d+)%s*\nserver accepts handled requests[^\n]*\n[%d ]+\n"
  .. "Reading: (%d+) Writing: (%d+) Waiting: %d+%s*$"

local function refuse(input, words)
  error { type = "InvalidAnswer", message = ("%s %s"):format(input.url, words) }
end

---Reads the page, and counts the requests beside bide's own.
local function read(response, input)
  if not response.ok then error(response:operation_error()) end
  local active, reading, writing = response.body:match(PAGE)
  if response.status ~= OK or not active or #active > MOST_DIGITS or #reading > MOST_DIGITS or #writing > MOST_DIGITS then
    refuse(input, "is not a stub_status page")
  end
  if tonumber(writing) < 1 or tonumber(active) < 1 then
    refuse(input, "does not count the request of bide itself: the page is not of now, or another server's")
  end
  local in_flight = tonumber(reading) + tonumber(writing) - 1 -- one of them is bide's own
  return { active = tonumber(active), inFlight = in_flight, drained = in_flight <= input.most }
end

local function is_drained(found)
  return type(found) == "table" and found.drained
end

local function prepare(input)
  local request = http.request_of(input)
  request.redirects = "host"
  return http.until_found(request, function(at)
    request.address = at
    local get = http.prepare(request)
    return function() return read(get(), input) end
  end, is_drained)
end

return { GetStatus = operation {
  prepare = prepare,
  fact = "'the server answers'",
  output = {
    active = { type = "integer" },
    inFlight = { type = "integer" },
    drained = { type = "boolean" },
  },
  inputs = {
    most = {
      type = "integer", asks = true, minimum = 0, default = 0,
      documentation = "The number of in-flight requests to ignore.",
    },
  },
  default = "RequestsDrained",
  waitable = {
    RequestsDrained = {
      documentation = "Waits until no requests are in flight.",
      countsAsGone = "the stub_status page of each address counts bide's own request, and at most as many others as most says",
      acceptors = { acceptor.output("success", "drained") },
    },
    NginxServing = {
      documentation = "Waits until nginx serves.",
      countsAsReady = "a stub_status page that counts bide's own request",
      acceptors = { acceptor.success() },
    },
  },
} }
