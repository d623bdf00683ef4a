---HTTP bindings (Smithy 2.0, "HTTP bindings"): which members of an input go into the path, the query, the headers and the
---body, and where those of an output come from. What the body looks like is the matter of a codec.

local auth = require "bide.model.protocol.auth"
local base64 = require "bide.base64"
local core = require "bide.core"
local option = require "bide.text.option"
local scalar = require "bide.model.protocol.scalar"
local traits = require "bide.model.protocol.traits"
local web_address = require "bide.text.web_address"

local json = core.json

local M = {}

local places = { "http_label", "http_query", "http_query_params", "http_header", "http_prefix_headers", "http_payload",
  "http_response_code" }

local of_outputs = { http_header = true, http_prefix_headers = true, http_payload = true, http_response_code = true }

---@class bide.protocol.Bindings: table<string, bide.ModelMember[]>
---@field body bide.ModelMember[] members without a place of their own

---Bindings by shape, of inputs and of outputs.
local known = { [true] = setmetatable({}, { __mode = "k" }), [false] = setmetatable({}, { __mode = "k" }) }

---Sorts the members of a structure by their places, once. A label and a query mean nothing in an output.
---@param shape bide.ModelShape
---@param is_output boolean
---@return bide.protocol.Bindings
local function sort_members(shape, is_output)
  local sorted = known[is_output][shape]
  if sorted then return sorted end
  sorted = { body = {} }
  known[is_output][shape] = sorted
  for _, place in ipairs(places) do sorted[place] = {} end
  for _, member in ipairs(shape.members) do
    local found = "body"
    for _, place in ipairs(places) do
      if member.traits[traits[place]] ~= nil and (of_outputs[place] or not is_output) then found = place end
    end
    table.insert(sorted[found], member)
  end
  return sorted
end

-- ---- requests -------------------------------------------------------------------------------

---@param service bide.protocol.Service
---@param member bide.ModelMember
---@param is_greedy boolean whether the label may be several segments of the path: S3 has keys with any
local function label_text(service, member, input, is_greedy)
  local target, value = service.model:shape(member.target), input[member.name]
  local text = not scalar.is_missing(value) and scalar.write(value, member, target, "date-time") or ""
  if text == "" then error({ ("%s: expected a value, since it is a part of the path"):format(member.name) }, 0) end
  if not is_greedy and (text == "." or text == "..") then
    error({ ("%s: expected a part of the path, found %s, which names another path"):format(member.name, text) }, 0)
  end
  return text
end

---Returns the path for a pattern such as `/things/{name}/{rest+}`. A label without a member, or a member without a label,
---would make it the path of something else.
local function write_path(service, pattern, sorted, input)
  local left = {}
  for _, member in ipairs(sorted.http_label) do left[member.name] = member end
  local path = pattern:gsub("{([^}+]+)(%+?)}", function(name, greedy)
    local member, is_greedy = left[name], greedy == "+"
    if not member then error({ ("the path %s: the input has no member %s with httpLabel"):format(pattern, name) }, 0) end
    left[name] = nil
    return web_address.escape(label_text(service, member, input, is_greedy), is_greedy and "/" or nil)
  end)
  local name = next(left)
  if name then error({ ("the path %s: it has no label for the member %s"):format(pattern, name) }, 0) end
  return path
end

---The constant parameters of a pattern such as `/things?list&size=3`.
local function constant_query(pattern)
  local query = {}
  for parameter in (pattern:match "%?(.*)$" or ""):gmatch "[^&]+" do
    local name, value = parameter:match "^([^=]*)=?(.*)$"
    query[#query + 1] = { name, value }
  end
  return query
end

---Calls a function with each value of a member, which may be a list of them.
local function each_value(service, member, value, f)
  local target = service.model:shape(member.target)
  if target.type ~= "list" and target.type ~= "set" then return f(value, member, target) end
  if not scalar.has_parts(target.type, value) then scalar.fail(member.name, target.type, value) end
  local element = target.members[1]
  local of_element = service.model:shape(element.target)
  for _, one in ipairs(value) do
    if not scalar.is_missing(one) then f(one, element, of_element) end
  end
end

local function add_query(service, query, name, member, value)
  if scalar.is_missing(value) then return end
  each_value(service, member, value, function(one, of, target)
    query[#query + 1] = { name, scalar.write(one, of, target, "date-time") }
  end)
end

---A parameter that a member of its own has, or the pattern, is not taken from the map.
local function add_query_params(service, query, member, map)
  if scalar.is_missing(map) then return end
  local target = service.model:shape(member.target)
  if not scalar.has_parts(target.type, map) then scalar.fail(member.name, target.type, map) end
  local taken, value_member = {}, target.members[2]
  for _, parameter in ipairs(query) do taken[parameter[1]] = true end
  for _, name in ipairs(scalar.sorted_keys(member.name, map)) do
    if not taken[name] then add_query(service, query, name, value_member, map[name]) end
  end
end

local function write_query(service, pattern, sorted, input)
  local query = constant_query(pattern)
  for _, member in ipairs(sorted.http_query) do
    add_query(service, query, member.traits[traits.http_query], member, input[member.name])
  end
  for _, member in ipairs(sorted.http_query_params) do add_query_params(service, query, member, input[member.name]) end
  return query
end

---Puts a text within a list into quotes where it has a comma or quotes of its own.
local function quoted(text, target)
  if target.type == "timestamp" or not text:find '[",]' then return text end
  return '"' .. text:gsub('[\\"]', "\\%0") .. '"'
end

local function header_text(service, member, value)
  local texts, is_list = {}, type(value) == "table"
  each_value(service, member, value, function(one, of, target)
    local text = scalar.write(one, of, target, "http-date")
    if traits.of(of, target, traits.media_type) and target.type == "string" then text = base64.encode(text) end
    texts[#texts + 1] = is_list and quoted(text, target) or text
  end)
  return table.concat(texts, ", ")
end

---Adds a header, in place of one of that name in any case. A line break would begin another header, and a Host would make
---a signature for another host than the one that gets it.
local function set_header(headers, name, text)
  if not name:find "^[%w!#$%%&'*+.^_`|~-]+$" then error({ option.expected("the name of a header", name) }, 0) end
  if not auth.may_be_given(name) then error({ ("no member may be the header %s"):format(name) }, 0) end
  if text:find "[\r\n%z]" then error({ ("%s: %s"):format(name, option.expected("a text of one line", text)) }, 0) end
  for given in pairs(headers) do
    if given:lower() == name:lower() then headers[given] = nil end
  end
  headers[name] = text
end

local function write_prefix_headers(service, headers, member, map)
  local target = service.model:shape(member.target)
  if not scalar.has_parts(target.type, map) then scalar.fail(member.name, target.type, map) end
  for _, key in ipairs(scalar.sorted_keys(member.name, map)) do
    local name, value = member.traits[traits.http_prefix_headers] .. key, map[key]
    if not scalar.is_missing(value) then set_header(headers, name, header_text(service, target.members[2], value)) end
  end
end

---A header of a member of its own goes before one of a map.
local function write_headers(service, sorted, input)
  local headers = {}
  for _, member in ipairs(sorted.http_prefix_headers) do
    local map = input[member.name]
    if not scalar.is_missing(map) then write_prefix_headers(service, headers, member, map) end
  end
  for _, member in ipairs(sorted.http_header) do
    local value = input[member.name]
    if not scalar.is_missing(value) then
      set_header(headers, member.traits[traits.http_header], header_text(service, member, value))
    end
  end
  return headers
end

local media_types_of = { blob = "application/octet-stream", string = "text/plain", enum = "text/plain" }

---@return string body
---@return string? media_type nil if there is no body
local function write_payload(service, member, input)
  local target, value = service.model:shape(member.target), input[member.name]
  local media_type = traits.of(member, target, traits.media_type) or media_types_of[target.type]
  if not media_type then
    if scalar.is_missing(value) then
      if target.type ~= "structure" or not service.codec.sends_empty then return "" end
      value = {}
    end
    return service.codec:encode_payload(member, value), service.codec.media_type
  end
  if scalar.is_missing(value) then return "" end
  if target.type == "blob" then return scalar.bytes(value, member.name), media_type end
  return scalar.word(value, target.type) or scalar.fail(member.name, target.type, value), media_type
end

local function write_body(service, sorted, input, shape)
  if sorted.http_payload[1] then return write_payload(service, sorted.http_payload[1], input) end
  if #sorted.body == 0 then return "" end
  local body = service.codec:encode(sorted.body, input, shape)
  return body, body ~= "" and service.codec.media_type or nil
end

local function has_header(headers, name)
  for given in pairs(headers) do
    if given:lower() == name then return true end
  end
end

---Returns the trait by which an operation has a method and a path.
---@param operation bide.ModelOperation
---@return { method: string, uri: string }
local function http_of(operation)
  local http = operation.traits[traits.http]
  if type(http) == "table" and type(http.method) == "string" and type(http.uri) == "string" then return http end
  error({ ("the operation %s has no trait http with a method and a uri, which its protocol needs"):format(operation.name) }, 0)
end

---@param service bide.protocol.Service
---@param operation bide.ModelOperation
---@param input table
---@return bide.protocol.Request
function M.request(service, operation, input)
  local http = http_of(operation)
  local sorted = sort_members(operation.input, false)
  local headers = write_headers(service, sorted, input)
  local body, media_type = write_body(service, sorted, input, operation.input)
  if media_type and not has_header(headers, "content-type") then headers["Content-Type"] = media_type end
  return {
    method = http.method, path = write_path(service, http.uri:match "^[^?]*", sorted, input),
    query = write_query(service, http.uri, sorted, input), headers = headers, body = body,
  }
end

-- ---- answers --------------------------------------------------------------------------------

---Splits a header that is a list, whose texts may be in quotes.
local function split_list(text)
  local found, at = {}, 1
  while at <= #text do
    local inner, after = text:match('^%s*"(.-[^\\])"%s*,?()', at)
    if not inner then inner, after = text:match("^%s*([^,]-)%s*,()", at) end
    if not inner then inner, after = text:match("^%s*(.-)%s*$", at), #text + 1 end
    found[#found + 1], at = inner:gsub("\\(.)", "%1"), after
  end
  return found
end

---Splits a list of timestamps in the form of HTTP, which have commas themselves.
local function split_dates(text)
  local found = {}
  for one in text:gmatch "%a+, [^,]*" do found[#found + 1] = one:match "^(.-)%s*$" end
  return found
end

---@param index integer? of an element of the member, from 0
local function read_word(member, target, text, index)
  local value = scalar.read(text, target)
  if value ~= nil then return value end
  scalar.note({ member.name }, member.name .. (index and ("[%d]"):format(index) or ""), target.type)
  return text
end

local function read_header_list(service, member, target, text)
  local element = target.members[1]
  local of_element = service.model:shape(element.target)
  local is_date = of_element.type == "timestamp"
    and (traits.of(element, of_element, traits.timestamp_format) or "http-date") == "http-date"
  local list = json.array {}
  for index, one in ipairs(is_date and split_dates(text) or split_list(text)) do
    list[index] = read_word(member, of_element, one, index - 1)
  end
  return list
end

---@return any value nil for an empty header, unless it is a text, and for an Expires without a date, which is allowed
local function read_header(service, member, text)
  local target = service.model:shape(member.target)
  if target.type == "list" or target.type == "set" then return read_header_list(service, member, target, text) end
  if target.type == "string" then
    return traits.of(member, target, traits.media_type) and base64.decode(text) or text
  end
  if text == "" and target.type ~= "enum" then return nil end
  if target.type == "timestamp" and member.traits[traits.http_header]:lower() == "expires" then
    return scalar.read(text, target)
  end
  return read_word(member, target, text)
end

local function read_prefix_headers(prefix, headers)
  local found = {}
  for name, value in pairs(headers) do
    if name:lower():sub(1, #prefix) == prefix:lower() then found[name:sub(#prefix + 1)] = value end
  end
  return next(found) and found or json.decode "{}"
end

---The headers that any program sends.
local is_common = option.set [[
  cache-control connection content-length content-type date etag last-modified location server ]]

---@return boolean has_member whether a header of a member is there that not any program sends
local function read_headers(service, sorted, response, output)
  local lowered, has_member = {}, false
  for name, value in pairs(response.headers) do lowered[name:lower()] = value end
  for _, member in ipairs(sorted.http_header) do
    local text = lowered[member.traits[traits.http_header]:lower()]
    if text then
      output[member.name] = read_header(service, member, text)
      has_member = has_member or not is_common[member.traits[traits.http_header]:lower()]
    end
  end
  for _, member in ipairs(sorted.http_prefix_headers) do
    output[member.name] = read_prefix_headers(member.traits[traits.http_prefix_headers], response.headers)
  end
  return has_member
end

---@param operation bide.ModelOperation? nil for an error
local function read_payload(service, member, body, operation)
  if body == "" then return nil end
  local target = service.model:shape(member.target)
  if target.type == "blob" then return base64.encode(body) end
  if media_types_of[target.type] then return read_word(member, target, body) end
  return service.codec:decode_payload(body, member, operation)
end

---@param service bide.protocol.Service
---@param shape bide.ModelShape the output, or an error
---@param response bide.protocol.Response
---@param operation bide.ModelOperation? nil for an error
---@return table output
---@return boolean has_member whether the answer has a member; a status, and headers with a prefix, are in any
function M.read(service, shape, response, operation)
  local sorted, output = sort_members(shape, true), {}
  local has_member = read_headers(service, sorted, response, output)
  for _, member in ipairs(sorted.http_response_code) do output[member.name] = response.status end
  if sorted.http_payload[1] then
    local value = read_payload(service, sorted.http_payload[1], response.body, operation)
    output[sorted.http_payload[1].name], has_member = value, has_member or value ~= nil
  elseif #sorted.body > 0 then
    has_member = service.codec:decode(response.body, sorted.body, output, operation) or has_member
  end
  return output, has_member
end

return M
