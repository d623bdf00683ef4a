---@meta bide.secure

---TLS over memory: the client's side of a connection, without sockets. The caller feeds what came from the peer, and sends
---what `drain` returns after each call. lua/bide/probe/peer/secure.lua does so over a socket.
---@class bide.secure
local secure = {}

---A failed call of libssl.
---@class bide.secure.Failure
---@field kind "TlsFailure"
---@field message string the words of libssl

---Authorities to trust. Sessions keep what they need of them.
---@class bide.secure.Authorities: userdata

---@class bide.secure.Session: userdata
local Session = {}

---Takes part in the handshake. "wants" asks for more bytes of the peer.
---@return "done"|"wants"|"closed"|nil state
---@return bide.secure.Failure? failure
function Session:handshake() end

---Takes bytes that came from the peer.
---@param bytes string
---@return integer count fewer than all if too many wait already, which the next call consumes
function Session:feed(bytes) end

---Returns up to 16 KiB to send to the peer, "" if there are none.
---@return string bytes
function Session:drain() end

---Reads up to 16 KiB of what the peer said. "closed" means that the peer has said that it ends.
---@return "done"|"wants"|"closed"|nil state
---@return string|bide.secure.Failure|nil bytes if it is done, or the failure
function Session:read() end

---Writes up to 16 KiB.
---@param bytes string
---@return "done"|"wants"|nil state
---@return bide.secure.Failure? failure
function Session:write(bytes) end

---Adds to the output that this side ends.
function Session:finish() end

---Returns the first reason for which the peer's certificate was refused; nil if there is none.
---@return { kind: "expired"|"notYetValid"|"host"|"authority"|"purpose"|"invalid", words: string, depth: integer }?
function Session:problem() end

---@return { version: string, cipher: string, protocol: string? }
function Session:agreement() end

---A certificate. Times are seconds since 1970.
---@class bide.secure.Certificate
---@field subject string
---@field issuer string
---@field fingerprint string SHA-256, "AB:CD:…"
---@field not_before integer
---@field not_after integer
---@field names string[] the hosts that it is for

---Returns a certificate that the peer has sent.
---@param position integer 1 is the peer's own
---@return bide.secure.Certificate?
function Session:certificate(position) end

---Returns the certificate that expires first of those by which the peer's is trusted; nil if none was verified.
---@return bide.secure.Certificate?
function Session:first_to_expire() end

---Returns the digest of the peer's certificate that binds an authentication to this session (tls-server-end-point).
---@return string?
function Session:binding() end

---Frees it; other methods then raise.
function Session:close() end

---@param pem? string their certificates
---@param folders? string "a:b", folders whose files have hashes for names
---@param of_system? boolean adds the system's
---@return bide.secure.Authorities?
---@return bide.secure.Failure? failure
function secure.authorities(pem, folders, of_system) end

---@param host string a name, or an IP address without brackets and zone
---@param trust "host"|"authority"|"anything" how much of the certificate has to be right
---@param authorities? bide.secure.Authorities needed unless anything is trusted
---@param protocols? string for ALPN, each after a byte with its length
---@param certificate? string PEM: the client's, and its chain
---@param key? string PEM
---@param key_password? string
---@return bide.secure.Session?
---@return bide.secure.Failure? failure
function secure.session(host, trust, authorities, protocols, certificate, key, key_password) end

return secure
