---@meta bide.core.resolver

---@class bide.core.resolver
local resolver = {}

---@alias bide.resolver.Family "any"|"inet"|"inet6"

---A name that is being resolved. Closing it gives it up.
---@class bide.Lookup
local Lookup = {}

---What has become of it; nothing while it is under way.
---@return string[]? addresses
---@return string? failure "EAI_NONAME" …; "EMFILE" or "ENFILE" where a descriptor was missing
function Lookup:result() end

---Whether a host is an address: "127.0.0.1", "fe80::1%eth0". Nobody is asked.
---@param host string
---@return "inet"|"inet6"|nil family nil for a name
function resolver.family_of(host) end

---Begins to resolve a name in a thread, or joins those that ask for the same name.
---@param waker bide.Waker called once the result is there
---@param name string
---@param family bide.resolver.Family?
---@return bide.Lookup? lookup
---@return "lookups"|"threads"|nil failure what bide lacks: 64 names are resolved already, or the system has no thread
function resolver.start(waker, name, family) end

return resolver
