---Signs a request at the moment of sending, by the option `sign`.

local option = require "bide.text.option"

local NAMES = "header names and values that are strings"

---Returns the added headers as a list, and their names in lower case.
---@return string[] list name, value, name, value
---@return table<string, true> names
local function list_of(added)
  if type(added) ~= "table" then error("sign: " .. option.expected("a table of headers", added), 0) end
  local list, names = {}, {}
  for name, value in pairs(added) do
    if type(name) ~= "string" or type(value) ~= "string" then error("sign: expected " .. NAMES, 0) end
    list[#list + 1], list[#list + 2] = name, value
    names[name:lower()] = true
  end
  return list, names
end

---Returns the options of a transfer with the headers that its `sign` adds.
---@param method string
---@param url string
---@param prepared bide.transfer.Options
---@return bide.transfer.Options signed a copy
return function(method, url, prepared)
  local given = prepared.headers or {}
  local headers, replaced = list_of(prepared.sign(method, url, table.move(given, 1, #given, 1, {}), prepared.body))
  for i = 1, #given, 2 do
    if not replaced[given[i]:lower()] then headers[#headers + 1], headers[#headers + 2] = given[i], given[i + 1] end
  end
  local signed = {}
  for name, value in pairs(prepared) do signed[name] = value end
  signed.headers, signed.sign = headers, nil
  return signed
end
