---Waits until the system's resolver, or one name server, knows a name. Or, with NameGone, until it does not.
---A resolver is near, and serves others too: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run dns db.internal --max-wait 5m
---    bide run dns example.org type=MX expect='10 mail.example.org' server=10.0.0.53 --max-wait 1h
---    bide run dns NameGone old.example.org server=10.0.0.53:5353 --max-wait 1h
---
---Without type, a name server is asked for addresses of both kinds, A and AAAA. With expect, NameGone also succeeds when
---the name has other answers only.

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local answer = require "bide.dns.answer"
local dns = require "bide.dns"
local json = require("bide").json

---Returns the host and the port of the name server.
---@return string? host
---@return integer|string|nil port or the mistake
local function server_of(input)
  if not input.server then return nil end
  local server, mistake = address.read(input.server)
  if not server then return nil, "server: " .. mistake end
  if server.port and input.port and server.port ~= input.port then
    return nil, ("port: expected %d, as in server, found %d"):format(server.port, input.port)
  end
  return server.host, server.port or input.port
end

---Returns what is wrong with a name: none of this form is ever known, so that it would always be gone.
local function mistake_of_name(name)
  local _, colons = name:gsub(":", "")
  local is_wrong = name:find "[^%w._:%%-]" or colons == 1 or name:find("..", 1, true)
    or name:find "^%.." or name:find(("[%w_-]"):rep(64))
  return is_wrong and ("name: expected one name of a host, without a port or a scheme%s, found %s"):format(
    name:find "[\x80-\xff]" and ", in the form xn--…" or "", json.encode(name)) or nil
end

---@return string? mistake
local function mistake_of_expect(input)
  local mistake = input.expect and answer.mistake(input.type, input.expect)
  return mistake and "expect: " .. mistake
end

local function check(input)
  local mistake = mistake_of_name(input.name) or mistake_of_expect(input)
  if mistake then return mistake end
  local host, problem = server_of(input)
  if input.server then return not host and problem or nil end
  if not input.port and not (input.type or "A"):find "[^A]" then return nil end
  return "server: expected a name server, found nothing: the system's resolver has addresses only"
end

local is_absence = { NameNotFound = true, NoData = true }

---Reports whether an answer is the expected one. Raises AnswerCut if that cannot be known.
local function has_expected(found, input)
  if input.expect == nil or answer.has(found.answers, input.type, input.expect) then return true end
  if found.may_be_cut then
    error { type = "AnswerCut", message = ("%s: the system's resolver names no more than %d addresses, without %s"):format(
      input.name, #found.answers, input.expect) }
  end
  return false
end

---Asks each question. The name is absent only if the server says so for all of them.
---@param questions bide.dns.Options[]
local function ask_each(input, questions)
  local found, absence, failure
  for _, question in ipairs(questions) do
    local ok, result = pcall(dns, input.name, question)
    if ok and has_expected(result, input) then return result end
    if ok then
      found = found or result
    elseif type(result) == "table" and is_absence[result.type] then
      absence = absence or result
    else
      failure = failure or result
    end
  end
  if failure then error(failure, 0) end
  return found or error(absence, 0)
end

---A name server is asked for addresses of both kinds, unless the input names a type.
local function prepare(input)
  local host, port = server_of(input)
  local function question(kind)
    local expect = host and input.expect and not answer.mistake(kind, input.expect) and input.expect or nil
    return { type = kind, server = host, port = port, timeout = input.timeout, expect = expect }
  end
  local questions = { question(input.type) }
  if host and not input.type then questions = { question "A", question "AAAA" } end
  return function()
    local found = ask_each(input, questions)
    if has_expected(found, input) then return found end
    local answers = table.concat(found.answers, ", ")
    error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(input.name, input.expect, answers) }
  end
end

local function waiter(members, known, unknown)
  members.minDelay, members.maxDelay, members.lateness = 0.05, 5, 0.05
  members.acceptors = {
    acceptor.success(known),
    acceptor.error(unknown, "NameNotFound"),
    acceptor.error(unknown, "NoData"),
    acceptor.error(unknown, "UnexpectedValue"),
    acceptor.transient("AliasOnly", "Referral", "AnswerCut"),
  }
  return members
end

return { Ask = {
  prepare = prepare,
  fact = "answers[0] && join(' ', ['found', join(', ', answers)])",
  check = check,
  input = {
    name = { type = "string", required = true, positional = 1, example = "db.internal", documentation = "The name to ask for." },
    type = {
      type = "string", values = { "A", "AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT" },
      documentation = "Of record. Default: A and AAAA.",
    },
    expect = {
      type = "string", asks = true,
      documentation = "An answer to wait for: an address, a text, '10 mail.example.org' for MX.",
    },
    server = {
      type = "string", example = "10.0.0.53",
      documentation = "The name server to ask, HOST or HOST:PORT. Default: the system's resolver.",
    },
    port = { type = "integer", minimum = 1, maximum = 65535, documentation = "Of the server. Default: 53." },
    timeout = { type = "duration", default = 10, documentation = "The time for one question." },
  },
  default = "NameKnown",
  waitable = {
    NameKnown = waiter({
      documentation = "Waits until a name is known.",
      countsAsReady = "an answer with a record of the type, or an address; with expect, that one",
      opposite = "NameGone",
    }, "success", "retry"),
    NameGone = waiter({
      documentation = "Waits until a name is not known.",
      countsAsGone = "each address of the server says NXDOMAIN, or that the name has no such record, and names neither an "
        .. "alias nor other servers; of the system's resolver, that it knows no address",
      opposite = "NameKnown",
    }, "retry", "success"),
  },
} }
