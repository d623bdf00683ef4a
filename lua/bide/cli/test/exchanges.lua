---The transport of a test case: requests are answered by the exchanges of the case, and compared with them. Nothing is
---sent.

local await = require "bide.task.await"
local core = require "bide.core"
local difference = require "bide.cli.test.difference"
local duration = require "bide.text.duration"
local script_error = require "bide.text.script_error"

local M = {}

---@class bide.test.Exchanges
---@field groups table<string, { list: table[], asked: integer }> by method and URL
---@field count integer of the requests
---@field fault fun(text: string)
local Exchanges = {}
Exchanges.__index = Exchanges

local function key_of(method, url)
  return ("%s %s"):format(method or "GET", url)
end

---@param list table[]? of a case
---@param fault fun(text: string) takes what is wrong with the requests
---@return bide.test.Exchanges
function M.new(list, fault)
  local exchanges = setmetatable({ groups = {}, count = 0, fault = fault, list = list or {} }, Exchanges)
  for _, one in ipairs(exchanges.list) do
    local key = key_of(one.request.method, one.request.url)
    local group = exchanges.groups[key] or { list = {}, asked = 0 }
    exchanges.groups[key] = group
    table.insert(group.list, one)
  end
  return exchanges
end

---Returns the headers of a request by their names in lower case.
local function headers_of(request)
  local headers, given = {}, request.headers or {}
  for position = 1, #given, 2 do headers[given[position]:lower()] = given[position + 1] end
  if request.bearer then headers.authorization = "Bearer " .. request.bearer end
  return headers
end

---Compares a request with the one that was expected.
---@param expected table
---@param request bide.transfer.Request
local function compare(self, expected, request)
  local where, headers = key_of(request.method, request.url), headers_of(request)
  for name, value in pairs(expected.headers or {}) do
    local found = headers[name:lower()]
    if found ~= tostring(value) then
      self.fault(("%s: header %s: expected %s, found %s"):format(where, name, difference.show(value), difference.show(found)))
    end
  end
  if expected.body and expected.body ~= request.body then
    self.fault(("%s: body: expected %s, found %s"):format(where, difference.show(expected.body), difference.show(request.body)))
  end
  if expected.json == nil then return end
  local found = request.body and core.json.decode(request.body)
  local text = difference.of(expected.json, found, "json", true)
  if text then self.fault(("%s: %s"):format(where, text)) end
end

---@return string lines
local function lines_of(headers, has_json)
  local lines, has_type = "", false
  for name, values in pairs(headers or {}) do
    has_type = has_type or name:lower() == "content-type"
    for _, value in ipairs(type(values) == "table" and values or { values }) do
      lines = ("%s%s: %s\r\n"):format(lines, name, value)
    end
  end
  return has_json and not has_type and lines .. "Content-Type: application/json\r\n" or lines
end

local function answer(given, request)
  if given.duration then await(core.loop.after(duration.of_seconds(given.duration))) end
  if given.error then
    local failure = { type = given.error, message = given.message or given.error }
    for _, name in ipairs { "code", "address" } do failure[name] = given[name] end
    error(failure, 0)
  end
  local body = given.json ~= nil and assert(core.json.encode(given.json)) or given.body or ""
  local status = given.status or 200
  return core.response.make(status, request.url, lines_of(given.headers, given.json ~= nil), body), nil, status
end

---Answers a request.
---@param request bide.transfer.Request
function Exchanges:exchange(request)
  self.count = self.count + 1
  local key = key_of(request.method, request.url)
  local group = self.groups[key]
  if not group then
    local text = #self.list == 0 and ("the case sends a request, which is refused: %s"):format(key)
      or ("no exchange answers the request %s"):format(key)
    self.fault(text)
    error(script_error.of(text), 0)
  end
  group.asked = group.asked + 1
  local one = group.list[math.min(group.asked, #group.list)]
  compare(self, one.request, request)
  return answer(one.response, request)
end

---Reports the exchanges that no request has asked for.
function Exchanges:finish()
  local used = {}
  for _, one in ipairs(self.list) do
    local key = key_of(one.request.method, one.request.url)
    used[key] = (used[key] or 0) + 1
    if used[key] > self.groups[key].asked then self.fault(("exchange %d of %s was not used"):format(used[key], key)) end
  end
end

return M
