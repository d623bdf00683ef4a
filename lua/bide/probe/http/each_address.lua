---Asks each address of a host before something is absent: one may know better than another, as a replica that is behind.

local Peer = require "bide.probe.peer"
local environment = require "bide.text.environment"
local wire = require "bide.probe.http.wire"

local DEFAULT_TIMEOUT = 10000 -- milliseconds

---The variables by which libcurl finds a proxy.
local variables = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY" }

---Reports whether a request may go to a proxy, which chooses the address.
local function may_use_proxy(request)
  if request.proxy ~= nil then return (request.proxy or "") ~= "" end
  for _, name in ipairs(variables) do
    if environment(name) then return true end
  end
  return false
end

---Returns the addresses of a host of the URL; nil if there is one way only.
---@return bide.Peer? peer
---@return bide.peer.Targets? targets
local function find(request)
  if request.unix_socket or may_use_proxy(request) or wire.is_replaced() then return nil end
  local transfer = require "bide.probe.http.transfer"
  local host, port = (transfer.origin(request.url) or ""):match "^%a+://(.*):(%d+)$"
  if not host or host:find "^%[" then return nil end
  local timeout = request.timeout and math.ceil(request.timeout * 1000) or DEFAULT_TIMEOUT
  local peer = Peer.new(("%s:%s"):format(host, port), timeout, host)
  local targets = peer:resolve(host, math.tointeger(tonumber(port)))
  if #targets > 1 or targets.may_be_cut then return peer, targets end
end

---Returns what an address answers, or the system's word for a connection that it does not accept.
local function ask(send)
  local ok, found = pcall(send)
  if ok then return found end
  local is_refused = type(found) == "table" and found.code and found.status == nil
  if is_refused and not found.redirected then return nil, found.code end
  error(found, 0)
end

---@param request bide.http.Request
---@param prepare fun(address: string?): fun(): any
---@param is_absent fun(found: any): boolean
---@return fun(): any
return function(request, prepare, is_absent)
  local send, senders = prepare(), {}
  local function send_to(address)
    senders[address] = senders[address] or prepare(address)
    return senders[address]
  end
  return function()
    local ok, found = pcall(send)
    if is_absent(found) then
      local peer, targets = find(request)
      if peer then
        return peer:ask_until_found(targets, function(target) return ask(send_to(target.address)) end, is_absent)
      end
    end
    return ok and found or error(found, 0)
  end
end
