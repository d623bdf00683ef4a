---A request as a transfer takes it.

local objects = require "bide.text.objects"
local reach = require "bide.probe.reach"

local M = {}

---Returns a copy of a request, which can be changed: its transfer is not that of the request.
---@param request bide.transfer.Request
---@return bide.transfer.Request
function M.copy(request)
  local copied, common = {}, getmetatable(request)
  for name, value in pairs(common and common.__index or {}) do copied[name] = value end
  for name, value in pairs(request) do copied[name] = value end
  copied.number = nil
  return copied
end

---The members of the request that was kept last, but for its URL: the metatable of those that have the same.
local common = { __index = {} }

---Returns a request to keep, which takes less memory if it differs from the one before in the URL alone, as those of very many
---waits do: it finds the rest by its metatable.
---@param request bide.transfer.Request
---@return bide.transfer.Request
function M.keep(request)
  local rest = M.copy(request)
  rest.url = nil
  if objects.equals(rest, common.__index) then return setmetatable({ url = request.url, number = request.number }, common) end
  common = { __index = rest }
  return request
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
