---The options of a connection string of MongoDB that are about TLS were ignored, except tls and ssl.

local conversation = require "spec.support.conversation"
local process = require "spec.support.process"

local function run(options)
  local server, requests = conversation.serve { "no TLS" }
  local url = ("mongodb://127.0.0.1:%d/?%s"):format(server.port, options)
  local done = process.run { process.bide, "run", "mongodb", url, "--max-attempts", "1", "--max-wait", "50s",
    "--output", "json" }
  server:close()
  return done, requests[1]
end

local HANDSHAKE = "^\22\3"

describe("a connection string of MongoDB", function()
  it("asks for TLS by each of the options of drivers", function()
    for _, options in ipairs { "tls=true", "ssl=true", "tlsInsecure=true", "tlsallowinvalidcertificates=true" } do
      assert.matches(HANDSHAKE, select(2, run(options)))
    end
    assert.not_matches(HANDSHAKE, select(2, run "tlsInsecure=false&tls=false"))
  end)

  it("names files, which must exist, and no other values", function()
    for _, options in ipairs { "tlsCAFile=none.pem", "tlsCertificateKeyFile=none.pem" } do
      run(options):says(2, "none.pem: no such file")
    end
    run("tls=yes"):says(2, 'url: tls: expected true or false, found "yes"')
  end)

  it("keeps its secrets", function()
    local done = run "tls=true&tlsCertificateKeyFilePassword=hunter2"
    assert.matches("tlsCertificateKeyFilePassword=", done.stdout, 1, true)
    assert.not_matches("hunter2", done.stdout .. done.stderr, 1, true)
  end)
end)
