---Waits until a gRPC server, or one of its services, is SERVING by gRPC's own health check (grpc.health.v1).
---The server is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run grpc localhost:50051 --max-wait 30s
---    bide run grpc https://api:443 service=shop.Orders ca=ca.pem bearer=@env:TOKEN --max-wait 1m
---    bide run grpc temporal:7233 service=temporal.api.workflowservice.v1.WorkflowService --max-wait 2m
---
---A server without that check (UNIMPLEMENTED) is a failure. A service that is not known yet is waited for.

local acceptor = require "bide.acceptor"
local grpc = require "bide.grpc"
local http = require "bide.http"
local service = require "bide.service"
local tls = require "bide.tls"

local operation = service {
  port = 50051,
  schemes = { "grpc", "http", "grpcs", "https" },
  tls = true,
  parameters = {},
  url = { example = "localhost:50051", documentation = "HOST:PORT, or https:// for TLS." },
  failures = { "UNIMPLEMENTED" },
  transient = { "NOT_FOUND" },
}

local function prepare(target, input)
  local is_secure = target.scheme == "https" or target.scheme == "grpcs"
  local request = {
    host = target.host, port = target.port, service = input.service, timeout = target.timeout,
    tls = tls.options(input, is_secure),
    headers = input.bearer and { Authorization = "Bearer " .. input.bearer },
  }
  return function() return grpc(request) end
end

return { Check = operation {
  prepare = prepare,
  output = {
    status = { type = "string" },
  },
  inputs = {
    service = { type = "string", example = "shop.Orders", documentation = "A service's full name. Default: the whole server." },
    bearer = http.inputs().bearer,
    user = false, password = false, server_name = false, -- gRPC has none of them
  },
  default = "GrpcServing",
  waitable = {
    GrpcServing = {
      documentation = "Waits until a gRPC server is serving.",
      countsAsReady = "grpc.health.v1 says SERVING, of the service or of the whole server",
      acceptors = { acceptor.output("success", "status", "SERVING") },
    },
  },
} }
