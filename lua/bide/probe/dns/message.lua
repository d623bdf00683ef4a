---Writes questions and reads answers of the DNS (RFC 1035, 2782, 3596). An answer may be hostile: nothing beyond its end
---is read, and pointers may only point back, so that reading ends.

local peer_reader = require "bide.probe.peer.reader"

local M = {}

---The numbers of the types of records that are read.
M.types = { A = 1, NS = 2, CNAME = 5, PTR = 12, MX = 15, TXT = 16, AAAA = 28, SRV = 33 }

local name_of_type = {}
for name, number in pairs(M.types) do name_of_type[number] = name end

---The operation errors for the codes that a server answers in place of records.
M.codes = { [0] = "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED" }

local INTERNET = 1                -- the class
local HEADER = 12                 -- bytes
local LONGEST_NAME, LONGEST_LABEL = 255, 63
local IS_ANSWER, IS_AUTHORITATIVE, IS_TRUNCATED, WANTS_RECURSION = 0x8000, 0x0400, 0x0200, 0x0100

-- ---- the question ---------------------------------------------------------------------

---Encodes a name: each label after its length. A dot at the end is the root's, and may be left out.
---@param name string
---@return string? bytes
---@return string? mistake
local function write_name(name)
  local bytes, labels = {}, name:gsub("%.$", "")
  for label in (labels .. (labels ~= "" and "." or "")):gmatch("([^.]*)%.") do
    if label == "" then return nil, "an empty label" end
    if #label > LONGEST_LABEL then return nil, ("a label of more than %d bytes"):format(LONGEST_LABEL) end
    bytes[#bytes + 1] = string.pack("s1", label)
  end
  local whole = table.concat(bytes) .. "\0"
  if #whole > LONGEST_NAME then return nil, ("more than %d bytes"):format(LONGEST_NAME) end
  return whole
end

---@param id integer 0 to 65535
---@param name string
---@param kind string one of M.types
---@return string? bytes
---@return string? mistake
function M.question(id, name, kind)
  local bytes, mistake = write_name(name)
  if not bytes then return nil, mistake end
  return string.pack(">I2I2I2I2I2I2", id, WANTS_RECURSION, 1, 0, 0, 0) .. bytes
    .. string.pack(">I2I2", M.types[kind], INTERNET)
end

local OPERATION, CODE = 0x7800, 15 -- bits of the flags
local NXDOMAIN = 3

---Reports whether a message answers a question. A server that did not understand the question may leave it out, but not one
---that says that there is no such name.
---@param bytes string
---@param question string
---@return boolean
function M.answers(bytes, question)
  if #bytes < HEADER or bytes:sub(1, 2) ~= question:sub(1, 2) then return false end
  local flags, count = string.unpack(">I2I2", bytes, 3)
  if flags & IS_ANSWER == 0 or flags & OPERATION ~= 0 or count > 1 then return false end
  if count == 0 then return flags & CODE ~= 0 and flags & CODE ~= NXDOMAIN end
  return bytes:sub(HEADER + 1, #question):lower() == question:sub(HEADER + 1):lower()
end

---Reports whether an answer was too long for its datagram.
---@param bytes string that M.answers takes for an answer
---@return boolean
function M.is_truncated(bytes)
  return string.unpack(">I2", bytes, 3) & IS_TRUNCATED ~= 0
end

-- ---- reading --------------------------------------------------------------------------

---The class of the errors that reading raises; the function that began to read catches them.
local Malformed = {}

local function fail(format, ...)
  error(setmetatable({ text = format:format(...) }, Malformed), 0)
end

---@class bide.dns.Reader: bide.peer.Reader
local Reader = peer_reader.class(fail, { uint8 = ">I1", uint16 = ">I2", uint32 = ">I4" })

---Escapes a label as zone files do: \. and \000.
local function escape(label)
  return (label:gsub("[.\\]", "\\%0"):gsub("[^!-~]", function(byte) return ("\\%03d"):format(byte:byte()) end))
end

---Follows a pointer to the rest of the name. It must point before the part of the name that contains it.
local function follow(reader, high, piece)
  local target = ((high & 0x3f) << 8 | reader:uint8()) + 1
  if target >= piece then fail "a name has a pointer that does not lead back" end
  reader.at = target
  return target
end

---@return string name without the dot at its end; the root is "."
function Reader:name()
  local labels, size, piece, after = {}, 1, self.at, nil
  while true do
    local length = self:uint8()
    if length == 0 then break end
    if length >= 0xc0 then
      after = after or self.at + 1
      piece = follow(self, length, piece)
    elseif length > LONGEST_LABEL then
      fail "a name has a label of an unknown kind"
    else
      size = size + 1 + length
      if size > LONGEST_NAME then fail("a name has more than %d bytes", LONGEST_NAME) end
      labels[#labels + 1] = escape(self:take(length))
    end
  end
  self.at = after or self.at
  return #labels > 0 and table.concat(labels, ".") or "."
end

-- ---- records --------------------------------------------------------------------------

local function ip4(reader)
  return { value = ("%d.%d.%d.%d"):format(reader:take(4):byte(1, 4)) }
end

---Writes an IPv6 address by RFC 5952: leaves out the first of the longest runs of two or more zeroes.
local function ip6(reader)
  local groups = { string.unpack(">I2I2I2I2I2I2I2I2", reader:take(16)) }
  local from, longest = nil, 1
  for first = 1, 8 do
    local last = first
    while last <= 8 and groups[last] == 0 do last = last + 1 end
    if last - first > longest then from, longest = first, last - first end
  end
  local words = {}
  for position = 1, 8 do words[position] = ("%x"):format(groups[position]) end
  if not from then return { value = table.concat(words, ":") } end
  return { value = table.concat(words, ":", 1, from - 1) .. "::" .. table.concat(words, ":", from + longest, 8) }
end

local function name(reader)
  return { value = reader:name() }
end

local function mail_exchange(reader)
  local record = { preference = reader:uint16(), target = reader:name() }
  record.value = ("%d %s"):format(record.preference, record.target)
  return record
end

local function text(reader, last)
  local pieces = {}
  repeat pieces[#pieces + 1] = reader:take(reader:uint8()) until reader.at >= last
  return { value = table.concat(pieces) }
end

local function service(reader)
  local record = {
    priority = reader:uint16(), weight = reader:uint16(), port = reader:uint16(), target = reader:name(),
  }
  record.value = ("%d %d %d %s"):format(record.priority, record.weight, record.port, record.target)
  return record
end

local readers = { A = ip4, AAAA = ip6, NS = name, CNAME = name, PTR = name, MX = mail_exchange, TXT = text, SRV = service }

---@class bide.dns.Record
---@field name string
---@field type string
---@field ttl integer seconds
---@field value string as text: "10.0.0.1", "10 mail.example.org"
---@field target? string of MX and SRV
---@field preference? integer of MX
---@field priority? integer of SRV
---@field weight? integer of SRV
---@field port? integer of SRV

---@return bide.dns.Record? record nil if it has another type or class
local function read_record(reader)
  local owner = reader:name()
  local kind, class = name_of_type[reader:uint16()], reader:uint16()
  local ttl, length = reader:uint32(), reader:uint16()
  local from = reader.at
  reader:skip(length)
  if not kind or class ~= INTERNET then return nil end
  reader.at = from
  local record = readers[kind](reader, from + length)
  if reader.at ~= from + length then fail("a record of type %s is not as long as it says", kind) end
  record.name, record.type, record.ttl = owner, kind, ttl < 2 ^ 31 and ttl or 0
  return record
end

---@class bide.dns.Answer
---@field code integer 0 if there is no error; otherwise a key of M.codes
---@field authoritative boolean
---@field name? string that was asked for; nil if the server left the question out
---@field count integer of the records of the answer section
---@field records bide.dns.Record[] of that section, only of known types
---@field is_referral boolean whether it has no record, but names other servers to ask (RFC 2308, 2.2)

local NAME_SERVER, START_OF_AUTHORITY = 2, 6

---Skips a record, and returns its type.
local function skip_record(reader)
  reader:name()
  local kind = reader:uint16()
  reader:skip(6)
  reader:skip(reader:uint16())
  return kind
end

local function read(bytes)
  local reader = Reader.new(bytes)
  reader:skip(2)
  local flags, questions, count = reader:uint16(), reader:uint16(), reader:uint16()
  local authorities, additions = reader:uint16(), reader:uint16()
  local answer = { code = flags & CODE, authoritative = flags & IS_AUTHORITATIVE ~= 0, records = {}, count = count }
  for _ = 1, questions do
    answer.name = reader:name()
    reader:skip(4)
  end
  for _ = 1, count do answer.records[#answer.records + 1] = read_record(reader) end
  local has = {}
  for _ = 1, authorities do has[skip_record(reader)] = true end
  for _ = 1, additions do skip_record(reader) end
  if reader:left() > 0 then fail("%d bytes follow its records", reader:left()) end
  answer.is_referral = count == 0 and has[NAME_SERVER] == true and not has[START_OF_AUTHORITY]
  return answer
end

---@param bytes string that M.answers takes for an answer
---@return bide.dns.Answer?
---@return string? mistake
function M.read(bytes)
  local ok, answer = pcall(read, bytes)
  if ok then return answer end
  if getmetatable(answer) ~= Malformed then error(answer, 0) end
  return nil, answer.text
end

return M
