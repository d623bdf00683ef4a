---The way of a request over HTTP from Lua to the network, which is one function. A recording watches it, and a test
---puts another function in its place.

local M = {}

---Sends a request and waits for the answer, as bide.transfer does; nil until libcurl is loaded.
---@alias bide.http.Exchange fun(request: bide.transfer.Request, mark: table?): bide.http.Response?, string?, any
---@type bide.http.Exchange
M.exchange = nil

---@type bide.http.Exchange
local own

---Makes a function that watches the requests which it sends by another one.
---@type (fun(send: bide.http.Exchange): bide.http.Exchange)?
local watcher

---@type bide.http.Exchange?
local replacement

local function choose()
  M.exchange = replacement or own and watcher and watcher(own) or own
end

---Sets the function of libcurl, which sends requests.
---@param exchange bide.http.Exchange
function M.send_by(exchange)
  own = exchange
  choose()
end

---Puts another function in its place; nil takes it away again.
---@param exchange bide.http.Exchange?
function M.replace(exchange)
  replacement = exchange
  choose()
end

---Reports whether another function has its place, so that there is no network.
---@return boolean
function M.is_replaced()
  return replacement ~= nil
end

---Watches all requests from now on.
---@param by fun(send: bide.http.Exchange): bide.http.Exchange
function M.watch(by)
  watcher = by
  choose()
end

return M
