---Makes operations of what the recipes of a service have in common: its address, a user and a password, TLS, the time for an
---attempt, short delays, the errors that waiting does not change and the transient ones.
---
---    local acceptor, redis, service = require "bide.acceptor", require "bide.redis", require "bide.service"
---
---    local operation = service {
---      port = 6379,
---      schemes = { "redis", "rediss" },
---      tls = "rediss",
---      url = { example = "redis://cache", documentation = "redis://USER:PASSWORD@HOST:PORT, or rediss:// for TLS." },
---      failures = { "WRONGPASS", "NOAUTH" },
---      transient = { "LOADING" },
---    }
---
---    return { Ping = operation {
---      prepare = function(target)
---        local request = { host = target.host, port = target.port, user = target.user, password = target.password,
---          tls = target.tls, timeout = target.timeout, command = { "PING" } }
---        return function() return { answer = redis(request) } end
---      end,
---      waitable = { RedisReady = { acceptors = { acceptor.success() } } },
---    } }
---
---A service over HTTP has `http`, the example of its address, in place of all that concerns addresses and TLS. Its
---operations are prepared without an address.

---Its function in `bide`.
---@class bide
---@field service fun(service: bide.ServiceDefinition): fun(operation: bide.ServiceOperation): bide.RecipeOperation

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local http = require "bide.http"
local json = require("bide.core").json
local option = require "bide.text.option"
local tables = require "bide.text.tables"
local tls = require "bide.tls"

---Describes what the operations of a service have in common.
---@class bide.ServiceDefinition
---@field http? string the example of its address, if it is asked over HTTP
---@field url? bide.InputMember its input `url`, with an example and documentation: one address
---@field host? bide.InputMember its input `host`, in place of url: one address, mostly without a scheme
---@field urls? bide.InputMember its input `url`, with several addresses
---@field port? integer the usual port; a service with `host` may have none
---@field tls_port? integer that of the scheme for TLS, if it has one of its own
---@field schemes? string[] of its URLs
---@field parameters? string[] of its URLs that are read; with it, any other is a mistake
---@field harmless? string[] parameters that are no mistake either
---@field needs_user? boolean whether a password without a user is a mistake
---@field folders? boolean whether its host may be the folder of a unix socket
---@field sockets? boolean whether `unix:///PATH` is an address, too; the target has `unix` then, and no host
---@field tls? string|true the scheme that means TLS; true if only inputs ask for it; nil if the service has none
---@field inputs? bide.Inputs those of all operations
---@field failures? string[] the types of errors that no waiting changes
---@field transient? string[] the types of errors that are transient, beside those of connections

---An operation of a service.
---@class bide.ServiceOperation
---@field prepare fun(target: any, input: table, wait?: bide.OperationWait): (fun(): any)?, string? as that of an operation, with
---the address before the input: one bide.ServiceTarget, or a list of them; of a service over HTTP without it
---@field watch? fun(target: any, input: table, wake: bide.Wake) as that of an operation, with the address before the input; of
---a service over HTTP without it. Waits share one whose inputs differ only in what `asks`
---@field witness? fun(context: bide.MatcherContext): any as that of an operation, whose context has the input
---@field inputs? bide.Inputs further ones, or others; false in place of one that the service has leaves it out
---@field check? fun(input: table): string?
---@field waitable table<string, bide.WaiterStructure> minDelay, maxDelay and lateness are those of a near service, unless
---a waiter has its own; the acceptors for errors follow its own; an opposite holds both ways
---@field default? string
---@field fact? string
---@field output? bide.Inputs the members of its output, for `bide check`

---The address of a service.
---@class bide.ServiceTarget : bide.Address
---@field port integer
---@field tls? bide.tls.Options nil for a connection without TLS
---@field timeout? number seconds

local kinds = option.kinds

local kind_of_service = {
  http = kinds.text, url = kinds.table, host = kinds.table, urls = kinds.table, port = kinds.count, tls_port = kinds.count,
  schemes = kinds.table, parameters = kinds.table, harmless = kinds.table, needs_user = kinds.flag, sockets = kinds.flag,
  folders = kinds.flag,
  inputs = kinds.table, failures = kinds.table, transient = kinds.table,
  tls = { "a scheme or true", function(value) return value == true or type(value) == "string" end },
}

local kind_of_operation = {
  prepare = kinds.callable, witness = kinds.callable, watch = kinds.callable, inputs = kinds.table, check = kinds.callable,
  waitable = kinds.table, default = kinds.text, fact = kinds.text, output = kinds.table,
}

---The delays of a service that is near, where a poll is cheap: 5 % of the time waited.
local DELAYS = { minDelay = 0.05, maxDelay = 5, lateness = 0.05 }

-- ---- waiters ----------------------------------------------------------------------------------

---Returns the acceptors of a waiter with those for the errors of its service.
local function acceptors_of(service, own)
  local all = tables.joined(own)
  for _, name in ipairs(service.failures or {}) do all[#all + 1] = acceptor.error("failure", name) end
  all[#all + 1] = acceptor.transient(table.unpack(service.transient or {}))
  return all
end

---@param service bide.ServiceDefinition
---@param waitable table<string, bide.WaiterStructure>
local function waiters_of(service, waitable)
  local all = {}
  for name, given in pairs(waitable) do
    local has_delay = given.minDelay ~= nil or given.maxDelay ~= nil
    all[name] = tables.merged(given, { acceptors = acceptors_of(service, given.acceptors) }, not has_delay and DELAYS or nil)
  end
  for name, waiter in pairs(all) do
    local other = waiter.opposite and all[waiter.opposite]
    if other then other.opposite = other.opposite or name end
  end
  return all
end

-- ---- addresses --------------------------------------------------------------------------------

---@param service bide.ServiceDefinition
---@return bide.AddressForms
local function forms_of(service)
  return { schemes = service.schemes, parameters = service.parameters, harmless = service.harmless,
    needs_user = service.needs_user, sockets = service.sockets, folders = service.folders }
end

---@param input table
---@return integer? port the usual one of the address
local function port_of(service, input)
  local text, scheme = input.url or input.host or "", service.tls
  local is_secure = service.tls_port and text:sub(1, #scheme + 1):lower() == scheme .. ":"
  return is_secure and service.tls_port or service.port
end

---Completes an address to a target.
---@param found bide.Address
---@return bide.ServiceTarget
local function target_of(service, input, found)
  if service.tls then found.tls = tls.options(input, input.starttls or found.scheme == service.tls) end
  found.timeout = input.timeout
  return found
end

---@return bide.ServiceTarget|bide.ServiceTarget[]?
---@return string? mistake
local function targets_of(service, input)
  if not service.urls then
    local found, mistake = address.of(input, port_of(service, input), forms_of(service))
    return found and target_of(service, input, found), mistake
  end
  local list, mistake = address.read_list(input.url, service.port, forms_of(service))
  for _, found in ipairs(list or {}) do
    found.user, found.password = input.user or found.user, input.password or found.password
    target_of(service, input, found)
  end
  return list, mistake and "url: " .. mistake
end

---Returns the check of an operation's input.
local function check_of(service, own)
  local first = service.urls and address.check_list("url", service.port, forms_of(service))
    or function(input) return select(2, address.of(input, port_of(service, input), forms_of(service))) end
  local check = service.tls and tls.check(first) or first
  return own and function(input) return check(input) or own(input) end or check
end

-- ---- inputs -----------------------------------------------------------------------------------

---Returns the declaration of an address, the first word of a command line.
local function declared(service, member, is_required)
  return tables.merged({ type = "string", positional = 1, required = is_required, origin = service.port or 0 }, member)
end

---@param service bide.ServiceDefinition
---@param own bide.Inputs
---@return bide.Inputs
local function address_inputs(service, own)
  if service.host then
    own.host = declared(service, service.host, true)
    return address.host_inputs(own)
  end
  own.url = declared(service, service.urls or service.url, service.urls ~= nil)
  return service.urls and address.list_inputs(own) or address.url_inputs(own, service.port)
end

---@param service bide.ServiceDefinition
---@param given bide.Inputs?
---@return bide.Inputs
local function inputs_of(service, given)
  local own, without = {}, {}
  for _, members in ipairs { service.inputs or {}, given or {} } do
    for name, member in pairs(members) do own[name], without[name] = member or nil, member == false or nil end
  end
  local all
  if service.http then
    for name in pairs(without) do own[name] = false end
    all = http.service_inputs(service.http, own)
  else
    all = address_inputs(service, own)
    if service.tls then all = tls.inputs(all) end
  end
  for name in pairs(without) do all[name] = nil end
  return all
end

---Returns a function that gives the same text for inputs that differ only in what is asked.
---@param members bide.Inputs
---@return fun(input: table): string
local function key_of(members)
  local names = {}
  for name, member in pairs(members) do
    if not member.asks then names[#names + 1] = name end
  end
  table.sort(names)
  return function(input)
    local values = {}
    for position, name in ipairs(names) do values[position] = input[name] == nil and "" or json.encode(input[name]) end
    return table.concat(values, "\n")
  end
end

-- ---- operations -------------------------------------------------------------------------------

---@param service bide.ServiceDefinition
---@param given bide.ServiceOperation
---@return bide.RecipeOperation
local function operation_of(service, given)
  local prepare, check = given.prepare, given.check
  local operation = {
    input = inputs_of(service, given.inputs), waitable = waiters_of(service, given.waitable),
    default = given.default, fact = given.fact, output = given.output, witness = given.witness,
  }
  operation.watch_key = given.watch and key_of(operation.input)
  if service.http then
    operation.prepare, operation.watch = prepare, given.watch
    operation.check = check and function(input) return http.mistake(input) or check(input) end or http.mistake
    return operation
  end
  operation.check = check_of(service, check)
  function operation.prepare(input, wait)
    local target, mistake = targets_of(service, input)
    if not target then return nil, mistake end
    return prepare(target, input, wait)
  end
  operation.watch = given.watch and function(input, wake)
    return given.watch(assert(targets_of(service, input)), input, wake)
  end
  return operation
end

---Raises the mistake in a table of options at the level of the caller's caller.
local function check_options(words, given, kind_of, required)
  local mistake = option.check(given, kind_of, required)
  if mistake then error(("bide.%s: %s"):format(words, mistake), 3) end
end

---Returns a function that makes the operations of a service.
---@param service bide.ServiceDefinition
---@return fun(operation: bide.ServiceOperation): bide.RecipeOperation
return function(service)
  check_options("service", service, kind_of_service)
  local kind = service.http or service.url or service.host or service.urls
  if not kind then error("bide.service: expected one of http, url, host and urls, found none", 2) end
  if not (service.http or service.host or service.port) then
    error("bide.service: port: expected the usual port, found nothing", 2)
  end
  if service.tls_port and type(service.tls) ~= "string" then
    error("bide.service: tls: expected the scheme of tls_port, found " .. option.describe(service.tls), 2)
  end
  return function(operation)
    check_options("service: operation", operation, kind_of_operation, { "prepare", "waitable" })
    return operation_of(service, operation)
  end
end
