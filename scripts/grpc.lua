---Waits until a gRPC server, or one of its services, is SERVING by gRPC's own health check (grpc.health.v1).
---The server is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run grpc localhost:50051 --max-wait 30s
---    bide run grpc https://api:443 service=shop.Orders ca=ca.pem bearer=@env:TOKEN --max-wait 1m
---    bide run grpc temporal:7233 service=temporal.api.workflowservice.v1.WorkflowService --max-wait 2m
---
---A server without that check (UNIMPLEMENTED) is a failure. A service that is not known yet is waited for.

local acceptor, address, grpc = require "bide.acceptor", require "bide.address", require "bide.grpc"
local tls = require "bide.tls"
local port, forms = 50051, { schemes = { "grpc", "http", "grpcs", "https" }, parameters = {} }

local function check(input)
  local target = assert(address.of(input, port, forms))
  local options = tls.options(input, target.scheme == "https" or target.scheme == "grpcs")
  if options then options.host = nil end
  return grpc { host = target.host, port = target.port, service = input.service, tls = options, timeout = input.timeout,
    headers = input.bearer and { Authorization = "Bearer " .. input.bearer } }
end

local inputs = tls.inputs(address.url_inputs({
  url = { type = "string", positional = 1, example = "localhost:50051", documentation = "HOST:PORT, or https:// for TLS." },
  service = { type = "string", example = "shop.Orders", documentation = "A service's full name. Default: the whole server." },
  bearer = { type = "string", secret = true, documentation = "A bearer token." } }, port))
inputs.user, inputs.password, inputs.server_name = nil, nil, nil -- gRPC has none of them

return { Check = { call = check, input = inputs, check = tls.check(address.check(port, forms)), default = "GrpcServing",
  waitable = { GrpcServing = { documentation = "Waits until a gRPC server is serving.",
    countsAsReady = "grpc.health.v1 says SERVING, of the service or of the whole server",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.output("success", "status", "SERVING"), acceptor.error("failure", "UNIMPLEMENTED"),
      acceptor.transient "NOT_FOUND" } } } } }
