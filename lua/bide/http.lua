---HTTP for operations and scripts. Every call waits, while the other tasks of the process continue.
---
---Returns any answer, whatever its status. Raises a transport failure as an operation error, a table with `type` and
---`message`.
---
---    local http = require "bide.http"
---    local response = http.get("http://localhost:8080/things/1", { timeout = 5 })
---    if response.status == 404 then error { type = "NotFound", status = 404 } end
---    return response:json()

local core = require "bide.core"
local descriptors = require "bide.task.descriptors"
local policy = require "bide.probe.http.policy"
local reach = require "bide.probe.asking.reach"
local requests = require "bide.probe.http.request"
local options = require "bide.probe.http.options"
local shortage = require "bide.task.shortage"
local wire = require "bide.probe.http.wire"

---The options of a request. An unknown one, or one of the wrong type, raises an error.
---@class bide.http.Options
---@field query? table<string, any> added to the URL, escaped; a list repeats the name
---@field headers? table<string, string|number|(string|number)[]> a list repeats the header
---@field body? string sent unchanged
---@field json? any sent as JSON; Content-Type is application/json unless it is given
---@field bearer? string a token for `Authorization: Bearer`
---@field user? string a name for basic authentication, or "name:password"
---@field password? string the password to it
---@field certificate? string the client's certificate, a PEM file or its text
---@field key? string the key of it, a PEM file or its text
---@field key_password? string the password of the key
---@field ca? string certificates of authorities to trust, a PEM file or its text; by default those of the
---environment (CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR), or else the system's
---@field verify? boolean false trusts any certificate
---@field http2? boolean true is HTTP/2, without TLS too; false is HTTP/1.1; by default the server chooses, over TLS
---@field unix_socket? string a socket to connect to, in place of the URL's host
---@field address? string the address to connect to, of those of the URL's host; by default one after the other until one
---accepts the connection
---@field proxy? string|false a proxy's URL; false for no proxy; by default that of the environment
---@field redirects? integer|"host"|"page"|bide.http.Redirects the most to follow, 10 by default; 0 follows none, "host" those
---to the same host, "page" those to the same URL but for `www.`, a last slash, or https in place of http
---@field timeout? number seconds for the whole transfer, and at most the time left to a wait
---@field connect_timeout? number seconds to connect; 10 by default
---@field idle_timeout? number seconds without a byte in either direction before the transfer fails
---@field body_limit? integer the largest body to take, in bytes after decompression; 32 MiB by default
---@field retry? string|bide.RetryOptions the policy of retries; none by default
---@field share? boolean whether equal requests that are in flight at the same time are sent once; false by default
---@field rate? string "5/s": the highest rate for its host, over all requests with that rate
---@field sign? bide.http.Sign returns headers to add, for each try when it is sent; such a request follows no redirects

---Which redirects are followed. Another origin (scheme, host and port) gets few headers and no credentials.
---@class bide.http.Redirects
---@field most? integer the most to follow, 10 by default; 0 follows none
---@field insecure? boolean whether one may lead from https to http
---@field bodies? boolean whether a body may go to another origin

---Signs a request. The headers that it returns replace those of the same names.
---@alias bide.http.Sign fun(method: string, url: string, headers: string[], body: string?): table<string, string>

---@class bide.http.Request : bide.http.Options
---@field url string
---@field method? string GET by default

---The answer of a service.
---@class bide.http.Response
---@field status integer
---@field ok boolean whether the status is 200 to 299
---@field headers table<string, string> by their names, in any case; a repeated one is joined with ", "
---@field body string
---@field url string the URL of the answer, after redirects
---@field version string "1.0", "1.1" or "2"
---@field address string the address of the connection, "127.0.0.1:8080", or the path of a socket
---@field json fun(self): any the body as Lua values; raises the operation error InvalidResponse
---@field header fun(self, name: string): string? the first value of one header
---@field header_lines fun(self): string the lines of its headers, as received
---@field media_type fun(self): string? "text/html": its Content-Type, in lower case and without parameters
---@field document fun(self): userdata?, bide.OperationError? the body as a document, not converted to Lua values
---@field copy fun(self): bide.http.Response a copy, which may be changed
---@field operation_error fun(self): bide.OperationError? the error, if the status is 300 or above

---@class bide.OperationError
---@field type string
---@field message? string
---@field status? integer
---@field retryAfter? number|string the delay that the service asked for in seconds, or its header Retry-After
---@field address? string of a transport failure: the address that was tried last
---@field code? string of a connection that failed: the system's word, "ECONNREFUSED", if there is one for all addresses
---@field began? integer of a transport failure: the status of an answer that has begun, and did not come whole
---@field redirected? boolean whether the request had been redirected, so that the host of its URL has answered

local M = {}

local transfer

---Sends one request, which is signed now: a signature ages while a request waits for its rate or a descriptor.
local function sign_and_exchange(request)
  return wire.exchange(require "bide.probe.http.signature"(request))
end

---Raises the failure of a request to a host with several addresses. The host has refused only if each address refuses.
---libcurl knows the failure of the last one only, so bide.tcp, which knows the failure of each, asks them again.
local function fail_of_last(failure, request)
  local host, port = transfer.origin(request.url):match "^%a+://(.*):(%d+)$"
  local timeout = request.timeout and request.timeout / 1000
  local ok, other = pcall(require "bide.tcp", { host = host:match "^%[(.*)%]$" or host, port = port, timeout = timeout })
  if not ok then error(other, 0) end
  failure.type, failure.code = "ConnectionFailed", nil
  failure.message = failure.message .. ", but another of its addresses accepts connections"
  error(failure, 0)
end

---Sends one request.
---@return bide.http.Response
---@return nil
---@return integer status
local function send(request)
  if reach.is_used then request = requests.within_reach(request, transfer.origin) end
  local send_one, response, lack, status = request.sign and sign_and_exchange or wire.exchange
  if not shortage.line[1] then response, lack, status = send_one(request) end
  if not response and not status then response, lack, status = shortage.wait_out(send_one, request) end
  if not response then fail_of_last(status, request) end
  return response, lack, status
end

---Sends a request, and those to which it is redirected.
---@return bide.http.Response
local function send_all(request)
  local deadline = request.timeout and core.loop.now() + request.timeout
  local response, _, status = send(request)
  if status < 300 then return response end
  local redirect = require "bide.probe.http.redirect"
  return redirect.location(response, request) and redirect.follow(send, request, response, deadline) or response
end

---Loads libcurl with the first request, and not before.
local function load_transfer()
  local loaded = require "bide.probe.http.transfer"
  loaded.set_agent("bide/" .. require "bide.version")
  require("bide.probe.asking.answer").extend(loaded.methods)
  wire.send_by(loaded.exchange)
  shortage.at_shortage(loaded.close_idle)
  transfer = loaded
end

---The way of every request. The first one loads libcurl; from then on it is the function that sends all.
---@type fun(request: bide.transfer.Request): bide.http.Response
local exchange

function exchange(request)
  if not transfer then load_transfer() end
  exchange = descriptors.holding(send_all)
  return exchange(request)
end

---Sends a request and returns the response.
---@param request bide.http.Request
---@return bide.http.Response
function M.request(request)
  local read, own = options.read("request", request)
  if not read then error(own, 2) end
  return policy.send(exchange, read, own)
end

---Returns a function that sends the request of a URL, for requests that have a common part.
---@param common bide.http.Common
---@param output? fun(response: bide.http.Response): any
---@param own bide.SendPolicy?
---@return fun(url: string): any
local function sender_of_urls(common, output, own)
  return function(url)
    local response = policy.send(exchange, requests.of_url(common, url), own)
    if output then return output(response) end
    return response
  end
end

---Reads a request once, for many times: returns a function that sends it, and returns the response, or what `output`
---makes of it. For the `prepare` of an operation.
---@param request bide.http.Request
---@param output? fun(response: bide.http.Response): any
---@return fun(): any
function M.prepare(request, output)
  local known = requests.recall(request, output, false)
  if known then return known end
  local read, own = options.read("prepare", request)
  if not read then error(own, 2) end
  local common = requests.keep(read, { output = output, own = own }, request)
  if common then
    common.send_to = common.send_to or sender_of_urls(common, output, own)
    return core.task.bound(common.send_to, read.url)
  end
  if not output then return function() return policy.send(exchange, read, own) end end
  return function() return output(policy.send(exchange, read, own)) end
end

---Returns a function that asks the host of a URL. That what is asked for is absent counts if each of the host's addresses says
---so; the first one that has it decides. An answer through a proxy or a Unix socket is the only one.
---@param request bide.http.Request whose URL is asked, for its `url`, `proxy`, `unix_socket` and `timeout`
---@param prepare fun(address: string?): fun(): any returns what asks the address, as the option `address` of its requests
---@param is_absent fun(found: any): boolean whether what was returned, or the error that was raised, says that it is absent
---@return fun(): any
function M.until_found(request, prepare, is_absent)
  return require "bide.probe.http.each_address" (request, prepare, is_absent)
end

---Asks each address of the host of a URL, for the witness of an operation that uses `until_found`. Raises the error of an address
---that does not confirm what is asked.
---@param request bide.http.Request as that of `until_found`
---@param confirm fun(address: string?): boolean asks the address, and returns true or raises
---@return boolean confirmed by all of them
function M.at_each_address(request, confirm)
  local function is_confirmed(found) return found == true end
  return M.until_found(request, function(at) return function() return confirm(at) end end, is_confirmed)()
end

---Sends a request whose answer is read while it comes: `stream:read()` and `stream:lines()`. It returns when the headers of
---the answer have come, follows no redirects and is neither shared nor sent again. Close it: `local stream <close> = …`.
---@param request bide.http.Request
---@return bide.http.Stream
function M.stream(request)
  local read, own = options.read("stream", request)
  if not read then error(own, 2) end
  if read.sign then error("http.stream: sign: not for a stream", 2) end
  if not transfer then load_transfer() end
  return require("bide.probe.http.stream").open(transfer, read, own)
end

---Sends a request with the method of a function. The callers use tail calls, so that level 2 is the script's.
local function send_as(name, method, address, given)
  if given == nil and type(address) == "string" then return policy.send(exchange, options.plain(method, address)) end
  local request, own = options.read(name, given, method, address)
  if not request then error(own, 2) end
  return policy.send(exchange, request, own)
end

---Sends a GET.
---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.get(url, given)
  return send_as("get", "GET", url, given)
end

---Sends a HEAD.
---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.head(url, given)
  return send_as("head", "HEAD", url, given)
end

---Sends a POST.
---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.post(url, given)
  return send_as("post", "POST", url, given)
end

---Sends a PUT.
---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.put(url, given)
  return send_as("put", "PUT", url, given)
end

---Sends a DELETE.
---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.delete(url, given)
  return send_as("delete", "DELETE", url, given)
end

---Declares the inputs of a request like those of the recipe `http`: url, method, headers, bearer, ca … For the member
---`input` of an operation.
---@param own? table<string, bide.InputMember> further ones, or others in place of these
---@return table<string, bide.InputMember>
function M.inputs(own)
  return require("bide.probe.http.inputs").declare(own)
end

---Declares the inputs of requests to a service whose paths the recipe knows: url, headers, bearer, ca … without method and
---body.
---@param example string an address
---@param own? table<string, bide.InputMember> further ones, or others in place of these
---@return table<string, bide.InputMember>
function M.service_inputs(example, own)
  return require("bide.probe.http.inputs").declare_service(example, own)
end

---Returns the mistake in such inputs, for the member `check` of an operation.
---@param input table
---@return string? mistake
function M.mistake(input)
  return require("bide.probe.http.inputs").mistake(input)
end

---Returns the request that such inputs describe, for http.request.
---@param input table
---@param path? string added to the URL
---@param query? table<string, any>
---@return bide.http.Request
function M.request_of(input, path, query)
  return require("bide.probe.http.inputs").request(input, path, query)
end

---Returns the JSON of an answer as the output of an operation, `{}` without any. Raises an operation error if the
---status is not one of the input's.
---@param response bide.http.Response
---@param input table
---@return any output
function M.output(response, input)
  return require("bide.probe.http.inputs").output(response, input.status)
end

---Returns http.output for the statuses of an input, for http.prepare. It keeps nothing else of the input, and is the same
---for all inputs with these statuses.
---@param input table
---@return fun(response: bide.http.Response): any
function M.output_of(input)
  return require("bide.probe.http.inputs").output_of(input.status)
end

---Returns what a JMESPath expression finds in the JSON of a good answer. Raises an operation error of another status, and
---InvalidAnswer if it finds null or false.
---@param response bide.http.Response
---@param expression string
---@param service string the name of the program that is expected to answer
---@return any
function M.find(response, expression, service)
  return require("bide.probe.asking.answer").find(response, expression, service)
end

---Returns the versions of libcurl and its libraries.
---@return string
function M.version()
  if not transfer then load_transfer() end
  return transfer.version()
end

return M
