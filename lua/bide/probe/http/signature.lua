---Signs a request at the moment of sending, by the option `sign`.

local option = require "bide.text.option"
local requests = require "bide.probe.http.request"
local tables = require "bide.text.tables"

local NAMES = "header names and values that are strings"

---Returns the added headers as a list, and their names in lower case.
---@return string[] list name, value, name, value
---@return table<string, true> names
local function list_of(added)
  if type(added) ~= "table" then error("sign: " .. option.expected("a table of headers", added), 0) end
  local list, names = {}, {}
  for name, value in pairs(added) do
    if type(name) ~= "string" or type(value) ~= "string" then error("sign: expected " .. NAMES, 0) end
    local refused = requests.refusal_of_header(name)
    if refused then error(("sign: %s: %s"):format(name, refused), 0) end
    list[#list + 1], list[#list + 2] = name, value
    names[name:lower()] = true
  end
  return list, names
end

---Returns a request with the headers that its `sign` adds.
---@param request bide.transfer.Request
---@return bide.transfer.Request signed a copy
return function(request)
  local given = request.headers or {}
  local headers, replaced =
    list_of(request.sign(request.method, request.url, tables.joined(given), request.body))
  for i = 1, #given, 2 do
    if not replaced[given[i]:lower()] then headers[#headers + 1], headers[#headers + 2] = given[i], given[i + 1] end
  end
  requests.check_host(headers)
  local signed = requests.copy(request)
  signed.headers, signed.sign = headers, nil
  return signed
end
