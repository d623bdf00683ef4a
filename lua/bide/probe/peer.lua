---The peer of a probe: its name for messages, the addresses that were tried, and the deadline. It converts failures of
---the system to operation errors, which name the addresses; `address` is the one whose failure it is, and `code` the
---system's word for it, if there is one:
---
---    NameNotResolved     the host's name has no address
---    ConnectionRefused   no program listens at any of the addresses
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no way to the address, or no such socket
---    PermissionDenied    the socket may not be used
---    RequestTimeout      nothing, or not the expected data, in time
---    InvalidAddress      the socket is one of another type: for datagrams, for instance
---    UnexpectedAnswer    an answer came, but not the expected one
---    TlsFailure          there is no TLS with it

local core = require "bide.core"
local reach = require "bide.probe.asking.reach"
local secret = require "bide.text.secret"
local shortage = require "bide.task.shortage"
local uv = require "luv"

local loop, resolver, task = core.loop, core.resolver, core.task

---@class bide.Peer
---@field name string "db:5432", for messages
---@field host? string
---@field tried string[]
---@field address? string whose failure is raised; by default the last one that was tried
---@field reports? string[] the addresses with their failures, if these differ
---@field until_when integer on the loop's clock
---@field lack? string what bide lacked for the last dialogue
local Peer = {}
Peer.__index = Peer

---An address to try.
---@class bide.peer.Target
---@field name string "127.0.0.1:5432", "[::1]:5432", or a socket's path
---@field address? string
---@field port? integer

---Addresses to try, in order.
---@class bide.peer.Targets
---@field [integer] bide.peer.Target
---@field may_be_cut? true whether the host may have further addresses, of which nothing is known

local types = {
  ECONNREFUSED = "ConnectionRefused", ECONNRESET = "ConnectionReset", EPIPE = "ConnectionReset",
  ETIMEDOUT = "RequestTimeout", EACCES = "PermissionDenied", EPERM = "PermissionDenied", EPROTOTYPE = "InvalidAddress",
  ENOTSOCK = "InvalidAddress",
}

---The types whose message has the system's words: the opening does not say enough.
local is_detailed = { ConnectionFailed = true, InvalidAddress = true }

---The words for the most common codes that come without any.
local words = {
  EAGAIN = "the queue of the server is full", EHOSTUNREACH = "there is no route to the host",
  ENETUNREACH = "the network is unreachable", ENOENT = "no such file or directory",
}

local openings = {
  NameNotResolved = "cannot resolve the name of %s",
  ConnectionRefused = "connection refused by %s",
  ConnectionReset = "connection lost to %s",
  ConnectionFailed = "cannot connect to %s",
  PermissionDenied = "may not connect to %s",
  InvalidAddress = "cannot connect to %s",
  RequestTimeout = "no answer in time from %s",
  TlsFailure = "no TLS connection with %s",
  UnexpectedAnswer = "not the expected answer from %s",
}

---@param name string
---@param timeout integer milliseconds
---@param host? string of an address, to compare with a certificate
---@return bide.Peer
function Peer.new(name, timeout, host)
  return setmetatable({ name = name, host = host, tried = {}, until_when = loop.update() + timeout }, Peer)
end

---@param kind string
---@param detail? string
---@param problem? string a word for the problem with a certificate
---@param code? string the system's word for the failure
function Peer:fail(kind, detail, problem, code)
  local message = (openings[kind] or "%s"):format(self.name)
  if #self.tried > 0 and self.tried[1] ~= self.name then
    message = ("%s (%s)"):format(message, table.concat(self.reports or self.tried, ", "))
  end
  if detail then message = message .. ": " .. detail end
  local address = self.address or self.tried[#self.tried]
  error({ type = kind, message = message, address = address, problem = problem, code = code }, 0)
end

---@param failure? string "ECONNREFUSED", or that with words after it; nil if the time came
function Peer:fail_of_system(failure)
  if failure == nil then self:fail("RequestTimeout") end
  local code = failure:match("^%u%w*")
  local kind = types[code] or "ConnectionFailed"
  local detail = words[failure] and ("%s, %s"):format(failure, words[failure]) or failure
  self:fail(kind, is_detailed[kind] and detail or nil, nil, code)
end

---Ends a dialogue that lacks descriptors of bide's own. It is held again once there may be some: it says nothing of the peer.
---@param lack string
function Peer:fail_of_lack(lack)
  self.lack = lack
  error(lack, 0)
end

---Quotes data from outside for a message.
---@param text string
---@return string
function Peer.quote(text)
  return core.json.encode(secret.before_cut(text):sub(1, 80))
end

---@param kind "RequestTimeout"|"UnexpectedAnswer"
---@param received string
---@param wanted string what was expected, in words
function Peer:fail_of_answer(kind, received, wanted)
  self:fail(kind, ("expected %s, found %s"):format(wanted, Peer.quote(received)))
end

---Runs a step of the probe, and again if bide lacked a descriptor for it. The time that it waited for one does not
---count for the probe's timeout.
---@generic T
---@param step fun(): T?, any
---@return T? result
---@return any failure
function Peer:step(step)
  local left = self.until_when - loop.update()
  return shortage.wait_out(function()
    self.until_when = loop.update() + left
    return step()
  end)
end

local function look_up(name, family, at)
  local waker = task.waker()
  local alarm <close> = loop.alarm(waker)
  local lookup <close>, failure = resolver.start(waker, name, family)
  if not lookup then return nil, failure end
  alarm:start(at)
  task.pause(waker)
  return lookup:result()
end

---Returns the addresses of a host. An address is returned as it is. A name is looked up by the system's resolver
---(/etc/hosts, the name servers), in a thread of bide's.
---@param name string
---@param family "inet"|"inet6"|nil nil is both
---@return bide.resolver.Addresses? addresses
---@return string? failure "EAI_NONAME"; nil if the probe's time was over first
function Peer:addresses(name, family)
  local of_address = resolver.family_of(name)
  reach.check_name(name)
  if not of_address then
    return self:step(function() return look_up(name, family, self.until_when) end)
  end
  if family and family ~= of_address then return nil, "EAI_ADDRFAMILY" end
  return { name }
end

---@return bide.resolver.Addresses
local function addresses_of(peer, host)
  if host == "localhost" then return { "127.0.0.1", "::1" } end
  local addresses, failure = peer:addresses(host)
  if not addresses then
    peer:fail(failure and "NameNotResolved" or "RequestTimeout", not failure and "the name is not resolved" or nil)
  end
  return addresses
end

---Returns the addresses of a host, in the order in which to try them. localhost is 127.0.0.1 and ::1, whatever the
---system says.
---@param host string
---@param port integer
---@return bide.peer.Targets
function Peer:resolve(host, port)
  reach.check(host, port)
  local addresses = addresses_of(self, host)
  local targets = { may_be_cut = addresses.may_be_cut }
  reach.admit(addresses, port)
  for position, address in ipairs(addresses) do
    local form = address:find(":", 1, true) and "[%s]:%d" or "%s:%d"
    targets[position] = { name = form:format(address, port), address = address, port = port }
  end
  return targets
end

---Returns the time at which a target has used its share of the remaining time.
local function turn_of(peer, left)
  local now = loop.update()
  return now + math.max((peer.until_when - now) // left, 1)
end

local REFUSED = "ECONNREFUSED"

local unavailable = { EADDRNOTAVAIL = true, EAFNOSUPPORT = true }

---Reports whether this machine has the address ::1.
local has_loopback6 = task.whole(function()
  local probe = uv.new_tcp()
  local bound, _, code = probe:bind("::1", 0)
  probe:close()
  loop.settle()
  return bound ~= nil or not unavailable[code]
end)

---Returns the failure of a target. At ::1 of a machine that has no such address no program listens: it is refused.
---@param target bide.peer.Target
---@param failure string? nil if the time came
---@return string? failure
local function judge(target, failure)
  local code = failure and failure:match "^%u%w*"
  if target.address == "::1" and unavailable[code] and not has_loopback6() then return REFUSED end
  return failure
end

---Raises the failure of a host of which only a part of the addresses is known.
local function fail_of_cut(peer, targets)
  peer:fail("ConnectionFailed", ("the system's resolver names no more than %d addresses of it"):format(#targets))
end

---The failure of a target whose server says that what is asked for is not there.
Peer.ABSENT = "absent"

---Reports whether each target says that what is asked for is not there. At an address of localhost that refuses the
---connection there is no server to ask.
local function are_absent(peer, targets, failures)
  local is_absent = false
  for position = 1, #targets do
    local failure = failures[position]
    is_absent = is_absent or failure == Peer.ABSENT
    if failure ~= Peer.ABSENT and not (peer.host == "localhost" and failure == REFUSED) then return false end
  end
  return is_absent and (not targets.may_be_cut or fail_of_cut(peer, targets))
end

---Returns the position of the failure that leaves most open, and whether a server has answered: a program may listen where
---the connection was not refused.
local function most_open(targets, failures)
  local open, answered = nil, false
  for position = #targets, 1, -1 do
    if failures[position] == Peer.ABSENT then
      answered = true
    elseif failures[position] ~= REFUSED or not open then
      open = position
    end
  end
  return open, answered
end

---Raises the failure of several targets. They have refused only if each of them has; otherwise the failure is that of the
---first one that has not, since a program may listen there.
local function fail_of_each(peer, targets, failures)
  local position, answered = most_open(targets, failures)
  local differ = false
  for other = 1, #targets do differ = differ or failures[other] ~= failures[1] end
  if differ then
    peer.reports = {}
    for other, target in ipairs(targets) do
      peer.reports[other] = ("%s: %s"):format(target.name, failures[other] or "no answer in time")
    end
  end
  peer.address = targets[position].name
  if failures[position] == REFUSED then
    if targets.may_be_cut then fail_of_cut(peer, targets) end
    if answered then peer:fail("ConnectionFailed", "one address does not say whether it is there") end
  end
  peer:fail_of_system(failures[position])
end

---Tries one target after the other until one returns a result, and returns nothing if each fails with Peer.ABSENT. Raises
---the failure that leaves most open otherwise.
---@generic T
---@param targets bide.peer.Targets
---@param try fun(target: bide.peer.Target, at: integer): T?, string?
---@return T?
function Peer:try_each(targets, try)
  local failures = {}
  for position, target in ipairs(targets) do
    self.tried[#self.tried + 1] = target.name
    local result, failure = self:step(function() return try(target, turn_of(self, #targets - position + 1)) end)
    if result then return result end
    failures[position] = judge(target, failure)
  end
  if not are_absent(self, targets, failures) then fail_of_each(self, targets, failures) end
end

---Asks one target after the other until one has what is asked for. That it is absent counts if each target says so.
---@param targets bide.peer.Targets
---@param ask fun(target: bide.peer.Target, at: integer): any, string? as that of try_each; it may raise an absence too
---@param is_absent fun(found: any, earlier: any): boolean whether what was returned, or raised, says that it is absent;
---`earlier` is the absence of another target
---@return any
function Peer:ask_until_found(targets, ask, is_absent)
  local absence, is_raised
  local found = self:try_each(targets, function(target, at)
    local ok, answer, failure = pcall(ask, target, at)
    if answer ~= nil and is_absent(answer, absence) then
      absence, is_raised = answer, not ok
      return nil, Peer.ABSENT
    end
    if not ok then error(answer, 0) end
    return answer, failure
  end)
  if not found and is_raised then error(absence, 0) end
  return found or absence
end

---Tries all targets, and returns their results. Raises the failure of the first one that has none. At an address of
---localhost that refuses the connection there is no server: it is left out, if another one has a result.
---@generic T
---@param targets bide.peer.Targets
---@param try fun(target: bide.peer.Target, at: integer): T?, string?
---@return T[]
function Peer:try_all(targets, try)
  local results = {}
  for position, target in ipairs(targets) do
    self.tried[#self.tried + 1] = target.name
    local result, failure = self:step(function() return try(target, turn_of(self, #targets - position + 1)) end)
    failure = not result and judge(target, failure) or nil
    local is_absent = self.host == "localhost" and failure == REFUSED and (#results > 0 or position < #targets)
    if not result and not is_absent then self:fail_of_system(failure) end
    results[#results + 1] = result
  end
  if targets.may_be_cut then fail_of_cut(self, targets) end
  return results
end

return Peer
