---Logs in to MongoDB by SCRAM.

local base64 = require "bide.base64"
local bson = require "bide.probe.mongodb.bson"
local core = require "bide.core"
local digest = require "bide.digest"
local fail = require "bide.text.fail"
local Scram = require "bide.probe.peer.scram"

local hashes = { ["SCRAM-SHA-256"] = "sha256", ["SCRAM-SHA-1"] = "sha1" }

---Returns what is proved in place of the password: for SHA-1, a digest by which older servers kept it.
local function secret_of(mechanism, user, password)
  if mechanism ~= "SCRAM-SHA-1" then return password end
  return core.text.hex(digest.of(("%s:mongo:%s"):format(user, password), "md5"))
end

---@param offered string[]? the user's mechanisms; nil if the server did not say
---@return string
local function best_of(offered)
  for _, name in ipairs(offered or {}) do
    if name == "SCRAM-SHA-256" then return name end
  end
  return "SCRAM-SHA-1"
end

---The steps of a conversation at most, of which the third may be empty.
local MOST = 4

---@param ask fun(members: table[]): table sends a command, and raises its error
---@param given { user: string, password: string?, mechanism: string? }
---@param database string that has the user
---@param offered string[]? the mechanisms that the server names for the user
return function(ask, given, database, offered)
  local mechanism = given.mechanism or best_of(offered)
  local nonce = base64.encode(string.pack("<i8i8i8", core.wait.random_seed(), core.wait.random_seed(), core.wait.random_seed()))
  local scram = Scram.new(secret_of(mechanism, given.user, given.password or ""), nonce,
    { user = given.user, hash = hashes[mechanism] })
  local answer = ask { { "saslStart", 1 }, { "mechanism", mechanism }, { "payload", bson.binary(scram:first()) },
    { "options", { { "skipEmptyExchange", true } } }, { "$db", database } }
  local function continue(payload)
    if math.type(answer.conversationId) ~= "integer" or answer.conversationId >> 31 ~= 0 then bson.refuse "no conversation" end
    answer = ask { { "saslContinue", 1 }, { "conversationId", answer.conversationId }, { "payload", bson.binary(payload) },
      { "$db", database } }
  end
  local final, mistake = scram:final(type(answer.payload) == "string" and answer.payload or "")
  if not final then fail("InvalidAnswer", mistake) end
  continue(final)
  if not scram:is_server(type(answer.payload) == "string" and answer.payload or "") then
    fail("InvalidAnswer", "the server has not proved that it knows the password")
  end
  for _ = 3, MOST do
    if answer.done == true then return end
    continue ""
  end
  fail("InvalidAnswer", "the server does not end the conversation")
end
