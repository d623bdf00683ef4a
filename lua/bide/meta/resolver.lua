---@meta bide.core.resolver

---@class bide.core.resolver
local resolver = {}

---@alias bide.resolver.Family "any"|"inet"|"inet6"

---The addresses of a name.
---@class bide.resolver.Addresses
---@field [integer] string
---@field may_be_cut? true whether the name may have further addresses, which the system's resolver has left out

---A name that is being resolved. Closing it gives it up.
---@class bide.Lookup
local Lookup = {}

---Returns the result, or nothing while the lookup runs.
---@return bide.resolver.Addresses? addresses
---@return string? failure "EAI_NONAME" …; "EMFILE" or "ENFILE" if a descriptor was missing
function Lookup:result() end

---Reports whether a host is an address, such as "127.0.0.1" or "fe80::1%eth0", without a lookup.
---@param host string
---@return "inet"|"inet6"|nil family nil for a name
function resolver.family_of(host) end

---Begins to resolve a name in a thread, or joins a lookup of the same name.
---@param waker bide.Waker called once the result is there
---@param name string
---@param family bide.resolver.Family?
---@return bide.Lookup? lookup
---@return "lookups"|"threads"|nil failure what bide lacks: 64 names are resolved already, or the system has no thread
function resolver.start(waker, name, family) end

return resolver
