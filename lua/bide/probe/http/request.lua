---A request as a transfer takes it.

local objects = require "bide.text.objects"
local reach = require "bide.probe.reach"

local M = {}

---Returns a copy of a request, which can be changed: its transfer is not that of the request.
---@param request bide.transfer.Request
---@return bide.transfer.Request
function M.copy(request)
  local copied = {}
  for name, value in pairs(request) do copied[name] = value end
  copied.number = nil
  return copied
end

---The number of requests that were kept.
local kept = 0

---Numbers a request that is sent often, so that it finds the transfer that is set up for it.
local function number(request)
  kept = kept + 1
  request.number = kept
  return request
end

---The common part of requests that differ in their URLs alone, as those of very many waits do.
---@class bide.http.Common
---@field rest table their other members
---@field how table what decides besides how they are sent
---@field recent table<string, bide.transfer.Request> those that were sent last, by their URLs
---@field count integer the number of those
---@field send_to? fun(url: string): any

---The most of them that are kept as they are: as many as there are transfers that are set up for one.
local RECENT = 16

---@type bide.http.Common?
local latest

---Returns a request of its URL and the common part.
---@param common bide.http.Common
---@param url string
---@return bide.transfer.Request
function M.of_url(common, url)
  local request = common.recent[url]
  if request then return request end
  if common.count == RECENT then common.recent, common.count = {}, 0 end
  request = M.copy(common.rest)
  request.url = url
  common.recent[url], common.count = number(request), common.count + 1
  return request
end

---Makes a request one that is sent often. If it differs in its URL alone from the one before, which is sent in the same way,
---only its URL needs to be kept, beside the common part.
---@param request bide.transfer.Request
---@param how table what decides besides how it is sent
---@return bide.http.Common? common nil if the request itself has to be kept
function M.keep(request, how)
  local rest = M.copy(request)
  rest.url = nil
  if latest and objects.equals(latest.rest, rest) and objects.equals(latest.how, how) then return latest end
  latest = { rest = rest, how = how, recent = {}, count = 0 }
  number(request)
end

---Returns a request as an attempt with secrets by name may send it, with no proxy of the environment; the request itself
---outside of such attempts. Ends the attempt if the request leads to another host: by its URL, a proxy, a socket, or the
---header Host, by which a server with many sites passes it on.
---@param request bide.transfer.Request
---@param origin fun(url: string): string? of libcurl's parser, which decides where it goes
---@return bide.transfer.Request
function M.within_reach(request, origin)
  if not reach.is_limited() then return request end
  local host, port = (origin(request.url) or ""):match "^%a+://(.*):(%d+)$"
  if not host then reach.check_anywhere "send a request whose URL has no host" end
  reach.check(host:match "^%[(.*)%]$" or host, math.tointeger(tonumber(port)))
  if request.unix_socket then reach.check_anywhere "use a unix socket" end
  if request.proxy and request.proxy ~= "" then reach.check_anywhere "use a proxy" end
  local headers = request.headers or {}
  for i = 1, #headers, 2 do
    if headers[i]:lower() == "host" then reach.check_name((headers[i + 1]:gsub(":%d+$", ""))) end
  end
  local copied = M.copy(request)
  copied.proxy = ""
  return copied
end

return M
