---Waits until nginx has answered all in-flight requests, so that it can be stopped or updated: its stub_status page
---counts no request but bide's own. Or, with NginxServing, until that page is available.
---
---    bide run nginx url=http://localhost:8080/status --max-wait 5m -- nginx -s stop
---    bide run nginx NginxServing url=http://localhost:8080/status --max-wait 30s
---
---Idle connections do not count. Also: most=2, the number of in-flight requests to ignore; timeout=5, the seconds for one
---attempt.

local acceptor, http = require "bide.acceptor", require "bide.http"
local check = require "bide.input" { required = { "url" }, seconds = { "timeout" }, numbers = { "most" } }

local function get_status(input)
  local response = http.get(check(input).url, { timeout = input.timeout or 10 })
  if not response.ok then error(response:operation_error()) end
  local active, reading, writing = response.body:match "^Active connections: (%d+)%s.-Reading: (%d+) Writing: (%d+)"
  if not active then error { type = "InvalidAnswer", message = input.url .. " is not a stub_status page" } end
  local in_flight = math.tointeger(reading + writing - 1) -- one of them is bide's own
  return { active = math.tointeger(active), inFlight = in_flight, drained = in_flight <= (input.most or 0) }
end

return { GetStatus = { call = get_status, default = "RequestsDrained", waitable = {
  RequestsDrained = { documentation = "Waits until no requests are in flight.", minDelay = 0.5, maxDelay = 5,
    acceptors = { acceptor.output("success", "drained"), acceptor.transient() } },
  NginxServing = { documentation = "Waits until nginx serves.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), acceptor.transient() } },
} } }
