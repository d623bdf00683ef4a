---Asks a directory by LDAP (version 3, RFC 4511): binds, and reads one entry.
---
---    local ldap = require "bide.ldap"
---    ldap { host = "directory" }                                        --> { entry = { namingContexts = { "dc=shop" }, … } }
---    ldap { host = "directory", base = "cn=app,dc=shop", user = "cn=reader,dc=shop", password = password }
---    ldap { host = "directory", tls = { ca = "ca.pem" } }               -- by StartTLS
---    ldap { host = "directory", security = "tls" }                      -- ldaps
---
---Without a user the bind is anonymous; a user needs a password, since a directory takes a bind without one for anonymous
---(RFC 4513, 5.1.2) and lets any user pass. Without a base the entry is the root of the directory, which says what the server
---can do. Closes the connection when the call ends.
---
---If the server refuses, raises an operation error whose type is the name of its result: `InvalidCredentials`,
---`NoSuchObject`, `Busy`, `Unavailable`, `InsufficientAccessRights`, `ConfidentialityRequired` …, with the number in `code`;
---`LdapError` for the others. `matched` is the name of the nearest entry above one that does not exist, where the server
---gives it: it is missing for an entry that the user may not see, and for another suffix. `is_above` is whether that name is
---one above the base. Raises the operation errors of
---bide.tcp and bide.tls, and this one:
---
---    InvalidAnswer    the server does not speak the protocol

local ber = require "bide.probe.ldap.ber"
local fail = require "bide.text.fail"
local kinds = require("bide.text.option").kinds
local names = require "bide.probe.ldap.names"
local protocol = require "bide.probe.peer.protocol"
local read_pieces = require "bide.probe.peer.pieces"
local tls = require "bide.tls"

---Its function in `bide`.
---@class bide
---@field ldap bide.ldap

---@class bide.ldap
---@overload fun(options: bide.ldap.Options): bide.ldap.Result
local M = {}

---The largest message, in bytes, and the most messages of an answer.
local LARGEST, MOST_MESSAGES = 1024 * 1024, 64

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.ldap.Options
---@field host string a name or an address
---@field port? integer|string 389 by default, or 636 with `security = "tls"`
---@field user? string the name to bind as, "cn=reader,dc=shop"
---@field password? string
---@field base? string the name of the entry; the root of the directory by default
---@field security? "none"|"starttls"|"tls" by default "starttls" if there is `tls`, else "none"
---@field tls? bide.tls.Options
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.ldap.Result
---@field name? string of the entry
---@field entry? table<string, string[]> its attributes; nil if the user may not see it

local BIND_ANSWER = 0x61
local EXTENDED_ANSWER = 0x78 -- the only one that may answer no question: a notice of the server, as that it shuts down

---The results that matter to a wait, by their numbers (RFC 4511, appendix A).
local results = { [2] = "ProtocolError", [8] = "StrongerAuthRequired", [13] = "ConfidentialityRequired", [34] = "InvalidDnSyntax",
  [48] = "InappropriateAuthentication", [49] = "InvalidCredentials", [50] = "InsufficientAccessRights", [51] = "Busy",
  [52] = "Unavailable", [53] = "UnwillingToPerform" }

---The result that an object does not exist. Of which one depends on the question: some directories say it of the user.
local NO_SUCH_OBJECT <const> = 32

-- ---- messages ----------------------------------------------------------------------------------

---The beginnings of a notice, by the forms of its length.
local notices = { "^0[^\x80-\xFF]\2\1%z\x78", "^0\x81.\2\1%z\x78", "^0\x82..\2\1%z\x78", "^0\x84....\2\1%z\x78" }

---Reports whether the server says something that answers no question.
local function is_notice(received)
  for _, beginning in ipairs(notices) do
    if received:find(beginning) then return true end
  end
  return false
end

---@param number integer of the message
---@param request string an element
local function send(dialogue, number, request)
  dialogue:ask(ber.sequence(ber.integer(number), request), is_notice)
end

---Reads the content of a message, which begins with a tag and a length of up to five bytes.
---@return string
local function read_content(dialogue)
  local tag, first = dialogue:read(2):byte(1, 2)
  if tag ~= ber.SEQUENCE or first == 0x80 or first > 0x84 then ber.refuse "no message" end
  local more = first > 0x80 and dialogue:read(first & 0x7F) or ""
  local length = ber.reader(string.char(first) .. more):length()
  if length > LARGEST then
    fail("InvalidAnswer", ("expected an entry of at most %d bytes, found %d"):format(LARGEST, length))
  end
  return read_pieces(dialogue, length)
end

---Reads the next message.
---@return integer tag of the answer
---@return string content
local function read(dialogue, number)
  local message = ber.reader(read_content(dialogue))
  local kind, text = message:element()
  local given = kind == ber.INTEGER and ber.number(text)
  if not given then ber.refuse "a message without a number" end
  local tag, answer = message:element()
  if given ~= number and not (given == 0 and tag == EXTENDED_ANSWER) then ber.refuse "the answer to another question" end
  return tag, answer
end

---Raises the result of an answer, unless it is a success. A server answers that there is no such entry for one that the user
---may not see, too (RFC 4511, 4.1.9); but then it does not name the entry above it.
---@param content string
---@param absence string the type of the error for an object that does not exist
---@param base? string the name that was asked for
local function check_result(content, absence, base)
  local parts, tags = {}, {}
  for tag, part in ber.elements(content) do parts[#parts + 1], tags[#tags + 1] = part, tag end
  local code = tags[1] == ber.ENUMERATED and tags[2] == ber.OCTETS and tags[3] == ber.OCTETS and ber.number(parts[1])
  if not code then ber.refuse "an answer without a result" end
  if code == 0 then return end
  local kind = code == NO_SUCH_OBJECT and absence or results[code] or "LdapError"
  error({ type = kind, message = parts[3] ~= "" and parts[3] or "result " .. code, code = code,
    matched = parts[2] ~= "" and parts[2] or nil, is_above = base and names.is_above(parts[2], base) or nil }, 0)
end

---Refuses another answer than the expected one, which may be a notice of the server.
local function refuse_other(tag, content)
  if tag == EXTENDED_ANSWER then check_result(content, "LdapError") end
  ber.refuse "another answer"
end

---@param number integer
---@param wanted integer the tag of the answer
local function expect(dialogue, number, wanted)
  local tag, content = read(dialogue, number)
  if tag ~= wanted then refuse_other(tag, content) end
  check_result(content, tag == BIND_ANSWER and "InvalidCredentials" or "LdapError")
end

-- ---- requests ----------------------------------------------------------------------------------

local EXTENDED, BIND, UNBIND = 0x77, 0x60, 0x42
local SEARCH, ENTRY, DONE, REFERENCE = 0x63, 0x64, 0x65, 0x73
local START_TLS = "1.3.6.1.4.1.1466.20037"

local function start_tls(dialogue, given)
  send(dialogue, 1, ber.write(EXTENDED, ber.write(0x80, START_TLS)))
  expect(dialogue, 1, EXTENDED_ANSWER)
  tls.start(dialogue, given.tls)
end

local function bind(dialogue, given)
  send(dialogue, 2, ber.write(BIND, ber.integer(3) .. ber.octets(given.user or "") .. ber.write(0x80, given.password or "")))
  expect(dialogue, 2, BIND_ANSWER)
end

---Reads an entry: its name, and a list of attributes, each with a set of values.
---@param content string
---@param base string the name that was asked for, which may be a word of the directory's own, as <GUID=…>
---@return bide.ldap.Result
local function entry_of(content, base)
  local parts = ber.reader(content)
  local named, name = parts:element()
  local kind, attributes = parts:element()
  if named ~= ber.OCTETS or kind ~= ber.SEQUENCE then ber.refuse "an entry without attributes" end
  if names.differ(name, base) then ber.refuse "another entry" end
  local entry = {}
  for _, attribute in ber.elements(attributes) do
    local pair, values = ber.reader(attribute), {}
    local keyed, key = pair:element()
    local listed, set = pair:element()
    if keyed ~= ber.OCTETS or listed ~= ber.SET then ber.refuse "an attribute without values" end
    for _, value in ber.elements(set) do values[#values + 1] = value end
    entry[key] = values
  end
  return { name = name, entry = entry }
end

---Reads the base alone, with all of its attributes and those of the server. That there is no such entry counts only where
---nothing else has come: neither the entry, nor a reference to another server that may have it.
---@return bide.ldap.Result
local function search(dialogue, given)
  send(dialogue, 3, ber.write(SEARCH, ber.octets(given.base or "") .. ber.integer(0, ber.ENUMERATED)
    .. ber.integer(0, ber.ENUMERATED) .. ber.integer(1) .. ber.integer(0) .. ber.write(ber.BOOLEAN, "\0")
    .. ber.write(0x87, "objectClass") .. ber.sequence(ber.octets "*", ber.octets "+")))
  local result, has_more = nil, false
  for _ = 1, MOST_MESSAGES do
    local tag, content = read(dialogue, 3)
    if tag == DONE then
      check_result(content, (result or has_more) and "LdapError" or "NoSuchObject", given.base)
      return result or {}
    end
    if tag == ENTRY then
      if result then ber.refuse "two entries" end
      result = entry_of(content, given.base or "")
    elseif tag == REFERENCE then
      has_more = true
    else
      refuse_other(tag, content)
    end
  end
  ber.refuse "an answer without an end"
end

---@param given bide.ldap.Options
---@return bide.ldap.Result
local function talk(dialogue, given, security)
  if security == "starttls" then start_tls(dialogue, given) end
  bind(dialogue, given)
  local result = search(dialogue, given)
  send(dialogue, 4, ber.write(UNBIND, ""))
  return result
end

---Returns the mistake of a user without a password.
---@param given { user: string?, password: string? }
---@return string? mistake
function M.mistake(given)
  local has_user, has_password = (given.user or "") ~= "", (given.password or "") ~= ""
  if has_user and not has_password then return "password: expected one, since there is a user; found nothing" end
  if has_password and not has_user then return "user: expected one, since there is a password; found nothing" end
end

---Reports whether an error says that there is no such entry, which one address may know better than another.
local function is_absent(failure, earlier)
  if type(failure) ~= "table" or failure.type ~= "NoSuchObject" then return false end
  failure.is_above = failure.is_above and (not earlier or earlier.is_above)
  return true
end

local ask = protocol {
  name = "bide.ldap",
  port = 389,
  tls_port = 636,
  options = { user = kinds.text, password = kinds.text, base = kinds.text },
  is_absent = is_absent,
  talk = talk,
}

---@param given bide.ldap.Options
---@return bide.ldap.Result
local function call(_, given)
  local mistake = type(given) == "table" and M.mistake(given)
  if mistake then error("bide.ldap: " .. mistake, 2) end
  return ask(given)
end

return setmetatable(M, { __call = call })
