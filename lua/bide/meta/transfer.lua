---@meta bide.transfer
---HTTP transfers in C: without defaults, and with no checks beyond types. Scripts use `bide.http`.

---@class bide.transfer
---@field methods table<string, function> the methods of a response; Lua adds its own
local M = {}

---@class bide.transfer.Request
---@field method string
---@field url string absolute, http or https
---@field number? integer that of a request that is sent again and never changed: the transfer is kept ready for it
---@field headers? string[] name, value, name, value
---@field body? string
---@field user? string
---@field password? string
---@field bearer? string
---@field certificate? string
---@field key? string
---@field key_password? string
---@field ca? string
---@field ca_folder? string certificates of authorities, in files that are named by their hashes
---@field unix_socket? string
---@field address? string
---@field proxy? string "" means none
---@field insecure? boolean
---@field http2? boolean true without negotiation too, false never
---@field timeout? integer milliseconds
---@field connect_timeout? integer milliseconds
---@field idle_timeout? integer milliseconds
---@field body_limit? integer
---@field redirect_most? integer the options redirect_… are for bide.probe.http.redirect: a transfer follows none
---@field redirect_insecure? boolean
---@field redirect_bodies? boolean
---@field redirect_within? "host"|"page"
---@field sign? bide.http.Sign for bide.probe.http.signature

---Closes the connections that are kept for later requests.
function M.close_idle() end

---Sends a request and waits for the answer. The transfer is cancelled if the task ends meanwhile. Raises the operation
---error of a request that fails, or cannot be sent.
---@param request bide.transfer.Request
---@param mark? { response: bide.http.Response?, failure: bide.OperationError? } gets one of them
---@return bide.http.Response?
---@return "EMFILE"|"ENFILE"|"threads"|nil lack what bide lacked, so that nothing was sent
---@return integer|bide.OperationError|nil status of the response; if the host has several addresses and none of them could
---be connected to, the failure of the last one
function M.exchange(request, mark) end

---Sets the User-Agent of requests whose headers have none.
---@param agent string
function M.set_agent(agent) end

---An answer that is read while it comes.
---@class bide.transfer.Stream
local Stream = {}

---Waits until something has come. Raises the operation error of a transfer that fails.
---@return string? bytes "" for the headers alone; nil at the end
---@return integer|string|nil status of the answer; without bytes what bide lacked, so that nothing was sent
function Stream:read() end

---Ends the transfer. Does nothing if it is closed.
function Stream:close() end

---Sends a request whose answer is read while it comes; at most 64 KiB of it wait for the reader. Close the stream.
---@param request bide.transfer.Request
---@return bide.transfer.Stream
function M.stream(request) end

---Resolves the location of a redirect against the URL of the request.
---@param base string
---@param location string
---@return string? url nil if one of them is not a URL
---@return string? origin "https://host:443"
function M.resolve(base, location) end

---@param url string
---@return string? origin "https://host:443"; nil if it is not a URL
function M.origin(url) end

---@return string version "libcurl/7.88.1 OpenSSL/3.0.15 …"
function M.version() end

return M
