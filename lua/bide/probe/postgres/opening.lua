---Opens connections to PostgreSQL that stay: reaches a host, begins TLS, logs in.

local Connection = require("bide.probe.peer.sockets").Connection
local Dialogue = require "bide.probe.peer.dialogue"
local Exchange = require "bide.probe.postgres.exchange"
local Peer = require "bide.probe.peer"
local answers = require "bide.probe.postgres.answer"
local duration = require "bide.text.duration"
local encryption = require "bide.probe.postgres.encryption"
local failures = require "bide.probe.postgres.failure"
local login = require "bide.probe.postgres.login"
local network = require("bide.core").network
local new_holder = require "bide.probe.peer.holder"
local new_token = require("bide.probe.asking.operation").new_token
local require_auth = require "bide.probe.postgres.require_auth"
local script_error = require "bide.text.script_error"
local values = require "bide.probe.postgres.values"

local M = {}

---Closes the addresses of a host to recipes.
---@param places bide.peer.Targets
local function close(places)
  for _, place in ipairs(places) do network.close(place.address, place.port) end
end

---Closes the hosts of a place to recipes, from a position on, to which no connection was made. A host whose name cannot be
---resolved now is left out until the next session.
---@param target bide.postgres.Target
---@param first integer
local function close_others(target, first)
  for position = first, network.is_restricted() and #target.hosts or 0 do
    local host = target.hosts[position]
    if not host.path then
      local peer = Peer.new(host.name, duration.of_seconds(target.connect_timeout), host.host)
      local is_resolved, places = pcall(peer.resolve, peer, host.host, host.port)
      if is_resolved then close(places) end
    end
  end
end

---Connects to a host.
---@param peer bide.Peer
---@param host bide.postgres.Host
---@param holder bide.peer.Holder gets the connection
---@param is_own boolean whether it is not for a recipe
local function connect(peer, host, holder, is_own)
  local places = host.path and { { name = host.path } } or peer:resolve(host.host, host.port)
  if is_own and not host.path then close(places) end
  peer:try_each(places, function(place, at)
    holder:release()
    holder.raw = Connection.new(host.path ~= nil, is_own)
    local how
    if host.path then how = holder.raw:to_path(at, host.path)
    else how = holder.raw:to_address(at, place.address, place.port) end
    return how == "connected" or nil, how
  end)
  if host.path then return end
  holder.raw.handle:nodelay(true)
  holder.raw.handle:keepalive(true, 60)
end

---Returns the proofs that are enough. A server that asks for no password may be any, unless its certificate names
---it.
---@param target bide.postgres.Target
---@param host bide.postgres.Host
---@return bide.postgres.Requirement
local function requirement(target, host)
  if target.require_auth then return target.require_auth end
  return function(method)
    return method == require_auth.SCRAM or not host.password or host.mode == "verify-full"
  end
end

---Logs in, and hands the connection over to an exchange.
---@param target bide.postgres.Target
---@param host bide.postgres.Host
---@return bide.postgres.Exchange
local function enter(peer, target, host, holder)
  local inner = Dialogue.new(peer, holder.raw)
  local dialogue, parameters = inner:for_script(), { "client_encoding", "UTF8" }
  encryption.start(dialogue, host.mode, host.tls)
  if target.options then table.move({ "options", target.options }, 1, 2, 3, parameters) end
  local server = login.run(dialogue, { user = target.user, database = target.database, password = host.password,
    application_name = target.application_name, parameters = parameters, is_enough = requirement(target, host),
    needs_binding = target.needs_binding, hint = "require_auth=none takes it" })
  if not server then
    error({ type = "28P01", message = ("%s requires a password, and there is none%s"):format(host.name,
      host.note and "; " .. host.note or "") }, 0)
  end
  local connection, received = inner:release()
  return Exchange.new(peer, connection, holder.raw, received, target, ("bide_%s_"):format(new_token():sub(1, 18)))
end

---Asks whether the server takes writes.
---@return bide.postgres.session.Failure? failure
local function check_writes(exchange, host)
  local answer = exchange:ask("SHOW transaction_read_only", assert(values.write { n = 0 }), false)
  answers.await(answer)
  if answer.failure then return answer.failure end
  if answer.rows[1] and answer.rows[1].transaction_read_only == "off" then return nil end
  return failures.new { kind = "away", type = "25006", sqlstate = "25006", message = host.name .. " takes no writes" }
end

---@param target bide.postgres.Target
---@param host bide.postgres.Host
---@param is_own boolean
---@return bide.postgres.Exchange?
---@return bide.postgres.session.Failure?
local function open_host(target, host, is_own)
  local peer = Peer.new(host.name, duration.of_seconds(target.connect_timeout), host.host)
  local holder <close> = new_holder()
  local ok, result = pcall(function()
    connect(peer, host, holder, is_own)
    return enter(peer, target, host, holder)
  end)
  if not ok and not script_error.is_operation_error(result) then error(result, 0) end
  if not ok then return nil, failures.of_error(result) end
  local failure = result.failure or target.is_read_write and check_writes(result, host)
  if failure then return nil, failure end
  holder.raw = nil
  return result
end

---Returns the failure of all hosts.
---@param list bide.postgres.session.Failure[]
---@param hosts bide.postgres.Host[]
local function failure_of_all(list, hosts)
  if #list == 1 then return list[1] end
  local texts = {}
  for position, failure in ipairs(list) do
    local name = hosts[position].name
    texts[position] = failure.message:find(name, 1, true) and failure.message or ("%s: %s"):format(name, failure.message)
  end
  local failure = failures.copy(list[1], false)
  failure.message = table.concat(texts, "; ")
  return failure
end

---Connects to the hosts of a place in their order, until one takes the user.
---@param target bide.postgres.Target
---@param is_own boolean whether it is for bide itself: recipes reach none of the hosts from then on
---@return bide.postgres.Exchange?
---@return bide.postgres.session.Failure?
function M.open(target, is_own)
  local list = {}
  for position, host in ipairs(target.hosts) do
    local exchange, failure = open_host(target, host, is_own)
    if exchange then
      if is_own then close_others(target, position + 1) end
      return exchange
    end
    if failure.kind == "refused" then return nil, failure end
    list[position] = failure
  end
  return nil, failure_of_all(list, target.hosts)
end

return M
