---Reads an answer while it comes, such as the events of a service.

local core = require "bide.core"
local policy = require "bide.probe.http.policy"
local requests = require "bide.probe.http.request"
local shortage = require "bide.task.shortage"

local M = {}

---The longest line of `lines`, in bytes, unless the caller says another length.
local LONGEST = 8 * 1024 * 1024

---@class bide.http.Stream
---@field status integer of the answer
---@field own bide.transfer.Stream
local Stream = {}
Stream.__index = Stream

Stream.close = core.task.whole(function(self) self.own:close() end)
Stream.__close = Stream.close

local start = core.task.whole(function(stream, transfer, request)
  stream.own = transfer.stream(request)
end)

---Sends the request, and waits for the headers.
local function try(stream, transfer, request)
  start(stream, transfer, request)
  local bytes, status = stream.own:read()
  if bytes then
    stream.status, stream.first = status, bytes
    return stream
  end
  stream.own:close()
  if status then return nil, status end
  error({ type = "InvalidResponse", message = "the answer has no headers" }, 0)
end

---Sends a request at its turn by its rate, and returns when the headers of the answer have come.
---@param transfer table bide.transfer
---@param request bide.transfer.Request
---@param own bide.SendPolicy?
---@return bide.http.Stream
function M.open(transfer, request, own)
  local rate = policy.rate_of(own, request.url, request.unix_socket)
  if rate then require("bide.probe.http.rate").bucket_of(rate, request.url, request.unix_socket):enter() end
  request = requests.within_reach(request, transfer.origin)
  return assert(shortage.wait_out(try, setmetatable({}, Stream), transfer, request))
end

---Waits for more of the body. Raises the operation error of a transfer that fails.
---@return string? bytes nil at the end
function Stream:read()
  local bytes = self.first
  self.first = nil
  if bytes and bytes ~= "" then return bytes end
  repeat bytes = self.own:read() until bytes ~= ""
  return bytes
end

---Iterates over the lines of the body while they come, without their ends, and without empty ones. A line that has not ended
---when the body does is left out. Raises the operation error InvalidResponse if a line is too long.
---@param most? integer bytes, 8 MiB by default
---@return fun(): string?
function Stream:lines(most)
  local pieces, length, at, piece = {}, 0, 1, ""
  most = most or LONGEST
  return function()
    while true do
      local ends = piece:find("\n", at, true)
      pieces[#pieces + 1] = piece:sub(at, (ends or 0) - 1)
      length = length + #pieces[#pieces]
      if length > most then
        error({ type = "InvalidResponse", message = ("a line of the answer is longer than %d bytes"):format(most) }, 0)
      end
      if ends then
        local line = table.concat(pieces):gsub("\r$", "")
        pieces, length, at = {}, 0, ends + 1
        if line ~= "" then return line end
      else
        piece, at = self:read(), 1
        if not piece then return nil end
      end
    end
  end
end

---Iterates over the events of a service while they come: JSON objects, one a line. Raises the operation errors of `lines`,
---WatchFailed if the status is not 200, and InvalidResponse if a line is no object.
---@param most? integer bytes of a line, 8 MiB by default
---@return fun(): table?
function Stream:events(most)
  if self.status ~= 200 then
    error({ type = "WatchFailed", status = self.status, message = ("the watch was answered with %d"):format(self.status) }, 0)
  end
  local next_line = self:lines(most)
  return function()
    local line = next_line()
    local event = line and core.json.decode(line, { lenient = true })
    if line and type(event) ~= "table" then
      error({ type = "InvalidResponse", message = "this is no watch: expected events in JSON" }, 0)
    end
    return event
  end
end

return M
