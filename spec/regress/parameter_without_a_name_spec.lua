---A parameter without a name and a value, a bare "=", was not signed.

local sigv4 = require "bide.aws.sigv4"

local function signature_of(query)
  local added = sigv4.sign({ method = "GET", url = "https://example.amazonaws.com/?" .. query, time = 1440938160 },
    { access_key = "AKIDEXAMPLE", secret_key = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
    { region = "us-east-1", service = "service" })
  return added.Authorization:match "Signature=(%x+)$"
end

describe("a parameter without a name", function()
  it("is signed", function() -- as botocore signs it
    assert.equal("fd569ff4185eeff5981a47efe5554e933bca365f2bfc486dc11c7df473d95afd", signature_of "a=1&=")
    assert.equal("335e6ee56551efadcefe4ec6fa420aa5485fc9e4a078f4ef6b4bc383d4db8cf7", signature_of "=b&a=1")
    assert.equal(signature_of "a=1", signature_of "a=1&&")
  end)
end)
