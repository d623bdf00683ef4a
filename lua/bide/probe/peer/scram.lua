---The client's side of SCRAM (RFC 5802, 7677), with SHA-256 by default: proves that bide knows a password without sending
---it, and checks the server's proof that it knows it too. A password is taken as bytes, without normalization.
---
---    local scram = Scram.new(password, nonce, { binding = dialogue:channel_binding() })
---    send(scram:first())
---    send(assert(scram:final(receive())))
---    assert(scram:is_server(receive()))

local base64 = require "bide.base64"
local digest = require "bide.digest"
local exclusive_or = require "bide.probe.peer.exclusive_or"
local pbkdf2 = require "bide.probe.peer.pbkdf2"

---The fewest iterations that RFC 7677 allows, since fewer make the password easy to guess from a proof; and more than any
---server has reason to require, where 600,000 are recommended for stored passwords. They take a fifth of a second.
local LEAST_ITERATIONS, MOST_ITERATIONS = 4096, 1000000

---@class bide.Scram
local Scram = {}
Scram.__index = Scram

---@param password string
---@param nonce string never used before; no commas
---@param given? { user: string?, binding: string?, is_bound: boolean?, hash: bide.digest.Name? } the user's name, if the
---surrounding protocol has not given it; what binds the proof to the TLS connection (tls-server-end-point); whether the
---server asks for that (-PLUS); the digest
---@return bide.Scram
function Scram.new(password, nonce, given)
  given = given or {}
  local name = (given.user or ""):gsub("=", "=3D"):gsub(",", "=2C")
  local header = given.is_bound and "p=tls-server-end-point,," or given.binding and "y,," or "n,,"
  return setmetatable({
    password = password, nonce = nonce, bare = ("n=%s,r=%s"):format(name, nonce), header = header,
    channel = header .. (given.is_bound and given.binding or ""), hash = given.hash or "sha256",
  }, Scram)
end

---@return string
function Scram:first()
  return self.header .. self.bare
end

---Reads the challenge of the server, which begins with the nonce: so it cannot have come before `first`.
---@param answer string
---@return string? nonce nil if the answer is not one
---@return string salt
---@return integer count of iterations
function Scram:challenge(answer)
  local nonce, salt, count = answer:match("^r=([^,]+),s=([^,]+),i=(%d+)$")
  salt, count = base64.decode(salt or "?"), math.tointeger(tonumber(count))
  local is_ours = nonce and #nonce > #self.nonce and nonce:sub(1, #self.nonce) == self.nonce
  return is_ours and salt and count and nonce or nil, salt, count
end

---@param answer string of the server, which gets one proof
---@return string? final nil if the answer is not one
---@return string? mistake
function Scram:final(answer)
  if self.signature then return nil, "the server asks for a second proof" end
  local nonce, salt, count = self:challenge(answer)
  if not nonce then return nil, "the server does not speak SCRAM" end
  if count < LEAST_ITERATIONS or count > MOST_ITERATIONS then
    return nil, ("iterations: expected %d to %d, found %d"):format(LEAST_ITERATIONS, MOST_ITERATIONS, count)
  end
  local salted, hash = pbkdf2(self.password, salt, count, self.hash), self.hash
  local final = ("c=%s,r=%s"):format(base64.encode(self.channel), nonce)
  local exchange = ("%s,%s,%s"):format(self.bare, answer, final)
  local key = digest.hmac(salted, "Client Key", hash)
  local proof = exclusive_or(key, digest.hmac(digest.of(key, hash), exchange, hash))
  self.signature = digest.hmac(digest.hmac(salted, "Server Key", hash), exchange, hash)
  return final .. ",p=" .. base64.encode(proof)
end

---Reports whether the server has proved that it knows the password too.
---@param answer string
---@return boolean
function Scram:is_server(answer)
  return self.signature ~= nil and base64.decode(answer:match("^v=([^,]+)$") or "?") == self.signature
end

return Scram
