---The protocols rpcv2Cbor and rpcv2Json: a POST of the whole input to a path that names the service and the operation.

local base64 = require "bide.base64"
local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local scalar = require "bide.model.protocol.scalar"
local shapes = require "bide.model.protocol.shapes"
local time = require "bide.model.protocol.time"
local traits = require "bide.model.protocol.traits"

local M = {}

-- ---- CBOR -----------------------------------------------------------------------------------

local of_data = scalar.of_data

---Makes a conversion of one that checks the data, and one that is called with what it lets through.
local function after(check, convert)
  return function(value)
    local given = check(value)
    if given ~= nil then return convert(given) end
  end
end

---Returns a text in UTF-8: in CBOR there is no other.
local function utf8_text(value)
  return of_data.string(value) and utf8.len(value) and value or nil
end

local writing = setmetatable({
  string = utf8_text, enum = utf8_text,
  bigInteger = after(of_data.bigInteger, cbor.whole),
  float = after(of_data.float, function(value) return cbor.single(scalar.number(value)) end),
  double = after(of_data.double, function(value) return scalar.number(value) + 0.0 end),
  bigDecimal = after(of_data.bigDecimal, function(value) return type(value) == "number" and cbor.decimal(value) or nil end),
  blob = after(of_data.blob, function(value) return cbor.bytes(scalar.bytes(value, "blob")) end),
  timestamp = after(time.read, function(value) return cbor.tagged(1, value) end),
  document = function() end, -- the protocol has none
}, { __index = of_data })

local reading = setmetatable({
  blob = function(value) return cbor.bytes_of(value) and base64.encode(value.bytes) end,
  timestamp = function(value) return time.read(cbor.untagged(value, 1)) end,
  document = function() end,
}, { __index = of_data })

---Makes data of a value whatever it is: its bytes become Base64, and its times numbers of seconds.
local function as_data(value)
  if type(value) == "number" then return of_data.double(value) end
  if cbor.bytes_of(value) then return base64.encode(value.bytes) end
  if cbor.untagged(value, 1) then return as_data(value.value) end
  if type(value) ~= "table" then return value end
  local copy = core.json.is_array(value) and core.json.array {} or core.json.decode "{}"
  for key, one in pairs(value) do copy[key] = as_data(one) end
  return copy
end

---@class bide.protocol.CborCodec
---@field model bide.Model
---@field media_type string
local Cbor = { media_type = "application/cbor" }
Cbor.__index = Cbor

local function name_of(member)
  return member.name
end

function Cbor:encode(members, input)
  return cbor.encode(shapes.write_members(shapes.writer(self.model, name_of, writing), members, input))
end

---@param text string the body
---@param members bide.ModelMember[]
---@param output table gets the members
---@return boolean has_member
function Cbor:decode(text, members, output)
  local value = text == "" and {} or cbor.decode(text)
  return shapes.read_members(shapes.reader(self.model, name_of, reading, as_data), members, value, output)
end

---Returns the body of an error as JSON, with those of its members that are texts; "" if it cannot be read.
---@param text string the body
---@return string
function Cbor.error_text(text)
  local value, texts = scalar.guard(cbor.decode, text), {}
  for name, one in pairs(type(value) == "table" and value or {}) do
    if type(name) == "string" and type(one) == "string" then texts[name] = one end
  end
  return next(texts) and core.json.encode(texts) or ""
end

-- ---- the protocols --------------------------------------------------------------------------

local UNIT = "smithy.api#Unit"

local function request(service, operation, input)
  local media_type = service.codec.media_type
  local headers = { ["smithy-protocol"] = service.word, Accept = media_type }
  local has_body = operation.input.id ~= UNIT
  if has_body then headers["Content-Type"] = media_type end
  if service.shape.traits[traits.query_compatible] ~= nil then headers["x-amzn-query-mode"] = "true" end
  return { method = "POST", path = ("/service/%s/operation/%s"):format(service.target_prefix, operation.name), query = {},
    headers = headers, body = has_body and service.codec:encode(operation.input.members, input) or "" }
end

---Reports whether an answer has the header by which a service says that it speaks the protocol. One without it is another
---program's.
local function is_own(service, response)
  for name, value in pairs(response.headers) do
    if name:lower() == "smithy-protocol" then return value:lower() == service.word end
  end
  return false
end

---Reads the members of an answer.
local function read(service, shape, response)
  if not is_own(service, response) then error({ "the answer has no header smithy-protocol: " .. service.word }, 0) end
  local output = {}
  return output, service.codec:decode(response.body, shape.members, output)
end

local codecs = {
  ["rpc-v2-cbor"] = function(model) return setmetatable({ model = model }, Cbor) end,
  ["rpc-v2-json"] = function(model) return require("bide.model.protocol.json").new(model, true, true) end,
}

---@param service bide.protocol.Service
---@param word "rpc-v2-cbor"|"rpc-v2-json"
function M.prepare(service, word)
  service.word, service.codec = word, codecs[word](service.model)
  service.request, service.read, service.is_own = request, read, is_own
end

return M
