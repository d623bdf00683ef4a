---Requests to Glacier lacked the version of the API, without which it refuses them.

local aws = require "bide.aws"
local model = require "bide.model"
local protocol = require "bide.model.protocol.service"

describe("a request to Glacier", function()
  it("has the version of the API", function()
    local opened = assert(model.open "aws:glacier")
    local operation = assert(opened:operation "DescribeVault")
    local service = assert(protocol.of(opened, operation)).shape
    local route = assert(aws.route(operation, service, { region = "eu-west-1" }, { is_trusted = true }, tostring))
    local request = assert(operation:request { accountId = "-", vaultName = "x" })
    route.edit(request)
    assert.equal("2012-06-01", request.headers["X-Amz-Glacier-Version"])
  end)
end)
