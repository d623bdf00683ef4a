---A request as a transfer takes it.

local bound = require("bide.core").task.bound
local tables = require "bide.text.tables"
local reach = require "bide.probe.asking.reach"

local M = {}

---Returns a copy of a request, which can be changed: its transfer is not that of the request.
---@param request bide.transfer.Request
---@return bide.transfer.Request
function M.copy(request)
  local copied = tables.merged(request)
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
---@field how { output: function?, own: bide.SendPolicy? } what decides besides how they are sent
---@field given table<string, any>? their options but the URL, as they were given; nil if they have to be read again
---@field members integer the number of those
---@field is_confined boolean? whether those may be a sandboxed script's: they name no file, proxy or function
---@field recent table<string, bide.transfer.Request> those that were sent last, by their URLs
---@field count integer the number of those
---@field send_to? fun(url: string): any sends such a request

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

---Returns a copy of options without the URL, and their number; nil if one is a table, whose members may change.
local function options_of(given)
  local copied, members = {}, 0
  if getmetatable(given) ~= nil then return nil end
  for name, value in next, given do
    if type(value) == "table" then return nil end
    if name ~= "url" then copied[name], members = value, members + 1 end
  end
  return copied, members
end

---The options that a sandboxed script may not have, or not with all values.
local outside = { "certificate", "key", "ca", "unix_socket", "proxy", "sign" }

---@return boolean
local function are_confined(given)
  for _, name in ipairs(outside) do
    if given[name] ~= nil then return false end
  end
  return true
end

---Makes a request one that is sent often. If it differs in its URL alone from the one before, which is sent in the same way,
---only its URL needs to be kept, beside the common part.
---@param request bide.transfer.Request
---@param how { output: function?, own: bide.SendPolicy? } what decides besides how it is sent
---@param given table the options of which it was read
---@return bide.http.Common? common nil if the request itself has to be kept
function M.keep(request, how, given)
  local rest = M.copy(request)
  rest.url = nil
  if latest and tables.equals(latest.rest, rest) and tables.equals(latest.how, how) then return latest end
  latest = { rest = rest, how = how, recent = {}, count = 0 }
  latest.given, latest.members = options_of(given)
  latest.is_confined = latest.given and are_confined(given)
  number(request)
end

---Returns what sends a request whose options differ in the URL alone from those of the one before, so that they need not be
---read again: those of the waits of a waiter mostly do.
---@param given any
---@param output function?
---@param is_sandboxed boolean whether it is for a sandboxed script, whose options have not been looked at
---@return (fun(): any)?
function M.recall(given, output, is_sandboxed)
  local common = latest
  if not common or type(given) ~= "table" or getmetatable(given) ~= nil then return nil end
  local known, send_to, left = common.given, common.send_to, common.members
  if not (known and send_to and common.how.output == output and (common.is_confined or not is_sandboxed)) then return nil end
  for name, value in next, given do
    if name ~= "url" then
      if known[name] ~= value then return nil end
      left = left - 1
    end
  end
  return left == 0 and type(given.url) == "string" and bound(send_to, given.url) or nil
end

local frames = { ["content-length"] = true, ["transfer-encoding"] = true }

---Returns why a request may not have a header; nil if it may. Another length than that of the body would make what follows a
---second request, which a server in between passes on to any site behind it.
---@param name string
---@return string? mistake
function M.refusal_of_header(name)
  return frames[name:lower()] and "bide sets it by the body" or nil
end

---Ends an attempt with secrets by name if a header leads to another host.
---@param headers string[] name, value, name, value
function M.check_host(headers)
  for i = 1, #headers, 2 do
    if headers[i]:lower() == "host" then reach.check_name((headers[i + 1]:gsub(":%d+$", ""))) end
  end
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
  port = math.tointeger(tonumber(port))
  reach.check(host:match "^%[(.*)%]$" or host, port)
  if request.address then reach.check_address(request.address, port) end
  if request.unix_socket then reach.check_anywhere "use a unix socket" end
  if request.proxy and request.proxy ~= "" then reach.check_anywhere "use a proxy" end
  M.check_host(request.headers or {})
  local copied = M.copy(request)
  copied.proxy = ""
  return copied
end

return M
