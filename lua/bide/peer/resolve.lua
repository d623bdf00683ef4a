---Addresses of a name, by the system's resolver: /etc/hosts, the name servers and whatever else it is told to ask.

local await = require "bide.tasks.await"
local uv = require "luv"

---glibc tells an address twice where /etc/hosts has a name for both families.
local function each_once(addresses)
  local seen, kept = {}, {}
  for _, address in ipairs(addresses) do
    if not seen[address.addr] then kept[#kept + 1] = address end
    seen[address.addr] = true
  end
  return kept
end

---It runs in a thread that cannot be stopped: where the time comes first nobody waits for it any more, but plain
---lua5.4 does not end before it has; bide itself does.
---@param name string
---@param family "inet"|"inet6"|nil both, where it is nil
---@param at integer? on the loop's clock: until when to wait
---@return { addr: string }[]? addresses
---@return string? failure "EAI_NONAME"; nil where the time came first
return function(name, family, at)
  local how, addresses = await(at, function(waker)
    local request, failure = uv.getaddrinfo(name, nil, { socktype = "stream", family = family },
      function(failed, found) waker(failed or "found", found and each_once(found)) end)
    if not request then waker(failure) end
  end)
  return addresses, not addresses and how or nil
end
