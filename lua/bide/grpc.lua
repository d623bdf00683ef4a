---Asks a gRPC server for its health (grpc.health.v1), over HTTP/2 with or without TLS.
---
---    local grpc = require "bide.grpc"
---    grpc { host = "api", port = 50051 }                                     --> { status = "SERVING" }
---    grpc { host = "api", port = 443, service = "shop.Orders", tls = { ca = "ca.pem" } }
---
---The status is the server's, or that of one service: "SERVING", "NOT_SERVING", "UNKNOWN" or "SERVICE_UNKNOWN". If the call
---fails, raises an operation error whose type is the name of its code: `UNIMPLEMENTED` without a health service,
---`NOT_FOUND` for an unknown service, `UNAVAILABLE`. Raises the operation errors of bide.http, and this one:
---
---    InvalidAnswer    the server does not speak the protocol

local fail = require "bide.text.fail"
local http = require "bide.http"
local kinds = require("bide.text.option").kinds
local message = require "bide.probe.grpc.message"
local option = require "bide.text.option"
local peer_options = require "bide.probe.peer.options"
local tables = require "bide.text.tables"
local tls = require "bide.tls"
local web_address = require "bide.text.web_address"

---Its function in `bide`.
---@class bide
---@field grpc fun(options: bide.grpc.Options): bide.grpc.Result

local PORT, METHOD = 50051, "/grpc.health.v1.Health/Check"

---The largest answer, in bytes; the usual one has seven.
local LARGEST = 64 * 1024

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.grpc.Options
---@field host string a name or an address
---@field port? integer|string 50051 by default
---@field service? string the full name of a service; by default the server as a whole
---@field headers? table<string, string> metadata of the call
---@field tls? bide.grpc.Tls speaks TLS; `{}` for its defaults
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.grpc.Tls
---@field verify? boolean false trusts any certificate
---@field ca? string certificates of authorities to trust, a PEM file
---@field certificate? string the client's certificate, a PEM file
---@field key? string the key of it, a PEM file; by default in the same file
---@field key_password? string the password of the key

---@class bide.grpc.Result
---@field status "SERVING"|"NOT_SERVING"|"UNKNOWN"|"SERVICE_UNKNOWN"

local kind_of = { host = kinds.text, port = peer_options.port, service = kinds.text, headers = kinds.table,
  tls = kinds.table, timeout = kinds.seconds }

local kind_of_tls = { verify = kinds.flag, ca = kinds.text, certificate = kinds.text, key = kinds.text,
  key_password = kinds.text }

local codes = { "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
  "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED" }

---@return string? mistake
local function mistake_of_tls(given)
  local mistake = option.check(given, kind_of_tls)
  return mistake and "tls." .. mistake or tls.mistake(given)
end

---@param given bide.grpc.Options
---@return string url
local function url_of(given)
  local host = given.host:find(":", 1, true) and ("[%s]"):format(given.host) or given.host
  return ("%s://%s:%s%s"):format(given.tls and "https" or "http", host, given.port or PORT, METHOD)
end

---Adds what belongs to the protocol to the metadata.
local function headers_of(given)
  return tables.merged(given.headers, { ["Content-Type"] = "application/grpc", TE = "trailers" })
end

---@param given bide.grpc.Options
---@return bide.http.Response
local function ask(given)
  local secure = given.tls or {}
  return http.post(url_of(given), { http2 = true, headers = headers_of(given), body = message.question(given.service or ""),
    verify = secure.verify, ca = secure.ca, certificate = secure.certificate, key = secure.key or secure.certificate,
    key_password = secure.key_password, redirects = 0, body_limit = LARGEST, timeout = given.timeout or 10 })
end

---Raises the error of a call that failed. Its message is percent-encoded.
local function refuse(code, text)
  text = web_address.unescape(text or "")
  fail(codes[code] or "UNKNOWN", text ~= "" and text or "the call failed with code " .. code)
end

---Returns the code of a call; nil if the answer has none, or several that differ.
---@param response bide.http.Response
---@return integer?
local function code_of(response)
  local code
  for text in (response.headers["grpc-status"] or ""):gmatch "[^,]+" do
    local one = tonumber(text:match "^%s*(%d%d?)%s*$")
    if not one or code and one ~= code then return nil end
    code = one
  end
  return math.tointeger(code)
end

---@param response bide.http.Response
---@return bide.grpc.Result
local function read(response)
  if response.status ~= 200 then error(response:operation_error()
    or { type = "InvalidAnswer", message = ("the status is %d"):format(response.status) }, 0) end
  local code, kind = code_of(response), response:media_type() or "of no type"
  if not code then fail("InvalidAnswer", "this is not gRPC: the answer has no grpc-status, or several") end
  if code ~= 0 then refuse(code, response:header "grpc-message") end
  if not kind:find "^application/grpc" then fail("InvalidAnswer", "this is not gRPC: the answer is " .. kind) end
  return { status = message.status(response.body) or fail("InvalidAnswer", "this is no answer about health") }
end

---@param given bide.grpc.Options
---@return bide.grpc.Result
return function(given)
  local mistake = option.check(given, kind_of, { "host" }) or given.tls and mistake_of_tls(given.tls)
  if mistake then error("bide.grpc: " .. mistake, 2) end
  return read(ask(given))
end
