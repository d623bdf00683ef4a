---Where the requests of AWS's operations go, over bide's own data.

local aws = require "bide.aws"
local endpoint = require "bide.model.protocol.endpoint"
local model = require "bide.model"
local protocol = require "bide.model.protocol.service"

local opened = {}

local function words(option)
  return option
end

---The route of an operation, without credentials.
local function route_of(service, name, connection)
  opened[service] = opened[service] or assert(model.open("aws:" .. service))
  local operation = assert(opened[service]:operation(name))
  connection.region = connection.region or "eu-west-1"
  local shape = assert(protocol.of(opened[service], operation)).shape
  local asked = { endpoint = aws.own_endpoint(connection, shape, words), is_trusted = true }
  local route, mistake = aws.route(operation, shape, connection, asked, words)
  return assert(route, mistake), operation
end

local function url_of(service, name, input, connection)
  local route, operation = route_of(service, name, connection or {})
  local request = assert(operation:request(input))
  local place, mistake = route.locate(input)
  if not place then return mistake end
  if route.edit then route.edit(request) end
  return endpoint.url(place.url, request, place.takes_parts)
end

describe("the address of a request to AWS", function()
  local cases = {
    { "cloudformation", "DescribeStacks", { StackName = "x" }, {}, "https://cloudformation.eu-west-1.amazonaws.com/" },
    { "cloudformation", "DescribeStacks", { StackName = "x" }, { region = "cn-north-1" },
      "https://cloudformation.cn-north-1.amazonaws.com.cn/" },
    { "ec2", "DescribeInstances", {}, { fips = true, region = "us-east-1" }, "https://ec2-fips.us-east-1.amazonaws.com/" },
    { "ec2", "DescribeInstances", {}, { dual_stack = true }, "https://ec2.eu-west-1.api.aws/" },
    { "iam", "GetRole", { RoleName = "x" }, {}, "https://iam.amazonaws.com/" },
    { "route53", "GetChange", { Id = "C1" }, {}, "https://route53.amazonaws.com/2013-04-01/change/C1" },
    { "route53", "GetChange", { Id = "/change/C1" }, {}, "https://route53.amazonaws.com/2013-04-01/change/C1" },
    { "kinesis", "DescribeStream", { StreamName = "x" }, {}, "https://kinesis.eu-west-1.amazonaws.com/" },
    { "kinesis", "DescribeStream", { StreamARN = "arn:aws:kinesis:eu-west-1:123456789012:stream/x" }, {},
      "https://123456789012.control-kinesis.eu-west-1.amazonaws.com/" },
    { "neptune-graph", "GetGraph", { graphIdentifier = "g-0123456789" }, {},
      "https://neptune-graph.eu-west-1.amazonaws.com/graphs/g-0123456789" },
    { "lambda", "GetFunction", { FunctionName = "function:f" }, {},
      "https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/function%3Af" },
    { "s3", "HeadBucket", { Bucket = "b1b" }, {}, "https://b1b.s3.eu-west-1.amazonaws.com/" },
    { "s3", "HeadObject", { Bucket = "b1b", Key = "a/b c" }, {}, "https://b1b.s3.eu-west-1.amazonaws.com/a/b%20c" },
    { "s3", "HeadBucket", { Bucket = "b.1" }, {}, "https://s3.eu-west-1.amazonaws.com/b.1" },
    { "s3", "HeadObject", { Bucket = "b.1", Key = "k" }, {}, "https://s3.eu-west-1.amazonaws.com/b.1/k" },
    { "s3", "HeadBucket", { Bucket = "b1b" }, { dual_stack = true }, "https://b1b.s3.dualstack.eu-west-1.amazonaws.com/" },
    { "s3", "HeadObject", { Bucket = "b1b", Key = "k" }, { endpoint = "http://minio.example:9000/s3" },
      "http://minio.example:9000/s3/b1b/k" },
    { "s3", "HeadObject", { Bucket = "arn:aws:s3:eu-west-1:123456789012:accesspoint:p", Key = "k" }, {},
      "https://p-123456789012.s3-accesspoint.eu-west-1.amazonaws.com/k" },
    { "s3", "HeadBucket", { Bucket = "arn:aws:sns:eu-west-1:123456789012:x" }, {},
      "Invalid ARN: Unrecognized format: arn:aws:sns:eu-west-1:123456789012:x (type: x)" },
    { "ec2", "DescribeInstances", {}, { fips = true, endpoint = "http://localhost" },
      "Invalid Configuration: FIPS and custom endpoint are not supported" },
  }
  for _, case in ipairs(cases) do
    local service, name, input, connection, expected = table.unpack(case)

    it(("of %s is %s"):format(service, expected), function()
      assert.equal(expected, url_of(service, name, input, connection))
    end)
  end

  it("is found once where it does not depend on the input", function()
    local route = route_of("ec2", "DescribeInstances", {})
    assert.equal(route.locate {}, (route.locate { InstanceIds = { "i-1" } }))
  end)
end)
