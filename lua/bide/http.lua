---HTTP for operations and scripts. Every call waits, and while it waits the
---other tasks of the process go on.
---
---A transport failure is raised as an operation error, a table with `type` and
---`message`; any answer, whatever its status, is returned.
---
---    local http = require "bide.http"
---    local response = http.get("http://localhost:8080/things/1", { timeout = 5 })
---    if response.status == 404 then error { type = "NotFound", status = 404 } end
---    return response:json()

local core = require "bide.core"
local policy = require "bide.http.policy"
local options = require "bide.http.options"
local shortage = require "bide.tasks.shortage"

local new_waker, pause = core.task.waker, core.task.pause

---What to send and how. Unknown options and wrong types raise.
---@class bide.http.Options
---@field query? table<string, any> added to the URL, escaped; a list repeats the name
---@field headers? table<string, string|number|(string|number)[]> a list repeats the header
---@field body? string sent as it is
---@field json? any sent as JSON; Content-Type is application/json unless it is given
---@field bearer? string a token for `Authorization: Bearer`
---@field user? string a name for basic authentication, or "name:password"
---@field password? string the password to it
---@field certificate? string the client's certificate, a PEM file
---@field key? string the key of it, a PEM file
---@field key_password? string the password of the key
---@field ca? string certificates of authorities to trust, a PEM file; otherwise those of the environment
---(CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR), else the system's
---@field verify? boolean false trusts any certificate
---@field http2? boolean true is HTTP/2 without TLS too, false HTTP/1.1; otherwise the server chooses, over TLS
---@field unix_socket? string a socket to connect to, in place of the URL's host
---@field proxy? string|false a proxy's URL; false is none; otherwise the environment says
---@field redirects? integer|bide.http.Redirects how many to follow, 0 for none; 10 otherwise
---@field timeout? number seconds for the whole transfer; the time left to a wait caps it in any case
---@field connect_timeout? number seconds to connect; 10 otherwise
---@field idle_timeout? number seconds without a byte in either direction after which it is given up
---@field body_limit? integer the largest body to take, in bytes after decompression; 32 MiB otherwise
---@field retry? string|bide.RetryOptions how often it is sent again where it fails; never otherwise
---@field share? boolean whether it is sent once for all who ask the same while it is in flight; false otherwise
---@field rate? string "5/s": how often its host is asked at most, over all requests of that rate

---Which redirects are followed. Another origin (scheme, host and port) gets few headers and no credentials.
---@class bide.http.Redirects
---@field most? integer how many to follow, 0 for none; 10 otherwise
---@field insecure? boolean whether one may lead from https to http
---@field bodies? boolean whether a body may go to another origin

---@class bide.http.Request : bide.http.Options
---@field url string
---@field method? string GET otherwise

---What a service answered.
---@class bide.http.Response
---@field status integer
---@field ok boolean whether the status is 200 to 299
---@field headers table<string, string> names in whatever case; a repeated one is joined with ", "
---@field body string
---@field url string where it came from, after redirects
---@field version string "1.0", "1.1" or "2"
---@field address string where the connection went, "127.0.0.1:8080"; a socket's path
---@field json fun(self): any the body as Lua values; raises the operation error InvalidResponse
---@field header fun(self, name: string): string? the first value of one header
---@field media_type fun(self): string? "text/html": what its Content-Type names, in lower case and without parameters
---@field document fun(self): userdata?, bide.OperationError? the body as JSON that Lua has not read
---@field copy fun(self): bide.http.Response another one, with which anything may be done
---@field operation_error fun(self): bide.OperationError? the error that a status of 300 or above is

---@class bide.OperationError
---@field type string
---@field message? string
---@field status? integer
---@field retryAfter? number|string seconds that the service asked to wait, or what its header Retry-After said
---@field address? string of a transport failure: the address that was tried last

local M = {}

local transfer, redirect

---libcurl is loaded with the first request and not before it is needed.
local function load_transfer()
  transfer, redirect = require "bide.transfer", require "bide.http.redirect"
  shortage.at_shortage(transfer.close_idle)
  require("bide.answer").extend(transfer.methods)
end

---@return bide.http.Response?
---@return bide.OperationError|string|nil failure a string where bide itself lacked something to send it
local function try(method, url, prepared)
  local waker = new_waker()
  local running <close> = transfer.start(waker, method, url, prepared)
  pause(waker)
  return running:result()
end

---One request over the wire.
---@return bide.http.Response
local function send(method, url, prepared)
  local response, failure = shortage.wait_out(try, method, url, prepared)
  if not response then error(failure, 0) end
  return response
end

---A request, and those that it is redirected to.
---@return bide.http.Response
local function exchange(method, url, prepared)
  if not transfer then load_transfer() end
  local began = core.loop.now()
  local response = send(method, url, prepared)
  if response.status < 300 or not redirect.location(response, prepared) then return response end
  return redirect.follow(send, method, url, prepared, response, began)
end

---Sends a request and returns the response.
---@param request bide.http.Request
---@return bide.http.Response
function M.request(request)
  local method, url, prepared, own = options.read("request", request)
  if not method then error(url, 2) end
  return policy.send(exchange, method, url, prepared, own)
end

---A tail call leaves no level of its own, so that level 2 is the script's.
local function send_as(name, method, address, given)
  local _, url, prepared, own = options.read(name, given, method, address)
  if not prepared then error(url, 2) end
  return policy.send(exchange, method, url, prepared, own)
end

---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.get(url, given)
  return send_as("get", "GET", url, given)
end

---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.head(url, given)
  return send_as("head", "HEAD", url, given)
end

---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.post(url, given)
  return send_as("post", "POST", url, given)
end

---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.put(url, given)
  return send_as("put", "PUT", url, given)
end

---@param url string
---@param given? bide.http.Options
---@return bide.http.Response
function M.delete(url, given)
  return send_as("delete", "DELETE", url, given)
end

---Declares the inputs of a request as the recipe `http` has them: url, method, headers, bearer, ca … For the member
---`input` of an operation.
---@param own? table<string, bide.InputMember> further ones, or others in place of these
---@return table<string, bide.InputMember>
function M.inputs(own)
  return require("bide.http.inputs").declare(own)
end

---Returns what is wrong with such inputs. For the member `check` of an operation.
---@param input table
---@return string? mistake
function M.mistake(input)
  return require("bide.http.inputs").mistake(input)
end

---Returns the request that such inputs describe, for http.request.
---@param input table
---@return bide.http.Request
function M.request_of(input)
  return require("bide.http.inputs").request(input)
end

---Returns the JSON of an answer as the output of an operation, `{}` without any. Raises an operation error if the
---status is none of the input's.
---@param response bide.http.Response
---@param input table
---@return any output
function M.output(response, input)
  return require("bide.http.inputs").output(response, input.status)
end

---The version of libcurl and of what it is built with.
---@return string
function M.version()
  if not transfer then load_transfer() end
  return transfer.version()
end

return M
