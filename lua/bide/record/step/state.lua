---The state of a wait between two steps, as a short text: everything that the next step needs to decide as one run would,
---on any machine. This module packs it and checks it; it reads no clock and no file.
---
---The text is base64url of
---
---    version (1 byte), flags (1 byte)
---    the digests of the recipe and of the input (16 bytes each)
---    the times of the first and of the last step, and the delay after that (8 bytes each)
---    the members that conditions asked for and that answers had (4 × 8 bytes)
---    how the wait ended (two texts, 4 bytes), the record of core.wait, the token, the output
---    HMAC-SHA-256 of all of this, with a key; without one, 16 bytes of its SHA-256, which find damage

local core = require "bide.core"
local base64 = require "bide.base64"
local digest = require "bide.digest"
local option = require "bide.text.option"

local M = {}

---@class bide.StepEnd
---@field state "success"|"failure"
---@field reason string
---@field acceptor integer?

---@class bide.StepState
---@field recipe string the digest of the recipe, its modules and its conditions, 16 bytes
---@field input string the digest of the input, without its token and its secrets, 16 bytes; of an end with its service and folder
---@field first integer when the wait began, in milliseconds since 1970
---@field last integer when the last step decided
---@field delay integer milliseconds from then until the next attempt
---@field members bide.SeenMembers
---@field ended bide.StepEnd? once the wait has ended
---@field record string the state of the core
---@field token string? the idempotency token of its request
---@field output string? the last output, as JSON

---The most characters of a text without an output, and of an output.
M.MOST, M.MOST_OUTPUT = 2048, 32 * 1024

---The most bytes of a token, so that every state fits.
M.MOST_TOKEN = 256

local VERSION = 1
local SIGNED, HAS_OUTPUT = 1, 2
local SIGNATURE, CHECKSUM = 32, 16

local HEAD = "BB"
local BODY = ">BBc16c16i8i8i8c32s1s1I4s2s2s4"

---The latest time, and the longest delay, in milliseconds: sums of a few of them do not overflow.
local LATEST = 1 << 52

---Reverses the bytes of each of the four numbers of members: a step has the most significant one first.
---@param members string
---@return string
local function in_order(members)
  return (members:gsub("........", string.reverse))
end

---@param bytes string
---@param key string?
---@return string
local function seal(bytes, key)
  if key then return digest.hmac(key, bytes) end
  return digest.sha256(bytes):sub(1, CHECKSUM)
end

---@param bytes string
---@return string
local function encode(bytes)
  local text = base64.encode(bytes):gsub("[+/=]", { ["+"] = "-", ["/"] = "_", ["="] = "" })
  return text
end

---@param state bide.StepState
---@param key string? signs it
---@return string
function M.pack(state, key)
  local ended = state.ended or { state = "", reason = "" }
  local flags = (key and SIGNED or 0) | (state.output and HAS_OUTPUT or 0)
  local bytes = string.pack(BODY, VERSION, flags, state.recipe, state.input, state.first, state.last, state.delay,
    in_order(state.members), ended.state, ended.reason, ended.acceptor or 0, state.record,
    state.token or "", state.output or "")
  return encode(bytes .. seal(bytes, key))
end

---@param text string
---@return string? bytes
local function decode(text)
  if text:find "[^%w_-]" then return nil end
  local bytes = base64.decode(text:gsub("[-_]", { ["-"] = "+", ["_"] = "/" }) .. ("="):rep(-#text % 4))
  return bytes and encode(bytes) == text and bytes or nil -- the last character may have bits that are of no byte
end

---Compares seals by their digests with a random key: the time that this takes does not depend on how much of them is equal.
local function is_equal(one, other)
  local key = string.pack("jj", core.wait.random_seed(), core.wait.random_seed())
  return digest.hmac(key, one) == digest.hmac(key, other)
end

---Splits off the seal, and checks it.
---@return string? body
---@return string? mistake
local function unseal(bytes, key)
  local is_signed = bytes:byte(2) & SIGNED ~= 0
  if is_signed and not key then return nil, "it is signed, and no key is given" end
  if key and not is_signed then return nil, "a key is given, and it is not signed" end
  local length = #bytes - (is_signed and SIGNATURE or CHECKSUM)
  local body = bytes:sub(1, math.max(length, 0))
  if length > 0 and is_equal(seal(body, key), bytes:sub(length + 1)) then return body end
  return nil, is_signed and "it was changed, or signed with another key" or "it is damaged"
end

---Reports whether a wait can have these values: a state that is not signed may have any.
---@param state bide.StepState
local function is_sound(state)
  local function is_time(value) return value >= 0 and value <= LATEST end
  local ended = state.ended
  local has_state = not ended or ended.state == "success" or ended.state == "failure"
  return has_state and is_time(state.first) and is_time(state.last) and is_time(state.delay) and state.first <= state.last
end

---@return bide.StepState
local function state_of(_, _, recipe, input, first, last, delay, members, ended, reason, acceptor, record, token, output)
  return {
    recipe = recipe, input = input, first = first, last = last, delay = delay, members = in_order(members),
    ended = ended ~= "" and { state = ended, reason = reason, acceptor = acceptor > 0 and acceptor or nil } or nil,
    record = record, token = token ~= "" and token or nil, output = output ~= "" and output or nil,
  }
end

---Reads a state. It may come from anybody.
---@param text string
---@param key string? with which it must be signed; without one, it must not be signed
---@return bide.StepState?
---@return string? mistake
function M.unpack(text, key)
  text = text:match "^%s*(.-)%s*$"
  local most = M.MOST + (M.MOST_OUTPUT * 4 + 2) // 3
  if #text > most then return nil, ("expected at most %d characters, found %d"):format(most, #text) end
  local bytes = decode(text)
  if not bytes or #bytes < string.packsize(HEAD) then
    return nil, option.expected("the text that a step gave", #text > 40 and text:sub(1, 40) .. "…" or text)
  end
  if bytes:byte(1) ~= VERSION then
    return nil, ("it is of version %d, and this bide reads version %d"):format(bytes:byte(1), VERSION)
  end
  local body, mistake = unseal(bytes, key)
  if not body then return nil, mistake end
  local values = table.pack(pcall(string.unpack, BODY, body))
  local state = values[1] and values[values.n] == #body + 1 and state_of(table.unpack(values, 2, values.n))
  if not state or not is_sound(state) then return nil, "it is damaged" end
  return state
end

return M
