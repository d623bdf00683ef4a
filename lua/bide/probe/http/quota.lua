---The quota of retries, as in the standard mode of AWS's SDKs: a service that fails for long gets fewer and fewer requests
---again. Each origin has tokens, which all waits of this process share; a retry takes some, and a success brings one back. It
---bounds retries of requests only: attempts of waiters take none.

local origin = require "bide.probe.http.origin"

local M = {}

M.CAPACITY, M.RETRY, M.RETRY_AFTER_TIMEOUT, M.SUCCESS = 500, 5, 10, 1

---The tokens of each origin that has not all of them.
---@type table<string, integer>
local tokens = {}

---@class bide.http.Quota
---@field url string
---@field unix_socket string?
local Quota = {}
Quota.__index = Quota

---Returns the quota of the retries of a request.
---@param request bide.transfer.Request
---@return bide.http.Quota
function M.of(request)
  return setmetatable({ url = request.url, unix_socket = request.unix_socket }, Quota)
end

---Takes the tokens for a retry.
---@param failure bide.OperationError of the last try
---@return string? lack nil if there were enough of them; else the words for the note of the attempt
function Quota:take(failure)
  local key = origin.of(self.url, self.unix_socket)
  local cost = require("bide.error_class").is_timeout(failure) and M.RETRY_AFTER_TIMEOUT or M.RETRY
  local left = (tokens[key] or M.CAPACITY) - cost
  if left < 0 then return "not sent again: the quota of retries for " .. origin.shown(key) .. " is used up" end
  tokens[key] = left
end

---Counts a success.
function Quota:give()
  if not next(tokens) then return end
  local key = origin.of(self.url, self.unix_socket)
  local left = tokens[key] and tokens[key] + M.SUCCESS
  tokens[key] = left and left < M.CAPACITY and left or nil
end

return M
