---@meta bide.core.network

---The addresses that recipes may connect to. Without `restrict` they are all open.
---@class bide.core.network
local network = {}

---Reports whether a text is a rule: "private", "10.0.0.0/8", "10.1.2.3:443", "fd00::/8", "[fd00::1]:443".
---@param text string
---@return boolean
function network.is_rule(text) end

---Restricts connections, in place of what held before. A closed network denies this machine, its links, private networks,
---multicast, and the metadata services of clouds, unless a rule opens them.
---@param is_closed boolean
function network.restrict(is_closed) end

---@return boolean
function network.is_restricted() end

---@param rule string
function network.allow(rule) end

---@param rule string
function network.deny(rule) end

---Closes one port of an address, which only a rule for this very address and port opens. Does nothing if the network is
---not restricted.
---@param address string
---@param port integer
function network.close(address, port) end

---Returns why an address is closed; nil if it is open.
---@param address string
---@param port integer
---@return string? refusal
function network.refusal(address, port) end

---Ends the running attempt with a script error, which pcall cannot catch, if an address is closed. Code of no attempt and
---no script gets an error `{ refused = text }` instead.
---@param address string
---@param port integer
function network.check(address, port) end

---Ends the running attempt so, for which another task met a closed address.
---@param refusal string
function network.refuse(refusal) end

---Reports whether a program of this machine listens at an address of it, without connecting: the kernel's own search for the
---one to which a connection would be led. So 127.0.0.1 counts for a program that listens at 0.0.0.0, or at :: for IPv4 too.
---@param address string
---@param port integer
---@return boolean? listens nil if the system does not say
function network.listens(address, port) end

return network
