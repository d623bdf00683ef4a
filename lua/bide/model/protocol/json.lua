---JSON as the AWS protocols write and read it: between the names of the wire and those of the members.

local answer = require "bide.probe.asking.answer"
local core = require "bide.core"
local scalar = require "bide.model.protocol.scalar"
local shapes = require "bide.model.protocol.shapes"
local time = require "bide.model.protocol.time"
local traits = require "bide.model.protocol.traits"

local json = core.json

---@class bide.protocol.Json
---@field model bide.Model
---@field sends_empty boolean whether a payload that is absent is an empty one
---@field media_type string
---@field name_of fun(member: bide.ModelMember): string
---@field writing table<string, bide.protocol.Conversion>
local Json = {}
Json.__index = Json

local M = {}

-- ---- scalars --------------------------------------------------------------------------------

local function write_timestamp(value, member, target)
  local seconds = time.read(value)
  local format = traits.of(member, target, traits.timestamp_format) or "epoch-seconds"
  if not seconds or format == "epoch-seconds" then return seconds end
  return time.write(seconds, format)
end

local writing = setmetatable({ timestamp = write_timestamp }, { __index = scalar.of_data })

---Large numbers may come as texts, which some protocols have for them.
local reading = setmetatable({ bigInteger = scalar.read_number, bigDecimal = scalar.read_number },
  { __index = scalar.of_data })

---Returns a large number as a text. A text may have more digits than a number.
local function write_text(value, _, target)
  if type(value) == "string" then return scalar.read_number(value) and value or nil end
  return scalar.word(value, target.type)
end

---The scalars of rpcv2Json: a timestamp is a number whatever its format, and a large number a text.
local writing_rpc = setmetatable({ bigInteger = write_text, bigDecimal = write_text }, { __index = scalar.of_data })

---JSON is data, whatever it is.
local function as_it_came(value)
  return value
end

-- ---- the codec ------------------------------------------------------------------------------

function Json:writer()
  return shapes.writer(self.model, self.name_of, self.writing)
end

function Json:reader()
  return shapes.reader(self.model, self.name_of, reading, as_it_came)
end

---A document may be anything, and so what JSON has not.
local function encode(value)
  local text, failure = json.encode(value)
  return text or error({ tostring(failure) }, 0)
end

---@param members bide.ModelMember[] those of the body
---@param input table
---@return string
function Json:encode(members, input)
  return encode(shapes.write_members(self:writer(), members, input))
end

---@param member bide.ModelMember
---@return string
function Json:encode_payload(member, value)
  return encode(self:writer():value(member, value, member.name))
end

local function decode(text)
  local value, failure = answer.decode(text)
  if value == nil then error({ ("the answer is not JSON: %s"):format(tostring(failure)) }, 0) end
  return value
end

---@param text string the body
---@param members bide.ModelMember[] those of the body
---@param output table gets the members
---@return boolean has_member
function Json:decode(text, members, output)
  local value = text:find "%S" and decode(text)
  if scalar.is_missing(value or nil) then value = {} end
  return shapes.read_members(self:reader(), members, value, output)
end

---@param text string the body
---@param member bide.ModelMember
function Json:decode_payload(text, member)
  local value = decode(text)
  if not scalar.is_missing(value) then return self:reader():value(member, value, member.name) end
end

local function plain_name(member)
  return member.name
end

local function json_name(member)
  return member.traits[traits.json_name] or member.name
end

---@param model bide.Model
---@param uses_names boolean whether the trait jsonName counts
---@param is_rpc boolean? whether the protocol is rpcv2Json
---@return bide.protocol.Json
function M.new(model, uses_names, is_rpc)
  return setmetatable({ model = model, name_of = uses_names and json_name or plain_name,
    writing = is_rpc and writing_rpc or writing, media_type = "application/json", sends_empty = true }, Json)
end

return M
