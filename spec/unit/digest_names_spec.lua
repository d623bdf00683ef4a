---The digests that SCRAM of Kafka and MongoDB needs beside SHA-256, by the vectors of RFC 4231 and RFC 1321.

local digest = require "bide.digest"
local pbkdf2 = require "bide.probe.peer.pbkdf2"

local hex = require("bide.core").text.hex

describe("bide.digest", function()
  it("makes digests by their names", function()
    assert.equal("d41d8cd98f00b204e9800998ecf8427e", hex(digest.of("", "md5")))
    assert.equal("a9993e364706816aba3e25717850c26c9cd0d89d", hex(digest.of("abc", "sha1")))
    assert.equal(digest.sha256 "abc", digest.of("abc", "sha256"))
    assert.equal("ddaf35a193617abacc417349ae204131", hex(digest.of("abc", "sha512")):sub(1, 32))
    assert.has_error(function() digest.of("abc", "sha3") end, "bad argument #2 to 'of' (invalid option 'sha3')")
  end)

  it("makes HMAC and PBKDF2 with each", function()
    assert.equal("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
      .. "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
      hex(digest.hmac("Jefe", "what do ya want for nothing?", "sha512")))
    assert.equal("0c60c80f961f0e71f3a9b524af6012062fe037a6", hex(pbkdf2("password", "salt", 1, "sha1")))
    assert.equal("4b007901b765489abead49d926f721d065a429c1", hex(pbkdf2("password", "salt", 4096, "sha1")))
    assert.equal("867f70cf1ade02cff3752599a3a53dc4af34c7a669815ae5d513554e1c8cf252"
      .. "c02d470a285a0501bad999bfe943c08f050235d7d68b1da55e63f73b60a57fce", hex(pbkdf2("password", "salt", 1, "sha512")))
    assert.has_error(function() digest.hmac_chain("key", ("b"):rep(32), 1, "sha512") end)
  end)
end)
