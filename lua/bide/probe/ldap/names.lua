---Compares the names of entries (RFC 4514) as directories do: in any letter case, with any blanks, escapes and names of types
---(RFC 4517, 4519).

local M = {}

---The types that names of entries mostly have: all of their spellings by RFC 4519, the usual one first.
local spellings = {
  "cn commonname 2.5.4.3", "sn surname 2.5.4.4", "serialnumber 2.5.4.5", "c countryname 2.5.4.6", "l localityname 2.5.4.7",
  "st stateorprovincename 2.5.4.8", "street streetaddress 2.5.4.9", "o organizationname 2.5.4.10",
  "ou organizationalunitname 2.5.4.11", "title 2.5.4.12", "name 2.5.4.41", "givenname gn 2.5.4.42",
  "uid userid 0.9.2342.19200300.100.1.1", "mail rfc822mailbox 0.9.2342.19200300.100.1.3",
  "dc domaincomponent 0.9.2342.19200300.100.1.25", "emailaddress email e 1.2.840.113549.1.9.1",
}

---@type table<string, string> the usual spelling by each one
local usual = {}
for _, words in ipairs(spellings) do
  for word in words:gmatch "%S+" do usual[word] = words:match "%S+" end
end

---The tags of the texts that a value in hexadecimal may be (X.680): OCTET STRING, UTF8, Printable, IA5.
local texts = { [0x04] = true, [0x0C] = true, [0x13] = true, [0x16] = true }

---Reads a value in hexadecimal: the BER of a short text.
---@return string? value nil if it is something else
local function read_hexadecimal(digits)
  local bytes = digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)
  local tag, length = bytes:byte(1, 2)
  return texts[tag] and length == #bytes - 2 and bytes:sub(3) or nil
end

---Stands for a byte that was escaped, which then is neither a sign nor a blank at an end.
local ESCAPED <const> = "\1%02X"

---@return string? text with its escapes out of the way; nil if it has what no name has
local function hide_escapes(text)
  if text:find "%c" then return nil end
  return (text:gsub("\\\\", ESCAPED:format(("\\"):byte())):gsub("\\(%x%x)", "\1%1")
    :gsub("\\(.)", function(sign) return ESCAPED:format(sign:byte()) end))
end

---@return string
local function show_escapes(text)
  return (text:gsub("\1(%x%x)", function(pair) return string.char(tonumber(pair, 16)) end))
end

---Writes a value as it is compared. Of several blanks in a row, one counts, and none at an end.
---@return string? value nil if it cannot be compared, as one in quotes (RFC 1779)
local function plain_value(text)
  if text:find('"', 1, true) then return nil end
  local digits = text:match "^#(.*)$"
  local value = digits and read_hexadecimal(digits) or not digits and show_escapes(text)
  return value and value:gsub(" +", " "):gsub("^ ", ""):gsub(" $", ""):lower() or nil
end

---@class bide.ldap.Part
---@field type string in its usual spelling
---@field value string? as it is compared; nil if it cannot be

---Reads a type and its value.
---@return bide.ldap.Part?
local function read_part(text)
  local kind, value = text:match "^ *([%w.-]+) *= *(.-) *$"
  if not kind then return nil end
  kind = kind:lower():gsub("^oid%.", "")
  return { type = usual[kind] or kind, value = plain_value(value) }
end

---Reads one of the names between the commas: a part, or several with a + between them, in any order.
---@return bide.ldap.Part[]?
local function read_step(text)
  local step = {}
  for words in (text .. "+"):gmatch "([^+]*)%+" do
    local part = read_part(words)
    if not part then return nil end
    step[#step + 1] = part
  end
  table.sort(step, function(a, b)
    if a.type ~= b.type then return a.type < b.type end
    return (a.value or "") < (b.value or "")
  end)
  return step
end

---Reads a name. A semicolon is a comma, as in old names (RFC 2253).
---@param name string
---@return bide.ldap.Part[][]? steps from the entry upwards; nil if RFC 4514 has no such name
local function read(name)
  local hidden, steps = hide_escapes(name), {}
  if not hidden then return nil end
  if not hidden:find "[^ ]" then return steps end
  for words in (hidden .. ","):gmatch "([^,;]*)[,;]" do
    local step = read_step(words)
    if not step then return nil end
    steps[#steps + 1] = step
  end
  return steps
end

---@param a bide.ldap.Part[]
---@param b bide.ldap.Part[]
local function is_same_step(a, b)
  if #a ~= #b then return false end
  for position, part in ipairs(a) do
    local other = b[position]
    if part.type ~= other.type or part.value == nil or part.value ~= other.value then return false end
  end
  return true
end

---Reports whether an entry is above another one. It is not if that cannot be known.
---@param above string
---@param name string
---@return boolean
function M.is_above(above, name)
  local upper, lower = read(above), read(name)
  if not upper or not lower or #upper == 0 or #upper >= #lower then return false end
  for position = 1, #upper do
    if not is_same_step(upper[position], lower[#lower - #upper + position]) then return false end
  end
  return true
end

---Reports whether the values of a type are compared as here. Those of others may be the same in other words, and so may
---letters beyond ASCII.
local function is_comparable(step)
  for _, part in ipairs(step) do
    if usual[part.type] ~= part.type or not part.value or part.value:find "[\x80-\xFF]" then return false end
  end
  return true
end

---Reports whether the name that a directory gives an entry is certainly not the one that was asked for. That may be a word of
---the directory's own, as <GUID=…>, and old directories write quotes.
---@param given string
---@param asked string
---@return boolean
function M.differ(given, asked)
  local steps, wanted = read(given), read(asked)
  if not wanted or not steps then return wanted ~= nil and not given:find('"', 1, true) end
  if #steps ~= #wanted then return true end
  for position, step in ipairs(steps) do
    local other = wanted[position]
    if is_comparable(step) and is_comparable(other) and not is_same_step(step, other) then return true end
  end
  return false
end

return M
