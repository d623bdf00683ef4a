---The way of a request over HTTP from Lua to the network, which is one function. A recording watches it, and a test
---puts another function in its place.

local M = {}

---Sends a request and waits for the answer, as bide.transfer does; nil until libcurl is loaded.
---@type fun(request: bide.transfer.Request): bide.http.Response?, string?, any
M.exchange = nil

---@type fun(request: bide.transfer.Request): bide.http.Response?, string?, any
local own

---The end of a request that is watched.
---@class bide.http.Watched
---@field response bide.http.Response? nil until it came
---@field failure any the operation error of a request without a response

---@class bide.http.Watcher
---@field sends fun(self, request: bide.transfer.Request): bide.http.Watched? returns a table for the end of a request, or nil

---@type bide.http.Watcher?
local watcher

local function watched(request)
  local mark = watcher:sends(request)
  if not mark then return own(request) end
  local ok, response, lack, status = pcall(own, request)
  if not ok then
    mark.failure = response
    error(response, 0)
  end
  mark.response = response
  if not response then mark.failure = status end
  return response, lack, status
end

---@type (fun(request: bide.transfer.Request): bide.http.Response?, string?, any)?
local replacement

local function choose()
  M.exchange = replacement or own and watcher and watched or own
end

---Sets the function of libcurl, which sends requests.
---@param exchange fun(request: bide.transfer.Request): bide.http.Response?, string?, any
function M.send_by(exchange)
  own = exchange
  choose()
end

---Puts another function in its place; nil takes it away again.
---@param exchange (fun(request: bide.transfer.Request): bide.http.Response?, string?, any)?
function M.replace(exchange)
  replacement = exchange
  choose()
end

---Watches all requests from now on.
---@param by bide.http.Watcher
function M.watch(by)
  watcher = by
  choose()
end

return M
