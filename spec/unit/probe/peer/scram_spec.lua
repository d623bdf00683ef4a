local Scram = require "bide.probe.peer.scram"
local base64 = require "bide.base64"

---The exchange of RFC 7677, section 3.
local nonce = "rOprNGfwEbeRWgbNEkqO"
local answer = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"

describe("SCRAM-SHA-256", function()
  local scram
  before_each(function() scram = Scram.new("pencil", nonce, { user = "user" }) end)

  it("shows that it knows the password, and hears that the server does", function()
    assert.equal("n,,n=user,r=rOprNGfwEbeRWgbNEkqO", scram:first())
    assert.equal("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
      .. "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", scram:final(answer))
    assert.is_true(scram:is_server "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
  end)

  it("binds the proof to a connection, or says that it could", function()
    local bound = Scram.new("pencil", nonce, { user = "user", binding = "\1\2\3", is_bound = true })
    assert.equal("p=tls-server-end-point,,n=user,r=" .. nonce, bound:first())
    assert.matches("^c=" .. base64.encode "p=tls-server-end-point,,\1\2\3" .. ",r=", bound:final(answer))
    local able = Scram.new("pencil", nonce, { user = "user", binding = "\1\2\3" })
    assert.equal("y,,n=user,r=" .. nonce, able:first())
    assert.matches("^c=" .. base64.encode "y,," .. ",r=", able:final(answer))
  end)

  it("names the user, or nobody", function()
    assert.equal("n,,n=a=3Db=2Cc,r=x", Scram.new("", "x", { user = "a=b,c" }):first())
    assert.equal("n,,n=,r=x", Scram.new("", "x"):first())
  end)

  for _, bad in ipairs {
    "", "e=other-error", "r=" .. nonce .. ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", "r=another,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
    answer:gsub("4096", "0"), answer:gsub("4096", "1000001"), answer:gsub("4096", ("9"):rep(40)), answer:gsub("==", "="),
    "m=ext," .. answer,
  } do
    it(("refuses %q"):format(bad), function() assert.is_nil(scram:final(bad)) end)
  end

  it("takes as many iterations as are recommended for stored passwords", function()
    assert.is_string((scram:final((answer:gsub("4096", "600000")))))
  end)

  it("believes no server that does not know the password", function()
    assert.is_false(scram:is_server "v=")
    scram:final(answer)
    for _, bad in ipairs { "", "v=", "e=other", "v=7rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=" } do
      assert.is_false(scram:is_server(bad))
    end
  end)
end)
