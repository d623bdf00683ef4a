---Resolves a name, by the system's resolver or by one name server.
---
---    local dns = require "bide.dns"
---    dns "db.internal"                                            -- as every program of this system resolves it
---    dns("example.org", { type = "MX", server = "10.0.0.53" })   -- as that server answers now
---
---Without `server`, asks the system's resolver, /etc/hosts included, for addresses only. With `server`, asks that server
---and no other, by UDP, and by TCP if the answer is too long for UDP. The answer is neither cached nor followed
---elsewhere. Asks one address of the server's name after the other until one of them knows the name: that it is not known
---is what each of them says. Raises these operation errors:
---
---    NameNotFound        the name does not exist
---    NoData              the name has no record of that type
---    AliasOnly           the name is another name of one that the server does not add, or that does not exist
---    Referral            the server does not know, and names others to ask
---    ServerFailure       the server cannot answer now (SERVFAIL), or the system's resolver reaches no server
---    QueryRefused        the server refuses to answer
---    InvalidAnswer       the answer is not a DNS message, or has records of another name or type
---    InvalidName         the text cannot be a name of the DNS
---    RequestTimeout, ConnectionRefused, ConnectionReset, ConnectionFailed, NameNotResolved    as of bide.udp, for the server
---
---`address` of the error is that of the server that answered.

local Connection = require("bide.probe.peer.sockets").Connection
local Datagrams = require("bide.probe.peer.sockets").Datagrams
local Peer = require "bide.probe.peer"
local core = require "bide.core"
local duration = require "bide.text.duration"
local expected = require "bide.dns.answer"
local message = require "bide.probe.dns.message"
local option = require "bide.text.option"
local options = require "bide.probe.peer.options"

---Its function in `bide`.
---@class bide
---@field dns fun(name: string, options: bide.dns.Options?): bide.dns.Result

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.dns.Options
---@field type? "A"|"AAAA"|"CNAME"|"MX"|"NS"|"PTR"|"SRV"|"TXT" A by default; without a server A, AAAA, or both by default
---@field server? string a name or an address
---@field port? integer|string of the server, 53 by default
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait
---@field retransmit? number seconds between repetitions of the question, 1 by default
---@field expect? string an answer: if an address of the server gives others only, the next one is asked

---@class bide.dns.Result
---@field name string as given
---@field type? string
---@field answers string[] sorted: addresses; text; "10 mail.example.org" for MX, "0 5 5060 sip.example.org" for SRV
---@field may_be_cut? true whether there may be further addresses, which the system's resolver has left out
---@field ttl? integer seconds, the lowest of the records; from a server
---@field authoritative? boolean from a server
---@field records? bide.dns.Record[] all records of the answer, aliases included; from a server
---@field server? string the server that answered, "10.0.0.53:53"

local PORT, RETRANSMIT = 53, 1
local LONGEST_MESSAGE = 65535

local kinds = option.kinds

local kind = { "a type of record: A, AAAA, CNAME, MX, NS, PTR, SRV or TXT", function(value)
  return type(value) == "string" and message.types[value:upper()] ~= nil
end }

local kind_of = {
  type = kind, server = kinds.text, port = options.port, timeout = kinds.seconds, retransmit = kinds.seconds,
  expect = kinds.text,
}

local families = { A = "inet", AAAA = "inet6" }

local function fail(type_of_error, address, format, ...)
  error({ type = type_of_error, message = format:format(...), address = address }, 0)
end

-- ---- the system's resolver ------------------------------------------------------------

local failures = { EAI_NONAME = "NameNotFound", EAI_NODATA = "NoData", EAI_ADDRFAMILY = "NoData" }

---The words for codes of getaddrinfo that say too little.
local words = { EAI_AGAIN = "EAI_AGAIN, no name server answered" }

local function fail_of_resolver(name, failure)
  if not failure then fail("RequestTimeout", nil, "the system's resolver did not answer in time for %s", name) end
  local found = failures[failure]
  if found == "NameNotFound" then fail(found, nil, "there is no name %s, according to the system's resolver", name) end
  if found then fail(found, nil, "%s has no such address, according to the system's resolver", name) end
  fail("ServerFailure", nil, "the system's resolver cannot resolve %s: %s", name, words[failure] or failure)
end

local function ask_system(name, prepared)
  local addresses, failure = Peer.new(name, prepared.timeout):addresses(name, families[prepared.type])
  if not addresses then fail_of_resolver(name, failure) end
  local may_be_cut = addresses.may_be_cut
  addresses.may_be_cut = nil
  table.sort(addresses)
  return { name = name, type = prepared.type, answers = core.json.array(addresses), may_be_cut = may_be_cut }
end

-- ---- a server -------------------------------------------------------------------------

local function by_tcp(target, question, at)
  local connection <close> = Connection.new(false)
  local how = connection:to_address(at, target.address, target.port)
  if how == "connected" then how = connection:send(string.pack(">s2", question), at) end
  if how ~= "sent" then return nil, how end
  how = connection:read(function(received)
    return #received >= 2 and #received >= 2 + string.unpack(">I2", received)
  end, LONGEST_MESSAGE + 2, at)
  if how ~= "found" then return nil, how == "closed" and "ECONNRESET" or how end
  local answer = string.unpack(">s2", connection.received)
  if message.answers(answer, question) and not message.is_truncated(answer) then return answer end
  fail("InvalidAnswer", target.name, "%s answered what it was not asked", target.name)
end

local function exchange(target, question, again, at)
  local socket <close> = Datagrams.new()
  local opened, refused = socket:to_address(target.address, target.port)
  if not opened then return nil, refused end
  local answer, failure = socket:exchange(question, function(bytes) return message.answers(bytes, question) end, again, at)
  if answer and message.is_truncated(answer) then return by_tcp(target, question, at) end
  return answer, failure
end

local function check_code(answer, name, server)
  local code = message.codes[answer.code] or ("error %d"):format(answer.code)
  if code == "NOERROR" then return end
  if code == "NXDOMAIN" then fail("NameNotFound", server, "there is no name %s, according to %s", name, server) end
  if code == "REFUSED" then fail("QueryRefused", server, "%s refuses to resolve %s", server, name) end
  fail("ServerFailure", server, "%s cannot resolve %s: %s", server, name, code)
end

---Returns the name that was asked for, and those of which it is an alias, as a set, in whatever order the records come.
---@param answer bide.dns.Answer
local function names_of(answer)
  local names, has_grown = { [(answer.name or ""):lower()] = true }, true
  while has_grown do
    has_grown = false
    for _, record in ipairs(answer.records) do
      local target = record.type == "CNAME" and names[record.name:lower()] and record.value:lower()
      if target and not names[target] then names[target], has_grown = true, true end
    end
  end
  return names
end

---Returns the records of an answer that have the type of the question. Resolvers leave out what a server adds of other names,
---and so does this. Records of other names or types alone are no answer: they say neither that there is such a record nor that
---there is none.
local function pick(answer, type_of_record, server)
  local values, ttl, alias, names, other = core.json.array {}, math.huge, nil, names_of(answer), nil
  for _, record in ipairs(answer.records) do
    if not names[record.name:lower()] then
      other = other or record.name
    else
      if record.type == type_of_record then values[#values + 1] = record.value end
      if record.type == "CNAME" then alias = record.value end
      ttl = math.min(ttl, record.ttl)
    end
  end
  if other and #values == 0 then
    fail("InvalidAnswer", server, "%s was asked for %s, and answered with %s", server, answer.name, other)
  end
  if answer.count > 0 and #values == 0 and not alias then
    fail("InvalidAnswer", server, "%s was asked for %s records, and answered with others", server, type_of_record)
  end
  table.sort(values)
  return values, ttl, alias
end

---Raises the error for an answer without the name: NXDOMAIN too may be about the target of an alias (RFC 2308, 2.1).
local function check_presence(answer, name, type_of_record, server, alias)
  if alias and answer.code ~= 0 and message.codes[answer.code] ~= "NXDOMAIN" then check_code(answer, name, server) end
  if alias then
    fail("AliasOnly", server, "%s is another name of %s, which has no %s record, says %s", name, alias, type_of_record, server)
  end
  check_code(answer, name, server)
  if answer.is_referral then fail("Referral", server, "%s does not know %s, and names other servers to ask", server, name) end
  fail("NoData", server, "%s has no %s record, says %s", name, type_of_record, server)
end

local function result_of(bytes, name, type_of_record, server)
  local answer, mistake = message.read(bytes)
  if not answer then fail("InvalidAnswer", server, "%s sent an answer that is not a DNS message: %s", server, mistake) end
  local values, ttl, alias = pick(answer, type_of_record, server)
  if #values == 0 or answer.code ~= 0 then check_presence(answer, name, type_of_record, server, alias) end
  return {
    name = name, type = type_of_record, answers = values, ttl = ttl, records = answer.records,
    authoritative = answer.authoritative, server = server,
  }
end

local is_absence = { NameNotFound = true, NoData = true }

---Returns a function that reports whether what an address says leaves it to another one to know the name.
---@param type_of_record string
---@param expect string? the answer that is expected
local function absence_of(type_of_record, expect)
  return function(found)
    if type(found) ~= "table" then return false end
    if not found.answers then return is_absence[found.type] or false end
    return expect ~= nil and not expected.has(found.answers, type_of_record, expect)
  end
end

local function ask_server(name, prepared)
  local server, port, type_of_record = prepared.server, prepared.port, prepared.type or "A"
  local question, mistake = message.question(math.random(0, 0xffff), name, type_of_record)
  if not question then fail("InvalidName", nil, "%q is not a DNS name: it has %s", name, mistake) end
  options.check_address(server)
  local peer = Peer.new(("%s:%d"):format(server, port), prepared.timeout, server)
  return peer:ask_until_found(peer:resolve(server, port), function(target, at)
    local bytes, failure = exchange(target, question, prepared.retransmit, at)
    if not bytes then return nil, failure end
    return result_of(bytes, name, type_of_record, target.name)
  end, absence_of(type_of_record, prepared.expect))
end

-- ---- the options ----------------------------------------------------------------------

---@return string? mistake
local function check(name, given)
  if type(name) ~= "string" then return "name: " .. option.expected("a string", name) end
  local mistake = option.check(given, kind_of)
  local type_of_record = not mistake and (given.type or "A"):upper()
  local of_expect = type_of_record and given.expect and expected.mistake(type_of_record, given.expect)
  mistake = mistake or of_expect and "expect: " .. of_expect
  if mistake or given.server then return mistake end
  for _, of_server in ipairs { "port", "retransmit", "expect" } do
    if given[of_server] then return of_server .. ": expected server beside it" end
  end
  if given.type and not families[given.type:upper()] then
    return ("type: expected server beside %s, since the system's resolver has addresses only"):format(given.type)
  end
end

local function prepare(given)
  return {
    type = given.type and given.type:upper(), server = given.server,
    port = math.tointeger(tonumber(given.port or PORT)), timeout = options.timeout(given.timeout),
    retransmit = duration.of_seconds(given.retransmit or RETRANSMIT), expect = given.expect,
  }
end

---@param name string
---@param given? bide.dns.Options
---@return bide.dns.Result
return function(name, given)
  given = given == nil and {} or given
  local mistake = check(name, given)
  if mistake then error("bide.dns: " .. mistake, 2) end
  if name == "" or name:find("\0", 1, true) then fail("InvalidName", nil, "%q is not a name", name) end
  return (given.server and ask_server or ask_system)(name, prepare(given))
end
