---The certificates of a peer, for scripts and for messages.

local M = {}

local DAY = 24 * 60 * 60 -- seconds

---The most hosts of a certificate that a message names.
local MOST_NAMES = 5

---A certificate that the peer has sent.
---@class bide.tls.Certificate
---@field subject string "CN=db,O=Shop"
---@field issuer string
---@field names string[] the hosts that it is for: names and addresses
---@field not_before string "2026-11-22T13:00:00Z"
---@field not_after string
---@field days_left integer the whole days until it expires; below 0 once it has expired
---@field fingerprint string SHA-256, "AB:CD:…"

---The peer of a connection, and what both sides agreed on.
---@class bide.tls.Peer: bide.tls.Certificate
---@field version string "TLSv1.3"
---@field cipher string
---@field alpn? string the protocol that the peer chose
---@field chain bide.tls.Certificate[] all that it has sent, its own first
---@field first_to_expire bide.tls.Certificate of those by which it is trusted, the authority's included; its own if it was
---not verified

---@param seconds integer
---@return string
local function instant(seconds)
  return os.date("!%Y-%m-%dT%H:%M:%SZ", seconds) --[[@as string]]
end

---@param certificate bide.secure.Certificate
---@return bide.tls.Certificate
local function read(certificate)
  return {
    subject = certificate.subject, issuer = certificate.issuer, names = certificate.names,
    not_before = instant(certificate.not_before), not_after = instant(certificate.not_after),
    days_left = (certificate.not_after - os.time()) // DAY, fingerprint = certificate.fingerprint,
  }
end

---@param session bide.secure.Session after its handshake
---@return bide.tls.Peer
function M.describe(session)
  local agreement, chain = session:agreement(), {}
  local certificate = session:certificate(1)
  while certificate do
    chain[#chain + 1] = read(certificate)
    certificate = session:certificate(#chain + 1)
  end
  local peer = read(assert(session:certificate(1)))
  peer.version, peer.cipher, peer.alpn, peer.chain = agreement.version, agreement.cipher, agreement.protocol, chain
  peer.first_to_expire = read(session:first_to_expire() or assert(session:certificate(1)))
  return peer
end

-- ---- messages -----------------------------------------------------------------------------------

---@param names string[]
local function list(names)
  if #names == 0 then return "no host" end
  local text = table.concat(names, ", ", 1, math.min(#names, MOST_NAMES))
  return #names > MOST_NAMES and ("%s and %d more"):format(text, #names - MOST_NAMES) or text
end

local sentences = {
  expired = function(found) return ("the certificate of %s expired on %s"):format(found.subject, instant(found.not_after)) end,
  notYetValid = function(found)
    return ("the certificate of %s is valid only from %s on"):format(found.subject, instant(found.not_before))
  end,
  host = function(found, host)
    return ("the certificate of %s: expected one for %s, found one for %s"):format(found.subject, host, list(found.names))
  end,
  authority = function(found)
    return ("the certificate of %s, issued by %s, has no authority that is trusted"):format(found.subject, found.issuer)
  end,
  purpose = function(found) return ("the certificate of %s is not one for servers"):format(found.subject) end,
}

---Returns why the peer's certificate is refused: what was found, and what was expected.
---@param session bide.secure.Session
---@param problem { kind: string, words: string, depth: integer }
---@param host string
---@return string
function M.explain(session, problem, host)
  local found, write = session:certificate(problem.depth + 1), sentences[problem.kind]
  if found and write then return ("%s (%s)"):format(write(found, host), problem.words) end
  local subject = found and "the certificate of " .. found.subject or "a certificate of the chain"
  return ("%s is not valid: %s"):format(subject, problem.words)
end

return M
