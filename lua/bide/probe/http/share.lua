---Sends equal requests that are in flight at the same time once; all callers get the same answer or failure. Requests are
---equal if their method, URL, headers, body, credentials and all other options are equal. A request stays in flight as
---long as a caller waits for it.

local core = require "bide.core"
local option = require "bide.text.option"
local requests = require "bide.probe.http.request"
local tables = require "bide.text.tables"

local loop, network, task = core.loop, core.network, core.task

local M = {}

-- ---- what is equal ------------------------------------------------------------------

---Joins texts, each after its length, so that different lists of texts give different ones.
local function join(texts)
  local parts = {}
  for position, text in ipairs(texts) do parts[position] = ("%d:%s"):format(#text, text) end
  return table.concat(parts)
end

---Joins headers, sorted by their names in lower case; repeated ones keep their order.
local function join_headers(headers)
  local fields, texts = {}, {}
  for i = 1, #headers, 2 do fields[#fields + 1] = { headers[i]:lower(), headers[i + 1], i } end
  table.sort(fields, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[3] < b[3] end)
  for position, field in ipairs(fields) do texts[2 * position - 1], texts[2 * position] = field[1], field[2] end
  return join(texts)
end

---Returns a text that is the same for equal requests, and only for them.
---@param request bide.transfer.Request
---@return string
function M.key_of(request)
  local texts = {}
  request = requests.copy(request)
  for _, name in ipairs(option.sorted_names(request)) do
    texts[#texts + 1] = name
    texts[#texts + 1] = name == "headers" and join_headers(request.headers) or tostring(request[name])
  end
  return join(texts)
end

-- ---- requests on their way ---------------------------------------------------------

---@class bide.Flight
---@field key string
---@field send fun(): bide.http.Response
---@field wakers table<integer, bide.Waker> of the callers that wait for it
---@field last integer the number of the last caller
---@field count integer the number of waiting callers
---@field task bide.Task?
---@field ok boolean? nil while it is in flight
---@field value any the response, or the raised value

---@type table<string, bide.Flight>
local flights = {}

local function forget(flight)
  if flights[flight.key] == flight then flights[flight.key] = nil end
end

local function run(flight)
  return flight.send()
end

local function landed(flight, how, value)
  forget(flight)
  flight.task = nil
  if how ~= "returned" and how ~= "raised" then return end
  flight.ok, flight.value = how == "returned", value
  for number = 1, flight.last do
    local waker = flight.wakers[number]
    if waker then waker() end
  end
end

local function begin(flight)
  flight.task = task.start(run, landed, nil, flight)
end

---Starts a flight from an alarm, outside of all tasks, so that its task is not a child of the first caller and does not end
---with it.
local function take_off(key, send)
  local flight = { key = key, send = send, wakers = {}, last = 0, count = 0 }
  flight.alarm = loop.alarm(begin, flight)
  flight.alarm:start(loop.now())
  flights[key] = flight
  return flight
end

---A caller that waits for a flight. If the last one stops waiting before the answer has come, the flight is cancelled.
local Passenger = {}
function Passenger.__close(passenger)
  local flight = passenger.flight
  flight.wakers[passenger.number] = nil
  flight.count = flight.count - 1
  if flight.count > 0 or flight.ok ~= nil then return end
  forget(flight)
  flight.alarm:stop()
  if flight.task then flight.task:cancel() end
end

local function board(flight, waker)
  flight.last, flight.count = flight.last + 1, flight.count + 1
  flight.wakers[flight.last] = waker
  return setmetatable({ flight = flight, number = flight.last }, Passenger)
end

---Returns a copy for each caller, since callers may change it.
local function hand_out(flight)
  local value = flight.value
  if flight.ok then return value:copy() end
  if type(value) == "table" and rawget(value, "refused") then network.refuse(value.refused) end
  if type(value) ~= "table" or getmetatable(value) ~= nil then error(value, 0) end
  error(tables.merged(value), 0)
end

---Waits for the answer to a request, which is sent unless an equal one is on its way.
---@param key string of M.key_of
---@param send fun(): bide.http.Response
---@return bide.http.Response
function M.run(key, send)
  local waker = task.waker()
  local passenger <close> = board(flights[key] or take_off(key, send), waker)
  task.pause(waker)
  return hand_out(passenger.flight)
end

return M
