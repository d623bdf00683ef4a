---Follows redirects (RFC 9110, 15.4). Each hop is a request of its own. Credentials, most headers, and bodies are sent only
---to the origin for which they were given, and a request over TLS is not repeated without TLS.

local core = require "bide.core"
local origins = require "bide.probe.http.origin"
local requests = require "bide.probe.http.request"
local retries = require "bide.task.retries"
local secret = require "bide.text.secret"
local transfer = require "bide.probe.http.transfer"

local loop = core.loop

---The default for the most redirects that are followed.
local MOST = 10

local function set(names)
  local members = {}
  for name in names:gmatch "%S+" do members[name] = true end
  return members
end

local followed = { [300] = true, [301] = true, [302] = true, [303] = true, [307] = true, [308] = true }

---The headers that another origin may see.
local harmless = set [[accept accept-charset accept-encoding accept-language cache-control content-encoding content-language
  content-type pragma range user-agent]]

---The options with credentials, which another origin does not get.
local credentials = set "user password bearer certificate key key_password"

---The headers that describe a body, which are dropped with it.
local of_body = set "content-encoding content-language content-length content-location content-type transfer-encoding"

---Returns a copy of the headers for which a test is true.
local function filter(headers, passes)
  local kept = {}
  for i = 1, #headers, 2 do
    if passes(headers[i]:lower()) then
      kept[#kept + 1] = headers[i]
      kept[#kept + 1] = headers[i + 1]
    end
  end
  return kept
end

---One request of a chain.
---@class bide.http.Hop
---@field request bide.transfer.Request
---@field origin string

---@param request bide.transfer.Request a copy, which is changed
---@param passes fun(name: string): boolean of headers
---@param without table<string, boolean> options that are left out
local function strip(request, passes, without)
  for name in pairs(without) do request[name] = nil end
  if request.headers then request.headers = filter(request.headers, passes) end
end

---Reports whether a redirect becomes a GET: after 303, and, by tradition, a POST after 301 and 302.
local function becomes_get(status, method)
  if status == 303 then return method ~= "GET" and method ~= "HEAD" end
  return (status == 301 or status == 302) and method == "POST"
end

local function refuse(hop, status, url, why)
  local mask = secret.any()
  error({
    type = "RedirectRefused",
    message = ("the redirect (%d) from %s to %s is refused: %s")
      :format(status, mask:text(hop.request.url), mask:text(url), why),
  }, 0)
end

local function host_of(origin)
  return origin:match "^%a+://(.*):%d+$"
end

---Returns what two URLs of one page have in common: the host without www, the path without a last slash, and the query.
local function page_of(hop)
  local path, query = hop.request.url:match "^%a+://[^/?#]*([^?#]*)([^#]*)"
  return ("%s%s%s"):format(host_of(hop.origin):gsub("^www%.", ""), path:gsub("/+$", ""), query)
end

---Reports whether two hops ask for one page, over TLS or not. TLS has a port of its own.
local function are_one_page(hop, other)
  local scheme, port = hop.origin:match "^(%a+):.*:(%d+)$"
  local other_scheme, other_port = other.origin:match "^(%a+):.*:(%d+)$"
  return (scheme ~= other_scheme or port == other_port) and page_of(hop) == page_of(other)
end

---Raises RedirectRefused if a hop may not follow the one before.
local function check(before, hop, status)
  local request = hop.request
  local within = request.redirect_within
  if within == "host" and host_of(hop.origin) ~= host_of(before.origin) then
    refuse(before, status, request.url, "it leads to another host, whose service is another one; give that URL if it is meant")
  end
  if within == "page" and not are_one_page(before, hop) then
    refuse(before, status, request.url, "it leads to another page, which says nothing of this one, as a page of login; "
      .. "if that page is meant, give its URL, follow=true, or expect=TEXT")
  end
  if before.origin:find "^https:" and not hop.origin:find "^https:" and not request.redirect_insecure then
    refuse(before, status, request.url, "it leads from https to http; redirects = { insecure = true } follows it")
  end
  if origins.stray(hop.origin, before.origin) and request.body and not request.redirect_bodies then
    refuse(before, status, request.url, "the body would go to another host; redirects = { bodies = true } sends it there")
  end
end

---Returns the next hop. If its location is not a URL, the transfer raises that.
---@return bide.http.Hop
local function next_hop(before, response, location)
  local url, origin = transfer.resolve(before.request.url, location)
  local request = requests.copy(before.request)
  local hop = { request = request, origin = origin or "" }
  request.url = url or location
  if becomes_get(response.status, request.method) then
    request.method = "GET"
    strip(request, function(name) return not of_body[name] end, { body = true })
  end
  if not url then return hop end
  check(before, hop, response.status)
  if host_of(hop.origin) ~= host_of(before.origin) then request.address = nil end
  if origins.stray(hop.origin, before.origin) then
    strip(request, function(name) return harmless[name] or false end, credentials)
  end
  return hop
end

---Gives the request of a hop the remaining time, since all hops together have the timeout of the first request.
local function limit(request, deadline)
  if deadline then request.timeout = math.max(deadline - loop.update(), 1) end
end

local M = {}

---Returns the location of a redirect; nil if the answer is the last one.
---@param response bide.http.Response
---@param request bide.transfer.Request
---@return string?
function M.location(response, request)
  if not followed[response.status] or request.redirect_most == 0 then return nil end
  local location = response:header "location"
  return location ~= "" and location or nil
end

---Sends the request of a hop. Its failure says that the host of the first URL has answered.
local function send_hop(send, hop, deadline)
  limit(hop.request, deadline)
  local ok, response = pcall(send, hop.request)
  if ok then return response end
  if type(response) == "table" and type(response.type) == "string" then response.redirected = true end
  error(response, 0)
end

---Follows redirects, beginning with a first answer. The attempt says where they led: a page of login is another answer
---than that of the URL.
---@param send fun(request: bide.transfer.Request): bide.http.Response
---@param request bide.transfer.Request
---@param response bide.http.Response
---@param deadline integer? of all requests together, on the loop's clock
---@return bide.http.Response
function M.follow(send, request, response, deadline)
  local hop = { request = request, origin = transfer.origin(request.url) or "" }
  local most = request.redirect_most or MOST
  local location, count = M.location(response, request), 0
  while location do
    count = count + 1
    if count > most then
      error({ type = "TooManyRedirects", address = response.address,
        message = ("more than %d redirects, the last one from %s"):format(most, secret.any():text(hop.request.url)) }, 0)
    end
    hop = next_hop(hop, response, location)
    response = send_hop(send, hop, deadline)
    location = M.location(response, hop.request)
  end
  if count > 0 then retries.remark("redirected to " .. secret.any():text(hop.request.url)) end
  return response
end

return M
