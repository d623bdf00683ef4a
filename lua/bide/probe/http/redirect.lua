---Follows redirects (RFC 9110, 15.4). Each hop is a request of its own. Credentials, most headers, and bodies are sent only
---to the origin for which they were given, and a request over TLS is not repeated without TLS.

local core = require "bide.core"
local origins = require "bide.probe.http.origin"
local secret = require "bide.text.secret"
local transfer = require "bide.transfer"

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
---@field method string
---@field url string
---@field origin string
---@field prepared bide.transfer.Options

---@param prepared bide.transfer.Options
---@param passes fun(name: string): boolean of headers
---@param without table<string, boolean> options that are left out
local function strip(prepared, passes, without)
  local stripped = {}
  for name, value in pairs(prepared) do
    if not without[name] then stripped[name] = value end
  end
  if stripped.headers then stripped.headers = filter(stripped.headers, passes) end
  return stripped
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
    message = ("the redirect (%d) from %s to %s is refused: %s"):format(status, mask:text(hop.url), mask:text(url), why),
  }, 0)
end

---Raises RedirectRefused if a hop may not follow the one before.
local function check(before, hop, status)
  local prepared = hop.prepared
  if before.origin:find "^https:" and not hop.origin:find "^https:" and not prepared.redirect_insecure then
    refuse(before, status, hop.url, "it leads from https to http; redirects = { insecure = true } follows it")
  end
  if origins.stray(hop.origin, before.origin) and prepared.body and not prepared.redirect_bodies then
    refuse(before, status, hop.url, "the body would go to another host; redirects = { bodies = true } sends it there")
  end
end

---Returns the next hop. If its location is not a URL, the transfer raises that.
---@return bide.http.Hop
local function next_hop(before, response, location)
  local url, origin = transfer.resolve(before.url, location)
  local hop = { method = before.method, url = url or location, origin = origin or "", prepared = before.prepared }
  if becomes_get(response.status, hop.method) then
    hop.method = "GET"
    hop.prepared = strip(hop.prepared, function(name) return not of_body[name] end, { body = true })
  end
  if not url then return hop end
  check(before, hop, response.status)
  if origins.stray(hop.origin, before.origin) then
    hop.prepared = strip(hop.prepared, function(name) return harmless[name] or false end, credentials)
  end
  return hop
end

---Returns the options with the remaining time, since all hops together have the timeout of the request.
local function within(prepared, deadline)
  if not deadline then return prepared end
  local timed = {}
  for name, value in pairs(prepared) do timed[name] = value end
  timed.timeout = math.max(deadline - loop.update(), 1)
  return timed
end

local M = {}

---Returns the location of a redirect; nil if the answer is the last one.
---@param response bide.http.Response
---@param prepared bide.transfer.Options
---@return string?
function M.location(response, prepared)
  if not followed[response.status] or prepared.redirect_most == 0 then return nil end
  local location = response:header "location"
  return location ~= "" and location or nil
end

---Sends the request of a hop. Its failure says that the host of the first URL has answered.
local function send_hop(send, hop, deadline)
  local ok, response = pcall(send, hop.method, hop.url, within(hop.prepared, deadline))
  if ok then return response end
  if type(response) == "table" and type(response.type) == "string" then response.redirected = true end
  error(response, 0)
end

---Follows redirects, beginning with a first answer.
---@param send fun(method: string, url: string, prepared: bide.transfer.Options): bide.http.Response
---@param method string
---@param url string
---@param prepared bide.transfer.Options
---@param response bide.http.Response
---@param deadline integer? of all requests together, on the loop's clock
---@return bide.http.Response
function M.follow(send, method, url, prepared, response, deadline)
  local hop = { method = method, url = url, origin = transfer.origin(url) or "", prepared = prepared }
  local most = prepared.redirect_most or MOST
  local location, count = M.location(response, prepared), 0
  while location do
    count = count + 1
    if count > most then
      error({ type = "TooManyRedirects", address = response.address,
        message = ("more than %d redirects, the last one from %s"):format(most, secret.any():text(hop.url)) }, 0)
    end
    hop = next_hop(hop, response, location)
    response = send_hop(send, hop, deadline)
    location = M.location(response, hop.prepared)
  end
  return response
end

return M
