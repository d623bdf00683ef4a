---Options of TLS in a connection string that bide does not read, such as a list of revoked certificates, were ignored.

local Workspace = require "spec.support.workspace"
local deployment = require "bide.mongodb.deployment"

describe("an option of TLS of a connection string of MongoDB", function()
  it("is a mistake if it is not read", function()
    for _, name in ipairs { "tlsCRLFile", "sslCRLFile", "TLSCRLFILE", "tlsAllowInvalidHostnames", "ssl_cert_reqs" } do
      local mistake = ("url: the parameter %s is not read: give tls, ca, certificate or key as inputs"):format(name)
      assert.equal(mistake, deployment.mistake { url = ("mongodb://one,two/?tls=true&%s=x"):format(name) })
    end
  end)

  it("is read in any case", function()
    for _, options in ipairs { "tls=true", "SSL=true", "tlsInsecure=true", "TLSAllowInvalidCertificates=true",
      "tls=true&tlsCertificateKeyFilePassword=x", "w=majority&replicaSet=rs0" } do
      assert.is_nil(deployment.mistake { url = "mongodb://one,two/?" .. options })
    end
  end)

  it("ends the program with the code of a mistake", function()
    local workspace = Workspace.make()
    local done = workspace:bide { "run", "mongodb", "mongodb://db/?tls=true&tlsCRLFile=crl.pem", "--max-wait", "1s" }
    workspace:remove()
    done:says(2, "the parameter tlsCRLFile is not read")
  end)
end)
